//! Documents to a searchable corpus: chunk, index, embed.

use std::sync::Arc;
use std::time::Instant;

use sha2::{Digest, Sha256};

use super::PipelineError;
use super::plan::{DensePlan, Plan, SparsePlan, VectorPlace};
use super::progress::Progress;
use crate::chunk;
use crate::embed::Role;
use crate::index::Bm25;
use crate::index::{CollectionSpec, EmbeddedStore, Hnsw, ServerStore};
use crate::index::{Point, SearchMode, Vector, VectorSpec, VectorStore};
use crate::types::{ChunkId, Corpus, Document, Similarity, Stage};

/// A corpus ready to be searched, and what making it took.
pub struct Ingested {
    /// Documents and chunks.
    pub corpus: Arc<Corpus>,
    /// The inverted index, where BM25 is asked.
    pub bm25: Option<Bm25>,
    /// The vectors, where the dense retriever is asked.
    pub vectors: Option<Arc<dyn VectorStore>>,
    /// Wall seconds by step.
    pub seconds: Vec<(&'static str, f64)>,
}

/// Cuts `documents` and builds the indexes that `plan` asks for.
///
/// # Errors
/// `NothingToIndex`, and whatever encoder and vector store say.
pub async fn ingest(documents: Vec<Document>, plan: &Plan, progress: &dyn Progress) -> Result<Ingested, PipelineError> {
    let mut seconds = Vec::new();
    let clock = Instant::now();
    let chunks = chunk::chunk_documents(&documents, &plan.chunking, plan.chunk_counter.as_ref());
    if chunks.is_empty() {
        return Err(PipelineError::NothingToIndex { n_documents: documents.len() });
    }
    let corpus = Arc::new(Corpus::new(documents, chunks));
    seconds.push(("chunk", clock.elapsed().as_secs_f64()));

    let clock = Instant::now();
    let wants_bm25 = plan.retrievers.contains(&Stage::Bm25);
    let bm25 = wants_bm25.then(|| build_bm25(&corpus, &plan.sparse, plan.title_prefix));
    if wants_bm25 {
        seconds.push(("bm25", clock.elapsed().as_secs_f64()));
    }
    let vectors = match &plan.dense {
        Some(dense) => Some(fill_vectors(&corpus, dense, plan.title_prefix, progress, &mut seconds).await?),
        None => None,
    };
    Ok(Ingested { corpus, bm25, vectors, seconds })
}

/// What is indexed of a chunk: its text, after its document's title and a line feed where there is one to show.
#[must_use]
pub fn indexed_text(corpus: &Corpus, number: usize, title_prefix: bool) -> String {
    match corpus.chunk_text(number) {
        (text, title) if title_prefix && !title.is_empty() => format!("{title}\n{text}"),
        (text, _) => text.to_owned(),
    }
}

/// How many bytes [`indexed_text`] puts before the chunk's own text.
#[must_use]
pub fn prefix_bytes(corpus: &Corpus, number: usize, title_prefix: bool) -> usize {
    let title = corpus.chunk_text(number).1;
    if title_prefix && !title.is_empty() { title.len() + 1 } else { 0 }
}

fn build_bm25(corpus: &Corpus, sparse: &SparsePlan, title_prefix: bool) -> Bm25 {
    let ids: Vec<ChunkId> = corpus.chunks().iter().map(|chunk| chunk.id.clone()).collect();
    Bm25::build(&sparse.params, &ids, |number, each| {
        sparse.analyzer.terms(&indexed_text(corpus, number, title_prefix), each);
    })
}

async fn fill_vectors(
    corpus: &Corpus,
    dense: &DensePlan,
    title_prefix: bool,
    progress: &dyn Progress,
    seconds: &mut Vec<(&'static str, f64)>,
) -> Result<Arc<dyn VectorStore>, PipelineError> {
    let texts: Vec<String> =
        (0..corpus.chunks().len()).map(|number| indexed_text(corpus, number, title_prefix)).collect();
    let content = collection_name(corpus, &texts, dense.encoder.fingerprint());
    let vector = VectorSpec::Dense { dimension: dense.encoder.dimension(), similarity: Similarity::Cosine };
    let spec = CollectionSpec {
        hnsw: (dense.mode == SearchMode::Approximate).then(Hnsw::default),
        ..CollectionSpec::new(content, "dense", vector, texts.len())
    };
    let clock = Instant::now();
    let store: Arc<dyn VectorStore> = match &dense.place {
        VectorPlace::Embedded(folder) => Arc::new(EmbeddedStore::open_or_create(folder, &spec).await?),
        VectorPlace::Server(server) => Arc::new(ServerStore::open_or_create(server, &spec).await?),
    };
    let mut qdrant = clock.elapsed().as_secs_f64();
    if !store.missing().await?.is_empty() {
        let clock = Instant::now();
        progress.start("embedding chunks", texts.len() as u64);
        let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = dense.encoder.encode(&borrowed, Role::Passage, &|n| progress.advance(n as u64)).await?;
        progress.finish();
        seconds.push(("embed", clock.elapsed().as_secs_f64()));
        let clock = Instant::now();
        let points: Vec<Point> = vectors.into_iter().enumerate().map(|(n, vector)| point(corpus, n, vector)).collect();
        store.upsert(&points).await?;
        qdrant += clock.elapsed().as_secs_f64();
    }
    seconds.push(("qdrant", qdrant));
    Ok(store)
}

fn point(corpus: &Corpus, number: usize, vector: Vec<f32>) -> Point {
    let chunk = &corpus.chunks()[number];
    Point {
        number: number as u32,
        vector: Vector::Dense(vector),
        chunk_id: chunk.id.to_string(),
        doc_id: chunk.doc_id.to_string(),
        range: (chunk.range.start, chunk.range.end),
        metadata: Arc::default(),
    }
}

/// A collection's name is the hash of all that is in it: chunk ids, ranges, the very texts, and what the encoder's
/// vectors depend on. Another content is another name, so a stale collection cannot be opened.
fn collection_name(corpus: &Corpus, texts: &[String], encoder: &str) -> String {
    let mut hash = Sha256::new();
    let mut field = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    field(encoder.as_bytes());
    for (chunk, text) in corpus.chunks().iter().zip(texts) {
        field(chunk.id.as_str().as_bytes());
        field(&(chunk.range.start as u64).to_le_bytes());
        field(&(chunk.range.end as u64).to_le_bytes());
        field(text.as_bytes());
    }
    hash.finalize().iter().take(16).fold(String::new(), |name, byte| name + &format!("{byte:02x}"))
}
