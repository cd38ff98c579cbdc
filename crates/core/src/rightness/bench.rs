//! An answer with what it is compared with.

use super::reading::Reading;

/// An answer, its question and its gold answers.
pub(super) struct Bench<'a> {
    pub(super) question: &'a Reading,
    pub(super) answer: &'a Reading,
    pub(super) golds: &'a [Reading],
    /// Plain numbers are versions.
    pub(super) versions: bool,
    /// A gold answer of several words spells out what another one abbreviates.
    pub(super) spelled_out: bool,
}
