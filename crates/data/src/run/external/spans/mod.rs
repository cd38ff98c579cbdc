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

const ONLY_ID: &str = "record the texts of passages, or add their `text`, or `doc_id`, `start` and `end`, to the file by these ids";

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
        let record = repeats.record(place);
        for hit in record.stages.iter().filter_map(|stage| stage.hits.as_ref()).flatten() {
            let id = hit.doc_id.as_deref().filter(|_| hit.text.is_none());
            if let Some(id) = id.filter(|id| !is_document(id)) {
                let message = format!("a passage has only the id `{id}`, which is no document's");
                return Err(Error::in_line(&record.position, message, ONLY_ID));
            }
        }
        Ok(record)
    });
    Ok((records.collect::<Result<_, _>>()?, notes))
}

#[cfg(test)]
mod tests;
