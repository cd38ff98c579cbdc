//! Compares an index with the documents and the gold evidence. Nothing is written, and no question is asked.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::index::indexed_text;
use super::plan::{Plan, RetrieverPlan};
use super::points::{Chunked, placed};
use crate::Error;
use ragtriage_clients::embed::Role;
use ragtriage_core::attribute::gold::locate;
use ragtriage_core::attribute::support::{Reading, SupportTest};
use ragtriage_core::chunk::{ForeignChunk, ForeignChunks};
use ragtriage_core::types::{ChunkId, Corpus, Dataset, DocId, Document, QuestionId};
use ragtriage_vectors::StoredPassage;

/// What an index lacks of the documents and of the gold evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexCheck {
    /// Documents of the data set.
    pub n_documents: usize,
    /// Documents with text of which the index has nothing.
    pub missing: Vec<DocId>,
    /// Documents that a point of the collection, or a chunk of a file, names and that do not have its text.
    pub stale: BTreeSet<String>,
    /// Chunks, points of a collection among them.
    pub n_chunks: usize,
    /// Points or chunks with the passage of another one.
    pub n_doubled: usize,
    /// Chunks that an encoder does not read to their end.
    pub n_truncated: usize,
    /// Questions whose evidence can be tested.
    pub n_questions: usize,
    /// Questions whose evidence is complete in the documents, but not in the chunks.
    pub not_chunked: Vec<QuestionId>,
    /// Questions whose evidence is complete in no document.
    pub not_in_corpus: Vec<QuestionId>,
    /// Questions whose evidence lies beyond the input limit of an encoder.
    pub truncated: Vec<QuestionId>,
    /// Questions whose evidence the filter excludes.
    pub filtered: Vec<QuestionId>,
}

/// Compares the index that `plan` describes with `dataset`. Questions without evidence are left out.
///
/// # Errors
/// Errors of chunking and of the encoder.
pub fn check_index(dataset: Dataset, plan: &Plan) -> Result<IndexCheck, Error> {
    let documents: Arc<[Document]> = dataset.documents.into();
    let mut points = plan.retrieval.collection().map(|plan| plan.content.passages.len());
    let chunked = Chunked::new(&documents, plan).or_else(|error| {
        // A run refuses the first chunk without a place.
        let stored = stored(plan.chunking.foreign().ok_or(error)?, &documents);
        points = Some(stored.len());
        placed(&documents, &stored, plan.chunk_counter.as_ref())
    });
    let Chunked { corpus, stale, .. } = chunked?;
    let n_doubled = points.map_or(0, |n| n - corpus.chunks().len());
    let n_documents = documents.len();
    let mut check = IndexCheck { n_documents, stale, n_doubled, ..IndexCheck::default() };
    let is_missing = |id: &DocId| corpus.chunk_numbers(id).is_empty();
    let with_text = documents.iter().filter(|document| !document.text.trim().is_empty());
    check.missing =
        with_text.map(|document| &document.id).filter(|id| is_missing(id)).cloned().collect();
    check.n_chunks = corpus.chunks().len() + check.n_doubled;
    let reads = |number| read_bytes(plan, &corpus, number, true);
    let is_truncated =
        |number: &usize| reads(*number).is_some_and(|n| n < corpus.chunk_text(*number).0.len());
    check.n_truncated = (0..corpus.chunks().len()).filter(is_truncated).count();
    // Retrievers of terms read chunks to their end.
    let is_sparse =
        plan.retrieval.retrievers.iter().any(|it| matches!(it, RetrieverPlan::Sparse(_)));
    let reachable: Vec<ChunkId> = (0..corpus.chunks().len())
        .filter(|number| plan.retrieval.filter.matches(corpus.chunk_metadata(*number)))
        .map(|number| corpus.chunk_id(number))
        .collect();
    let reachable: Vec<&ChunkId> = reachable.iter().collect();
    for question in dataset.questions.into_iter().filter(|question| !question.evidence.is_empty()) {
        check.n_questions += 1;
        let gold = locate(&question, &corpus, || unreachable!("the question has evidence"), &reads);
        let test = SupportTest::new(&question, &gold.groups, corpus.as_ref());
        let lacking = if !gold.documents.holds {
            &mut check.not_in_corpus
        } else if !gold.chunks.holds {
            &mut check.not_chunked
        } else if !test.holds(&reachable, Reading::Strict) {
            &mut check.filtered
        } else if !is_sparse && gold.is_encoder_truncated() {
            &mut check.truncated
        } else {
            continue;
        };
        lacking.push(question.id);
    }
    Ok(check)
}

/// Returns the chunks of a file as the points of a collection; one of which only the offsets are known has the text there, else a
/// text that no document has.
fn stored(chunks: &ForeignChunks, documents: &[Document]) -> Vec<StoredPassage> {
    let texts: HashMap<_, _> = documents.iter().map(|it| (&it.id, it.text.as_str())).collect();
    let there = |chunk: &ForeignChunk| {
        let (start, end) = chunk.offsets?;
        texts.get(&chunk.doc_id)?.get(start..end)
    };
    let stored = |chunk: &ForeignChunk| {
        let text = chunk.text.as_deref().or_else(|| there(chunk)).map(str::to_owned);
        let nowhere = || format!("{} {:?}", chunk.doc_id, chunk.offsets);
        StoredPassage {
            point: chunk.line.to_string(),
            text: Some(text.unwrap_or_else(nowhere)),
            document: Some(chunk.doc_id.to_string()),
            offsets: chunk.offsets,
        }
    };
    chunks.chunks().iter().map(stored).collect()
}

/// Returns the number of bytes of a chunk's text within the input limit of every encoder; `None`: all, or without an encoder. Who
/// encoded the passages of a collection is unknown; `with_collection`: the encoder of its questions.
pub(crate) fn read_bytes(
    plan: &Plan,
    corpus: &Corpus,
    number: usize,
    with_collection: bool,
) -> Option<usize> {
    let text = indexed_text(corpus, number, plan.title_prefix);
    let encoders = plan.retrieval.retrievers.iter().filter_map(|retriever| match retriever {
        RetrieverPlan::Sparse(_) => None,
        RetrieverPlan::Collection(plan) => plan.encoder.as_ref().filter(|_| with_collection),
        RetrieverPlan::Vectors(plan) => Some(&plan.encoder),
    });
    encoders.filter_map(|encoder| encoder.read_bytes(text, Role::Passage).ok()?).min()
}

#[cfg(test)]
mod tests;
