//! Writes results to a run's folder as they finish: passages first, so that a trace on disk never names a missing
//! one.

use std::collections::HashSet;
use std::sync::Arc;

use super::PipelineError;
use super::ask::{Done, PassageSource, QuestionResult, RunFacts};
use super::generate::{Caller, Calling};
use super::plan::Plan;
use super::settings::record;
use super::sink::Sink;
use ragtriage_core::types::{ChunkId, Trace};
use ragtriage_models::embed::CachedEncoder;
use ragtriage_runs::replies::{self, PendingReply, Replies};
use ragtriage_runs::{LineWriter, Manifest, RunFolder, StoreError};

/// The folder of a run: the manifest is written at the start and end, traces and passages as questions
/// finish.
pub struct RunSink<'a> {
    folder: &'a RunFolder,
    manifest: Manifest,
    caches: Vec<Arc<CachedEncoder>>,
    written: HashSet<ChunkId>,
    replies: Vec<PendingReply>,
    /// Opened when the run begins.
    recorder: Option<Recorder>,
}

impl<'a> RunSink<'a> {
    /// Creates a sink that records the run of `manifest` in `folder`, which already holds `done`; `caches` are its
    /// vector caches.
    #[must_use]
    pub fn new(
        folder: &'a RunFolder,
        manifest: Manifest,
        done: Done,
        caches: Vec<Arc<CachedEncoder>>,
    ) -> Self {
        Self {
            folder,
            manifest,
            caches,
            written: done.passages,
            replies: done.replies,
            recorder: None,
        }
    }

    /// Writes the manifest; the only function that does.
    fn write_manifest(&self) -> Result<(), PipelineError> {
        Ok(self.manifest.save(self.folder)?)
    }
}

impl Sink for RunSink<'_> {
    fn name(&self) -> String {
        self.folder.name()
    }

    /// Writes the initial manifest, except for a resumed run, whose manifest is unchanged until it ends.
    fn begin(&mut self) -> Result<(), PipelineError> {
        if !self.folder.file("run.json").exists() {
            self.write_manifest()?;
        }
        let written = std::mem::take(&mut self.written);
        self.recorder = Some(Recorder::open(self.folder, written)?);
        Ok(())
    }

    fn caller(&mut self, plan: &Plan) -> Result<Option<Box<dyn Caller>>, PipelineError> {
        let Some(generator) = &plan.generator else {
            return Ok(None);
        };
        let replies = Replies::open(self.folder, std::mem::take(&mut self.replies))?;
        Ok(Some(Box::new(Calling::new(generator, plan, Some(replies)))))
    }

    fn take(&mut self, asked: QuestionResult) -> Result<(), PipelineError> {
        let recorder = self
            .recorder
            .as_mut()
            .expect("it is opened when the run begins");
        Ok(recorder.record(&asked.trace, asked.passages.as_ref())?)
    }

    fn tolerates_failures(&self) -> bool {
        false
    }

    fn finish(&mut self, facts: RunFacts, failed: bool) -> Result<(), PipelineError> {
        // The replies of a failed question are not asked again on resume.
        if !failed && self.folder.file(replies::FILE).exists() {
            Replies::remove(self.folder)?;
        }
        record::finish(&mut self.manifest, facts, &self.caches);
        self.write_manifest()
    }
}

/// Writes traces and the passages they name.
struct Recorder {
    traces: LineWriter,
    passages: LineWriter,
    written: HashSet<ChunkId>,
}

impl Recorder {
    /// Opens the two files of `folder`; `written` are the passages already in the file.
    fn open(folder: &RunFolder, written: HashSet<ChunkId>) -> Result<Self, StoreError> {
        Ok(Self {
            traces: LineWriter::open(&folder.file("traces.jsonl"))?,
            passages: LineWriter::open(&folder.file("passages.jsonl"))?,
            written,
        })
    }

    /// Appends one trace.
    fn record(&mut self, trace: &Trace, passages: &dyn PassageSource) -> Result<(), StoreError> {
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
