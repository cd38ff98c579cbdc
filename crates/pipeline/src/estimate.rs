//! Estimates the calls of a run, counted on the exact prompts that it would send; no call is made. Those of a judge are bounded, since
//! they depend on the answers.

use std::sync::Arc;

use super::ask::{QuestionResult, RunFacts};
use super::generate::Calls;
use super::settings::Settings;
use super::settings::assemble::judge::most_tokens;
use super::settings::assemble::most_completion_tokens;
use super::settings::assemble::prompt::prompt_counter;
use super::sink::Sink;
use crate::Error;
use ragtriage_core::config::{JudgeSettings, Price};
use ragtriage_core::prompt::{comparison_prompt, n_tokens};
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{Attempt, Estimate, Origin, Stance, Trace};

/// A dry run: counts the calls that an execution would make.
pub struct EstimateSink {
    most_completion_tokens: u64,
    price: Price,
    judge: JudgeSettings,
    counter: Arc<dyn TokenCounter>,
    estimate: Estimate,
}

impl EstimateSink {
    /// Creates a sink for a run with `settings`.
    ///
    /// # Errors
    /// A token counter that cannot be made.
    pub fn new(settings: &Settings) -> Result<Self, Error> {
        Ok(Self {
            most_completion_tokens: most_completion_tokens(&settings.generation),
            price: Price::default(),
            judge: settings.judge.clone(),
            counter: prompt_counter()?,
            estimate: Estimate::default(),
        })
    }

    /// Returns the estimate over the questions that were executed.
    #[must_use]
    pub fn estimate(self) -> Estimate {
        let Self { most_completion_tokens, price, mut estimate, .. } = self;
        let most = estimate.calls.saturating_mul(most_completion_tokens);
        estimate.most_completion_tokens = most;
        estimate.most_cost_usd = price.of(estimate.prompt_tokens, most);
        estimate
    }

    fn add(&mut self, trace: &Trace) {
        let estimate = &mut self.estimate;
        estimate.questions += 1;
        estimate.failed += usize::from(trace.failed());
        if let Some(call) = &trace.rewrite {
            estimate.prompts += 1;
            count(estimate, call);
        }
        for condition in &trace.conditions {
            let counted = || condition.attempts.iter().filter(|attempt| !is_recorded(attempt));
            estimate.prompts += u64::from(counted().next().is_some());
            counted().for_each(|attempt| count(estimate, attempt));
        }
        if self.judge.is_on() && trace.question.is_compared() {
            let attempts = trace.conditions.iter().flat_map(|condition| &condition.attempts);
            let n = attempts.filter(|attempt| attempt.origin != Origin::SamePrompt).count() as u64;
            let prompt = comparison_prompt(&trace.question, "");
            let prompt = n_tokens(&prompt, self.counter.as_ref()) + self.most_completion_tokens;
            estimate.most_judge_calls += n;
            estimate.most_judge_cost_usd +=
                self.judge.price.of(n * prompt, n * most_tokens(&self.judge));
        }
    }
}

/// Counts a call by the source of its reply.
fn count(estimate: &mut Estimate, attempt: &Attempt) {
    match attempt.origin {
        Origin::SamePrompt => estimate.same_prompt += 1,
        Origin::Cached => estimate.cached += 1,
        Origin::Called => {
            estimate.calls += 1;
            estimate.prompt_tokens += attempt.tokens.prompt;
        }
    }
}

impl Sink for EstimateSink {
    fn name(&self) -> String {
        "dry run".to_owned()
    }

    fn calls(&mut self, calls: &mut Calls) -> Result<(), Error> {
        self.price = calls.price;
        calls.is_dry = true;
        Ok(())
    }

    fn take(&mut self, asked: QuestionResult) -> Result<(), Error> {
        self.add(&asked.trace);
        Ok(())
    }

    fn finish(&mut self, facts: RunFacts, _: bool) -> Result<(), Error> {
        self.estimate.chunks = facts.n_chunks;
        Ok(())
    }
}

/// Returns true for the reply of an external RAG: a dry run makes no call and has no replies of its own.
fn is_recorded(attempt: &Attempt) -> bool {
    attempt.origin != Origin::SamePrompt && attempt.stance != Stance::Unreadable
}
