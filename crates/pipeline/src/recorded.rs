//! External RAGs: converts their records, or the responses of their service, to the same traces as the built-in
//! pipeline's.
//!
//! Everything between the question and the prompt is one step there: the contexts are the ranking `external`. Those that
//! the recorded prompt contains are the packed passages (`in_prompt.rs`); without a prompt, all of them. Each is located
//! in the corpus (`contexts.rs`), so that support, failure classes and document measures use the same byte ranges as for
//! the built-in chunks.

use ragtriage_models::service::Rag;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use async_trait::async_trait;

use super::PipelineError;
use super::ask::{Asker, PassageSource, Prepared, QuestionResult, RunFacts};
use super::compute::Compute;
use super::conditions::{ConditionPlan, ConditionPrompts, Conditions};
use super::contexts::{Placed, Places};
use super::in_prompt::{self, InPrompt};
use super::sink::Sink;
use ragtriage_core::attribute::gold::{self, locate_shown};
use ragtriage_core::text::answers::Searchable;
use ragtriage_core::text::sanitize;
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{
    Arm, ArmName, Attempt, ChunkId, Corpus, Document, ErrorKind, FailedPart, Finish, Hit, Note,
    Origin, Passage, Question, Stance, Step, StepHit, TokenUse, Trace, TraceError, TraceStep,
};
use ragtriage_models::llm::{self, LlmError};
use ragtriage_runs::external::recorded::{Recorded, RecordedAnswer, RecordedContext};

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
    /// The conditions that are asked in addition to those recorded.
    pub conditions: Option<Box<ConditionPlan>>,
}

impl RecordedPlan {
    /// Draws the samples of conditions from all questions of the run, also those that are finished.
    pub fn draw(&mut self, questions: &[Question]) {
        if let Some(conditions) = &mut self.conditions {
            conditions.draw(questions);
        }
    }
}

/// Prepares the data set for the contexts of an external RAG.
pub(super) fn prepare(
    documents: Vec<Document>,
    questions: Vec<(usize, Question)>,
    mut plan: RecordedPlan,
    sink: &mut dyn Sink,
) -> Result<Prepared, PipelineError> {
    let (concurrency, most_failures) = (plan.concurrency, plan.most_failures);
    let (mut conditions, mut chunks) = (None, Vec::new());
    if let Some(plan) = plan.conditions.take() {
        chunks = plan.gold_chunks(&documents, questions.iter().map(|(_, question)| question));
        let caller = sink.caller(&plan.call_plan())?;
        conditions = caller.map(|caller| Conditions::new(*plan, caller));
    }
    let line = ExternalPipeline {
        places: Places::new(Corpus::new(documents, chunks), plan.skip_same_id),
        searchable: OnceLock::new(),
        plan,
        conditions,
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

/// The contexts of one question in the corpus.
struct Delivered {
    /// Passages of the contexts, and of the beginnings of those that the prompt truncates.
    shown: Vec<Passage>,
    /// The ranking.
    hits: Vec<StepHit>,
    /// The part of it that was packed, in prompt order.
    packed: Vec<StepHit>,
    /// Passages of further arms, parallel to the record's.
    arms: Vec<Vec<Passage>>,
}

/// The data set of an external RAG, shared by all questions.
struct ExternalPipeline {
    places: Places,
    /// Built for the first question without evidence.
    searchable: OnceLock<Vec<Searchable>>,
    plan: RecordedPlan,
    conditions: Option<Conditions>,
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
            }) => Err(TraceError {
                part: FailedPart::Recorded,
                kind: ErrorKind::Permanent,
                message: sanitize::shortened(&error, ERROR_CHARS),
            }),
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
        let asked = async move {
            let contexts = recorded.as_ref().ok();
            let contexts = contexts.map_or(Vec::new(), |recorded| recorded.contexts.clone());
            let asked = line.asked(index, question, recorded, seconds);
            let prompts = line.condition_prompts(&asked, &contexts);
            (asked, prompts)
        };
        let (mut asked, prompts) = self.compute.run(asked).await;
        if let (Some(conditions), Some(prompts)) = (&self.conditions, prompts) {
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
        let recorded = recorded.map(|recorded| {
            let delivered = self.delivered(&question, &recorded);
            (delivered, recorded)
        });
        let passages: HashMap<ChunkId, Passage> = match &recorded {
            Ok((delivered, _)) => delivered
                .shown
                .iter()
                .chain(delivered.arms.iter().flatten())
                .map(|passage| (passage.id.clone(), passage.clone()))
                .collect(),
            Err(_) => HashMap::new(),
        };
        // The contexts of further arms do not describe the pipeline's prompt.
        let shown: Vec<&Passage> = recorded.as_ref().map_or(Vec::new(), |(delivered, _)| {
            delivered.shown.iter().collect()
        });
        let gold = locate_shown(&question, &self.places.corpus, &shown, |matcher| {
            let documents = self
                .searchable
                .get_or_init(|| gold::searchable_documents(&self.places.corpus));
            documents.iter().any(|document| matcher.found_in(document))
        });
        let mut trace = Trace::new(index, question, gold);
        match recorded {
            Err(error) => trace.error = Some(error),
            Ok((delivered, recorded)) => {
                let ids = delivered.packed.iter().map(|hit| hit.id.clone()).collect();
                trace.steps = vec![
                    TraceStep::new(Step::External, delivered.hits, seconds),
                    TraceStep::new(Step::Packed, delivered.packed, 0.0),
                ];
                trace.arms = self.arms(recorded, ids, delivered.arms);
            }
        }
        QuestionResult {
            trace,
            passages: Arc::new(passages),
        }
    }

    /// Returns the prompts of the conditions that a question lacks.
    fn condition_prompts(
        &self,
        asked: &QuestionResult,
        contexts: &[RecordedContext],
    ) -> Option<ConditionPrompts> {
        let conditions = self.conditions.as_ref()?;
        let ids = asked.trace.passages();
        let passages: HashMap<ChunkId, Passage> = ids
            .filter_map(|id| Some((id.clone(), asked.passages.passage(id)?)))
            .collect();
        conditions.prompts(&asked.trace, &passages, contexts, &self.places.corpus)
    }

    fn delivered(&self, question: &Question, recorded: &Recorded) -> Delivered {
        let placed = self.places.place_all(question, &recorded.contexts);
        let hits = self.hits(&placed);
        let in_prompt = recorded
            .prompt
            .as_deref()
            .map_or(Vec::new(), |prompt| in_prompt::find(prompt, &placed));
        let (packed, cut) = if in_prompt.is_empty() {
            self.places.note(
                "questions whose `prompt` contains none of their contexts: all of these count as packed",
                usize::from(recorded.prompt.is_some() && !placed.is_empty()),
            );
            let n_packed = recorded.packed.unwrap_or(hits.len());
            (hits.iter().take(n_packed).cloned().collect(), Vec::new())
        } else {
            self.places.note(
                "questions whose `prompt` contains some of their contexts: the others were ranked, not packed",
                usize::from(in_prompt.len() < placed.len()),
            );
            self.packed(question, &placed, &hits, &in_prompt)
        };
        let arms = recorded.arms.iter();
        let arms = arms
            .map(|arm| only_passages(self.places.place_all(question, &arm.contexts)))
            .collect();
        let mut shown = only_passages(placed);
        shown.extend(cut);
        Delivered {
            shown,
            hits,
            packed,
            arms,
        }
    }

    /// Returns the hits that the prompt contains, in its order, and the passages of the contexts that it truncates.
    fn packed(
        &self,
        question: &Question,
        placed: &[Placed<'_>],
        hits: &[StepHit],
        in_prompt: &[InPrompt<'_>],
    ) -> (Vec<StepHit>, Vec<Passage>) {
        let mut first_hit = 0;
        let mut of_context: Vec<&[StepHit]> = Vec::with_capacity(placed.len());
        for (_, passages) in placed {
            let end = first_hit + passages.len();
            of_context.push(&hits[first_hit..end]);
            first_hit = end;
        }
        let (mut packed, mut cut): (Vec<StepHit>, Vec<Passage>) = (Vec::new(), Vec::new());
        for held in in_prompt {
            let hits = of_context[held.context];
            let (Some(text), Some(first)) = (held.cut, hits.first()) else {
                packed.extend_from_slice(hits);
                continue;
            };
            self.places
                .note("contexts that `prompt` truncates: packed up to there", 1);
            for passage in self.truncated(question, &placed[held.context], text) {
                packed.push(StepHit {
                    id: passage.id.clone(),
                    ..first.clone()
                });
                cut.push(passage);
            }
        }
        let mut seen = HashSet::new();
        packed.retain(|hit| seen.insert(hit.id.clone()));
        (packed, cut)
    }

    /// Returns the passages of the beginning of a context.
    fn truncated(
        &self,
        question: &Question,
        (context, passages): &Placed<'_>,
        text: &str,
    ) -> Vec<Passage> {
        let beginning = RecordedContext {
            text: Some(text.to_owned()),
            doc_id: passages.first().map(|passage| passage.doc.to_string()),
            title: context.title.clone(),
            score: context.score,
        };
        only_passages(self.places.place_all(question, &[beginning]))
    }

    fn arms(&self, recorded: Recorded, packed: Vec<ChunkId>, arms: Vec<Vec<Passage>>) -> Vec<Arm> {
        let prompt = recorded
            .prompt
            .as_deref()
            .map_or(0, |prompt| self.plan.counter.count(prompt) as u64);
        let answer = match recorded.answer {
            RecordedAnswer::Unsaid => {
                let what = "questions with `arms` and no `answer` to compare them with: these arms are left out";
                self.places
                    .note(what, usize::from(!recorded.arms.is_empty()));
                return Vec::new();
            }
            RecordedAnswer::None => None,
            RecordedAnswer::Text(text) => Some(text),
        };
        let first = Arm {
            arm: ArmName::Retrieved,
            attempts: vec![self.attempt(answer, packed, prompt)],
        };
        let others = recorded.arms.into_iter().zip(arms).map(|(arm, passages)| {
            let passages = passages.into_iter().map(|passage| passage.id).collect();
            Arm {
                arm: arm.arm,
                attempts: vec![self.attempt(arm.answer, passages, 0)],
            }
        });
        std::iter::once(first).chain(others).collect()
    }

    /// Builds an attempt. A missing answer is an empty one, and a blank one abstains: SQuAD 2.0's predictions use this form, and its
    /// `AnswerEM` of an unanswerable question counts it as right.
    fn attempt(&self, answer: Option<String>, passages: Vec<ChunkId>, prompt: u64) -> Attempt {
        let raw = answer.unwrap_or_default();
        let (extracted, stance) = match raw.trim() {
            "" => (String::new(), Stance::Abstained),
            _ => llm::read_answer(&raw, Finish::Stop),
        };
        let completion = self.plan.counter.count(&raw) as u64;
        let tokens = TokenUse {
            prompt,
            prompt_billed: None,
            completion,
        };
        Attempt {
            passages,
            raw,
            extracted,
            stance,
            finish: Finish::Stop,
            origin: Origin::Called,
            tokens,
            cost_usd: 0.0,
            seconds: 0.0,
            error: None,
        }
    }

    /// Returns the ranking, in the order of the contexts. Their scores are used if they imply that order;
    /// otherwise a hit scores 1 / rank and its recorded score is one of its parts.
    fn hits(&self, shown: &[Placed<'_>]) -> Vec<StepHit> {
        let scored: Vec<(&ChunkId, Option<f64>)> = shown
            .iter()
            .flat_map(|(context, passages)| {
                passages.iter().map(|passage| (&passage.id, context.score))
            })
            .collect();
        let finite = |score: Option<f64>| score.filter(|score| score.is_finite());
        let given: Option<Vec<Hit<&ChunkId>>> = scored
            .iter()
            .map(|(id, score)| {
                Some(Hit {
                    id: *id,
                    score: finite(*score)?,
                })
            })
            .collect();
        let in_order = given
            .as_ref()
            .is_some_and(|hits| hits.is_sorted_by(|a, b| a.order(b).is_lt()));
        if !in_order && scored.iter().any(|(_, score)| score.is_some()) {
            self.places.note(
                "questions whose scores do not give the order of their contexts: the order counts, as 1 / rank",
                1,
            );
        }
        scored
            .into_iter()
            .enumerate()
            .map(|(at, (id, score)): (usize, (&ChunkId, Option<f64>))| {
                let rank = 1.0 / (at + 1) as f64;
                let parts = finite(score)
                    .filter(|_| !in_order)
                    .map(|score| ("given".to_owned(), score));
                let score = finite(score).filter(|_| in_order).unwrap_or(rank);
                StepHit {
                    id: id.clone(),
                    score,
                    parts: parts.into_iter().collect(),
                }
            })
            .collect()
    }
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

fn only_passages(placed: Vec<Placed<'_>>) -> Vec<Passage> {
    placed
        .into_iter()
        .flat_map(|(_, passages)| passages)
        .collect()
}

#[cfg(test)]
mod tests;
