//! The straight line: a data set, a plan and a folder become a run.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use async_trait::async_trait;

use super::PipelineError;
use super::ask::{Asked, Asker, Done, FAILURES_IN_A_ROW, Pace, ask_all};
use super::generate;
use super::ingest::{self, Ingested};
use super::plan::{Judge, Plan};
use super::progress::Progress;
use super::prompt;
use super::record::PassageSource;
use super::retrieve::{self, Bm25Retriever, DenseRetriever, Depths, Query, Retriever};
use crate::attribute::classify::{self, Rightness};
use crate::attribute::gold::{self, Haystacks};
use crate::attribute::support::SupportTest;
use crate::embed::{Encoder, Role};
use crate::measure::answer;
use crate::store::RunFolder;
use crate::types::{ArmName, ChunkId, Corpus, Dataset, Question, Stage, StageHit, TitledText, Trace, TraceStage};

/// What a run did, besides its traces.
#[derive(Clone, Debug, Default)]
pub struct RunFacts {
    /// Chunks of the corpus.
    pub n_chunks: usize,
    /// Their tokens in all.
    pub chunk_tokens: usize,
    /// Questions asked now; on resume those left.
    pub n_asked: usize,
    /// Wall seconds by step.
    pub seconds: BTreeMap<String, f64>,
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
    let Dataset { documents, questions, .. } = dataset;
    let ingested = ingest::ingest(documents, &plan, progress).await?;
    let mut seconds: BTreeMap<String, f64> =
        ingested.seconds.iter().map(|(step, s)| ((*step).to_owned(), *s)).collect();
    let clock = Instant::now();
    let left = done.left(questions);
    let vectors = question_vectors(&left, &plan, progress).await?;
    let facts = RunFacts {
        n_chunks: ingested.corpus.chunks().len(),
        chunk_tokens: ingested.corpus.chunks().iter().map(|chunk| chunk.n_tokens).sum(),
        n_asked: left.len(),
        seconds: BTreeMap::new(),
    };
    let pace = Pace { concurrency: plan.concurrency, most_failures: Some(FAILURES_IN_A_ROW) };
    let line: Arc<dyn Asker> = Arc::new(Line::new(ingested, plan, vectors));
    ask_all(&line, left, pace, folder, done.passages, progress).await?;
    seconds.insert("questions".to_owned(), clock.elapsed().as_secs_f64());
    Ok(RunFacts { seconds, ..facts })
}

/// All questions' vectors in one go; empty without an encoder.
async fn question_vectors(
    questions: &[(usize, Question)],
    plan: &Plan,
    progress: &dyn Progress,
) -> Result<HashMap<usize, Vec<f32>>, PipelineError> {
    let Some(dense) = &plan.dense else { return Ok(HashMap::new()) };
    let texts: Vec<TitledText<'_>> =
        questions.iter().map(|(_, question)| TitledText::untitled(&question.text)).collect();
    progress.start("embedding questions", texts.len() as u64);
    let vectors = dense.encoder.encode(&texts, Role::Query, &|n| progress.advance(n as u64)).await?;
    progress.finish();
    Ok(questions.iter().map(|(index, _)| *index).zip(vectors).collect())
}

/// The built pipeline, shared by all questions.
pub struct Line {
    corpus: Arc<Corpus>,
    retrievers: Vec<Box<dyn Retriever>>,
    encoder: Option<Arc<dyn Encoder>>,
    haystacks: OnceLock<Haystacks>,
    /// The questions' vectors by their place in the run.
    vectors: HashMap<usize, Vec<f32>>,
    plan: Plan,
}

impl Line {
    fn new(ingested: Ingested, plan: Plan, vectors: HashMap<usize, Vec<f32>>) -> Self {
        let Ingested { corpus, mut bm25, vectors: store, .. } = ingested;
        let mut retrievers: Vec<Box<dyn Retriever>> = Vec::new();
        for stage in &plan.retrievers {
            let corpus = Arc::clone(&corpus);
            match (stage, &store, &plan.dense) {
                (Stage::Bm25, ..) => retrievers.extend(bm25.take().map(|index| -> Box<dyn Retriever> {
                    Box::new(Bm25Retriever { corpus, index, analyzer: Arc::clone(&plan.sparse.analyzer) })
                })),
                (Stage::Dense, Some(store), Some(dense)) => {
                    retrievers.push(Box::new(DenseRetriever { corpus, store: Arc::clone(store), mode: dense.mode }));
                }
                _ => {}
            }
        }
        let encoder = plan.dense.as_ref().map(|dense| Arc::clone(&dense.encoder));
        Self { corpus, retrievers, encoder, haystacks: OnceLock::new(), vectors, plan }
    }

    /// One question through every stage.
    async fn trace(&self, index: usize, question: Question) -> Trace {
        let haystacks = || self.haystacks.get_or_init(|| Haystacks::new(&self.corpus));
        let gold = gold::locate(&question, &self.corpus, haystacks, &|number| self.encoder_reads(number));
        let mut trace = Trace::unclassified(index, question, gold);
        match self.stages(&trace, self.vectors.get(&index).map(Vec::as_slice)).await {
            Ok(stages) => trace.stages = stages,
            Err(error) => {
                trace.reason = format!("retrieval failed: {error}");
                return trace;
            }
        }
        let packed: Vec<ChunkId> = trace.packed().cloned().collect();
        trace.arms = generate::arms(&trace.question, &trace.gold, &packed, &self.corpus, &self.plan).await;
        let outcome = classify::classify(&trace, self.plan.k, rightness(&trace, self.plan.judge), self.corpus.as_ref());
        outcome.onto(&mut trace);
        trace
    }

    /// The retrievers' stages, the fused one, and what was packed.
    async fn stages(&self, trace: &Trace, vector: Option<&[f32]>) -> Result<Vec<TraceStage>, PipelineError> {
        let support = SupportTest::new(&trace.question, &trace.gold.groups, self.corpus.as_ref());
        let query = Query { text: &trace.question.text, vector };
        let depths = Depths {
            candidates: self.plan.candidates,
            fusion_k: self.plan.fusion_k,
            skip_same_id: self.plan.skip_same_id,
        };
        let mut stages = retrieve::retrieve(&self.retrievers, &trace.question, query, depths, &support).await?;
        let clock = Instant::now();
        let top: Vec<StageHit> =
            stages.last().map_or(Vec::new(), |last| last.hits.iter().take(self.plan.k).cloned().collect());
        let packed =
            prompt::pack(top.iter().map(|hit| &hit.id), &self.corpus, &self.plan.prompt, self.plan.title_prefix);
        stages.push(TraceStage {
            stage: Stage::Packed,
            support: support.of(&packed),
            seconds: clock.elapsed().as_secs_f64(),
            hits: top.into_iter().take(packed.len()).map(|hit| StageHit { parts: BTreeMap::new(), ..hit }).collect(),
        });
        Ok(stages)
    }

    /// How many bytes of a chunk's own text the encoder reads; `None`: all, or there is no encoder.
    fn encoder_reads(&self, number: usize) -> Option<usize> {
        let encoder = self.encoder.as_ref()?;
        let text = ingest::indexed_text(&self.corpus, number, self.plan.title_prefix);
        encoder.read_bytes(text, Role::Passage).ok()?
    }
}

#[async_trait]
impl Asker for Line {
    async fn ask(&self, index: usize, question: Question) -> Asked {
        let passages: Arc<dyn PassageSource> = Arc::clone(&self.corpus) as _;
        Asked { trace: self.trace(index, question).await, passages }
    }
}

/// Whether each arm's first answer is right.
#[must_use]
pub fn rightness(trace: &Trace, judge: Judge) -> Rightness {
    let of = |arm: ArmName| {
        let attempt = trace.attempt(arm).filter(|attempt| attempt.error.is_none())?;
        answer::is_right(&trace.question, &attempt.extracted, attempt.stance, judge.flavour, judge.correct_f1)
    };
    Rightness { retrieved: of(ArmName::Retrieved), oracle: of(ArmName::Oracle), closed_book: of(ArmName::ClosedBook) }
}
