//! Hints: a method on errors that says what to do.

/// An error with a hint.
///
/// A hint says what to do in terms of configuration, data and services: which setting to change, which file to correct.
/// It names no command or flag, since a library does not know its caller; the command line adds those by the error's
/// kind. It is derived from the kind and its fields, never from the text of a message. `None` if the message is
/// sufficient.
pub trait Hint {
    /// One sentence: lower case, imperative, no final stop.
    fn hint(&self) -> Option<String>;
}
