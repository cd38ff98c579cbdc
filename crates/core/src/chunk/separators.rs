//! `recursive` with configured separators, after `LangChain`'s `RecursiveCharacterTextSplitter`.
//!
//! The text is split before each occurrence of the first separator it contains (the separator stays at the start of the
//! part after it, as with `keep_separator=True`). Parts below the size are merged up to it, with trailing parts within
//! `overlap` repeated; a part at or over the size is split by the remaining separators. As in `LangChain`, a chunk's
//! size while merging is the sum of its parts' counts, which is a little above the chunk's count. Published figures
//! were made with that, and with "below" for parts.
//!
//! Left out: separators as regular expressions, and separators dropped from the text. Our chunks are ranges, and a part
//! that the original would leave over size (because no separator remains) is split further by [`super::repair`].

use std::ops::Range;

use super::piece::Piece;
use super::spec::ChunkSpec;
use crate::text::tokens::TokenCounter;
use crate::types::ByteRange;

/// Raised whenever the same input would give another range.
pub const VERSION: u32 = 1;

/// Returns the ranges of `text`, untrimmed.
pub(super) fn ranges(text: &str, spec: &ChunkSpec, counter: &dyn TokenCounter) -> Vec<ByteRange> {
    let mut splitter = Splitter { text, spec, counter, chunks: Vec::new() };
    splitter.split(0..text.len(), spec.separators());
    splitter.chunks
}

struct Splitter<'a> {
    text: &'a str,
    spec: &'a ChunkSpec,
    counter: &'a dyn TokenCounter,
    chunks: Vec<ByteRange>,
}

impl Splitter<'_> {
    fn split(&mut self, range: Range<usize>, separators: &[String]) {
        let (separator, finer) = choose(&self.text[range.start..range.end], separators);
        let mut gathered: Vec<Piece> = Vec::new();
        for part in parts(self.text, range, separator) {
            let n_tokens = self.counter.count(&self.text[part.as_range()]);
            if n_tokens < self.spec.size() {
                gathered.push(Piece { range: part, n_tokens });
                continue;
            }
            self.merge(&gathered);
            gathered.clear();
            if finer.is_empty() {
                self.chunks.push(part);
            } else {
                self.split(part.as_range(), finer);
            }
        }
        self.merge(&gathered);
    }

    /// Merges adjacent parts to chunks: as many as the size holds, after those of the last chunk that `overlap` holds.
    fn merge(&mut self, parts: &[Piece]) {
        let mut first = 0;
        let mut total = 0;
        for (i, part) in parts.iter().enumerate() {
            let (size, overlap) = (self.spec.size(), self.spec.overlap());
            if total + part.n_tokens > size && first < i {
                self.chunks.push(ByteRange::new(parts[first].range.start, parts[i - 1].range.end));
                while total > overlap || (total + part.n_tokens > size && total > 0) {
                    total -= parts[first].n_tokens;
                    first += 1;
                }
            }
            total += part.n_tokens;
        }
        if let (Some(first), Some(last)) = (parts.get(first), parts.last()) {
            self.chunks.push(ByteRange::new(first.range.start, last.range.end));
        }
    }
}

/// Returns the first separator that `text` contains, and those after it; `""` is contained in any text.
fn choose<'a>(text: &str, separators: &'a [String]) -> (Option<&'a str>, &'a [String]) {
    let found = separators.iter().position(|separator| text.contains(separator.as_str()));
    match found.map(|i| (separators[i].as_str(), &separators[i + 1..])) {
        Some(("", _)) => (Some(""), &[]),
        Some((separator, finer)) => (Some(separator), finer),
        None => (None, &[]),
    }
}

/// Splits `range` before each occurrence of `separator`; before each character if that is `""`.
fn parts(text: &str, range: Range<usize>, separator: Option<&str>) -> Vec<ByteRange> {
    let own = &text[range.start..range.end];
    let mut cuts: Vec<usize> = match separator {
        None => vec![],
        Some("") => own.char_indices().map(|(offset, _)| range.start + offset).collect(),
        Some(separator) => {
            own.match_indices(separator).map(|(offset, _)| range.start + offset).collect()
        }
    };
    cuts.push(range.end);
    let mut start = range.start;
    cuts.into_iter()
        .filter_map(|end| {
            let part = ByteRange::new(start, end);
            start = end;
            (!part.is_empty()).then_some(part)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{ChunkSpec, Strategy, split};
    use crate::text::tokens::{Tokenizer, counter};

    fn chunks<'a>(text: &'a str, size: usize, overlap: usize, separators: &[&str]) -> Vec<&'a str> {
        let separators = separators.iter().map(|&separator| separator.to_owned()).collect();
        let spec = ChunkSpec::new(Strategy::Recursive, size, overlap, separators, Tokenizer::Chars);
        let chars = counter(Tokenizer::Chars, None).expect("chars need no model");
        let ranges = split(text, &spec.expect("a valid spec"), chars.as_ref());
        ranges.into_iter().map(|range| &text[range.as_range()]).collect()
    }

    /// Expected values: langchain-text-splitters 1.1.3, `keep_separator=True`, `length_function=len`.
    const TEXT: &str = "Hello there. This is a test!\n\nSecond paragraph, a bit longer than the first one; is it?\n\
                        Yes.\n\nSupercalifragilisticexpialidocious end.";

    #[test]
    fn chunks_are_those_of_langchain_down_to_single_characters() {
        assert_eq!(
            chunks(TEXT, 30, 8, &["\n\n", "\n", ".", "?", "!", " ", ""]),
            [
                "Hello there. This is a test!",
                "Second paragraph, a bit",
                "a bit longer than the first",
                "first one; is it",
                "?",
                "Yes.",
                "Supercalifragilisticexpialido",
                "xpialidocious",
                "end",
                "."
            ]
        );
    }

    #[test]
    fn chunks_are_those_of_langchain_without_overlap() {
        assert_eq!(
            chunks(TEXT, 20, 0, &["\n\n", "\n", " ", ""]),
            [
                "Hello there. This is",
                "a test!",
                "Second paragraph, a",
                "bit longer than the",
                "first one; is it?",
                "Yes.",
                "Supercalifragilisti",
                "cexpialidocious",
                "end."
            ]
        );
    }

    #[test]
    fn a_part_that_no_separator_is_left_for_is_cut_where_langchain_leaves_it_over_size() {
        // LangChain gives "first one; is" / " it?\n\nYes...docious" of 44 characters / "end.".
        let chunks = chunks(TEXT, 25, 0, &[" "]);
        assert!(chunks.iter().all(|chunk| chunk.chars().count() <= 25), "{chunks:?}");
        assert_eq!(chunks.last(), Some(&"end."));
    }
}
