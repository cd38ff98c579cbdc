//! The ids of an input of a model.

use super::model::Sequence;

/// The ids of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ids {
    /// Ids of its word pieces, specials included.
    pub ids: Vec<u32>,
    /// Index of the first token of type 1; `ids.len()` if there are none.
    pub second: usize,
}

impl Ids {
    /// Returns the sequence in which every token is attended to.
    pub fn sequence(&self) -> Sequence<'_> {
        Sequence { ids: &self.ids, second: self.second, n_seen: self.ids.len() }
    }
}
