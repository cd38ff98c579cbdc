//! The straight line: a data set, a plan and a folder become a run.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use async_trait::async_trait;

use super::PipelineError;
use super::ask::{Asked, Asker, Done, FAILURES_IN_A_ROW, Pace, ask_all};
use super::generate::Calls;
use super::index::indexed_text;
use super::ingest::IngestFacts;
use super::plan::{Plan, RetrieverPlan};
use super::progress::Progress;
use super::prompt;
use super::record::PassageSource;
use super::retrieve;
use super::retriever::Retriever;
use super::stock::{Ingested, Stock};
use super::workers::Carried;
use super::{arms, generate};
use ragtriage_core::attribute::classify;
use ragtriage_core::attribute::gold::{self, Haystacks};
use ragtriage_core::attribute::judge::rightness;
use ragtriage_core::attribute::support::SupportTest;
use ragtriage_core::prompt::Prompt;
use ragtriage_core::text::causes::with_causes;
use ragtriage_core::types::{
    ArmName, ChunkId, Corpus, Dataset, Question, QuestionId, Stage, StageHit, Trace, TraceStage,
};
use ragtriage_models::embed::Role;
use ragtriage_models::llm::LlmError;
use ragtriage_runs::RunFolder;
use ragtriage_runs::replies::Replies;

/// What a run did, besides its traces.
#[derive(Clone, Debug, Default)]
pub struct RunFacts {
    /// Chunks of the corpus.
    pub n_chunks: usize,
    /// Their tokens in all.
    pub chunk_tokens: usize,
    /// Questions asked now; on resume those left.
    pub n_asked: usize,
    /// Making the corpus searchable; its seconds with those of asking the questions.
    pub ingest: IngestFacts,
}

/// Runs `dataset` through `plan` and appends a trace a question to `folder`, as they finish.
///
/// # Errors
/// Whatever concerns the whole run: encoder, index, disk. One question's failure is its trace's class.
pub async fn run(
    dataset: Dataset,
    plan: Plan,
    folder: &RunFolder,
    done: Done,
    progress: &dyn Progress,
) -> Result<RunFacts, PipelineError> {
    let mut stock = stocked(dataset, &done);
    run_from(&mut stock, plan, folder, done, progress).await
}

/// Runs the questions of `stock` through `plan`, as [`run`] does, with what is there already.
///
/// # Errors
/// As [`run`].
pub async fn run_from(
    stock: &mut Stock,
    plan: Plan,
    folder: &RunFolder,
    done: Done,
    progress: &dyn Progress,
) -> Result<RunFacts, PipelineError> {
    let Prepared {
        mut line,
        left,
        mut facts,
    } = prepare(stock, plan, progress).await?;
    let clock = Instant::now();
    let pace = Pace {
        concurrency: line.plan.concurrency,
        most_failures: Some(FAILURES_IN_A_ROW),
    };
    let generator = line.plan.generator.take();
    line.plan.generator = generator.map(|generator| Arc::new(Carried::here(generator)) as _);
    line.calls = Some(Calls::new(
        Replies::open(folder, done.replies)?,
        line.plan.calls,
    ));
    let line: Arc<dyn Asker> = Arc::new(line);
    let n_failed = ask_all(&line, left, pace, folder, done.passages, progress).await?;
    // What a failed question has answers to is not asked again on resume.
    if n_failed == 0 {
        Replies::remove(folder)?;
    }
    facts
        .ingest
        .seconds
        .insert("questions".to_owned(), clock.elapsed().as_secs_f64());
    Ok(facts)
}

/// A pipeline that is built, with the questions that are left to ask.
pub(super) struct Prepared {
    pub line: Line,
    /// Each with its place in the run.
    pub left: Vec<(usize, Question)>,
    pub facts: RunFacts,
}

/// The stock of a run of its own: `dataset`'s documents, and those of its questions that are left.
pub(super) fn stocked(dataset: Dataset, done: &Done) -> Stock {
    let Dataset {
        documents,
        questions,
        ..
    } = dataset;
    let ids = questions
        .iter()
        .map(|question| question.id.clone())
        .collect();
    Stock::for_one(documents, ids, done.left(questions))
}

/// Makes the corpus searchable and draws the samples.
pub(super) async fn prepare(
    stock: &mut Stock,
    plan: Plan,
    progress: &dyn Progress,
) -> Result<Prepared, PipelineError> {
    let closed_book =
        ragtriage_core::sample::sampled(stock.ids(), plan.arms.closed_book_sample, plan.arms.seed);
    let Ingested {
        corpus,
        retrievers,
        facts: ingest,
    } = stock.ingest(&plan, progress).await?;
    let left = stock.questions().to_vec();
    let facts = RunFacts {
        n_chunks: corpus.chunks().len(),
        chunk_tokens: corpus.chunks().iter().map(|chunk| chunk.n_tokens).sum(),
        n_asked: left.len(),
        ingest,
    };
    let line = Line {
        corpus,
        retrievers,
        haystacks: OnceLock::new(),
        closed_book,
        plan,
        calls: None,
    };
    Ok(Prepared { line, left, facts })
}

/// The built pipeline, shared by all questions.
pub struct Line {
    corpus: Arc<Corpus>,
    retrievers: Vec<Arc<dyn Retriever>>,
    haystacks: OnceLock<Haystacks>,
    /// The questions asked without context.
    closed_book: HashSet<QuestionId>,
    pub(super) plan: Plan,
    /// Of the questions in work; none where nothing is asked.
    calls: Option<Calls>,
}

impl Line {
    /// One question through every stage.
    async fn trace(&self, index: usize, question: Question) -> Result<Trace, LlmError> {
        let mut trace = self.retrieved(index, question).await;
        if trace.stages.is_empty() {
            return Ok(trace);
        }
        trace.arms = generate::arms(
            &trace,
            self.in_sample(&trace),
            &self.corpus,
            &self.plan,
            self.calls.as_ref(),
        )
        .await?;
        let outcome = classify::classify(
            &trace,
            self.plan.retrieval.k,
            rightness(&trace, self.plan.judge),
            self.corpus.as_ref(),
        );
        outcome.onto(&mut trace);
        Ok(trace)
    }

    /// One question as far as its packed passages; without any stage, and with the reason, where retrieval failed.
    pub(super) async fn retrieved(&self, index: usize, question: Question) -> Trace {
        let haystacks = || self.haystacks.get_or_init(|| Haystacks::new(&self.corpus));
        let gold = gold::locate(&question, &self.corpus, haystacks, &|number| {
            self.encoder_reads(number)
        });
        let mut trace = Trace::unclassified(index, question, gold);
        match self.stages(&trace).await {
            Ok(stages) => trace.stages = stages,
            Err(error) => trace.reason = format!("retrieval failed: {}", with_causes(&error)),
        }
        trace
    }

    /// The arms of a question that was retrieved for, each with the chunks of its prompt.
    pub(super) fn prompts(&self, trace: &Trace) -> Vec<(ArmName, Vec<ChunkId>)> {
        arms::prompts(trace, self.in_sample(trace), &self.corpus, &self.plan)
    }

    /// The prompt over these chunks.
    pub(super) fn prompt(&self, trace: &Trace, chunks: &[ChunkId]) -> Prompt {
        prompt::prompt(
            &trace.question,
            chunks,
            &self.corpus,
            &self.plan.prompt,
            self.plan.title_prefix,
        )
    }

    fn in_sample(&self, trace: &Trace) -> bool {
        self.closed_book.contains(&trace.question.id)
    }

    /// The stages of retrieval, and what was packed.
    async fn stages(&self, trace: &Trace) -> Result<Vec<TraceStage>, PipelineError> {
        let support = SupportTest::new(&trace.question, &trace.gold.groups, self.corpus.as_ref());
        let (plan, shown) = (&self.plan.retrieval, (&self.corpus, self.plan.title_prefix));
        let mut stages =
            retrieve::retrieve(&self.retrievers, &trace.question, plan, shown, &support).await?;
        let clock = Instant::now();
        let top: Vec<StageHit> = stages.last().map_or(Vec::new(), |last| {
            last.hits.iter().take(plan.k).cloned().collect()
        });
        let packed = prompt::pack(
            top.iter().map(|hit| &hit.id),
            &self.corpus,
            &self.plan.prompt,
            self.plan.title_prefix,
        );
        stages.push(TraceStage {
            stage: Stage::Packed,
            support: support.of(&packed),
            exact: None,
            seconds: clock.elapsed().as_secs_f64(),
            hits: top
                .into_iter()
                .take(packed.len())
                .map(|hit| StageHit {
                    parts: BTreeMap::new(),
                    ..hit
                })
                .collect(),
        });
        Ok(stages)
    }

    /// How many bytes of a chunk's own text every encoder reads; `None`: all, or there is no encoder.
    fn encoder_reads(&self, number: usize) -> Option<usize> {
        let text = indexed_text(&self.corpus, number, self.plan.title_prefix);
        let encoders =
            self.plan
                .retrieval
                .retrievers
                .iter()
                .filter_map(|retriever| match retriever {
                    RetrieverPlan::Sparse(_) => None,
                    RetrieverPlan::Vectors(plan) => Some(&plan.encoder),
                });
        encoders
            .filter_map(|encoder| encoder.read_bytes(text, Role::Passage).ok()?)
            .min()
    }
}

#[async_trait]
impl Asker for Line {
    async fn ask(&self, index: usize, question: Question) -> Result<Asked, LlmError> {
        let passages: Arc<dyn PassageSource> = Arc::clone(&self.corpus) as _;
        Ok(Asked {
            trace: self.trace(index, question).await?,
            passages,
        })
    }
}
