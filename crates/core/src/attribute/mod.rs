//! Floor 2, attribution: where an answer was lost.
//!
//! [`gold`] places a question's evidence in the run's chunks ([`mod@place`] those that another system cut in our
//! documents), [`support`] says whether a set of passages holds it,
//! [`classify`] names the first stage that lost it, with the rule as a sentence, [`modes`] what else is known to go
//! wrong there. All pure: they read a trace and its passages, nothing else, and take from above whether an answer was right.

pub mod classify;
mod delivery;
pub mod elsewhere;
pub mod gold;
pub mod judge;
pub mod modes;
pub mod place;
mod reason;
mod shingles;
pub mod support;
pub mod terms;
#[cfg(test)]
mod tests;

use crate::types::{ByteRange, ChunkId, Corpus, Passage};

/// A passage as attribution needs it.
#[derive(Clone, Copy, Debug)]
pub struct PassageView<'a> {
    /// Its place in its document.
    pub range: ByteRange,
    /// Its own text.
    pub text: &'a str,
    /// Its document's title; empty where it has none.
    pub title: &'a str,
}

/// Source of passages: the live corpus during a run, its saved passages afterwards.
pub trait Passages: Sync {
    /// The passage of that chunk id, `None` when it is not there.
    fn view(&self, id: &ChunkId) -> Option<PassageView<'_>>;
}

impl Passages for Corpus {
    fn view(&self, id: &ChunkId) -> Option<PassageView<'_>> {
        let number = self.chunk_number(id)?;
        let (text, title) = self.chunk_text(number);
        Some(PassageView {
            range: self.chunks()[number].range,
            text,
            title,
        })
    }
}

impl<S: std::hash::BuildHasher + Sync> Passages for std::collections::HashMap<ChunkId, Passage, S> {
    fn view(&self, id: &ChunkId) -> Option<PassageView<'_>> {
        self.get(id).map(|passage| PassageView {
            range: passage.range,
            text: &passage.text,
            title: &passage.title,
        })
    }
}
