//! Prompts: the passages of a question rendered by a template.

mod comparison;
mod rewrite;
mod template;

pub use comparison::{JudgeVerdict, comparison_prompt};
pub use rewrite::rewrite_prompt;
pub use template::{
    NO_PASSAGES, PASSAGE_SEPARATOR, Prompt, PromptPassage, Template, TemplatePart, passage_text,
};

use crate::text::tokens::TokenCounter;

/// Counts the tokens of a prompt's two messages.
#[must_use]
pub fn n_tokens(prompt: &Prompt, counter: &dyn TokenCounter) -> u64 {
    (counter.count(&prompt.system) + counter.count(&prompt.user)) as u64
}
