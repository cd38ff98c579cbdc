//! The error of this crate: a message, and what to do.

use ragtriage_core::hint::Hint;

/// A run, baseline or audit sheet that cannot be judged or compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    message: String,
    hint: String,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }

    /// The error of a metric or class that is defined for no question.
    pub(crate) fn no_value(message: String) -> Self {
        let hint = "metrics and classes of answers need a generator and gold answers; ranking metrics need relevance judgments; \
                    `ragtriage report RUN` shows what a run has";
        Self::new(message, hint)
    }
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        Some(self.hint.clone())
    }
}
