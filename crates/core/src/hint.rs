//! Hints: a method on errors that says what to do.

/// An error that knows its remedy.
///
/// A hint says what to do in terms of configuration, data and services: which setting to change, which file to correct. It
/// names no command and no flag, since a library does not know who calls it; the command line adds those by the error's
/// kind. It is derived from the kind and its fields, never from the text of a message. `None`: the message says all there
/// is to say.
pub trait Hint {
    /// One sentence: lower case, imperative, no final stop.
    fn hint(&self) -> Option<String>;
}
