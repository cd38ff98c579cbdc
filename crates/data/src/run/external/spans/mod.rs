//! Traces of an external RAG: spans of OpenTelemetry, `LangSmith` and Langfuse, converted to the record format.
//!
//! `source` recognises them, `export` finds those of a file, and `span` reads each by the tables in `mapping`: which path of
//! its JSON holds what in OpenTelemetry (by the conventions of `OpenInference`, `GenAI` or Langfuse), `LangSmith` and Langfuse.
//! `tree` joins spans to traces and finds the question of each, `asked` reads its stages and answer, and `repeats`
//! gathers the traces of one question into a record. Everything else in a span (headers, user names, metadata) is dropped as it is read.

mod asked;
mod attributes;
mod content;
mod document;
mod export;
mod mapping;
mod repeats;
mod source;
mod span;
mod stage;
mod time;
mod tree;

use ragtriage_core::types::Note;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::Error;
use super::input::Input;
use super::recorded::Recorded;
use repeats::Traces;

pub use source::is_export;

/// Reads the traces of a file, and counts what they leave out. `is_question`: the data set has a question with this text;
/// `is_document`: it has a document with this id. A passage without text is a whole document, if its id is a document's.
///
/// # Errors
/// `Line` for invalid JSON, `NoTraces` if no span is a retriever's, a reranker's or a model's.
pub fn read(
    input: &Input,
    is_question: &(dyn Fn(&str) -> bool + Sync),
    is_document: &(dyn Fn(&str) -> bool + Sync),
) -> Result<(Vec<Recorded>, Vec<Note>), Error> {
    let Traces { questions, notes } = repeats::gather(input, export::read(input)?, is_question)?;
    let records = questions.into_par_iter().map(|repeats| {
        let place = input.line(repeats.line());
        let mut record = repeats.record(place);
        let stages = record.stages.iter_mut();
        for hit in stages.filter_map(|stage| stage.hits.as_mut()).flatten() {
            if hit.text.is_none() && hit.chunk_id.as_deref().is_some_and(is_document) {
                hit.doc_id = hit.chunk_id.take();
            }
        }
        record
    });
    Ok((records.collect(), notes))
}

#[cfg(test)]
mod tests;
