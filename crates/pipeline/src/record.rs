//! Writes results to a run's folder as they finish: passages first, so that a trace on disk never names a missing
//! one.

use std::collections::HashSet;
use std::sync::Arc;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::ask::{Done, PassageSource, QuestionResult, RunFacts};
use super::generate::Calls;
use super::settings::{Settings, record};
use super::sink::Sink;
use crate::Error;
use ragtriage_clients::embed::CachedEncoder;
use ragtriage_core::prompt::passage_text;
use ragtriage_core::text::tokens::{self, TokenCounter, Tokenizer};
use ragtriage_core::types::{ChunkId, Passage, Step, Trace};
use ragtriage_data::run::replies::{self, PendingReply, Replies};
use ragtriage_data::run::{LineWriter, Manifest, RunFolder};

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
    fn write_manifest(&self) -> Result<(), Error> {
        Ok(self.manifest.save(self.folder)?)
    }
}

impl Sink for RunSink<'_> {
    fn name(&self) -> String {
        if self.manifest.is_imported() { String::new() } else { self.folder.name() }
    }

    /// Writes the initial manifest, except for a resumed run, whose manifest is unchanged until it ends.
    fn begin(&mut self) -> Result<(), Error> {
        if !self.folder.file("run.json").exists() {
            self.write_manifest()?;
        }
        let written = std::mem::take(&mut self.written);
        let shown = Shown::of(&self.manifest.settings);
        self.recorder = Some(Recorder::open(self.folder, written, shown)?);
        Ok(())
    }

    fn calls(&mut self, calls: &mut Calls) -> Result<(), Error> {
        calls.replies = Some(Replies::open(self.folder, std::mem::take(&mut self.replies))?);
        Ok(())
    }

    fn take(&mut self, asked: QuestionResult) -> Result<(), Error> {
        if let Some(packed) = asked.trace.step(Step::Packed) {
            let k = packed.k.unwrap_or(packed.hits.len());
            self.most_packed = self.most_packed.max(k);
        }
        let recorder = self.recorder.as_mut().expect("it is opened when the run begins");
        recorder.record(&asked.trace, asked.passages.as_ref())
    }

    fn tolerates_failures(&self) -> bool {
        false
    }

    fn finish(&mut self, facts: RunFacts, failed: bool) -> Result<(), Error> {
        // The replies of a failed question are not asked again on resume.
        if !failed && self.folder.file(replies::FILE).exists() {
            Replies::remove(self.folder)?;
        }
        record::finish(&mut self.manifest, facts, &self.caches);
        if self.manifest.is_imported() && self.manifest.is_external() && self.most_packed > 0 {
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
    /// True if chunks are counted by the same counter.
    counts_chunks: bool,
}

impl Shown {
    fn of(settings: &Settings) -> Self {
        Self {
            counter: tokens::counter(Tokenizer::Cl100kBase, None).expect("built in"),
            titles: settings.chunking.title_prefix,
            counts_chunks: settings.chunking.tokenizer == Tokenizer::Cl100kBase,
        }
    }

    /// Returns the passage with its tokens of a prompt's budget; a passage without text, of which only the id is known, has
    /// none. Its number counts as one token, as every number up to 999 does. `chunk_tokens` are those of its text as a chunk, if it
    /// is one.
    fn counted(&self, mut passage: Passage, chunk_tokens: Option<usize>) -> Passage {
        let Passage { title, text, .. } = &passage;
        if !text.is_empty() {
            let title = if self.titles { title.as_str() } else { "" };
            let count = |text: &str| self.counter.count(&passage_text(1, title, text));
            let known = chunk_tokens.filter(|_| self.counts_chunks && starts_a_token(text));
            let n_tokens = known.map_or_else(|| count(text), |known| count("") + known);
            passage.tokens = Some(n_tokens);
        }
        passage
    }
}

/// Returns true if a token of `cl100k_base` begins where `text` follows a line end: a piece that ends in a line end takes what
/// follows only if that is white space.
fn starts_a_token(text: &str) -> bool {
    !text.starts_with(char::is_whitespace)
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
    fn open(folder: &RunFolder, written: HashSet<ChunkId>, shown: Shown) -> Result<Self, Error> {
        Ok(Self {
            traces: LineWriter::open(&folder.file("traces.jsonl"))?,
            passages: LineWriter::open(&folder.file("passages.jsonl"))?,
            written,
            shown,
        })
    }

    /// Appends one trace.
    fn record(&mut self, trace: &Trace, passages: &dyn PassageSource) -> Result<(), Error> {
        let mut new = Vec::new();
        for id in trace.passages() {
            if !self.written.contains(id) {
                self.written.insert(id.clone());
                let passage = passages.passage(id);
                new.extend(passage.map(|passage| (passage, passages.chunk_tokens(id))));
            }
        }
        // Counting is most of the time that a record takes to import.
        let new = new
            .into_par_iter()
            .map(|(passage, chunk_tokens)| self.shown.counted(passage, chunk_tokens));
        let new: Vec<Passage> = new.collect();
        if !new.is_empty() {
            self.passages.append(&new)?;
        }
        Ok(self.traces.append([trace])?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use ragtriage_core::types::ByteRange;

    fn shown(titles: bool) -> Shown {
        let mut settings = Settings::default();
        settings.chunking.title_prefix = titles;
        Shown::of(&settings)
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
        let counted = |titles| shown(titles).counted(passage("One two"), None);
        let counts = [true, false].map(|titles| counted(titles).tokens);
        assert_eq!(counts[1], Some(5));
        assert!(counts[0] > counts[1], "{counts:?}");
        assert_eq!(shown(true).counted(passage(""), None).tokens, None);
    }

    #[test]
    fn a_chunk_that_was_counted_by_another_counter_is_counted_again() {
        let mut settings = Settings::default();
        settings.chunking.title_prefix = false;
        let tokens = |settings: &Settings| {
            let counted = Shown::of(settings).counted(passage("One two"), Some(90));
            counted.tokens
        };
        // `[`, `1`, `]\n` and the 90 of the chunk.
        assert_eq!(tokens(&settings), Some(93));
        settings.chunking.tokenizer = Tokenizer::Words;
        assert_eq!(tokens(&settings), Some(5));
    }

    proptest! {
        #[test]
        fn a_passage_has_the_tokens_of_its_head_and_of_its_text(
            title in "\\PC{0,6}|[a-z0-9 .!'\u{301}\u{a0}]{0,6}",
            first in "\\PC|[a-z0-9.!'/\u{301}]|'(s|ll)",
            rest in "(\\PC|[a-z0-9 .!'\r\n]){0,8}",
        ) {
            let shown = shown(true);
            let text = format!("{first}{rest}");
            let passage = Passage { title, ..passage(&text) };
            let known = shown.counter.count(&text);
            let counted = shown.counted(passage.clone(), None);
            prop_assert_eq!(shown.counted(passage, Some(known)), counted);
        }
    }

    #[test]
    fn a_passage_takes_the_same_tokens_under_every_number() {
        let counter = shown(true).counter;
        let count = |n: usize| counter.count(&passage_text(n, "Ghent", "One two"));
        assert!((1..1000).all(|n| count(n) == count(1)));
    }
}
