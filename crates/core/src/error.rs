//! The error of this crate. No caller branches on a kind of it.

use std::fmt;

use crate::hint::Hint;

/// An invalid setting, name or file that this crate was given; boxed, since other errors hold it.
#[derive(Debug)]
pub struct Error(Box<Parts>);

#[derive(Debug)]
struct Parts {
    message: String,
    hint: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Creates an error with its remedy; empty where the message suffices.
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self(Box::new(Parts { message: message.into(), hint: hint.into(), source: None }))
    }

    /// Adds the cause.
    pub(crate) fn because(mut self, source: Box<dyn std::error::Error + Send + Sync>) -> Self {
        self.0.source = Some(source);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source = self.0.source.as_deref()?;
        Some(source)
    }
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        Some(&self.0.hint).filter(|hint| !hint.is_empty()).cloned()
    }
}
