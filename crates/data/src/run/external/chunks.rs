//! External chunks: JSON lines of `{doc_id, start, end}` or `{doc_id, text}`.
//!
//! | key | holds |
//! |---|---|
//! | `id` | its name there, by which the hits of a record refer to it |
//! | `doc_id` | its document, a string or a whole number |
//! | `start`, `end` | its range in the document's text: bytes, or code points if only these agree with `text` |
//! | `text` | its text, for lines without offsets and to check them |
//! | `context` | text that the chunker added in front of it |

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use ragtriage_core::chunk::{ForeignChunk, ForeignChunks};
use serde::Deserialize;

use super::input::Input;
use super::recorded::{Recorded, RecordedHit, count, id};
use crate::error::{Error, Place, reason};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "an object")]
#[derive(Default)]
struct ChunkLine {
    #[serde(deserialize_with = "id")]
    id: Option<String>,
    #[serde(deserialize_with = "id")]
    doc_id: Option<String>,
    #[serde(deserialize_with = "count")]
    start: Option<usize>,
    #[serde(deserialize_with = "count")]
    end: Option<usize>,
    text: Option<String>,
    context: Option<String>,
}

/// Reads the chunks of a corpus.
pub fn read(input: &Input) -> Result<ForeignChunks, Error> {
    let lines = lines(input)?.into_iter();
    let chunks = lines.map(|(position, line)| {
        let Some(doc_id) = line.doc_id else {
            return Err(wrong(&position, "doc_id", "the id of a document"));
        };
        Ok(ForeignChunk {
            line: position.line.unwrap_or_default(),
            doc_id: doc_id.into(),
            offsets: line.start.zip(line.end),
            text: line.text,
            context: line.context.unwrap_or_default().trim().to_owned(),
        })
    });
    let chunks = chunks.collect::<Result<_, _>>()?;
    Ok(ForeignChunks::new(input.name().to_owned(), chunks))
}

fn lines(input: &Input) -> Result<Vec<(Place, ChunkLine)>, Error> {
    let lines = input.text().lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            let position = input.line(at + 1);
            let read = checked(&position, line)?;
            Ok((position, read))
        })
        .collect()
}

fn checked(position: &Place, line: &str) -> Result<ChunkLine, Error> {
    if line.trim_start().starts_with('[') {
        return Err(Error::in_line(position, "not a chunk: a list, not an object", FORM));
    }
    let read: ChunkLine = serde_json::from_str(line).map_err(|error| {
        if !error.is_data() {
            return Error::json(position, &error);
        }
        let (column, reason) = (error.column().max(1), reason(&error));
        Error::new(format!("{position} column {column}: not a chunk: {reason}"), FORM)
    })?;
    match (&read.start, &read.end, &read.text) {
        (None, Some(_), _) => Err(wrong(position, "start", "given together with `end`")),
        (Some(_), None, _) => Err(wrong(position, "end", "given together with `start`")),
        (None, None, None) => {
            let expected = "a string, or there must be `start` and `end`";
            Err(wrong(position, "text", expected))
        }
        _ => Ok(read),
    }
}

const FORM: &str = "a line is {\"doc_id\", \"start\", \"end\"} or {\"doc_id\", \"text\"}, with an optional \"id\" and \"context\"; offsets are whole numbers";

fn wrong(position: &Place, field: &str, expected: &'static str) -> Error {
    Error::in_line(position, format_args!("not a chunk: `{field}` must be {expected}"), FORM)
}

/// Chunks by id, for the hits of a record that name them.
#[derive(Clone, Debug, Default)]
pub struct Chunks(HashMap<String, RecordedHit>);

impl Chunks {
    /// Reads the chunks, one on each non-blank line.
    ///
    /// # Errors
    /// A line that is not a chunk, or whose id an earlier one has.
    pub fn read(input: &Input) -> Result<Self, Error> {
        let mut chunks = HashMap::new();
        for (position, line) in lines(input)? {
            let Some(id) = line.id else {
                let expected = "a string that is not empty, or a whole number";
                return Err(wrong(&position, "id", expected));
            };
            let chunk = RecordedHit {
                doc_id: line.doc_id,
                start: line.start,
                end: line.end,
                text: line.text,
                ..RecordedHit::default()
            };
            match chunks.entry(id) {
                Entry::Vacant(free) => {
                    free.insert(chunk);
                }
                Entry::Occupied(taken) => {
                    let message = format!("duplicate chunk `{}`", taken.key());
                    return Err(Error::in_line(&position, message, "keep one of the two"));
                }
            }
        }
        Ok(Self(chunks))
    }

    /// Completes the hits of `lines` that name a chunk and have neither text nor range.
    pub fn complete(chunks: Option<&Self>, lines: &mut [Recorded]) -> Result<(), Error> {
        for line in lines {
            let position = line.position.clone();
            for hit in line.hits_mut() {
                let Some(id) = hit.chunk_id.clone().filter(|_| !hit.is_placed()) else {
                    continue;
                };
                complete(chunks, &position, hit, &id)?;
            }
        }
        Ok(())
    }
}

fn complete(
    chunks: Option<&Chunks>,
    position: &Place,
    hit: &mut RecordedHit,
    id: &str,
) -> Result<(), Error> {
    let Some(Chunks(chunks)) = chunks else {
        return Err(Error::in_line(
            position,
            format_args!("a passage has neither text nor range, only the chunk id `{id}`"),
            "give the file of chunks with `--chunks`: a JSON line {\"id\", \"doc_id\", \"start\", \"end\"} for each",
        ));
    };
    let Some(chunk) = chunks.get(id) else {
        return Err(Error::in_line(
            position,
            format_args!("chunk `{id}` is not in the file of chunks"),
            "check that the file of chunks belongs to the index that was queried",
        ));
    };
    let RecordedHit { text, doc_id, start, end, title, .. } = chunk.clone();
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
    use super::super::recorded;
    use super::*;

    fn read_text(text: &str) -> Result<ForeignChunks, Error> {
        read(&Input::new("c.jsonl", text.to_owned()).expect("text"))
    }

    #[test]
    fn both_forms_are_read() {
        let text = r#"{"doc_id": "a", "start": 0, "end": 4, "id": 7}

{"doc_id": 3, "text": "t", "context": " about t\n"}"#;
        let chunk = |line, doc: &str, offsets, text: Option<&str>, context: &str| ForeignChunk {
            line,
            doc_id: doc.into(),
            offsets,
            text: text.map(str::to_owned),
            context: context.to_owned(),
        };
        let expected =
            vec![chunk(1, "a", Some((0, 4)), None, ""), chunk(3, "3", None, Some("t"), "about t")];
        let expected = ForeignChunks::new("c.jsonl".to_owned(), expected);
        assert_eq!(read_text(text).expect("chunks"), expected);
    }

    #[test]
    fn what_is_wrong_is_named_by_file_line_and_key() {
        for (line, error) in [
            (
                r#"{"doc_id": "a"}"#,
                "`c.jsonl` line 1: not a chunk: `text` must be a string, or there must be `start` and `end`",
            ),
            (
                r#"{"doc_id": "a", "start": 1}"#,
                "`c.jsonl` line 1: not a chunk: `end` must be given together with `start`",
            ),
            (
                r#"{"doc_id": "a", "start": -1, "end": 3}"#,
                "`c.jsonl` line 1 column 27: not a chunk: expected a whole number from 0 to 1,000,000,000",
            ),
            (
                r#"{"doc_id": [3], "start": 1}"#,
                "`c.jsonl` line 1 column 14: not a chunk: expected a string that is not empty, or a whole number",
            ),
            ("[1]", "`c.jsonl` line 1: not a chunk: a list, not an object"),
            ("{oops", "`c.jsonl` line 1 column 2: not a JSON object: key must be a string"),
            (
                r#"{"doc_id": "a", "txet": "t"}"#,
                "`c.jsonl` line 1 column 22: not a chunk: unknown field `txet`, expected one of `id`, `doc_id`, `start`, `end`, `text`, `context`",
            ),
        ] {
            assert_eq!(read_text(line).expect_err(line).to_string(), error);
        }
    }

    const CHUNKS: &str = r#"{"id": 1, "doc_id": "d", "start": 0, "end": 4}
{"id": "two", "doc_id": "d", "text": "some text"}
"#;

    fn lines(text: &str) -> Vec<Recorded> {
        let input = Input::new("r.jsonl", text.to_owned()).expect("text");
        recorded::read(&input, crate::Fields::standard()).expect("a record")
    }

    fn chunks(text: &str) -> Result<Chunks, Error> {
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
        assert_eq!((hits[2].text.as_deref(), hits[2].start), (Some("own"), None));
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
        assert_eq!(error.to_string(), "`r.jsonl` line 2: chunk `x` is not in the file of chunks");
        for (text, expected) in [
            (
                "{\"id\": 1, \"text\": \"a\"}\n{\"id\": 1, \"text\": \"b\"}",
                "`c.jsonl` line 2: duplicate chunk `1`",
            ),
            (
                "{\"text\": \"a\"}",
                "`c.jsonl` line 1: not a chunk: `id` must be a string that is not empty, or a whole number",
            ),
            (
                "{\"id\": 1, \"doc_id\": \"d\"}",
                "`c.jsonl` line 1: not a chunk: `text` must be a string, or there must be `start` and `end`",
            ),
        ] {
            let error = chunks(text).expect_err(text).to_string();
            assert_eq!(error, expected);
        }
    }
}
