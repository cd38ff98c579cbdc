//! Reuses chunks, indexes and rankings across the trials of a sweep.
//!
//! A run has a private stock and discards it. A sweep shares one: configurations that differ only in fusion, reranking or packing share
//! chunking, indexes and rankings. Only the last chunking is retained, so configurations that share one should be consecutive. Data
//! that outlives the process (vectors, collections, index files) is cached by content elsewhere.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::PipelineError;
use super::index::{Built, IndexInputs, VectorSearchFacts};
use super::ingest::{self, IngestFacts};
use super::plan::{Plan, RetrieverPlan, StorePlan};
use super::points::{Chunked, PointChunks, chunked};
use super::progress::Progress;
use super::remembered::{RankingCounts, Remembered};
use super::retriever::Retriever;
use super::sparse::n_explained;
use super::stores::OpenStores;
use ragtriage_core::chunk::{ChunkSpec, ForeignChunks};
use ragtriage_core::types::{Corpus, Document, Filter, Note, Question, QuestionId, RetrieverName};
use ragtriage_runs::Truncation;

/// Documents and questions with their chunks and retrievers.
pub struct Stock {
    documents: Arc<[Document]>,
    ids: Vec<QuestionId>,
    questions: Vec<(usize, Question)>,
    remembers: bool,
    cut: Option<ChunkedCorpus>,
    made: Made,
    asked: Arc<RankingCounts>,
}

/// Maximum number of retained retrievers, with their rankings: the most recently used.
const MOST_RETRIEVERS: usize = 8;

/// The chunked documents and their retrievers, the most recently used last.
struct ChunkedCorpus {
    spec: ChunkSpec,
    counter: String,
    /// Identity of the existing collection whose points are the chunks; empty without.
    collection: String,
    corpus: Arc<Corpus>,
    points: Arc<PointChunks>,
    notes: Vec<Note>,
    retrievers: Vec<(Identity, Ready)>,
    stores: OpenStores,
}

/// A built retriever with its facts.
#[derive(Clone)]
struct Ready {
    retriever: Arc<dyn Retriever>,
    truncation: Vec<Truncation>,
    vector_search: Option<VectorSearchFacts>,
}

/// Number of times something was needed, and number of times it had to be built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Reuse {
    /// Number needed.
    pub wanted: usize,
    /// Number built; the others were reused.
    pub made: usize,
}

impl Reuse {
    /// Returns the sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { wanted: self.wanted + other.wanted, made: self.made + other.made }
    }

    fn since(self, before: Self) -> Self {
        Self { wanted: self.wanted - before.wanted, made: self.made - before.made }
    }
}

impl Made {
    /// Returns the sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.with(other, Reuse::plus)
    }

    /// Returns the difference from `before`, an earlier count of the same stock.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        self.with(before, Reuse::since)
    }

    fn with(self, other: Self, each: fn(Reuse, Reuse) -> Reuse) -> Self {
        Self {
            chunkings: each(self.chunkings, other.chunkings),
            indexes: each(self.indexes, other.indexes),
            rankings: each(self.rankings, other.rankings),
        }
    }
}

/// Counts of requested and built parts of a stock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// Chunkings of the corpus.
    pub chunkings: Reuse,
    /// Indexes, sparse and dense; those found complete on disk do not count as built.
    pub indexes: Reuse,
    /// Rankings: one question asked of one retriever.
    pub rankings: Reuse,
}

/// A corpus ready to be searched, with the time this took.
pub struct Ingested {
    /// Documents and chunks.
    pub corpus: Arc<Corpus>,
    /// The retrievers, in the plan's order.
    pub retrievers: Vec<Arc<dyn Retriever>>,
    /// Facts about it.
    pub facts: IngestFacts,
}

impl Stock {
    /// Creates the stock for one run of the questions `ids`; `questions` are the remaining ones, each with its
    /// position in the run.
    #[must_use]
    pub fn for_one(
        documents: Vec<Document>,
        ids: Vec<QuestionId>,
        questions: Vec<(usize, Question)>,
    ) -> Self {
        Self::new(documents.into(), ids, questions, false)
    }

    /// Creates the stock for several runs over the same `questions`: rankings are cached.
    #[must_use]
    pub fn for_many(documents: Arc<[Document]>, questions: Vec<Question>) -> Self {
        let ids = questions.iter().map(|question| question.id.clone()).collect();
        Self::new(documents, ids, questions.into_iter().enumerate().collect(), true)
    }

    fn new(
        documents: Arc<[Document]>,
        ids: Vec<QuestionId>,
        questions: Vec<(usize, Question)>,
        remembers: bool,
    ) -> Self {
        Self {
            documents,
            ids,
            questions,
            remembers,
            cut: None,
            made: Made::default(),
            asked: Arc::default(),
        }
    }

    /// Returns the ids of all questions of the run, including finished ones.
    #[must_use]
    pub fn ids(&self) -> &[QuestionId] {
        &self.ids
    }

    /// Returns the remaining questions, each with its position in the run.
    #[must_use]
    pub fn questions(&self) -> &[(usize, Question)] {
        &self.questions
    }

    /// Returns the counts of requested and built parts so far.
    #[must_use]
    pub fn made(&self) -> Made {
        Made {
            rankings: Reuse {
                wanted: self.asked.wanted.load(Ordering::Relaxed),
                made: self.asked.made.load(Ordering::Relaxed),
            },
            ..self.made
        }
    }

    /// Drops everything built: open collections are locked for other processes until then.
    pub fn forget(&mut self) {
        self.cut = None;
    }

    /// Chunks the documents as `plan` specifies and builds its retrievers, unless they exist.
    ///
    /// # Errors
    /// `NothingToIndex`, `NothingAllowed`, and errors of the encoder and the vector store.
    pub async fn ingest(
        &mut self,
        plan: &Plan,
        progress: &dyn Progress,
    ) -> Result<Ingested, PipelineError> {
        let mut facts = IngestFacts::default();
        let clock = Instant::now();
        let corpus = self.corpus(plan)?;
        facts.notes = self.cut.iter().flat_map(|cut| cut.notes.clone()).collect();
        facts.seconds.insert("chunk".to_owned(), clock.elapsed().as_secs_f64());
        facts.n_filtered = ingest::n_filtered(&corpus, &plan.retrieval.filter)?;
        let mut retrievers = Vec::with_capacity(plan.retrieval.retrievers.len());
        let mut searches = Vec::new();
        for retriever in &plan.retrieval.retrievers {
            let Ready { retriever, truncation, vector_search } =
                self.retriever(retriever, plan, &corpus, &mut facts, progress).await?;
            if let Some(VectorSearchFacts { how, approximate }) = vector_search {
                searches.push((retriever.name(), how));
                facts.approximate.extend(approximate);
            }
            facts.truncation.extend(truncation);
            retrievers.push(retriever);
        }
        facts.vector_search = spoken(&searches);
        Ok(Ingested { corpus, retrievers, facts })
    }

    /// Returns the documents, chunked as `plan` specifies.
    fn corpus(&mut self, plan: &Plan) -> Result<Arc<Corpus>, PipelineError> {
        self.made.chunkings.wanted += 1;
        let collection = plan.retrieval.collection();
        let collection = collection.map_or_else(String::new, |plan| plan.digest.clone());
        if let Some(cut) = &self.cut
            && (&cut.spec, &cut.counter) == (&plan.chunking, &plan.chunk_counter_id)
            && cut.collection == collection
        {
            return Ok(Arc::clone(&cut.corpus));
        }
        self.cut = None; // two chunkings are never in memory at once
        self.made.chunkings.made += 1;
        let Chunked { documents, chunks, points, notes } = chunked(&self.documents, plan)?;
        if chunks.is_empty() {
            return Err(PipelineError::NothingToIndex { n_documents: self.documents.len() });
        }
        let corpus = Arc::new(Corpus::new(documents, chunks));
        self.cut = Some(ChunkedCorpus {
            spec: plan.chunking.clone(),
            counter: plan.chunk_counter_id.clone(),
            collection,
            corpus: Arc::clone(&corpus),
            points: Arc::new(points),
            notes,
            retrievers: Vec::new(),
            stores: OpenStores::default(),
        });
        Ok(corpus)
    }

    async fn retriever(
        &mut self,
        retriever: &RetrieverPlan,
        plan: &Plan,
        corpus: &Arc<Corpus>,
        facts: &mut IngestFacts,
        progress: &dyn Progress,
    ) -> Result<Ready, PipelineError> {
        self.made.indexes.wanted += 1;
        let identity = Identity::new(retriever, plan);
        let cut = self.cut.as_mut().expect("the corpus was cut before");
        if let Some(at) = cut.retrievers.iter().position(|(known, _)| *known == identity) {
            let known = cut.retrievers.remove(at);
            cut.retrievers.push(known.clone());
            return Ok(known.1);
        }
        let inputs = IndexInputs {
            corpus,
            points: &cut.points,
            retrieval: &plan.retrieval,
            title_prefix: plan.title_prefix,
            progress,
        };
        let Built { mut retriever, is_new, seconds, mut truncation, vector_search } =
            ingest::build(retriever, &inputs, &mut cut.stores).await?;
        self.made.indexes.made += usize::from(is_new);
        facts.seconds.extend(seconds);
        let questions: Vec<&str> =
            self.questions.iter().map(|(_, question)| question.text.as_str()).collect();
        let prepared = retriever.prepare(&questions, progress).await?;
        facts.seconds.extend(prepared.seconds);
        truncation.extend(prepared.truncation);
        let retriever: Arc<dyn Retriever> = if self.remembers {
            Arc::new(Remembered::new(retriever, &self.asked))
        } else {
            Arc::from(retriever)
        };
        let ready = Ready { retriever, truncation, vector_search };
        if cut.retrievers.len() == MOST_RETRIEVERS {
            cut.retrievers.remove(0);
        }
        cut.retrievers.push((identity, ready.clone()));
        Ok(ready)
    }
}

/// Identifies all that the rankings of `plan` depend on besides its settings, documents and questions: its encoders, its reranker,
/// its counter, its external chunks.
#[must_use]
pub fn fingerprint(plan: &Plan) -> String {
    let retrievers = plan.retrieval.retrievers.iter().map(|retriever| match retriever {
        RetrieverPlan::Sparse(sparse) => sparse.made_by(),
        RetrieverPlan::Vectors(vectors) => vectors.made_by(),
        RetrieverPlan::Collection(collection) => collection.made_by(),
    });
    let reranker =
        plan.retrieval.rerank.iter().map(|rerank| rerank.reranker.fingerprint().to_owned());
    let chunks = plan.chunking.foreign().map(ForeignChunks::sha256);
    retrievers
        .chain(reranker)
        .chain([plan.chunk_counter_id.clone()])
        .chain(chunks)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Everything that distinguishes two retrievers over one corpus.
#[derive(Clone, PartialEq)]
struct Identity {
    made_by: String,
    /// The folder of a sparse retriever's index.
    folder: Option<PathBuf>,
    n_explained: usize,
    store: StorePlan,
    filter: Filter,
    title_prefix: bool,
}

impl Identity {
    fn new(retriever: &RetrieverPlan, plan: &Plan) -> Self {
        let (made_by, folder) = match retriever {
            RetrieverPlan::Sparse(sparse) => (sparse.made_by(), sparse.folder.clone()),
            RetrieverPlan::Vectors(vectors) => (vectors.made_by(), None),
            RetrieverPlan::Collection(collection) => (collection.made_by(), None),
        };
        let retrieval = &plan.retrieval;
        Self {
            made_by,
            folder,
            n_explained: n_explained(retrieval.k),
            store: retrieval.store.clone(),
            filter: retrieval.filter.clone(),
            title_prefix: plan.title_prefix,
        }
    }
}

/// Describes the vector search methods, once if all retrievers agree; `None` without vectors.
fn spoken(searches: &[(RetrieverName, String)]) -> Option<String> {
    let (_, first) = searches.first()?;
    if searches.iter().all(|(_, how)| how == first) {
        return Some(first.clone());
    }
    let each: Vec<String> = searches.iter().map(|(name, how)| format!("{name}: {how}")).collect();
    Some(each.join("; "))
}
