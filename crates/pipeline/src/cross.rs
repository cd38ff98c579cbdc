//! Reassembles a finished run's generator, and sends it prompts that the run did not send.
//!
//! `eval/compare/cross/` decides which prompts these are.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::ask::FAILURES_IN_A_ROW;
use super::progress::Progress;
use super::{PipelineError, generate, prompt};
use ragtriage_core::config::Price;
use ragtriage_core::types::ArmName;
use ragtriage_eval::compare::cross::{Call, CallReplies, PromptMaker};
use ragtriage_models::llm::Generator;

/// A run's generator with its prompt maker.
pub struct Reader {
    /// The generator.
    pub generator: Arc<dyn Generator>,
    /// Builds its prompts.
    pub prompts: Arc<PromptMaker>,
    /// Price of its tokens.
    pub price: Price,
    /// Maximum number of concurrent calls.
    pub concurrency: usize,
}

/// Sends `calls` to `reader`, several concurrently. Stops after [`FAILURES_IN_A_ROW`], or when a limit of cost or tokens is
/// reached.
///
/// # Errors
/// `Panicked`: an internal error.
pub async fn ask(
    reader: &Arc<Reader>,
    calls: Vec<Call>,
    progress: &dyn Progress,
) -> Result<CallReplies, PipelineError> {
    progress.start("crossed prompts", calls.len() as u64);
    let mut replies = CallReplies { attempts: vec![None; calls.len()], failure: None };
    let (mut in_a_row, mut stopped) = (0, false);
    let mut waiting = calls.into_iter().enumerate();
    let mut working = JoinSet::new();
    loop {
        while !stopped && working.len() < reader.concurrency {
            let Some((at, Call { chunks, prompt })) = waiting.next() else {
                break;
            };
            let reader = Arc::clone(reader);
            working.spawn(async move {
                let (generator, counter) =
                    (reader.generator.as_ref(), reader.prompts.counter.as_ref());
                let call = generate::PromptCall {
                    arm: ArmName::Retrieved,
                    n_tokens: prompt::n_tokens(&prompt, counter),
                    passages: chunks,
                    prompt,
                };
                (at, generate::ask(generator, &call, counter, reader.price).await)
            });
        }
        let Some(finished) = working.join_next().await else {
            break;
        };
        progress.advance(1);
        let failure = match finished.map_err(|_| PipelineError::Panicked)? {
            (at, Ok(attempt)) if attempt.error.is_none() => {
                replies.attempts[at] = Some(attempt);
                in_a_row = 0;
                continue;
            }
            (_, Ok(attempt)) => attempt.error.map(|error| error.message),
            (_, Err(spent)) => {
                stopped = true;
                Some(spent.to_string())
            }
        };
        in_a_row += 1;
        stopped |= in_a_row >= FAILURES_IN_A_ROW;
        replies.failure = failure;
    }
    progress.finish();
    Ok(replies)
}
