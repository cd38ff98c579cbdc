//! Values at their places.

use super::value::Value;

/// Side on which a value bounds (`at most`, `more than`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    pub(super) upper: bool,
    pub(super) strict: bool,
}

/// A value at its place.
#[derive(Clone, Debug)]
pub(super) struct Mention {
    pub(super) value: Value,
    /// Index of its first token.
    pub(super) first: usize,
    /// Index after its last token.
    pub(super) end: usize,
    pub(super) bound: Option<Bound>,
    /// May be no value at all: never contradicts.
    pub(super) weak: bool,
}
