//! A finished run's generator, wired again, and prompts put to it that were not put to it then.
//!
//! Which prompts these are is decided in `eval/compare/cross/`.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::ask::FAILURES_IN_A_ROW;
use super::progress::Progress;
use super::{PipelineError, generate, prompt};
use crate::llm::{Generator, Price, Prompt, PromptPassage, Template};
use crate::store::SavedRun;
use crate::text::tokens::TokenCounter;
use crate::types::{Attempt, ChunkId, Question};

/// A generator with what makes its prompts, as a run had it.
pub struct Reader {
    /// What answers.
    pub generator: Arc<dyn Generator>,
    /// System and user message.
    pub template: Template,
    /// Counts a prompt's tokens.
    pub counter: Arc<dyn TokenCounter>,
    /// Price of its tokens.
    pub price: Price,
    /// Calls at once.
    pub concurrency: usize,
}

impl Reader {
    /// Whether `other` makes the same prompt of the same passages and puts it to the same generator.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let identity = |reader: &Self| {
            let generator = &reader.generator;
            (generator.name().to_owned(), generator.fingerprint().map(str::to_owned))
        };
        self.template == other.template && identity(self) == identity(other)
    }

    /// Its prompt of `question` over `passages`.
    #[must_use]
    pub fn prompt(&self, question: &Question, passages: Vec<PromptPassage>) -> Prompt {
        prompt::of_passages(question, passages, &self.template)
    }

    /// The tokens of a prompt, as an attempt records them.
    #[must_use]
    pub fn tokens(&self, prompt: &Prompt) -> u64 {
        (self.counter.count(&prompt.system) + self.counter.count(&prompt.user)) as u64
    }
}

/// Chunks of a run as its prompts showed them: with their documents' `titles`, or without.
#[must_use]
pub fn shown<'a>(run: &SavedRun, chunks: impl IntoIterator<Item = &'a ChunkId>, titles: bool) -> Vec<PromptPassage> {
    let passages = chunks.into_iter().filter_map(|id| run.passages.get(id));
    let shown = |passage: &crate::types::Passage| PromptPassage {
        title: if titles { passage.title.clone() } else { String::new() },
        text: passage.text.clone(),
    };
    passages.map(shown).collect()
}

/// A prompt to be asked, over these chunks.
#[derive(Clone, Debug)]
pub struct Call {
    /// What it shows.
    pub chunks: Vec<ChunkId>,
    /// The prompt.
    pub prompt: Prompt,
}

/// What came of a list of calls.
#[derive(Clone, Debug, Default)]
pub struct Replies {
    /// Parallel to the calls; `None`: not asked any more, or failed.
    pub attempts: Vec<Option<Attempt>>,
    /// Why the last one failed that did.
    pub failure: Option<String>,
}

/// Puts `calls` to `reader`, several at once. After [`FAILURES_IN_A_ROW`], or where a limit of cost or tokens is reached, no
/// more are made.
///
/// # Errors
/// `Panicked`: a defect of ours.
pub async fn ask(reader: &Arc<Reader>, calls: Vec<Call>, progress: &dyn Progress) -> Result<Replies, PipelineError> {
    progress.start("crossed prompts", calls.len() as u64);
    let mut replies = Replies { attempts: vec![None; calls.len()], failure: None };
    let (mut in_a_row, mut stopped) = (0, false);
    let mut waiting = calls.into_iter().enumerate();
    let mut working = JoinSet::new();
    loop {
        while !stopped && working.len() < reader.concurrency {
            let Some((at, Call { chunks, prompt })) = waiting.next() else { break };
            let reader = Arc::clone(reader);
            working.spawn(async move {
                let (generator, counter) = (reader.generator.as_ref(), reader.counter.as_ref());
                (at, generate::ask(generator, &prompt, chunks, counter, reader.price).await)
            });
        }
        let Some(finished) = working.join_next().await else { break };
        progress.advance(1);
        let failure = match finished.map_err(|_| PipelineError::Panicked)? {
            (at, Ok(attempt)) if attempt.error.is_none() => {
                replies.attempts[at] = Some(attempt);
                in_a_row = 0;
                continue;
            }
            (_, Ok(attempt)) => attempt.error,
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
