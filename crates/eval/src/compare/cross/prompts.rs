//! Rebuilds prompts of a finished run, and holds the replies to them.

use std::sync::Arc;

use ragtriage_core::prompt::{Prompt, PromptPassage, Template, n_tokens, of_passages};
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{Attempt, ChunkId, Passage, Question};
use ragtriage_runs::SavedRun;

/// Rebuilds a run's prompts for its generator.
pub struct PromptMaker {
    /// The generator's name.
    pub generator: String,
    /// Inputs besides the prompt that the generator's reply depends on; `None` for local readers.
    pub fingerprint: Option<String>,
    /// System and user message.
    pub template: Template,
    /// Counts a prompt's tokens.
    pub counter: Arc<dyn TokenCounter>,
}

impl PromptMaker {
    /// Returns true if `other` builds the same prompt from the same passages for the same generator.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        self.template == other.template
            && self.generator == other.generator
            && self.fingerprint == other.fingerprint
    }

    /// Builds its prompt of `question` over `passages`.
    #[must_use]
    pub fn prompt(&self, question: &Question, passages: Vec<PromptPassage>) -> Prompt {
        of_passages(question, passages, &self.template)
    }

    /// Returns the number of tokens of a prompt, as recorded in an attempt.
    #[must_use]
    pub fn tokens(&self, prompt: &Prompt) -> u64 {
        n_tokens(prompt, self.counter.as_ref())
    }
}

/// Returns chunks of a run as shown in its prompts: with their documents' `titles`, or without.
#[must_use]
pub fn shown<'a>(
    run: &SavedRun,
    chunks: impl IntoIterator<Item = &'a ChunkId>,
    titles: bool,
) -> Vec<PromptPassage> {
    let passages = chunks.into_iter().filter_map(|id| run.passages.get(id));
    passages
        .map(|passage: &Passage| PromptPassage {
            title: if titles { passage.title.clone() } else { String::new() },
            text: passage.text.clone(),
        })
        .collect()
}

/// A prompt to send, with its chunks.
#[derive(Clone, Debug)]
pub struct Call {
    /// The chunks it shows.
    pub chunks: Vec<ChunkId>,
    /// The prompt.
    pub prompt: Prompt,
}

/// Results of a list of calls.
#[derive(Clone, Debug, Default)]
pub struct CallReplies {
    /// Parallel to the calls; `None`: not sent, or failed.
    pub attempts: Vec<Option<Attempt>>,
    /// The error of the last failed call.
    pub failure: Option<String>,
}
