//! `paragraph`: paragraphs separated by blank lines, merged up to the size.
//!
//! A line ends at `\n` (a `\r` before it is white space like any other); a line of white space only is blank. A chunk
//! takes as many adjacent paragraphs as fit. Overlap: a chunk starts with the whole paragraphs at the end of the
//! previous chunk that count at most `overlap` together, as long as its first new paragraph still fits after them;
//! parts of a paragraph are never repeated. A paragraph over size is split as by `recursive`, with its overlap, and
//! nothing is repeated across its edges.

use std::ops::Range;

use super::piece::Piece;
use super::semantic;
use super::spec::ChunkSpec;
use crate::text::tokens::TokenCounter;
use crate::types::ByteRange;

/// Raised whenever the same input would give another range.
pub const VERSION: u32 = 1;

/// Returns the ranges of `text`.
pub(super) fn ranges(text: &str, spec: &ChunkSpec, counter: &dyn TokenCounter) -> Vec<ByteRange> {
    let merger = Merger { text, spec, counter, paragraphs: paragraphs(text, counter) };
    let (mut first, mut next) = (0, 0);
    let mut chunks = Vec::new();
    while let Some(paragraph) = merger.paragraphs.get(next) {
        if paragraph.n_tokens > spec.size() {
            chunks.extend(cut(text, paragraph.range, spec, counter));
            next += 1;
            first = next;
            continue;
        }
        while first < next && !merger.fits(first..next + 1, spec.size()) {
            first += 1;
        }
        let end = merger.reach(first, next + 1);
        chunks.push(merger.span(first..end));
        next = end;
        first = merger.overlap(first, end);
    }
    chunks
}

/// Returns the paragraphs of `text`, without outer white space. `n_tokens` is the count of each one alone.
fn paragraphs(text: &str, counter: &dyn TokenCounter) -> Vec<Piece> {
    let mut blocks = Vec::new();
    let (mut start, mut line_start) = (0, 0);
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            blocks.push(start..line_start);
            start = line_start;
        }
        line_start += line.len();
    }
    blocks.push(start..text.len());
    blocks
        .into_iter()
        .filter(|block| !text[block.clone()].trim().is_empty())
        .map(|block| Piece::counted(text, block, counter))
        .collect()
}

fn cut(
    text: &str,
    paragraph: ByteRange,
    spec: &ChunkSpec,
    counter: &dyn TokenCounter,
) -> Vec<ByteRange> {
    let own = &text[paragraph.as_range()];
    semantic::text(own, spec, counter)
        .into_iter()
        .map(|range: ByteRange| {
            ByteRange::new(paragraph.start + range.start, paragraph.start + range.end)
        })
        .collect()
}

/// Finds how many paragraphs fit. The sum of their counts gives an estimate, counts of whole texts decide: counting
/// every candidate as a whole would be quadratic in the size.
struct Merger<'a> {
    text: &'a str,
    spec: &'a ChunkSpec,
    counter: &'a dyn TokenCounter,
    paragraphs: Vec<Piece>,
}

impl Merger<'_> {
    /// Returns the end of the largest chunk that starts with paragraph `first` and holds all below `least`.
    fn reach(&self, first: usize, least: usize) -> usize {
        let size = self.spec.size();
        let mut end = least;
        let mut sum = (first..least).map(|i| self.with_gap(i)).sum::<usize>();
        while self.is_within(end, size) && sum + self.with_gap(end) <= size {
            sum += self.with_gap(end);
            end += 1;
        }
        while end > least && !self.fits(first..end, size) {
            end -= 1;
        }
        while self.is_within(end, size) && self.fits(first..end + 1, size) {
            end += 1;
        }
        end
    }

    /// Returns the first of the paragraphs after `first` and below `end` that the next chunk repeats; `end` for none.
    fn overlap(&self, first: usize, end: usize) -> usize {
        let limit = self.spec.overlap();
        let mut start = end;
        let mut sum = 0;
        while start > first + 1 && sum + self.with_gap(start - 1) <= limit {
            start -= 1;
            sum += self.with_gap(start);
        }
        while start < end && !self.fits(start..end, limit) {
            start += 1;
        }
        while start > first + 1 && self.fits(start - 1..end, limit) {
            start -= 1;
        }
        start
    }

    fn is_within(&self, i: usize, size: usize) -> bool {
        let paragraph = self.paragraphs.get(i);
        paragraph.is_some_and(|paragraph| paragraph.n_tokens <= size)
    }

    fn fits(&self, paragraphs: Range<usize>, limit: usize) -> bool {
        self.counter.count(&self.text[self.span(paragraphs).as_range()]) <= limit
    }

    /// Returns the range from the first paragraph's first byte to the last one's end.
    fn span(&self, paragraphs: Range<usize>) -> ByteRange {
        ByteRange::new(
            self.paragraphs[paragraphs.start].range.start,
            self.paragraphs[paragraphs.end - 1].range.end,
        )
    }

    /// Returns the count of a paragraph and of the blank lines before it.
    fn with_gap(&self, i: usize) -> usize {
        let Piece { range, n_tokens } = self.paragraphs[i];
        let before =
            i.checked_sub(1).map_or(range.start, |before| self.paragraphs[before].range.end);
        n_tokens + self.counter.count(&self.text[before..range.start])
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ChunkSpec, Strategy, split};
    use crate::text::tokens::{Tokenizer, counter};

    fn chunks(text: &str, size: usize, overlap: usize) -> Vec<&str> {
        let spec = ChunkSpec::new(Strategy::Paragraph, size, overlap, Tokenizer::Words);
        let words = counter(Tokenizer::Words, None).expect("words need no model");
        let ranges = split(text, &spec.expect("a valid spec"), words.as_ref());
        ranges.into_iter().map(|range| &text[range.as_range()]).collect()
    }

    #[test]
    fn adjoining_paragraphs_are_merged_up_to_the_size() {
        // Words 2, 1, 3, 1: 2 + 1 fit into four and + 3 do not; 3 + 1 do.
        assert_eq!(chunks("a b\n\nc\n \t\nd e\nf\n\n\ng", 4, 0), ["a b\n\nc", "d e\nf\n\n\ng"]);
    }

    #[test]
    fn a_single_line_break_parts_nothing_and_carriage_returns_are_no_text() {
        assert_eq!(chunks("a\r\nb\r\n\r\nc\r\n", 2, 0), ["a\r\nb", "c"]);
    }

    #[test]
    fn an_overlap_repeats_whole_paragraphs_only() {
        // Words 2, 1, 2, 1, size 5: the first chunk takes all but the last. Of its end, "d e" counts 2, "c d e" 3.
        assert_eq!(chunks("a b\n\nc\n\nd e\n\nf", 5, 3), ["a b\n\nc\n\nd e", "c\n\nd e\n\nf"]);
        assert_eq!(chunks("a b\n\nc\n\nd e\n\nf", 5, 1), ["a b\n\nc\n\nd e", "f"]);
    }

    #[test]
    fn an_overlap_yields_to_the_new_paragraph() {
        // "c" could be repeated, but "c d e f" counts 4 and the size is 3.
        assert_eq!(chunks("a b\n\nc\n\nd e f", 3, 2), ["a b\n\nc", "d e f"]);
    }

    #[test]
    fn a_paragraph_over_size_is_cut_at_its_sentences() {
        // Words 1, 3 + 2, 1 at a size of 3.
        assert_eq!(
            chunks("a\n\nIt rained hard. Nobody slept.\n\nz", 3, 0),
            ["a", "It rained hard.", "Nobody slept.", "z"]
        );
    }
}
