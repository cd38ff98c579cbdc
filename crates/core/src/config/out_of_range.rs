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
    /// The violated rule, such as `must be 1 to 1000`.
    pub problem: Cow<'static, str>,
}
