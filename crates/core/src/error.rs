//! The error of this crate, and of those that add a kind to it.

use std::fmt;

use crate::hint::Hint;

type Source = Box<dyn std::error::Error + Send + Sync>;

/// An error with its remedy and its cause.
#[derive(Debug)]
pub struct ErrorOf<K> {
    /// What a caller distinguishes.
    pub kind: K,
    message: String,
    /// Empty where the message suffices.
    hint: String,
    source: Option<Source>,
}

/// An invalid setting, name or file that this crate was given. No caller branches on a kind of it.
pub type Error = ErrorOf<()>;

impl ErrorOf<()> {
    /// Creates an error with its remedy; empty where the message suffices.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::of((), message).with_hint(hint)
    }
}

impl<K> ErrorOf<K> {
    /// Creates an error without a remedy.
    pub fn of(kind: K, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: String::new(), source: None }
    }

    /// Returns the error with this remedy.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    /// Returns the error with its cause.
    #[must_use]
    pub fn because(self, source: impl Into<Source>) -> Self {
        Self { source: Some(source.into()), ..self }
    }
}

impl<K> fmt::Display for ErrorOf<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<K: fmt::Debug> std::error::Error for ErrorOf<K> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl<K> Hint for ErrorOf<K> {
    fn hint(&self) -> Option<String> {
        Some(&self.hint).filter(|hint| !hint.is_empty()).cloned()
    }
}
