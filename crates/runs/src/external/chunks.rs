//! `chunks.jsonl`: the chunks that the hits of a record name by their ids.
//!
//! One JSON object per line: `{"id", "doc_id", "start", "end"}` or `{"id", "doc_id", "text"}`, with the names that a record's
//! passages have.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::input::Input;
use super::recorded::{self, Recorded, RecordedHit};
use super::{ExternalError, Position};

/// Chunks by id.
#[derive(Clone, Debug, Default)]
pub struct Chunks(HashMap<String, RecordedHit>);

impl Chunks {
    /// Reads the chunks, one on each non-blank line.
    ///
    /// # Errors
    /// A line that is not a chunk, or whose id an earlier one has.
    pub fn read(input: &Input) -> Result<Self, ExternalError> {
        let mut chunks = HashMap::new();
        let lines = input.text().lines().enumerate();
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let position = input.line(number + 1);
            let chunk = recorded::chunk(&position, line)?;
            let id = chunk.chunk_id.clone().unwrap_or_default();
            match chunks.entry(id) {
                Entry::Vacant(free) => {
                    free.insert(chunk);
                }
                Entry::Occupied(taken) => {
                    let id = taken.key().clone();
                    return Err(ExternalError::DuplicateChunk { position, id });
                }
            }
        }
        Ok(Self(chunks))
    }

    /// Completes the hits of `lines` that name a chunk and have neither text nor range.
    ///
    /// # Errors
    /// `UnknownChunk` for one that is in no line of the file, `NoChunks` without a file.
    pub fn complete(chunks: Option<&Self>, lines: &mut [Recorded]) -> Result<(), ExternalError> {
        for line in lines {
            let position = line.position.clone();
            for hit in line.hits_mut() {
                let Some(id) = hit.chunk_id.clone().filter(|_| !hit.is_placed()) else {
                    continue;
                };
                complete(chunks, &position, hit, id)?;
            }
        }
        Ok(())
    }
}

fn complete(
    chunks: Option<&Chunks>,
    position: &Position,
    hit: &mut RecordedHit,
    id: String,
) -> Result<(), ExternalError> {
    let position = position.clone();
    let Some(Chunks(chunks)) = chunks else {
        return Err(ExternalError::NoChunks { position, id });
    };
    let Some(chunk) = chunks.get(&id) else {
        return Err(ExternalError::UnknownChunk { position, id });
    };
    let RecordedHit {
        text,
        doc_id,
        start,
        end,
        title,
        ..
    } = chunk.clone();
    *hit = RecordedHit {
        text,
        doc_id,
        start,
        end,
        title: hit.title.take().or(title),
        ..std::mem::take(hit)
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHUNKS: &str = r#"{"id": 1, "doc_id": "d", "start": 0, "end": 4}
{"id": "two", "doc_id": "d", "text": "some text"}
"#;

    fn lines(text: &str) -> Vec<Recorded> {
        let input = Input::new("r.jsonl", text.to_owned()).expect("text");
        recorded::read(&input).expect("a record")
    }

    fn chunks(text: &str) -> Result<Chunks, ExternalError> {
        Chunks::read(&Input::new("c.jsonl", text.to_owned()).expect("text"))
    }

    #[test]
    fn hits_that_name_a_chunk_get_its_range_or_text_and_others_keep_theirs() {
        let mut read = lines(
            r#"{"id": 1, "stages": {"bm25": [{"chunk_id": 1, "score": 2.5}, {"chunk_id": "two"}, {"chunk_id": 1, "text": "own"}]}}"#,
        );
        Chunks::complete(Some(&chunks(CHUNKS).expect("chunks")), &mut read).expect("complete");
        let hits = read[0].stages[0].hits.as_deref().expect("hits");
        let first = &hits[0];
        assert_eq!(
            (first.doc_id.as_deref(), first.start, first.end, first.score),
            (Some("d"), Some(0), Some(4), Some(2.5))
        );
        assert_eq!(hits[1].text.as_deref(), Some("some text"));
        assert_eq!(
            (hits[2].text.as_deref(), hits[2].start),
            (Some("own"), None)
        );
    }

    #[test]
    fn chunks_that_cannot_be_found_are_errors_with_their_line() {
        let text = "{\"id\": 1, \"contexts\": [\"a\"]}\n{\"id\": 2, \"contexts\": [{\"chunk_id\": \"x\"}]}";
        let error = Chunks::complete(None, &mut lines(text)).expect_err("none");
        assert_eq!(
            error.to_string(),
            "`r.jsonl` line 2: a passage has neither text nor range, only the chunk id `x`"
        );
        let known = chunks(CHUNKS).expect("chunks");
        let error = Chunks::complete(Some(&known), &mut lines(text)).expect_err("unknown");
        assert_eq!(
            error.to_string(),
            "`r.jsonl` line 2: chunk `x` is not in the file of chunks"
        );
        for (text, expected) in [
            (
                "{\"id\": 1, \"text\": \"a\"}\n{\"id\": 1, \"text\": \"b\"}",
                "`c.jsonl` line 2: duplicate chunk `1`",
            ),
            (
                "{\"text\": \"a\"}",
                "`c.jsonl` line 1: `id` must be a string that is not empty, or a whole number",
            ),
            (
                "{\"id\": 1, \"doc_id\": \"d\"}",
                "`c.jsonl` line 1: `chunk` must be given with a `text`, or a `doc_id` with `start` and `end`",
            ),
        ] {
            let error = chunks(text).expect_err(text).to_string();
            assert_eq!(error, expected);
        }
    }
}
