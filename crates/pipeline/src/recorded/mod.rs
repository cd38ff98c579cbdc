//! External RAGs: converts their records, or the responses of their service, to the same traces as the built-in
//! pipeline's.
//!
//! Each stage of a record becomes a step of the trace (`rankings.rs`); stages that it lacks are missing there too. Each
//! passage is located in the corpus (`contexts.rs`), so that support, failure classes and document metrics use the same
//! byte ranges as for the built-in chunks. Answers are in `answers.rs`.

mod answers;
mod plan;
mod rankings;

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;

pub use self::plan::RecordedPlan;
use self::rankings::{Delivered, Rankings, only_passages};
use super::ask::{PassageSource, Prepared, QuestionResult, QuestionRunner, RunFacts};
use super::compute::Compute;
use super::conditions::ConditionPrompts;
use super::contexts::{KnownPlaces, Places};
use super::retrieve::OtherSearch;
use super::sink::Sink;
use crate::Error;
use ragtriage_core::attribute::gold::{self, locate_shown};
use ragtriage_core::text::answers::Searchable;
use ragtriage_core::types::{
    ChunkId, Corpus, Document, FailedPart, Gold, Note, OtherSearches, Passage, PassageMap,
    Question, QuestionId, Trace, TraceError,
};
use ragtriage_data::run::external::recorded::{Recorded, RecordedHit};

/// Prepares the data set for the contexts of an external RAG.
pub(super) fn prepare(
    documents: Vec<Document>,
    questions: Vec<(usize, Question)>,
    mut plan: RecordedPlan,
    sink: &mut dyn Sink,
) -> Result<Prepared, Error> {
    let (concurrency, most_failures) = (plan.concurrency, plan.most_failures);
    let mut chunks = Vec::new();
    if let Some(plan) = &mut plan.conditions {
        chunks = plan.gold_chunks(&documents, questions.iter().map(|(_, question)| question))?;
        sink.calls(&mut plan.calls)?;
    }
    let line = ExternalPipeline {
        // As the passages of contexts.
        places: Places::new(Corpus::new(documents, chunks).named_by_range()),
        searchable: OnceLock::new(),
        plan,
        compute: Compute::default(),
    };
    Ok(Prepared {
        asker: Arc::new(line),
        questions,
        concurrency,
        most_failures,
        facts: RunFacts::default(),
    })
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
impl QuestionRunner for ExternalPipeline {
    async fn ask(
        self: Arc<Self>,
        index: usize,
        question: Question,
    ) -> Result<QuestionResult, Error> {
        let mut seconds = 0.0;
        let recorded = match self.plan.rag.ask(&question).await {
            Ok((Recorded { error: Some(error), .. }, _)) => Err(plan::failed(error)),
            Ok((recorded, of_call)) => {
                seconds = of_call;
                // Notes of a record are counted by name when it is joined.
                self.places.note(
                    "[answer|answers] of the service with keys that are not read",
                    usize::from(!recorded.unread.is_empty()),
                );
                Ok(recorded)
            }
            Err(error) => Err(TraceError {
                part: FailedPart::Service,
                kind: error.kind,
                message: error.to_string(),
            }),
        };
        let line = Arc::clone(&self);
        let asked = async move {
            let contexts = recorded.as_ref().map_or(Vec::new(), contexts);
            let asked = line.asked(index, question, recorded, seconds);
            let prompts = line.condition_prompts(&asked, &contexts);
            (asked, prompts)
        };
        let (mut asked, prompts) = self.compute.run(asked).await;
        if self.plan.searches_again {
            self.search_again(&mut asked).await;
        }
        if let (Some(conditions), Some(prompts)) = (&self.plan.conditions, prompts) {
            conditions.ask(&mut asked.trace, prompts).await?;
            asked.passages = Arc::new(WithCorpus(asked.passages, Arc::clone(&self)));
        }
        Ok(asked)
    }

    fn take_notes(&self) -> Vec<Note> {
        self.places.take_notes()
    }
}

impl ExternalPipeline {
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
            Rankings::new((&self.places, &self.plan), &question, &mut known)
                .delivered(recorded, seconds)
        });
        let delivered = delivered.unwrap_or_default();
        let gold = self.gold(&question, &delivered);
        let Delivered { steps, shown, conditions } = delivered;
        let passages = shown.iter().chain(conditions.iter().flatten());
        let passages: PassageMap =
            passages.map(|passage| (passage.id.clone(), passage.clone())).collect();
        let mut trace = Trace::new(index, question, gold);
        trace.error = error;
        trace.steps = steps;
        if let Some(recorded) = recorded {
            let mut packed: Vec<ChunkId> = trace.packed().cloned().collect();
            let stage = recorded.packed().and_then(|stage| stage.hits.as_ref());
            // Each alone: of contexts that are placed together a repeated one has no place, but its number in the prompt.
            let placed = stage.into_iter().flatten().flat_map(|context| {
                let context = std::slice::from_ref(context);
                only_passages(self.places.place_all(&mut known, &trace.question, context))
            });
            let all: Vec<ChunkId> = placed.map(|passage| passage.id).collect();
            // One that the prompt truncates is another passage.
            if all.len() > packed.len() && all.iter().all(|id| packed.contains(id)) {
                packed = all;
            }
            trace.conditions = self.conditions(recorded, &packed, conditions);
        }
        QuestionResult { trace, passages: Arc::new(passages) }
    }

    /// Asks for evidence that no recorded retriever found. The result of the question does not depend on it.
    async fn search_again(&self, asked: &mut QuestionResult) {
        let (corpus, mut passages) = (&self.places.corpus, passages(asked));
        let searches = OtherSearch::all(&asked.trace, corpus, &passages);
        let is_shown = asked.trace.retrievers().next().is_some();
        let Some(searches) = searches.filter(|_| is_shown) else { return };
        let mut other = OtherSearches::default();
        for (number, search) in searches.into_iter().enumerate() {
            let mut question = asked.trace.question.clone();
            // A service may cache its answers by id.
            question.id = QuestionId::from(format!("{}#{}", question.id, number + 1));
            question.text.clone_from(&search.query);
            let response = self.plan.rag.ask(&question).await;
            let stages = match response {
                Ok((Recorded { error: None, stages, .. }, _)) => stages,
                _ => Vec::new(),
            };
            let retrieved = stages.into_iter().filter(|stage| stage.step.is_retriever());
            let retrieved: Vec<_> = retrieved.collect();
            if retrieved.is_empty() {
                let what = "[question|questions] that the service did not answer in other words: the cause is not known";
                return self.places.note(what, 1);
            }
            let contexts: Vec<_> =
                retrieved.into_iter().filter_map(|stage| stage.hits).flatten().collect();
            let mut known = KnownPlaces::default();
            let found = only_passages(self.places.place_all(&mut known, &question, &contexts));
            let shown: Vec<&Passage> = found.iter().collect();
            search.add(&mut other, &locate_shown(&question, corpus, &shown, |_| false).groups);
            passages.extend(found.into_iter().map(|passage| (passage.id.clone(), passage)));
        }
        asked.trace.other_searches = Some(other);
        asked.passages = Arc::new(passages);
    }

    /// Returns the prompts of the conditions that a question lacks.
    fn condition_prompts(
        &self,
        asked: &QuestionResult,
        contexts: &[RecordedHit],
    ) -> Option<ConditionPrompts> {
        let conditions = self.plan.conditions.as_ref()?;
        conditions.prompts(&asked.trace, &passages(asked), contexts, &self.places.corpus)
    }

    /// Locates the gold evidence. The contexts of further conditions do not describe the pipeline's prompt.
    fn gold(&self, question: &Question, delivered: &Delivered) -> Gold {
        let shown: Vec<&Passage> = delivered.shown.iter().collect();
        locate_shown(question, &self.places.corpus, &shown, |matcher| {
            let documents =
                self.searchable.get_or_init(|| gold::searchable_documents(&self.places.corpus));
            documents.iter().any(|document| matcher.found_in(document))
        })
    }
}

/// Returns the passages of a question's trace.
fn passages(asked: &QuestionResult) -> PassageMap {
    let ids = asked.trace.passages();
    ids.filter_map(|id| Some((id.clone(), asked.passages.passage(id)?))).collect()
}

/// Returns the passages of a record's prompt, or those offered to it.
fn contexts(recorded: &Recorded) -> Vec<RecordedHit> {
    let stage = recorded.packed().or_else(|| recorded.offered());
    stage.map_or(Vec::new(), |stage| stage.hits.iter().flatten().cloned().collect())
}

/// The passages of one question's contexts; those of its conditions may be chunks of the gold documents.
struct WithCorpus(Arc<dyn PassageSource>, Arc<ExternalPipeline>);

impl PassageSource for WithCorpus {
    fn passage(&self, id: &ChunkId) -> Option<Passage> {
        let Self(passages, pipeline) = self;
        let passage = passages.passage(id);
        passage.or_else(|| pipeline.places.corpus.passage(id))
    }
}

#[cfg(test)]
mod tests;
