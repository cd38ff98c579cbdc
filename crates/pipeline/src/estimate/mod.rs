//! Estimates the calls of a run, counted on the exact prompts that it would send; no call is made.

mod judge;
mod tally;

use std::sync::Arc;

use async_trait::async_trait;

use super::PipelineError;
use super::answerer::Answerer;
use super::ask::{QuestionResult, RunFacts};
use super::generate::{Caller, PromptCall};
use super::plan::CallPlan;
use super::sink::Sink;
pub use judge::judge_estimate;
pub use tally::CallTerms;
use tally::{CallTally, QuestionCalls};

use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{Attempt, Estimate, Finish, Origin, QuestionId, Stance, TokenUse};
use ragtriage_models::llm::LlmError;

/// A dry run: counts the calls that an execution would make.
pub struct EstimateSink {
    terms: CallTerms,
    tally: Option<CallTally>,
    /// Each question's calls with its position in the run.
    counted: Vec<(usize, QuestionCalls)>,
}

impl EstimateSink {
    /// Creates a sink that estimates calls by `terms`.
    #[must_use]
    pub fn new(terms: CallTerms) -> Self {
        Self { terms, tally: None, counted: Vec::new() }
    }

    /// Returns the estimate over the questions that were executed.
    #[must_use]
    pub fn estimate(self) -> Estimate {
        let mut counted = self.counted;
        counted.sort_unstable_by_key(|(index, _)| *index);
        let mut tally = self.tally.unwrap_or_default();
        for (_, counted) in counted {
            tally.add(counted);
        }
        tally.estimate(self.terms)
    }
}

impl Sink for EstimateSink {
    fn name(&self) -> String {
        "dry run".to_owned()
    }

    fn begin(&mut self) -> Result<(), PipelineError> {
        Ok(())
    }

    fn caller(&mut self, plan: &CallPlan<'_>) -> Result<Option<Box<dyn Caller>>, PipelineError> {
        self.tally = Some(CallTally::new(plan.arms, plan.price, plan.calls));
        Ok(plan.answerer.clone().map(|answerer| {
            Box::new(Counting { answerer, counter: Arc::clone(plan.counter) }) as Box<dyn Caller>
        }))
    }

    fn take(&mut self, asked: QuestionResult) -> Result<(), PipelineError> {
        self.counted.push((asked.trace.index, QuestionCalls::of(&asked.trace)));
        Ok(())
    }

    fn tolerates_failures(&self) -> bool {
        true
    }

    fn finish(&mut self, facts: RunFacts, _: bool) -> Result<(), PipelineError> {
        if let Some(tally) = &mut self.tally {
            tally.set_chunks(facts.n_chunks);
        }
        Ok(())
    }
}

/// Makes no calls: the reply is a cached one, or empty.
struct Counting {
    answerer: Answerer,
    counter: Arc<dyn TokenCounter>,
}

#[async_trait]
impl Caller for Counting {
    async fn call(&self, _: &QuestionId, call: &PromptCall) -> Result<Attempt, LlmError> {
        let kept = self.answerer.kept(&call.prompt).await;
        let (origin, completion, seconds) = match kept {
            Some(kept) => {
                let completion =
                    kept.completion_tokens.unwrap_or_else(|| self.counter.count(&kept.text) as u64);
                (Origin::Cached, completion, kept.seconds)
            }
            None => (Origin::Called, 0, 0.0),
        };
        Ok(Attempt {
            passages: call.passages.clone(),
            raw: String::new(),
            extracted: String::new(),
            stance: Stance::Unreadable,
            finish: Finish::Stop,
            origin,
            tokens: TokenUse { prompt: call.n_tokens, prompt_billed: None, completion },
            cost_usd: 0.0,
            seconds,
            error: None,
        })
    }
}
