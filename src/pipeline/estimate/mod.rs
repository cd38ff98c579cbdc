//! What a run would ask of the generator, counted on the very prompts that it would send; nothing is asked.

mod tally;

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use serde::Serialize;

use super::PipelineError;
use super::ask::Done;
use super::plan::Plan;
use super::progress::Progress;
use super::prompt;
use super::run::{self, Line, Prepared};
use super::stock::Stock;
use tally::{Asked, Tally};

use crate::llm::Limits;
use crate::types::{ArmName, ChunkId, Dataset, Question};

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
    pub seconds: Seconds,
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
pub struct Seconds {
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

/// Retrieves for every question that is left and looks at each arm's prompt; calls no generator, writes no run.
///
/// # Errors
/// Whatever concerns the whole run: encoder, index.
pub async fn estimate(
    dataset: Dataset,
    plan: Plan,
    done: &Done,
    terms: Terms,
    progress: &dyn Progress,
) -> Result<Estimate, PipelineError> {
    estimate_from(&mut run::stocked(dataset, done), plan, terms, progress).await
}

/// [`estimate`] for the questions of `stock`, with what is there already.
///
/// # Errors
/// As [`estimate`].
pub async fn estimate_from(
    stock: &mut Stock,
    plan: Plan,
    terms: Terms,
    progress: &dyn Progress,
) -> Result<Estimate, PipelineError> {
    let (price, in_work) = (plan.price, plan.calls);
    let Prepared { line, left, facts } = run::prepare(stock, plan, progress).await?;
    let mut tally = Tally::new(&line.plan.arms, facts.n_chunks);
    progress.start("prompts", left.len() as u64);
    let line = Arc::new(line);
    let look = |(index, question)| {
        let line = Arc::clone(&line);
        tokio::spawn(async move { look(&line, index, question).await })
    };
    let mut looked = stream::iter(left).map(look).buffered(in_work);
    while let Some(asked) = looked.next().await {
        tally.add(asked.map_err(|_| PipelineError::Panicked)?);
        progress.advance(1);
    }
    progress.finish();
    Ok(tally.estimate(price, in_work, terms))
}

/// One question as far as its prompts.
async fn look(line: &Line, index: usize, question: Question) -> Asked {
    let trace = line.retrieved(index, question).await;
    if trace.stages.is_empty() {
        return Asked { failed: true, ..Asked::default() };
    }
    let Some(generator) = &line.plan.generator else { return Asked::default() };
    let counter = &line.plan.prompt.counter;
    let mut asked = Asked::default();
    let mut before: Vec<Vec<ChunkId>> = Vec::new();
    for (arm, chunks) in line.prompts(&trace) {
        let mut calls = ArmCalls { questions: 1, ..ArmCalls::of(arm) };
        if before.contains(&chunks) {
            calls.same_prompt = 1;
            asked.arms.push(calls);
            continue;
        }
        let prompt = line.prompt(&trace, &chunks);
        if let Some(kept) = generator.kept(&prompt).await {
            let completion = kept.completion_tokens.unwrap_or_else(|| counter.count(&kept.text) as u64);
            asked.kept.push((completion, kept.seconds));
            calls.cached = 1;
        } else {
            calls.calls = line.plan.arms.times(arm) as u64;
            calls.prompt_tokens = calls.calls * prompt::n_tokens(&prompt, counter.as_ref());
            asked.passages.extend(chunks.iter().cloned());
        }
        asked.arms.push(calls);
        before.push(chunks);
    }
    asked
}
