//! Chunks made elsewhere: JSON lines of `{doc_id, start, end}` or `{doc_id, text}`.
//!
//! | key | holds |
//! |---|---|
//! | `doc_id` | the chunk's document, a string or a whole number |
//! | `start`, `end` | its range in the document's text: bytes, or code points if only these agree with `text` |
//! | `text` | its text, for lines without offsets and to check them |
//! | `context` | text that the chunker added in front of it |
//! | `id` | its name there; not read |

use ragtriage_core::chunk::{ForeignChunk, ForeignChunks};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::ExternalError;
use super::input::Input;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChunkLine {
    doc_id: Name,
    start: Option<usize>,
    end: Option<usize>,
    text: Option<String>,
    context: Option<String>,
    #[serde(rename = "id")]
    _id: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Name {
    Text(String),
    Number(u64),
}

/// Reads a file of chunks.
///
/// # Errors
/// `Line` and `Field`, for the first line that is not an object of these keys.
pub fn read(input: &Input) -> Result<ForeignChunks, ExternalError> {
    let lines = input.text().lines().enumerate();
    let chunks = lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line): (usize, &str)| chunk(input, at + 1, line))
        .collect::<Result<_, _>>()?;
    Ok(ForeignChunks::new(input.name().to_owned(), chunks))
}

fn chunk(input: &Input, number: usize, line: &str) -> Result<ForeignChunk, ExternalError> {
    let position = input.line(number);
    let read: ChunkLine = match serde_json::from_str(line) {
        Ok(read) => read,
        Err(error) => return Err(ExternalError::json(position, &error)),
    };
    let wrong = |field: &str, expected| ExternalError::Field {
        position: position.clone(),
        field: field.to_owned(),
        expected,
    };
    let offsets = match (read.start, read.end) {
        (Some(start), Some(end)) => Some((start, end)),
        (None, None) => None,
        (None, Some(_)) => return Err(wrong("start", "given together with `end`")),
        (Some(_), None) => return Err(wrong("end", "given together with `start`")),
    };
    if offsets.is_none() && read.text.is_none() {
        return Err(wrong(
            "text",
            "a string, or there must be `start` and `end`",
        ));
    }
    Ok(ForeignChunk {
        line: number,
        doc_id: match read.doc_id {
            Name::Text(id) => id.into(),
            Name::Number(id) => id.to_string().into(),
        },
        offsets,
        text: read.text,
        context: read.context.unwrap_or_default().trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<ForeignChunks, ExternalError> {
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
        let expected = vec![
            chunk(1, "a", Some((0, 4)), None, ""),
            chunk(3, "3", None, Some("t"), "about t"),
        ];
        let expected = ForeignChunks::new("c.jsonl".to_owned(), expected);
        assert_eq!(read_text(text).expect("chunks"), expected);
    }

    #[test]
    fn what_is_wrong_is_named_by_file_line_and_key() {
        for (line, error) in [
            (
                r#"{"doc_id": "a"}"#,
                "`c.jsonl` line 1: `text` must be a string, or there must be `start` and `end`",
            ),
            (
                r#"{"doc_id": "a", "start": 1}"#,
                "`c.jsonl` line 1: `end` must be given together with `start`",
            ),
            (
                r#"{"doc_id": "a", "start": -1, "end": 3}"#,
                "`c.jsonl` line 1 column 27: not a JSON object: invalid value: integer `-1`, expected usize",
            ),
            (
                r#"{"doc_id": "a", "txet": "t"}"#,
                "`c.jsonl` line 1 column 22: not a JSON object: unknown field `txet`, expected one of `doc_id`, `start`, `end`, `text`, `context`, `id`",
            ),
        ] {
            assert_eq!(read_text(line).expect_err(line).to_string(), error);
        }
    }
}
