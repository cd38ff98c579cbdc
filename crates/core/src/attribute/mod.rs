//! Attribution: finds the stage at which an answer was lost.
//!
//! [`gold`] locates a question's evidence in the run's chunks ([`mod@place`] those of an external RAG in our
//! documents), [`support`] tests whether a set of passages holds it, [`classify`] names the first stage that lost it,
//! with the rule as a sentence, [`judge`] whether its answers are correct. All are pure: [`gold`] reads the corpus, the
//! others a trace and its passages.

mod cause;
pub mod classify;
mod delivery;
mod evidence;
mod flags;
pub mod gold;
pub mod judge;
pub mod known;
pub mod place;
mod reason;
pub mod support;
pub mod terms;
#[cfg(test)]
mod tests;

use crate::types::{ByteRange, ChunkId, Corpus, PassageMap};

/// Passage data that attribution reads.
#[derive(Clone, Copy, Debug)]
pub struct PassageView<'a> {
    /// Its range in its document.
    pub range: ByteRange,
    /// Its text, without a title.
    pub text: &'a str,
    /// Its document's title; empty where it has none.
    pub title: &'a str,
}

/// Source of passages: the live corpus during a run, its saved passages afterwards.
pub trait Passages: Sync {
    /// Returns the passage of that chunk id; `None` if it is unknown.
    fn view(&self, id: &ChunkId) -> Option<PassageView<'_>>;
}

impl Passages for Corpus {
    fn view(&self, id: &ChunkId) -> Option<PassageView<'_>> {
        let (range, text, title) = self.text_of(id)?;
        Some(PassageView { range, text, title })
    }
}

impl Passages for PassageMap {
    fn view(&self, id: &ChunkId) -> Option<PassageView<'_>> {
        self.get(id).map(|passage| PassageView {
            range: passage.range,
            text: &passage.text,
            title: &passage.title,
        })
    }
}
