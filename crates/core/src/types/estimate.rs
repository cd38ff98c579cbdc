//! The estimate of a dry run: calls, tokens, cost and time.

use serde::Serialize;

use super::ArmName;

/// What a run would ask and what that may cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// Questions that are left to ask.
    pub questions: usize,
    /// Of those, questions whose retrieval failed: nothing is asked for them.
    pub failed: usize,
    /// Chunks of the corpus.
    pub chunks: usize,
    /// By arm, in the order they are asked.
    pub arms: Vec<ArmCalls>,
    /// All calls.
    pub calls: u64,
    /// Questions with a call.
    pub questions_called: usize,
    /// Distinct passages in the calls' prompts.
    pub passages_called: usize,
    /// Tokens of the calls' prompts (`cl100k_base`).
    pub prompt_tokens: u64,
    /// Tokens of their answers.
    pub completion_tokens: Forecast<u64>,
    /// US dollars.
    pub cost_usd: Forecast<f64>,
    /// Wall time.
    pub seconds: TimeForecast,
    /// Kept replies to this run's prompts, which expectations are taken from.
    pub kept: Kept,
    /// The limit that would end the run early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
}

/// The prompts of one arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ArmCalls {
    /// Which.
    pub arm: ArmName,
    /// Questions that have it.
    pub questions: u64,
    /// Whose reply is in the cache.
    pub cached: u64,
    /// That an arm before has, so that its reply serves both.
    pub same_prompt: u64,
    /// Calls to be made, repeats included.
    pub calls: u64,
    /// Tokens of those calls' prompts.
    pub prompt_tokens: u64,
}

/// How much, as far as it can be known before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Forecast<T> {
    /// Where every answer is as long as it may be.
    pub most: T,
    /// Where answers are as long as the kept ones on average; `None` where none is kept.
    pub expected: Option<T>,
}

/// How long it takes, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TimeForecast {
    /// Calls at once to begin with.
    pub concurrency: usize,
    /// Questions in work at once, of which some wait for their turn.
    pub in_work: usize,
    /// Where each call takes as long as those of the kept replies did, waits included; `None` where none is kept.
    pub expected: Option<f64>,
    /// Where each takes a second.
    pub at_one_a_call: f64,
}

/// Kept replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Kept {
    /// How many.
    pub replies: u64,
    /// Their mean length in tokens.
    pub mean_completion_tokens: f64,
    /// Their calls' mean seconds.
    pub mean_seconds: f64,
}

/// Where a limit ends the run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stop {
    /// The setting.
    pub setting: &'static str,
    /// Its value.
    pub limit: f64,
    /// About so many questions are asked before.
    pub after_questions: usize,
}

impl ArmCalls {
    /// No questions yet.
    #[must_use]
    pub fn of(arm: ArmName) -> Self {
        Self {
            arm,
            questions: 0,
            cached: 0,
            same_prompt: 0,
            calls: 0,
            prompt_tokens: 0,
        }
    }

    /// Adds the counts of `other`.
    pub fn add(&mut self, other: &Self) {
        let Self {
            arm: _,
            questions,
            cached,
            same_prompt,
            calls,
            prompt_tokens,
        } = other;
        self.questions += questions;
        self.cached += cached;
        self.same_prompt += same_prompt;
        self.calls += calls;
        self.prompt_tokens += prompt_tokens;
    }
}
