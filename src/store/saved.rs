//! A run read back.

use std::collections::HashMap;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{Manifest, RunFolder, StoreError, lines};
use crate::types::{ChunkId, Passage, QuestionId, Trace};

/// A run's files in memory.
#[derive(Clone, Debug)]
pub struct SavedRun {
    /// `run.json`.
    pub manifest: Manifest,
    /// By `index`; of several lines with one id the last.
    pub traces: Vec<Trace>,
    /// Every passage that a trace names.
    pub passages: HashMap<ChunkId, Passage>,
}

impl SavedRun {
    /// Reads the run in `folder`.
    ///
    /// # Errors
    /// `Io`, `Damaged`, `OtherSchema`; `MissingPassages` when a trace names a passage that is not there: every measure that
    /// looks into passages would be wrong without a word.
    pub fn load(folder: &RunFolder) -> Result<Self, StoreError> {
        let manifest = Manifest::load(folder)?;
        let mut last: HashMap<QuestionId, Trace> = HashMap::new();
        for trace in lines::read::<Trace>(&folder.file("traces.jsonl"))? {
            last.insert(trace.question.id.clone(), trace);
        }
        let mut traces: Vec<Trace> = last.into_values().collect();
        traces.sort_by_key(|trace| trace.index);
        let passages = lines::read::<Passage>(&folder.file("passages.jsonl"))?;
        let passages: HashMap<ChunkId, Passage> =
            passages.into_iter().map(|passage| (passage.id.clone(), passage)).collect();
        let missing = |trace: &Trace| trace.passages().filter(|id| !passages.contains_key(*id)).count();
        let n_missing: usize = traces.par_iter().map(missing).sum();
        if n_missing > 0 {
            return Err(StoreError::MissingPassages { path: folder.file("passages.jsonl"), n_missing });
        }
        Ok(Self { manifest, traces, passages })
    }
}
