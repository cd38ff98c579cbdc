//! Traces to the run's folder as they finish: passages first, so that a trace on disk never names one that is not.

use std::collections::{HashMap, HashSet};

use ragtriage_core::types::{ChunkId, Corpus, Passage, Trace};
use ragtriage_runs::{LineWriter, RunFolder, StoreError};

/// Gives the passages that a trace names.
pub trait PassageSource: Send + Sync {
    /// The passage of that chunk id, `None` when it is not there.
    fn passage(&self, id: &ChunkId) -> Option<Passage>;
}

impl PassageSource for Corpus {
    fn passage(&self, id: &ChunkId) -> Option<Passage> {
        Self::passage(self, id)
    }
}

impl<S: std::hash::BuildHasher + Send + Sync> PassageSource for HashMap<ChunkId, Passage, S> {
    fn passage(&self, id: &ChunkId) -> Option<Passage> {
        self.get(id).cloned()
    }
}

/// Writes traces and the passages they name.
pub struct Recorder {
    traces: LineWriter,
    passages: LineWriter,
    written: HashSet<ChunkId>,
}

impl Recorder {
    /// Opens the two files of `folder`; `written` are the passages that stand there already.
    ///
    /// # Errors
    /// `Io`.
    pub fn open(folder: &RunFolder, written: HashSet<ChunkId>) -> Result<Self, StoreError> {
        Ok(Self {
            traces: LineWriter::open(&folder.file("traces.jsonl"))?,
            passages: LineWriter::open(&folder.file("passages.jsonl"))?,
            written,
        })
    }

    /// Appends one trace.
    ///
    /// # Errors
    /// `Io`: the disk is full, say.
    pub fn record(
        &mut self,
        trace: &Trace,
        passages: &dyn PassageSource,
    ) -> Result<(), StoreError> {
        let mut new = Vec::new();
        for id in trace.passages() {
            if !self.written.contains(id) {
                self.written.insert(id.clone());
                new.extend(passages.passage(id));
            }
        }
        if !new.is_empty() {
            self.passages.append(&new)?;
        }
        self.traces.append([trace])
    }
}
