//! Prompts: the passages of a question rendered by a template.

mod template;

pub use template::{NO_PASSAGES, PASSAGE_SEPARATOR, Part, Template, TemplateError, passage_text};

use crate::text::tokens::TokenCounter;
use crate::types::{Kind, Question};

/// One passage as the prompt shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptPassage {
    /// The document's title; may be empty.
    pub title: String,
    /// The chunk's own text.
    pub text: String,
}

/// What a generator is given: the same content twice, structured for local readers, rendered for chat models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The question.
    pub question: String,
    /// The sort of answer wanted.
    pub kind: Kind,
    /// The packed passages, in prompt order; empty in the closed-book arm.
    pub passages: Vec<PromptPassage>,
    /// The rendered system message; empty for none.
    pub system: String,
    /// The rendered user message.
    pub user: String,
}

/// The prompt of `question` over `passages`, in that order.
#[must_use]
pub fn of_passages(
    question: &Question,
    passages: Vec<PromptPassage>,
    template: &Template,
) -> Prompt {
    template.prompt(&question.text, question.kind, passages)
}

/// The tokens of a prompt's two messages.
#[must_use]
pub fn n_tokens(prompt: &Prompt, counter: &dyn TokenCounter) -> u64 {
    (counter.count(&prompt.system) + counter.count(&prompt.user)) as u64
}
