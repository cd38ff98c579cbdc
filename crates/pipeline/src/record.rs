//! Writes results to a run's folder as they finish: passages first, so that a trace on disk never names a missing
//! one.

use std::collections::HashSet;
use std::sync::Arc;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::PipelineError;
use super::ask::{Done, PassageSource, QuestionResult, RunFacts};
use super::generate::{Caller, Calling};
use super::plan::CallPlan;
use super::settings::{Settings, record};
use super::sink::Sink;
use ragtriage_core::prompt::passage_text;
use ragtriage_core::text::tokens::{self, TokenCounter, Tokenizer};
use ragtriage_core::types::{ChunkId, Passage, Step, Trace};
use ragtriage_models::embed::CachedEncoder;
use ragtriage_runs::replies::{self, PendingReply, Replies};
use ragtriage_runs::{LineWriter, Manifest, RunFolder, StoreError};

/// The folder of a run: the manifest is written at the start and end, traces and passages as questions
/// finish.
pub struct RunSink<'a> {
    folder: &'a RunFolder,
    manifest: Manifest,
    caches: Vec<Arc<CachedEncoder>>,
    /// Passages that packing takes in an imported run: as recorded, else of the longest prompt; 0 where none is known.
    most_packed: usize,
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
            most_packed: 0,
            written: done.passages,
            replies: done.replies,
            recorder: None,
        }
    }

    /// Returns the settings of the run, with `retrieval.k` as far as a record shows it.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.manifest.settings
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
        let shown = Shown {
            counter: tokens::counter(Tokenizer::Cl100kBase, None).expect("built in"),
            titles: self.manifest.settings.chunking.title_prefix,
        };
        self.recorder = Some(Recorder::open(self.folder, written, shown)?);
        Ok(())
    }

    fn caller(&mut self, plan: &CallPlan<'_>) -> Result<Option<Box<dyn Caller>>, PipelineError> {
        let Some(answerer) = &plan.answerer else {
            return Ok(None);
        };
        let replies = Replies::open(self.folder, std::mem::take(&mut self.replies))?;
        let calling = Calling::new(answerer.clone(), plan, Some(replies));
        Ok(Some(Box::new(calling)))
    }

    fn take(&mut self, asked: QuestionResult) -> Result<(), PipelineError> {
        if let Some(packed) = asked.trace.step(Step::Packed) {
            let k = packed.k.unwrap_or(packed.hits.len());
            self.most_packed = self.most_packed.max(k);
        }
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
        if self.manifest.is_imported() && self.manifest.is_foreign() && self.most_packed > 0 {
            let retrieval = &mut self.manifest.settings.retrieval;
            retrieval.k = self.most_packed;
            retrieval.candidates = retrieval.candidates.max(retrieval.k);
        }
        self.write_manifest()
    }
}

/// Counts passages as prompts show them.
struct Shown {
    counter: Arc<dyn TokenCounter>,
    /// True if prompts show titles.
    titles: bool,
}

impl Shown {
    /// Returns the passage with its tokens of a prompt's budget; a passage without text, of which only the id is known, has
    /// none. Its number counts as one token, as every number up to 999 does.
    fn counted(&self, mut passage: Passage) -> Passage {
        if !passage.text.is_empty() {
            let title = if self.titles {
                passage.title.as_str()
            } else {
                ""
            };
            let shown = passage_text(1, title, &passage.text);
            passage.tokens = Some(self.counter.count(&shown));
        }
        passage
    }
}

/// Writes traces and the passages they name.
struct Recorder {
    traces: LineWriter,
    passages: LineWriter,
    written: HashSet<ChunkId>,
    shown: Shown,
}

impl Recorder {
    /// Opens the two files of `folder`; `written` are the passages already in the file.
    fn open(
        folder: &RunFolder,
        written: HashSet<ChunkId>,
        shown: Shown,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            traces: LineWriter::open(&folder.file("traces.jsonl"))?,
            passages: LineWriter::open(&folder.file("passages.jsonl"))?,
            written,
            shown,
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
        // Counting is most of the time that a record takes to import.
        let new = new
            .into_par_iter()
            .map(|passage| self.shown.counted(passage));
        let new: Vec<Passage> = new.collect();
        if !new.is_empty() {
            self.passages.append(&new)?;
        }
        self.traces.append([trace])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::types::ByteRange;

    fn shown(titles: bool) -> Shown {
        Shown {
            counter: tokens::counter(Tokenizer::Cl100kBase, None).expect("built in"),
            titles,
        }
    }

    fn passage(text: &str) -> Passage {
        Passage {
            id: "d#0".into(),
            doc: "d".into(),
            title: "Ghent".to_owned(),
            range: ByteRange::new(0, text.len()),
            text: text.to_owned(),
            tokens: None,
        }
    }

    #[test]
    fn a_passage_is_counted_with_its_title_where_prompts_show_it() {
        // `[`, `1`, `]\n`, `One`, ` two`; with the title ` Ghent` in two tokens, and its line end.
        let counts = [true, false].map(|titles| shown(titles).counted(passage("One two")).tokens);
        assert_eq!(counts[1], Some(5));
        assert!(counts[0] > counts[1], "{counts:?}");
        assert_eq!(shown(true).counted(passage("")).tokens, None);
    }

    #[test]
    fn a_passage_takes_the_same_tokens_under_every_number() {
        let counter = shown(true).counter;
        let count = |n: usize| counter.count(&passage_text(n, "Ghent", "One two"));
        assert!((1..1000).all(|n| count(n) == count(1)));
    }
}
