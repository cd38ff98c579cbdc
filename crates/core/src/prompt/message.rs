//! The input of a generator.

/// One passage as the prompt shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptPassage {
    /// The document's title; may be empty.
    pub title: String,
    /// The chunk's text, without the title.
    pub text: String,
}

/// The input of a generator: the same content twice, structured for services and rendered for chat models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The question.
    pub question: String,
    /// The packed passages, in prompt order; empty in the closed-book arm.
    pub passages: Vec<PromptPassage>,
    /// The rendered system message; empty for none.
    pub system: String,
    /// The rendered user message.
    pub user: String,
}
