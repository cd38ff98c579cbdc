//! The error of a value that a setting does not accept.

use std::borrow::Cow;

/// A value that its setting does not accept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is {value}, {problem}")]
pub struct OutOfRange {
    /// The setting.
    pub name: Cow<'static, str>,
    /// The given value.
    pub value: String,
    /// What is wrong with it, and what it must be.
    pub problem: Cow<'static, str>,
}
