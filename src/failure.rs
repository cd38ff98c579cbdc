//! Ends a command that could not be carried out: a message, and a hint on what to do.

use std::error::Error;

use ragtriage_core::text::causes::with_causes;

use ragtriage_core::hint::Hint;

/// A message with a hint. Each one ends the program with exit code 2.
#[derive(Debug)]
pub struct Failure {
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl Failure {
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: Some(hint.into()) }
    }

    /// Creates a failure without a hint.
    pub(super) fn bare(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }
}

impl<E: Error + Hint> From<E> for Failure {
    fn from(error: E) -> Self {
        Self { message: with_causes(&error), hint: error.hint() }
    }
}
