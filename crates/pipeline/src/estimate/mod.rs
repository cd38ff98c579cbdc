//! What a run would ask of the generator, counted on the very prompts that it would send; nothing is asked.

mod tally;

use std::sync::Arc;

use async_trait::async_trait;

use super::PipelineError;
use super::ask::{Asked, RunFacts};
use super::generate::{Call, Caller};
use super::plan::Plan;
use super::sink::Sink;
use tally::{Counted, Tally};

use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{Attempt, Estimate, Finish, Origin, QuestionId, Stance, TokenUse};
use ragtriage_models::llm::{Generator, Limits, LlmError};

/// What calls are estimated by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// Most tokens of an answer.
    pub most_completion_tokens: u64,
    /// Calls at once to begin with.
    pub concurrency: usize,
    /// What the run may cost in all.
    pub limits: Limits,
}

/// A dry run: counts the calls that an execution would make.
pub struct EstimateSink {
    terms: Terms,
    tally: Option<Tally>,
    /// Each question's calls with its place in the run.
    counted: Vec<(usize, Counted)>,
}

impl EstimateSink {
    /// Estimates calls by `terms`.
    #[must_use]
    pub fn new(terms: Terms) -> Self {
        Self {
            terms,
            tally: None,
            counted: Vec::new(),
        }
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

    fn caller(&mut self, plan: &Plan) -> Result<Option<Box<dyn Caller>>, PipelineError> {
        self.tally = Some(Tally::new(&plan.arms, plan.price, plan.calls));
        Ok(plan.generator.as_ref().map(|generator| {
            Box::new(Counting {
                generator: Arc::clone(generator),
                counter: Arc::clone(&plan.prompt.counter),
            }) as Box<dyn Caller>
        }))
    }

    fn take(&mut self, asked: Asked) -> Result<(), PipelineError> {
        self.counted
            .push((asked.trace.index, Counted::of(&asked.trace)));
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

/// Calls nothing: the reply is a cached one, or empty where a call would be made.
struct Counting {
    generator: Arc<dyn Generator>,
    counter: Arc<dyn TokenCounter>,
}

#[async_trait]
impl Caller for Counting {
    async fn call(&self, _: &QuestionId, call: &Call) -> Result<Attempt, LlmError> {
        let kept = self.generator.kept(&call.prompt).await;
        let (origin, completion, seconds) = match kept {
            Some(kept) => {
                let completion = kept
                    .completion_tokens
                    .unwrap_or_else(|| self.counter.count(&kept.text) as u64);
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
            tokens: TokenUse {
                prompt: call.n_tokens,
                prompt_billed: None,
                completion,
            },
            cost_usd: 0.0,
            seconds,
            error: None,
        })
    }
}
