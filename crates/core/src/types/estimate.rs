//! The estimate of a dry run: calls, tokens and cost.

use serde::Serialize;

use super::ArmName;

/// Calls that a run would make and their possible cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// Questions still to ask.
    pub questions: usize,
    /// Questions among them whose retrieval failed: no call is made for them.
    pub failed: usize,
    /// Chunks of the corpus.
    pub chunks: usize,
    /// Calls by arm, in the order of the calls.
    pub arms: Vec<ArmCalls>,
    /// All calls.
    pub calls: u64,
    /// Questions with a call.
    pub questions_called: usize,
    /// Distinct passages in the calls' prompts.
    pub passages_called: usize,
    /// Tokens of the calls' prompts (`cl100k_base`).
    pub prompt_tokens: u64,
    /// Tokens of their answers if each has the maximum length.
    pub most_completion_tokens: u64,
    /// Cost in US dollars then.
    pub most_cost_usd: f64,
}

/// Upper bound of the calls that a judge gets: as if the rule were unsure of every answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct JudgeEstimate {
    /// Questions with gold answers, each of which may be answered.
    pub questions: u64,
    /// Calls if all of them are answered, differently under each condition.
    pub calls: u64,
    /// Tokens of their prompts if every answer has the generator's maximum length.
    pub most_prompt_tokens: u64,
    /// Maximum tokens of their replies.
    pub most_completion_tokens: u64,
    /// Maximum cost in US dollars.
    pub most_cost_usd: f64,
}

/// The prompts of one arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ArmCalls {
    /// The arm.
    pub arm: ArmName,
    /// Questions that have this arm.
    pub questions: u64,
    /// Questions whose response is cached.
    pub cached: u64,
    /// Questions whose prompt equals that of an earlier arm, so that one response serves both.
    pub same_prompt: u64,
    /// Calls to be made, repeats included.
    pub calls: u64,
    /// Prompt tokens of those calls.
    pub prompt_tokens: u64,
}

impl ArmCalls {
    /// Creates the counts of an arm without questions.
    #[must_use]
    pub fn of(arm: ArmName) -> Self {
        Self { arm, questions: 0, cached: 0, same_prompt: 0, calls: 0, prompt_tokens: 0 }
    }

    /// Adds the counts of `other`.
    pub fn add(&mut self, other: &Self) {
        let Self { arm: _, questions, cached, same_prompt, calls, prompt_tokens } = other;
        self.questions += questions;
        self.cached += cached;
        self.same_prompt += same_prompt;
        self.calls += calls;
        self.prompt_tokens += prompt_tokens;
    }
}
