//! An answer with what it is compared with.

use super::parsed::Parsed;

/// An answer, its question and its gold answers.
pub(super) struct Claim<'a> {
    pub(super) question: &'a Parsed,
    pub(super) answer: &'a Parsed,
    pub(super) gold_answers: &'a [Parsed],
    /// Plain numbers are versions.
    pub(super) versions: bool,
    /// A gold answer of several words spells out what another one abbreviates.
    pub(super) spelled_out: bool,
}
