//! The built-in pipeline: one question from its text to its answers.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use async_trait::async_trait;

use super::ask::{
    Done, FAILURES_IN_A_ROW, PassageSource, Prepared, QuestionResult, QuestionRunner,
};
use super::compute::Compute;
use super::condition_choice::ConditionChoice;
use super::generate::{self, ConditionPrompt, PromptCall};
use super::index_cache::{IndexCache, Ingested};
use super::index_check::read_bytes;
use super::oracle::Room;
use super::plan::{CLOSED_BOOK_SAMPLE, Plan};
use super::progress::Progress;
use super::prompt;
use super::retrieve;
use super::retriever::Retriever;
use super::sink::Sink;
use crate::{Error, Kind};
use ragtriage_core::attribute::gold::{self, Haystacks};
use ragtriage_core::sample::sampled;
use ragtriage_core::types::{
    Attempt, ChunkId, Corpus, Dataset, ErrorKind, FailedPart, Question, QuestionId, Step, StepHit,
    Trace, TraceError, TraceStep,
};

/// Number of questions for which exact search runs next to approximate search, as a seeded sample.
const EXACT_SAMPLE: usize = 100;

/// Returns the stock of a single run: `dataset`'s documents and its remaining questions.
#[must_use]
pub fn stocked(dataset: Dataset, done: &Done) -> IndexCache {
    let Dataset { documents, questions, .. } = dataset;
    let ids = questions.iter().map(|question| question.id.clone()).collect();
    IndexCache::new(documents.into(), ids, done.left(questions))
}

/// Indexes the corpus and draws the samples.
pub(super) async fn prepare(
    stock: &mut IndexCache,
    mut plan: Plan,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<Prepared, Error> {
    let sampled = |n| sampled(stock.ids(), n, plan.conditions.seed);
    let closed_book = sampled(CLOSED_BOOK_SAMPLE);
    let compared = sampled(EXACT_SAMPLE);
    let Ingested { corpus, retrievers, facts } = stock.ingest(&plan, progress).await?;
    // The first count loads the vocabulary, which is no part of the first question's time.
    plan.prompt.counter.count("");
    let concurrency = plan.concurrency;
    if let Some(calls) = &mut plan.calls {
        sink.calls(calls)?;
    }
    let line = QuestionPipeline {
        corpus,
        retrievers,
        haystacks: OnceLock::new(),
        closed_book,
        compared,
        plan,
        compute: Compute::default(),
    };
    Ok(Prepared {
        asker: Arc::new(line),
        questions: stock.questions().to_vec(),
        concurrency,
        most_failures: Some(FAILURES_IN_A_ROW),
        facts,
    })
}

/// The assembled pipeline, shared by all questions.
struct QuestionPipeline {
    corpus: Arc<Corpus>,
    retrievers: Vec<Arc<dyn Retriever>>,
    haystacks: OnceLock<Haystacks>,
    /// The closed-book sample.
    closed_book: HashSet<QuestionId>,
    /// The questions for which exact search runs next to approximate search.
    compared: HashSet<QuestionId>,
    plan: Plan,
    compute: Compute,
}

impl QuestionPipeline {
    /// Processes one question up to its prompts; if retrieval or the call that rewrote it fails, without steps and with the error.
    ///
    /// # Errors
    /// Errors of retrieval that every question would meet.
    async fn retrieved(
        &self,
        index: usize,
        question: Question,
        rewrite: Option<Attempt>,
    ) -> Result<(Trace, Vec<ConditionPrompt>), Error> {
        let gold = gold::locate(
            &question,
            &self.corpus,
            || self.haystacks.get_or_init(|| Haystacks::new(&self.corpus)),
            &|number| read_bytes(&self.plan, &self.corpus, number, false),
        );
        let mut trace = Trace::new(index, question, gold);
        trace.rewrite = rewrite;
        trace.error = trace.rewrite.as_ref().and_then(not_rewritten);
        if trace.error.is_some() {
            return Ok((trace, Vec::new()));
        }
        match self.steps(&trace).await {
            Ok(steps) => {
                trace.steps = steps;
                let (retrievers, plan) = (&self.retrievers, &self.plan.retrieval);
                let other = retrieve::other_searches(retrievers, &trace, plan, &self.corpus);
                // The result of the question does not depend on it.
                trace.other_searches = other.await.unwrap_or_default();
            }
            Err(error) if error.kind == Kind::EndsRun => return Err(error),
            Err(error) => {
                trace.error = Some(TraceError {
                    part: FailedPart::Retrieval,
                    kind: error.cause,
                    message: error.to_string(),
                });
                return Ok((trace, Vec::new()));
            }
        }
        let is_asked = self.plan.calls.is_some();
        let prompts = if is_asked { self.prompts(&trace) } else { Vec::new() };
        Ok((trace, prompts))
    }

    /// Returns the prompts of the conditions.
    fn prompts(&self, trace: &Trace) -> Vec<ConditionPrompt> {
        let (plan, corpus) = (&self.plan, self.corpus.as_ref());
        let packed: Vec<ChunkId> = trace.packed().cloned().collect();
        let tokens = |id: &ChunkId| prompt::tokens_of(id, corpus, &plan.prompt, plan.title_prefix);
        let context_tokens = plan.prompt.context_tokens;
        let choice = ConditionChoice {
            question: &trace.question,
            gold: &trace.gold,
            packed: &packed,
            corpus,
            passages: corpus,
            room: Room { k: plan.retrieval.k, context_tokens, tokens: &tokens },
            noise_tokens: Some(context_tokens),
            in_sample: self.closed_book.contains(&trace.question.id),
        };
        let call = |condition, passages: Vec<ChunkId>| {
            let prompt =
                prompt::prompt(&trace.question, &passages, corpus, &plan.prompt, plan.title_prefix);
            PromptCall {
                condition,
                n_tokens: prompt::n_tokens(&prompt, plan.prompt.counter.as_ref()),
                passages,
                prompt,
            }
        };
        generate::prompts(choice.prompts(&plan.conditions), &[], call)
    }

    /// Returns the steps of retrieval and of packing.
    async fn steps(&self, trace: &Trace) -> Result<Vec<TraceStep>, Error> {
        let (plan, shown) = (&self.plan.retrieval, (&self.corpus, self.plan.title_prefix));
        let trace = (trace, self.compared.contains(&trace.question.id));
        let mut steps = retrieve::retrieve(&self.retrievers, trace, plan, shown).await?;
        let ranked = steps.last().map_or(&[][..], |last| &last.hits);
        let packed = self.packed(&ranked[..plan.k.min(ranked.len())]);
        steps.push(packed);
        Ok(steps)
    }

    /// Returns the step of packing: the first of `top` that fit the prompt.
    fn packed(&self, top: &[StepHit]) -> TraceStep {
        let (plan, clock) = (&self.plan, Instant::now());
        let ids = top.iter().map(|hit| &hit.id);
        let packed = prompt::pack(ids, &self.corpus, &plan.prompt, plan.title_prefix);
        let hits = packed.into_iter().zip(top).map(|(id, hit)| StepHit {
            id,
            score: hit.score,
            parts: BTreeMap::new(),
        });
        let hits = hits.collect();
        TraceStep::new(Step::Packed, hits, clock.elapsed().as_secs_f64())
    }
}

/// Returns the failure of a call that was to rewrite a question. A reply without a question leaves the question as it is.
fn not_rewritten(call: &Attempt) -> Option<TraceError> {
    let unusable = |what: &str| TraceError {
        part: FailedPart::Generator,
        kind: ErrorKind::Permanent,
        message: format!("the rewritten question is {what}"),
    };
    call.error.clone().or_else(|| call.stance.unusable().map(unusable))
}

#[async_trait]
impl QuestionRunner for QuestionPipeline {
    async fn ask(
        self: Arc<Self>,
        index: usize,
        question: Question,
    ) -> Result<QuestionResult, Error> {
        let line = Arc::clone(&self);
        let is_rewritten = self.plan.rewrites && !question.history.is_empty();
        let rewrite = match &self.plan.calls {
            Some(calls) if is_rewritten => Some(calls.rewrite(&question).await?),
            _ => None,
        };
        let retrieved = async move { line.retrieved(index, question, rewrite).await };
        let (mut trace, prompts) = self.compute.run(retrieved).await?;
        if let Some(calls) = &self.plan.calls {
            trace.conditions =
                generate::conditions(&trace.question.id, prompts, Vec::new(), calls).await?;
        }
        let passages: Arc<dyn PassageSource> = Arc::clone(&self.corpus) as _;
        Ok(QuestionResult { trace, passages })
    }
}
