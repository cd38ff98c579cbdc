//! `file`: chunks made elsewhere, as ranges of our documents or as texts that are located in them.
//!
//! A chunk may carry text that its maker added (contextual chunking): its `context` takes the place of the title in front of
//! the chunk, and is part of neither range nor size. Chunks may overlap, and need not cover a document. A document's chunks
//! are ordered by start, then end, whatever their order in the file.

use std::collections::{BTreeMap, HashMap};

use crate::error::Error;
use crate::text::content_key::key;
use crate::text::hex::hex;
use crate::text::quote;
use crate::text::tokens::TokenCounter;
use crate::types::{ByteRange, Chunk, DocId, Document};

/// A chunk made elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignChunk {
    /// Its line in the file, from 1.
    pub line: usize,
    /// Its document.
    pub doc_id: DocId,
    /// Its start and end in the document's text: bytes, or code points if only these agree with `text`.
    pub offsets: Option<(usize, usize)>,
    /// Its text; without offsets, the text is searched for.
    pub text: Option<String>,
    /// Text that its maker added, shown and indexed in front of it; empty for none.
    pub context: String,
}

/// The chunks of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct ForeignChunks {
    file: String,
    chunks: Vec<ForeignChunk>,
}

impl ForeignChunks {
    /// Creates the chunks of `file`, in the order of its lines.
    #[must_use]
    pub fn new(file: String, chunks: Vec<ForeignChunk>) -> Self {
        Self { file, chunks }
    }

    /// Returns the chunks, in the order of the file's lines.
    #[must_use]
    pub fn chunks(&self) -> &[ForeignChunk] {
        &self.chunks
    }

    /// Returns a hash of all that decides ranges and texts.
    #[must_use]
    pub fn sha256(&self) -> String {
        let mut parts = Vec::new();
        for ForeignChunk { line: _, doc_id, offsets, text, context } in &self.chunks {
            let offsets = offsets.map_or(String::new(), |(start, end)| format!("{start}-{end}"));
            parts.extend([
                doc_id.to_string(),
                offsets,
                text.clone().unwrap_or_default(),
                context.clone(),
            ]);
        }
        hex(&key(&parts.iter().map(String::as_str).collect::<Vec<_>>()))
    }

    /// Returns the chunks of `documents`, in the documents' order.
    ///
    /// # Errors
    /// For a line with an unknown document, a range that is not in it or blank, a text that is not
    /// in it, or a range that an earlier line has.
    pub(super) fn place(
        &self,
        documents: &[Document],
        counter: &dyn TokenCounter,
    ) -> Result<Vec<Chunk>, Error> {
        let numbers: HashMap<&DocId, usize> =
            documents.iter().enumerate().map(|(number, document)| (&document.id, number)).collect();
        let mut placed: Vec<BTreeMap<ByteRange, &ForeignChunk>> =
            vec![BTreeMap::new(); documents.len()];
        let mut found_up_to = vec![0; documents.len()];
        for chunk in &self.chunks {
            let refuse = |problem| self.refuse(chunk, problem);
            let number = numbers.get(&chunk.doc_id);
            let &number = number.ok_or_else(|| {
                let hint = "use the ids of the data set's documents; for files, their paths";
                refuse(Refusal("the data set has no document `{}`".to_owned(), hint))
            })?;
            let text = &documents[number].text;
            let is_taken = |range: ByteRange| placed[number].contains_key(&range);
            let from = found_up_to[number];
            let range = range(chunk, text, from, &is_taken).map_err(refuse)?;
            found_up_to[number] = range.start;
            if let Some(first) = placed[number].insert(range, chunk) {
                let problem =
                    format!("duplicate chunk of document `{{}}` (first on line {})", first.line);
                return Err(refuse(Refusal(problem, "leave out the second line")));
            }
        }
        let mut chunks = Vec::with_capacity(self.chunks.len());
        for (number, (document, placed)) in documents.iter().zip(placed).enumerate() {
            chunks.extend(placed.into_iter().map(|(range, chunk)| Chunk {
                context: chunk.context.as_str().into(),
                ..Chunk::new(number, range, counter.count(&document.text[range.as_range()]))
            }));
        }
        Ok(chunks)
    }

    /// Returns the error of a chunk that has no place, by what is wrong with its `document`.
    fn refuse(&self, chunk: &ForeignChunk, Refusal(problem, hint): Refusal) -> Error {
        let problem = problem.replace("{}", chunk.doc_id.as_str());
        Error::new(format!("`{}` line {}: {problem}", self.file, chunk.line), hint)
    }
}

/// What is wrong with a chunk, `{}` in place of its document's id, and the remedy.
struct Refusal(String, &'static str);

/// Returns the trimmed range of `chunk` in `text`. A text without offsets is found at its first occurrence from `from`, the
/// start of the chunk before it, that no chunk has, or else anywhere.
fn range(
    chunk: &ForeignChunk,
    text: &str,
    from: usize,
    is_taken: &dyn Fn(ByteRange) -> bool,
) -> Result<ByteRange, Refusal> {
    let blank = || {
        Refusal("the chunk of document `{}` is blank".to_owned(), "leave out chunks without text")
    };
    let range = match (chunk.offsets, chunk.text.as_deref()) {
        (Some((start, end)), None) => {
            let is_range = start <= end && text.get(start..end).is_some();
            is_range.then_some(start..end).ok_or_else(|| {
                let length = text.len();
                Refusal(
                    format!(
                        "bytes {start} to {end} are not a range of document `{{}}` ({length} bytes)"
                    ),
                    "give byte offsets, or add the chunk's `text` so that code points are recognised",
                )
            })?
        }
        (Some((start, end)), Some(own)) => {
            let bytes = Some(start..end).filter(|_| start <= end);
            let points = code_points(text, start, end);
            [bytes, points]
                .into_iter()
                .flatten()
                .find(|range| text.get(range.clone()) == Some(own))
                .ok_or_else(|| {
                    Refusal(
                        format!("document `{{}}` has another text from {start} to {end}"),
                        "chunk the same version of the documents, or leave out `start` and `end`",
                    )
                })?
        }
        (None, Some(own)) => {
            let own = own.trim();
            let first = own.chars().next().ok_or_else(blank)?;
            let free = |mut at: usize| {
                loop {
                    let found = occurrence(text, own, at)?;
                    if !is_taken(found) {
                        return Some(found);
                    }
                    at = found.start + first.len_utf8();
                }
            };
            let found = free(from).or_else(|| free(0));
            // With all of them taken, the first is the duplicate.
            let found = found.or_else(|| occurrence(text, own, 0));
            let not_found = || {
                Refusal(
                    "document `{}` does not contain the chunk's text".to_owned(),
                    "put text that the chunker added into `context`, and only the document's own into `text`",
                )
            };
            found.ok_or_else(not_found)?.as_range()
        }
        (None, None) => return Err(blank()),
    };
    let range = quote::trim(text, range.into());
    if range.is_empty() {
        return Err(blank());
    }
    Ok(range)
}

/// Returns the first range of `text` from `from` that equals `own`: exactly, else with all runs of white space as equal.
fn occurrence(text: &str, own: &str, from: usize) -> Option<ByteRange> {
    let range = quote::first(&text[from..], own)?;
    Some(ByteRange::new(from + range.start, from + range.end))
}

/// Returns the bytes of the code points from `start` to `end`; `None` beyond the text.
#[must_use]
pub fn code_points(text: &str, start: usize, end: usize) -> Option<std::ops::Range<usize>> {
    let length = end.checked_sub(start)?;
    let mut offsets = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let first = offsets.nth(start)?;
    let last = match length.checked_sub(1) {
        None => first,
        Some(rest) => offsets.nth(rest)?,
    };
    Some(first..last)
}

#[cfg(test)]
mod tests {
    use super::super::{ChunkSpec, chunk_documents};
    use super::*;
    use crate::hint::Hint;
    use crate::text::tokens::{Tokenizer, counter};
    use std::sync::Arc;

    /// `zwölf` has bytes 4 to 10 and code points 4 to 9.
    const TEXT: &str = "The zwölf doors. The zwölf keys.";

    fn documents() -> Vec<Document> {
        let document = |id: &str, text: &str| Document {
            id: id.into(),
            title: "Title".to_owned(),
            text: text.to_owned(),
            metadata: BTreeMap::new(),
        };
        vec![document("a", TEXT), document("b", "Nothing here.")]
    }

    fn chunk(line: usize, offsets: Option<(usize, usize)>, text: Option<&str>) -> ForeignChunk {
        ForeignChunk {
            line,
            doc_id: "a".into(),
            offsets,
            text: text.map(str::to_owned),
            context: String::new(),
        }
    }

    fn placed(chunks: Vec<ForeignChunk>) -> Result<Vec<Chunk>, Error> {
        let chunks = Arc::new(ForeignChunks::new("c.jsonl".to_owned(), chunks));
        let words = counter(Tokenizer::Words, None).expect("words need no model");
        let spec = ChunkSpec::of_file(chunks, Tokenizer::Words);
        chunk_documents(&documents(), &spec, words.as_ref())
    }

    fn ranges(chunks: Vec<ForeignChunk>) -> Vec<(usize, usize)> {
        let placed = placed(chunks).expect("placed");
        let ranges = placed.iter().map(|chunk| chunk.range);
        ranges.map(|range| (range.start, range.end)).collect()
    }

    #[test]
    fn ranges_are_bytes_or_code_points_where_the_text_shows_it() {
        let text = Some("zwölf");
        assert_eq!(ranges(vec![chunk(1, Some((4, 10)), text)]), [(4, 10)]);
        assert_eq!(ranges(vec![chunk(1, Some((4, 9)), text)]), [(4, 10)]);
        // Bytes 3 to 17 with the spaces trimmed.
        assert_eq!(ranges(vec![chunk(1, Some((3, 18)), None)]), [(4, 17)]);
    }

    #[test]
    fn a_text_that_occurs_twice_is_found_after_the_chunk_before_it() {
        let twice = vec![
            chunk(1, None, Some("The zwölf")),
            chunk(2, None, Some("doors.")),
            chunk(3, None, Some("The zwölf")),
            chunk(4, None, Some("zwölf\nkeys.")),
        ];
        // 10 bytes, then 11 to 17, then 18 to 28, and 22 to 34 with white space as equal.
        assert_eq!(ranges(twice), [(0, 10), (11, 17), (18, 28), (22, 34)]);
    }

    #[test]
    fn a_text_that_recurs_may_be_listed_as_often_as_it_occurs() {
        let the = |line| chunk(line, None, Some("The"));
        // `The` is at bytes 0 and 18; the end of the document is before the second chunk, whatever the order.
        assert_eq!(ranges(vec![the(1), the(2)]), [(0, 3), (18, 21)]);
        let late = chunk(1, None, Some("keys."));
        assert_eq!(ranges(vec![late, the(2), the(3)]), [(0, 3), (18, 21), (29, 34)]);
        let error = placed(vec![the(1), the(2), the(3)]).expect_err("two occurrences");
        let message = "`c.jsonl` line 3: duplicate chunk of document `a` (first on line 1)";
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn chunks_are_numbered_by_position_and_carry_their_context() {
        let mut late = chunk(1, Some((18, 34)), None);
        late.context = "Of keys.".to_owned();
        let placed = placed(vec![late, chunk(2, Some((0, 17)), None)]).expect("placed");
        let seen: Vec<_> = placed
            .iter()
            .map(|chunk| (chunk.range.into(), chunk.n_tokens, &*chunk.context))
            .collect();
        // Words between white space: The zwölf doors. and The zwölf keys.
        assert_eq!(seen, [((0, 17), 3, ""), ((18, 34), 3, "Of keys.")]);
    }

    #[test]
    fn a_line_that_cannot_be_placed_is_named() {
        let elsewhere = ForeignChunk { doc_id: "z".into(), ..chunk(3, Some((0, 3)), None) };
        for (chunks, message) in [
            (vec![elsewhere], "`c.jsonl` line 3: the data set has no document `z`"),
            (
                vec![chunk(1, Some((0, 99)), None)],
                "`c.jsonl` line 1: bytes 0 to 99 are not a range of document `a` (34 bytes)",
            ),
            (
                vec![chunk(1, Some((4, 7)), None)],
                "`c.jsonl` line 1: bytes 4 to 7 are not a range of document `a` (34 bytes)",
            ),
            (
                vec![chunk(1, Some((0, 5)), Some("keys"))],
                "`c.jsonl` line 1: document `a` has another text from 0 to 5",
            ),
            (
                vec![chunk(1, None, Some("windows"))],
                "`c.jsonl` line 1: document `a` does not contain the chunk's text",
            ),
            (
                vec![chunk(1, Some((3, 4)), None)],
                "`c.jsonl` line 1: the chunk of document `a` is blank",
            ),
            (
                vec![chunk(1, Some((0, 4)), None), chunk(2, Some((0, 3)), None)],
                "`c.jsonl` line 2: duplicate chunk of document `a` (first on line 1)",
            ),
        ] {
            let error = placed(chunks).expect_err(message);
            assert_eq!(error.to_string(), message);
            assert!(error.hint().is_some(), "{message}");
        }
    }

    #[test]
    fn the_hash_follows_content_and_not_the_file() {
        let of = |file: &str, chunk: ForeignChunk| {
            ForeignChunks::new(file.to_owned(), vec![chunk]).sha256()
        };
        let first = of("a", chunk(1, Some((0, 3)), None));
        assert_eq!(first, of("b", chunk(7, Some((0, 3)), None)));
        let mut with_context = chunk(1, Some((0, 3)), None);
        with_context.context = "x".to_owned();
        for other in [chunk(1, Some((0, 4)), None), chunk(1, None, Some("0-3")), with_context] {
            assert_ne!(first, of("a", other));
        }
    }
}
