//! Estimates the calls of a run, counted on the exact prompts that it would send; no call is made.

mod judge;
mod tally;

use async_trait::async_trait;

use super::answerer::Answerer;
use super::ask::{QuestionResult, RunFacts};
use super::generate::{Caller, PromptCall};
use super::plan::CallPlan;
use super::sink::Sink;
use crate::Error;
pub use judge::judge_estimate;
use tally::{CallTally, QuestionCalls};

use ragtriage_core::types::{Attempt, Estimate, Finish, Origin, QuestionId, Stance, TokenUse};
use ragtriage_models::llm::LlmError;

/// A dry run: counts the calls that an execution would make.
pub struct EstimateSink {
    most_completion_tokens: u64,
    probes: u64,
    tally: CallTally,
}

impl EstimateSink {
    /// Creates a sink for answers of at most `most_completion_tokens`; `probes`: further calls over the passages of the oracle, as
    /// many as it has questions at most.
    #[must_use]
    pub fn new(most_completion_tokens: u64, probes: u64) -> Self {
        Self { most_completion_tokens, probes, tally: CallTally::default() }
    }

    /// Returns the estimate over the questions that were executed.
    #[must_use]
    pub fn estimate(self) -> Estimate {
        self.tally.estimate(self.most_completion_tokens, self.probes)
    }
}

impl Sink for EstimateSink {
    fn name(&self) -> String {
        "dry run".to_owned()
    }

    fn begin(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn caller(&mut self, plan: &CallPlan<'_>) -> Result<Option<Box<dyn Caller>>, Error> {
        self.tally = CallTally::new(plan.arms, plan.price);
        Ok(plan.answerer.clone().map(|answerer| Box::new(Counting { answerer }) as Box<dyn Caller>))
    }

    fn take(&mut self, asked: QuestionResult) -> Result<(), Error> {
        self.tally.add(QuestionCalls::of(&asked.trace));
        Ok(())
    }

    fn tolerates_failures(&self) -> bool {
        true
    }

    fn finish(&mut self, facts: RunFacts, _: bool) -> Result<(), Error> {
        self.tally.set_chunks(facts.n_chunks);
        Ok(())
    }
}

/// Makes no calls: the reply is empty.
struct Counting {
    answerer: Answerer,
}

#[async_trait]
impl Caller for Counting {
    async fn call(&self, _: &QuestionId, call: &PromptCall) -> Result<Attempt, LlmError> {
        let is_cached = self.answerer.is_cached(&call.prompt).await;
        Ok(Attempt {
            passages: call.passages.clone(),
            raw: String::new(),
            extracted: String::new(),
            stance: Stance::Unreadable,
            finish: Finish::Stop,
            origin: if is_cached { Origin::Cached } else { Origin::Called },
            tokens: TokenUse { prompt: call.n_tokens, prompt_billed: None, completion: 0 },
            cost_usd: 0.0,
            seconds: 0.0,
            error: None,
        })
    }
}
