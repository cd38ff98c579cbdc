//! The error of this crate. No caller branches on a kind of it.

use crate::hint::Hint;

/// An invalid setting, name or file that this crate was given.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    message: String,
    hint: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Creates an error with its remedy; empty where the message suffices.
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into(), source: None }
    }

    /// Adds the cause.
    pub(crate) fn because(self, source: Box<dyn std::error::Error + Send + Sync>) -> Self {
        Self { source: Some(source), ..self }
    }
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        (!self.hint.is_empty()).then(|| self.hint.clone())
    }
}
