//! Hints: a method on errors that says what to do.

/// An error with a hint.
///
/// A hint says what to do: which setting to change, which file to correct, which command to run. It is written where the error is
/// made. `None` if the message is sufficient.
pub trait Hint {
    /// One sentence: lower case, imperative, no final stop.
    fn hint(&self) -> Option<String>;
}
