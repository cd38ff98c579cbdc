//! The contract that the built-in pipeline and an external RAG share for answering the questions of a run.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;

use super::ingest::IngestFacts;
use ragtriage_core::types::{ChunkId, Corpus, Note, Passage, Question, QuestionId, Trace};
use ragtriage_models::llm::LlmError;
use ragtriage_runs::replies::PendingReply;

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
    /// The questions that are left, each with its place in the run.
    #[must_use]
    pub fn left(&self, questions: Vec<Question>) -> Vec<(usize, Question)> {
        questions
            .into_iter()
            .enumerate()
            .filter(|(_, question)| !self.questions.contains(&question.id))
            .collect()
    }
}

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

/// One question's trace, and where the passages that it names are found.
pub struct QuestionResult {
    /// The trace; one that failed holds the error.
    pub trace: Trace,
    /// Its passages.
    pub passages: Arc<dyn PassageSource>,
}

/// Takes one question through a pipeline: the built-in one, or an external one.
///
/// Contract: any failure but one that ends the run concerns the question alone and is in its trace.
#[async_trait]
pub trait Asker: Send + Sync {
    /// Asks the question at `index` of the run.
    ///
    /// # Errors
    /// Only where nothing more may be asked and the run must stop: no trace is recorded.
    async fn ask(
        self: Arc<Self>,
        index: usize,
        question: Question,
    ) -> Result<QuestionResult, LlmError>;

    /// Returns what was counted since the last call.
    fn take_notes(&self) -> Vec<Note> {
        Vec::new()
    }
}

/// A source that is ready to be asked.
pub(super) struct Prepared {
    pub asker: Arc<dyn Asker>,
    /// The questions that are left, each with its place in the run.
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
    /// Their tokens in all.
    pub chunk_tokens: usize,
    /// Making the corpus searchable; its seconds with those of asking the questions.
    pub ingest: IngestFacts,
    /// Notes counted during the run.
    pub notes: Vec<Note>,
}
