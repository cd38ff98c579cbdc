//! The contract that the built-in pipeline and an external RAG share for answering the questions of a run.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;

use crate::Error;
use ragtriage_core::types::{
    ChunkId, Corpus, Note, Passage, PassageMap, Question, QuestionId, Trace,
};
use ragtriage_data::run::replies::PendingReply;
use ragtriage_data::run::{ApproximateIndex, Truncation};

/// Number of consecutive failures that aborts a run: an endpoint or service is unavailable, and the
/// rest would fail too.
pub const FAILURES_IN_A_ROW: usize = 20;

/// Results that a resumed run already has.
#[derive(Clone, Debug, Default)]
pub struct Done {
    /// Questions that need not be asked again.
    pub questions: HashSet<QuestionId>,
    /// Passages already written.
    pub passages: HashSet<ChunkId>,
    /// Replies to questions that were in flight.
    pub replies: Vec<PendingReply>,
}

impl Done {
    /// Returns the remaining questions, each with its position in the run.
    #[must_use]
    pub fn left(&self, questions: Vec<Question>) -> Vec<(usize, Question)> {
        questions
            .into_iter()
            .enumerate()
            .filter(|(_, question)| !self.questions.contains(&question.id))
            .collect()
    }
}

/// Provides the passages that a trace names.
pub trait PassageSource: Send + Sync {
    /// Returns the passage of a chunk id, `None` if it is missing.
    fn passage(&self, id: &ChunkId) -> Option<Passage>;

    /// Returns the tokens of a chunk's text by the counter of `[chunking]`; `None` where they are not known.
    fn chunk_tokens(&self, _id: &ChunkId) -> Option<usize> {
        None
    }
}

impl PassageSource for Corpus {
    fn passage(&self, id: &ChunkId) -> Option<Passage> {
        Self::passage(self, id)
    }

    fn chunk_tokens(&self, id: &ChunkId) -> Option<usize> {
        let number = self.chunk_number(id)?;
        Some(self.chunks()[number].n_tokens as usize)
    }
}

impl PassageSource for PassageMap {
    fn passage(&self, id: &ChunkId) -> Option<Passage> {
        self.get(id).cloned()
    }
}

/// One question's trace, and the source of the passages it names.
pub struct QuestionResult {
    /// The trace; that of a failed question holds the error.
    pub trace: Trace,
    /// Its passages.
    pub passages: Arc<dyn PassageSource>,
}

/// Answers one question: the built-in pipeline, or an external RAG.
///
/// Contract: any failure except one that ends the run concerns the question alone and is recorded
/// in its trace.
#[async_trait]
pub trait QuestionRunner: Send + Sync {
    /// Answers the question at `index` of the run.
    ///
    /// # Errors
    /// Only if the run must stop: no trace is recorded. Of kind `Limit` at a limit of cost or tokens, else one that every other
    /// question would meet too.
    async fn ask(
        self: Arc<Self>,
        index: usize,
        question: Question,
    ) -> Result<QuestionResult, Error>;

    /// Returns the notes counted since the last call.
    fn take_notes(&self) -> Vec<Note> {
        Vec::new()
    }
}

/// A source that is ready to answer questions.
pub(super) struct Prepared {
    pub asker: Arc<dyn QuestionRunner>,
    /// The remaining questions, each with its position in the run.
    pub questions: Vec<(usize, Question)>,
    /// Questions in flight at once.
    pub concurrency: usize,
    /// Number of consecutive failures that aborts the run; `None`: an error only if every question
    /// failed.
    pub most_failures: Option<usize>,
    pub facts: RunFacts,
}

/// Facts about a run, other than its traces.
#[derive(Clone, Debug, Default)]
pub struct RunFacts {
    /// Chunks of the corpus.
    pub n_chunks: usize,
    /// Total tokens of the chunks.
    pub chunk_tokens: usize,
    /// Wall seconds by step.
    pub seconds: BTreeMap<String, f64>,
    /// Text beyond the encoders' input limits, by retriever.
    pub truncation: Vec<Truncation>,
    /// The indexes of approximate searches, by retriever.
    pub approximate: Vec<ApproximateIndex>,
    /// Number of chunks excluded by the run's filter.
    pub n_filtered: usize,
    /// Notes counted during the run.
    pub notes: Vec<Note>,
}
