//! BM25 in Qdrant: a chunk is a sparse vector of saturated term counts, which Qdrant multiplies by its idf.
//!
//! This scales beyond one machine: postings are in the store's shards; only the vocabulary and the corpus are held here. The
//! score is that of the `lucene` variant, whose idf is that of Qdrant's modifier: ln(1 + (N - n + 0.5) / (n + 0.5)). Terms
//! are numbered by a local vocabulary, not hashed, so that two terms never share a number.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::PipelineError;
use super::index::{Built, IndexInputs};
use super::plan::SparsePlan;
use super::retriever::{Retrieved, Retriever};
use super::stores::OpenStores;
use super::vectors::{content_hash, point, spec, through_ties};
use ragtriage_bm25::Bm25Parameters;
use ragtriage_core::fuse::Parts;
use ragtriage_core::text::analyse::{self, Analyzer};
use ragtriage_core::types::{Corpus, Filter, RetrieverName, TitledText};
use ragtriage_vectors::{Point, SearchMode, Vector, VectorSearch, VectorSpec, VectorStore};

/// Number of chunks stored together.
const WINDOW: usize = 4096;

/// A BM25 retriever over a collection of sparse vectors.
struct SparseVectorRetriever {
    name: RetrieverName,
    corpus: Arc<Corpus>,
    store: Arc<dyn VectorStore>,
    analyzer: Arc<Analyzer>,
    vocabulary: HashMap<Box<str>, u32>,
    filter: Filter,
}

#[async_trait]
impl Retriever for SparseVectorRetriever {
    fn name(&self) -> RetrieverName {
        self.name
    }

    async fn retrieve(&self, question: &str, depth: usize) -> Result<Retrieved, PipelineError> {
        let mut counts: HashMap<u32, f32> = HashMap::new();
        self.analyzer.terms(question, &mut |term| {
            if let Some(number) = self.vocabulary.get(term) {
                *counts.entry(*number).or_default() += 1.0;
            }
        });
        if counts.is_empty() {
            return Ok(Retrieved::default());
        }
        let vector = &sparse(counts.into_iter().collect());
        let filter = Some(&self.filter).filter(|filter| !filter.is_empty());
        let search = VectorSearch { vector, limit: depth, mode: SearchMode::Exact, filter };
        let ranking = through_ties(&self.corpus, self.store.as_ref(), search).await?.cut(depth);
        Ok(Retrieved { ranking, parts: Parts::new() })
    }
}

/// Stores the terms of all chunks missing from the collection.
///
/// # Errors
/// Errors of the vector store.
pub(super) async fn build(
    plan: &SparsePlan,
    parameters: &Bm25Parameters,
    inputs: &IndexInputs<'_>,
    stores: &mut OpenStores,
) -> Result<Built, PipelineError> {
    let clock = Instant::now();
    let IndexInputs { corpus, retrieval, points: _, progress, title_prefix: _ } = *inputs;
    let texts = inputs.texts();
    let (vocabulary, n_terms) = vocabulary(&plan.analyzer, &texts);
    let mean_length = n_terms as f64 / texts.len() as f64;
    let made_by = format!(
        "sparse analyser {} {} {}",
        analyse::VERSION,
        plan.analyzer.key(),
        parameters.key()
    );
    let content = content_hash(corpus, &texts, &made_by);
    let spec = spec(&retrieval.store, content, plan.name, VectorSpec::Sparse, texts.len());
    let store = stores.open(retrieval, spec).await?;
    let missing = store.missing().await?;
    let is_new = !missing.is_empty();
    if !missing.is_empty() {
        progress.start("storing terms", missing.len() as u64);
        for window in missing.chunks(WINDOW) {
            let points: Vec<Point> = window
                .par_iter()
                .map(|number| {
                    let text = texts[*number as usize].joined();
                    let vector = terms(&plan.analyzer, &text, &vocabulary, parameters, mean_length);
                    point(corpus, *number, vector)
                })
                .collect();
            store.upsert(&points).await?;
            progress.advance(window.len() as u64);
        }
        progress.finish();
    }
    let retriever = SparseVectorRetriever {
        name: plan.name,
        corpus: Arc::clone(corpus),
        store,
        analyzer: Arc::clone(&plan.analyzer),
        vocabulary,
        filter: retrieval.filter.clone(),
    };
    let seconds = [(plan.name.to_string(), clock.elapsed().as_secs_f64())].into();
    Ok(Built {
        retriever: Box::new(retriever),
        is_new,
        seconds,
        truncation: Vec::new(),
        vector_search: None,
    })
}

/// Returns the terms of all texts, numbered by first occurrence, and their total count including
/// repetitions.
fn vocabulary(analyzer: &Analyzer, texts: &[TitledText<'_>]) -> (HashMap<Box<str>, u32>, usize) {
    let mut vocabulary: HashMap<Box<str>, u32> = HashMap::new();
    let mut n_terms = 0;
    for text in texts {
        analyzer.terms(&text.joined(), &mut |term| {
            n_terms += 1;
            if !vocabulary.contains_key(term) {
                vocabulary.insert(term.into(), vocabulary.len() as u32);
            }
        });
    }
    (vocabulary, n_terms)
}

/// Returns the saturated term counts of a text.
fn terms(
    analyzer: &Analyzer,
    text: &str,
    vocabulary: &HashMap<Box<str>, u32>,
    parameters: &Bm25Parameters,
    mean_length: f64,
) -> Vector {
    let mut counts: HashMap<u32, u32> = HashMap::new();
    let mut length = 0_u32;
    analyzer.terms(text, &mut |term| {
        length += 1;
        *counts.entry(vocabulary[term]).or_default() += 1;
    });
    let relative_length = if length == 0 { 0.0 } else { f64::from(length) / mean_length };
    sparse(
        counts
            .into_iter()
            .map(|(term, count)| {
                let share = parameters.tfc(f64::from(count), relative_length);
                (term, share as f32)
            })
            .collect(),
    )
}

/// Sorts the entries by term, as stores require.
fn sparse(mut entries: Vec<(u32, f32)>) -> Vector {
    entries.sort_unstable_by_key(|(term, _)| *term);
    let (indices, values) = entries.into_iter().unzip();
    Vector::Sparse { indices, values }
}
