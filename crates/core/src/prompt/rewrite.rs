//! The prompt that rewrites the last question of a conversation as one that needs no turn before it.

use super::Prompt;
use crate::types::Question;

/// The instruction. Its reply is read as an answer is.
const SYSTEM: &str = include_str!("../../../../config/prompts/rewrite.txt").trim_ascii_end();

/// Returns the prompt that rewrites `question` from its history.
#[must_use]
pub fn rewrite_prompt(question: &Question) -> Prompt {
    let (turns, asked) = (question.conversation(), &question.text);
    Prompt {
        question: asked.clone(),
        passages: Vec::new(),
        system: SYSTEM.to_owned(),
        user: format!("Conversation:\n\n{turns}\n\nLast question: {asked}"),
    }
}
