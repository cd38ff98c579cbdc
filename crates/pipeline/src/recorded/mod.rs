//! External RAGs: converts their records, or the responses of their service, to the same traces as the built-in
//! pipeline's.
//!
//! Each stage of a record becomes a step of the trace (`rankings.rs`); stages that it lacks are missing there too. Each
//! passage is located in the corpus (`contexts.rs`), so that support, failure classes and document measures use the same
//! byte ranges as for the built-in chunks. Answers are in `answers.rs`.

mod answers;
mod rankings;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use async_trait::async_trait;

use self::answers::Answers;
use self::rankings::{Delivered, Rankings};
use super::ask::{Asker, Prepared, QuestionResult, RunFacts};
use super::compute::Compute;
use super::contexts::{KnownPlaces, Places};
use ragtriage_core::attribute::gold::{self, locate_shown};
use ragtriage_core::text::answers::Searchable;
use ragtriage_core::text::sanitize;
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{
    ChunkId, Corpus, Document, FailedPart, Gold, Note, Passage, Question, Trace, TraceError,
};
use ragtriage_models::llm::LlmError;
use ragtriage_models::service::Rag;
use ragtriage_runs::external::recorded::{Recorded, RecordedError};

/// Maximum number of characters of a recorded error in a trace.
const ERROR_CHARS: usize = 300;

/// Inputs of an imported run other than its data.
pub struct RecordedPlan {
    /// The external RAG.
    pub rag: Arc<dyn Rag>,
    /// Counts prompts and answers: `cl100k_base`.
    pub counter: Arc<dyn TokenCounter>,
    /// Number of questions processed concurrently.
    pub concurrency: usize,
    /// Number of consecutive failures that aborts the run; `None`: an error only if every question failed.
    pub most_failures: Option<usize>,
    /// Omits a document whose id equals the question's.
    pub skip_same_id: bool,
    /// Number of passages that count as packed where a record without answers does not say.
    pub k: usize,
    /// True if the record is a run of ours with this configuration, whose chunks and gold evidence it has.
    pub is_own: bool,
}

/// Prepares the data set for the contexts of an external RAG.
pub(super) fn prepare(
    documents: Vec<Document>,
    questions: Vec<(usize, Question)>,
    plan: RecordedPlan,
) -> Prepared {
    let (concurrency, most_failures) = (plan.concurrency, plan.most_failures);
    let line = ExternalPipeline {
        places: Places::new(
            Corpus::new(documents, Vec::new()),
            plan.skip_same_id,
            plan.is_own,
        ),
        searchable: OnceLock::new(),
        plan,
        compute: Compute::default(),
    };
    Prepared {
        asker: Arc::new(line),
        questions,
        concurrency,
        most_failures,
        facts: RunFacts::default(),
    }
}

/// The data set of an external RAG, shared by all questions.
struct ExternalPipeline {
    places: Places,
    /// Built for the first question without evidence.
    searchable: OnceLock<Vec<Searchable>>,
    plan: RecordedPlan,
    compute: Compute,
}

#[async_trait]
impl Asker for ExternalPipeline {
    async fn ask(
        self: Arc<Self>,
        index: usize,
        question: Question,
    ) -> Result<QuestionResult, LlmError> {
        let clock = Instant::now();
        let recorded = match self.plan.rag.ask(&question).await {
            Ok(Recorded {
                error: Some(error), ..
            }) => Err(self.failed(error)),
            Ok(recorded) => {
                // Notes of a record are counted by name when it is joined.
                self.places.note(
                    "answers of the service with keys that are not read",
                    usize::from(!recorded.unread.is_empty()),
                );
                Ok(recorded)
            }
            Err(error) => Err(TraceError {
                part: FailedPart::Service,
                kind: error.kind(),
                message: error.to_string(),
            }),
        };
        let seconds = clock.elapsed().as_secs_f64();
        let line = Arc::clone(&self);
        let asked = async move { line.asked(index, question, recorded, seconds) };
        Ok(self.compute.run(asked).await)
    }

    fn take_notes(&self) -> Vec<Note> {
        self.places.take_notes()
    }
}

impl ExternalPipeline {
    fn failed(&self, error: RecordedError) -> TraceError {
        let RecordedError {
            part,
            kind,
            message,
        } = error;
        TraceError {
            part: part
                .filter(|_| self.plan.is_own)
                .unwrap_or(FailedPart::Recorded),
            kind,
            message: sanitize::shortened(&message, ERROR_CHARS),
        }
    }

    fn asked(
        &self,
        index: usize,
        question: Question,
        recorded: Result<Recorded, TraceError>,
        seconds: f64,
    ) -> QuestionResult {
        let mut known = KnownPlaces::default();
        let (recorded, error) = match recorded {
            Ok(recorded) => (Some(recorded), None),
            Err(error) => (None, Some(error)),
        };
        let delivered = recorded.as_ref().map(|recorded| {
            Rankings::new(self, &question, &mut known).delivered(recorded, seconds)
        });
        let delivered = delivered.unwrap_or_default();
        let own = recorded.as_ref().filter(|_| self.plan.is_own);
        let own = own.and_then(|recorded| recorded.gold.as_ref());
        let (gold, of_gold) = match own {
            Some(gold) => {
                let passages = self.places.place_all(&mut known, &question, &gold.passages);
                (gold.located.clone(), rankings::only_passages(passages))
            }
            None => (self.gold(&question, &delivered), Vec::new()),
        };
        let Delivered { steps, shown, arms } = delivered;
        let passages = shown.iter().chain(arms.iter().flatten()).chain(&of_gold);
        let passages: HashMap<ChunkId, Passage> = passages
            .map(|passage| (passage.id.clone(), passage.clone()))
            .collect();
        let mut trace = Trace::new(index, question, gold);
        trace.error = error;
        trace.steps = steps;
        if let Some(recorded) = recorded {
            let packed = trace.packed().cloned().collect();
            trace.arms = Answers::new(self).arms(recorded, packed, arms);
        }
        QuestionResult {
            trace,
            passages: Arc::new(passages),
        }
    }

    /// Locates the gold evidence. The contexts of further arms do not describe the pipeline's prompt.
    fn gold(&self, question: &Question, delivered: &Delivered) -> Gold {
        let shown: Vec<&Passage> = delivered.shown.iter().collect();
        locate_shown(question, &self.places.corpus, &shown, |matcher| {
            let documents = self
                .searchable
                .get_or_init(|| gold::searchable_documents(&self.places.corpus));
            documents.iter().any(|document| matcher.found_in(document))
        })
    }
}

#[cfg(test)]
mod tests;
