//! External chunks: JSON lines of `{doc_id, start, end}` or `{doc_id, text}`.
//!
//! | key | holds |
//! |---|---|
//! | `id` | its name there: not used |
//! | `doc_id` | its document, a string or a whole number |
//! | `start`, `end` | its range in the document's text: bytes, or code points if only these agree with `text` |
//! | `text` | its text, for lines without offsets and to check them |
//! | `context` | text that the chunker added in front of it |

use ragtriage_core::chunk::{ForeignChunk, ForeignChunks};
use serde::Deserialize;

use super::input::Input;
use super::recorded::{count, id};
use crate::error::{Error, Place, reason};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "an object")]
#[derive(Default)]
struct ChunkLine {
    #[serde(deserialize_with = "id")]
    #[allow(dead_code, reason = "accepted, and not used")]
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
    let lines = input.text().lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let chunks = lines.map(|(at, line)| {
        let position = input.line(at + 1);
        let line = checked(&position, line)?;
        let Some(doc_id) = line.doc_id else {
            return Err(wrong(&position, "doc_id", "the id of a document"));
        };
        Ok(ForeignChunk {
            line: at + 1,
            doc_id: doc_id.into(),
            offsets: line.start.zip(line.end),
            text: line.text,
            context: line.context.unwrap_or_default().trim().to_owned(),
        })
    });
    let chunks = chunks.collect::<Result<_, _>>()?;
    Ok(ForeignChunks::new(input.name().to_owned(), chunks))
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

#[cfg(test)]
mod tests {
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
}
