//! Reuses chunks, indexes and rankings across the trials of a sweep.
//!
//! A run has a private stock and discards it. A sweep shares one: configurations that differ only in fusion, reranking or packing share
//! chunking, indexes and rankings. Only the last chunking is retained and the retrievers of the last configuration, so configurations that share them should be consecutive. Data
//! that outlives the process (vectors, collections, index files) is cached by content elsewhere.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use super::cached_rankings::CachedRankings;
use super::index::{Built, IndexInputs, VectorSearchFacts};
use super::ingest::{self, IngestFacts};
use super::plan::{Plan, RetrieverPlan, StorePlan};
use super::points::{Chunked, PointChunks, chunked};
use super::progress::Progress;
use super::retriever::Retriever;
use super::sparse::n_explained;
use super::stores::OpenStores;
use crate::Error;
use ragtriage_core::chunk::ChunkSpec;
use ragtriage_core::types::{Corpus, Document, Filter, Note, Question, QuestionId, RetrieverName};
use ragtriage_data::run::Truncation;

/// Documents and questions with their chunks and retrievers.
pub struct Stock {
    documents: Arc<[Document]>,
    ids: Vec<QuestionId>,
    questions: Vec<(usize, Question)>,
    remembers: bool,
    chunked: Option<ChunkedCorpus>,
}

/// The chunked documents and their retrievers.
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
        Self { documents, ids, questions, remembers, chunked: None }
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

    /// Chunks the documents as `plan` specifies and builds its retrievers, unless they exist.
    ///
    /// # Errors
    /// A corpus without text, a filter that excludes all, and errors of the encoder and the vector store.
    pub async fn ingest(
        &mut self,
        plan: &Plan,
        progress: &dyn Progress,
    ) -> Result<Ingested, Error> {
        let mut facts = IngestFacts::default();
        let clock = Instant::now();
        let corpus = self.corpus(plan)?;
        facts.notes = self.chunked.iter().flat_map(|known| known.notes.clone()).collect();
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
        // Those of other configurations would fill the memory.
        let used = |(built, _): &(Identity, Ready)| {
            plan.retrieval
                .retrievers
                .iter()
                .any(|retriever| *built == Identity::new(retriever, plan))
        };
        self.chunked.iter_mut().for_each(|known| known.retrievers.retain(used));
        Ok(Ingested { corpus, retrievers, facts })
    }

    /// Returns the documents, chunked as `plan` specifies.
    fn corpus(&mut self, plan: &Plan) -> Result<Arc<Corpus>, Error> {
        let collection = plan.retrieval.collection();
        let collection = collection.map_or_else(String::new, |plan| plan.digest.clone());
        if let Some(known) = &self.chunked
            && (&known.spec, &known.counter) == (&plan.chunking, &plan.chunk_counter_id)
            && known.collection == collection
        {
            return Ok(Arc::clone(&known.corpus));
        }
        self.chunked = None; // two chunkings are never in memory at once
        let Chunked { documents, chunks, points, notes } = chunked(&self.documents, plan)?;
        if chunks.is_empty() {
            let n = self.documents.len();
            let error = format!("the corpus has {n} documents and no text: nothing to index");
            return Err(Error::other(error).with_hint("check `dataset.path`"));
        }
        let corpus = Arc::new(Corpus::new(documents, chunks));
        self.chunked = Some(ChunkedCorpus {
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
    ) -> Result<Ready, Error> {
        let identity = Identity::new(retriever, plan);
        let known = self.chunked.as_mut().expect("the corpus was chunked before");
        if let Some((_, ready)) = known.retrievers.iter().find(|(built, _)| *built == identity) {
            return Ok(ready.clone());
        }
        let inputs = IndexInputs {
            corpus,
            points: &known.points,
            retrieval: &plan.retrieval,
            title_prefix: plan.title_prefix,
            progress,
        };
        let Built { mut retriever, seconds, mut truncation, vector_search } =
            ingest::build(retriever, &inputs, &mut known.stores).await?;
        facts.seconds.extend(seconds);
        let questions: Vec<&str> =
            self.questions.iter().map(|(_, question)| question.text.as_str()).collect();
        let prepared = retriever.prepare(&questions, progress).await?;
        facts.seconds.extend(prepared.seconds);
        truncation.extend(prepared.truncation);
        let retriever: Arc<dyn Retriever> = if self.remembers {
            Arc::new(CachedRankings::new(retriever))
        } else {
            Arc::from(retriever)
        };
        let ready = Ready { retriever, truncation, vector_search };
        known.retrievers.push((identity, ready.clone()));
        Ok(ready)
    }
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
