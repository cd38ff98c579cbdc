//! Prompts: the passages of a question rendered by a template.

mod comparison;
mod message;
mod template;

pub use comparison::{JudgeVerdict, comparison_prompt};
pub use message::{Prompt, PromptPassage};
pub use template::{NO_PASSAGES, PASSAGE_SEPARATOR, Template, TemplatePart, passage_text};

use crate::text::tokens::TokenCounter;
use crate::types::Question;

/// Renders the prompt of `question` over `passages`, in that order.
#[must_use]
pub fn of_passages(
    question: &Question,
    passages: Vec<PromptPassage>,
    template: &Template,
) -> Prompt {
    template.prompt(&question.text, passages)
}

/// Counts the tokens of a prompt's two messages.
#[must_use]
pub fn n_tokens(prompt: &Prompt, counter: &dyn TokenCounter) -> u64 {
    (counter.count(&prompt.system) + counter.count(&prompt.user)) as u64
}
