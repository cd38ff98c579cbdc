//! What a run would ask of the generator, counted on the very prompts that it would send; nothing is asked.

mod tally;

use std::sync::Arc;

use super::PipelineError;
use super::ask::Done;
use super::plan::Plan;
use super::progress::Progress;
use super::prompt;
use super::run::{self, Line, Prepared};
use super::stock::Stock;
use futures_util::{StreamExt, stream};
use tally::{Asked, Tally};

use ragtriage_core::types::{ArmCalls, ChunkId, Dataset, Estimate, Question};
use ragtriage_models::llm::Limits;

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
        return Asked {
            failed: true,
            ..Asked::default()
        };
    }
    let Some(generator) = &line.plan.generator else {
        return Asked::default();
    };
    let counter = &line.plan.prompt.counter;
    let mut asked = Asked::default();
    let mut before: Vec<Vec<ChunkId>> = Vec::new();
    for (arm, chunks) in line.prompts(&trace) {
        let mut calls = ArmCalls {
            questions: 1,
            ..ArmCalls::of(arm)
        };
        if before.contains(&chunks) {
            calls.same_prompt = 1;
            asked.arms.push(calls);
            continue;
        }
        let prompt = line.prompt(&trace, &chunks);
        if let Some(kept) = generator.kept(&prompt).await {
            let completion = kept
                .completion_tokens
                .unwrap_or_else(|| counter.count(&kept.text) as u64);
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
