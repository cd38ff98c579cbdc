//! `recursive` and `markdown`: text-splitter's boundaries.
//!
//! text-splitter is used only in this file. It selects the largest of its levels (line breaks by their number,
//! sentences, words, grapheme clusters, characters; for Markdown first headings, blocks, items, inline elements) of
//! which a chunk holds at least one whole, and as many of those as fit.
//!
//! Its time grows with the square of a text's length. Plain text is therefore split in windows of bounded length, and
//! Markdown in runs of whole blocks. A single block longer than such a run is split as plain text.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser};
use text_splitter::{ChunkConfig, ChunkSizer, MarkdownSplitter, TextSplitter};

use super::ChunkSpec;
use crate::text::tokens::TokenCounter;
use crate::types::ByteRange;

/// Markdown up to this many bytes is split as one run.
const RUN_BYTES: usize = 64 * 1024;

/// Smallest window of plain text, and its bytes per token of the chunk size: room for several chunks.
const WINDOW_BYTES: usize = 4 * 1024;
const WINDOW_BYTES_PER_TOKEN: usize = 32;

/// No chunk of plain text holds white space of this many bytes, or with this many line breaks.
const GAP_BYTES: usize = 128;
const GAP_BREAKS: usize = 16;

/// Returns the ranges of plain text.
pub(super) fn text(text: &str, spec: &ChunkSpec, counter: &dyn TokenCounter) -> Vec<ByteRange> {
    let splitter = TextSplitter::new(config(spec, counter));
    let window = WINDOW_BYTES.max(spec.size().saturating_mul(WINDOW_BYTES_PER_TOKEN));
    let split = |window: &str| splitter.chunk_indices(window).map(range).collect();
    parts(text)
        .flat_map(|part| {
            in_windows(&text[part.clone()], window, split)
                .into_iter()
                .map(move |range| shifted(range, part.start))
        })
        .collect()
}

/// Returns the ranges of Markdown.
pub(super) fn markdown(text: &str, spec: &ChunkSpec, counter: &dyn TokenCounter) -> Vec<ByteRange> {
    let splitter = MarkdownSplitter::new(config(spec, counter));
    let split = |text: &str| splitter.chunk_indices(text).map(range).collect();
    if text.len() <= RUN_BYTES {
        return split(text);
    }
    let mut ranges: Vec<ByteRange> = Vec::new();
    for run in runs(text, RUN_BYTES) {
        let own = &text[run.clone()];
        let found =
            if own.len() <= RUN_BYTES { split(own) } else { self::text(own, spec, counter) };
        ranges.extend(found.into_iter().map(|range| shifted(range, run.start)));
    }
    ranges
}

/// Returns the parts of `text` between gaps.
fn parts(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + (text.len() - rest - text[rest..].trim_start().len());
        let mut end = start;
        for word in text[start..].split_whitespace() {
            let next = word.as_ptr().addr() - text.as_ptr().addr();
            if is_gap(&text[end..next]) {
                break;
            }
            end = next + word.len();
        }
        rest = end;
        (start < end).then_some(start..end)
    })
}

fn is_gap(white_space: &str) -> bool {
    let is_break = |char: &char| matches!(char, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    white_space.len() >= GAP_BYTES || white_space.chars().filter(is_break).count() >= GAP_BREAKS
}

/// Splits `text` by `split`, which works from the left, as if all of it were split at once, but gives `split` only
/// windows of `length` bytes. Chunks that end in the second half of a window are split again from the start of the
/// first of them, because they may depend on the text after the window. A chunk longer than half a window ends at the
/// window's last white space at the latest. An overlap may begin elsewhere near a combining mark after white space (the
/// two are one grapheme cluster, and a window may begin between them), and where several of its starts have the size of
/// the overlap (text-splitter takes the first that it tries).
fn in_windows(text: &str, length: usize, split: impl Fn(&str) -> Vec<ByteRange>) -> Vec<ByteRange> {
    let mut ranges: Vec<ByteRange> = Vec::new();
    let mut start = 0_usize;
    while start < text.len() {
        let window = &text[start..window_end(text, start, length)];
        let found = split(window);
        let is_last = start + window.len() == text.len();
        let n_final = if is_last {
            found.len()
        } else {
            found.partition_point(|range| range.end <= length / 2).max(1)
        };
        let next = found.get(n_final).map_or(window.len(), |next| next.start.max(1));
        ranges.extend(found.iter().take(n_final).map(|&range| shifted(range, start)));
        start = text.ceil_char_boundary(start + next);
    }
    ranges
}

/// Returns the end of the window of at most `length` bytes at `start`: after its last white space, where it has any.
fn window_end(text: &str, start: usize, length: usize) -> usize {
    let end = text.floor_char_boundary(start.saturating_add(length));
    if end == text.len() {
        return end;
    }
    text[start..end]
        .rfind(char::is_whitespace)
        .map_or(end, |space| text.ceil_char_boundary(start + space + 1))
}

/// Groups the top-level blocks of Markdown into runs of at most `limit` bytes; a longer block is a run of its own. Runs
/// cover the text.
fn runs(text: &str, limit: usize) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let (mut start, mut end) = (0, 0);
    for next in block_starts(text).into_iter().skip(1).chain([text.len()]) {
        if next - start > limit && end > start {
            runs.push(start..end);
            start = end;
        }
        end = next;
    }
    runs.push(start..end);
    runs
}

/// Returns the starts of the top-level blocks, ascending; the first is 0.
fn block_starts(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(text, Options::all()).into_offset_iter() {
        if depth == 0 && starts.last().is_some_and(|&last| last < range.start) {
            starts.push(range.start);
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    starts
}

/// Lets text-splitter size by our counters. It compares sizes with the chunk size, the overlap, and five quarters of the
/// chunk size, above which it tries no longer text.
struct Sizer<'a> {
    counter: &'a dyn TokenCounter,
    most: usize,
}

impl ChunkSizer for Sizer<'_> {
    fn size(&self, chunk: &str) -> usize {
        self.counter.count_up_to(chunk, self.most)
    }
}

fn config<'a>(spec: &ChunkSpec, counter: &'a dyn TokenCounter) -> ChunkConfig<Sizer<'a>> {
    let config = ChunkConfig::new(spec.size())
        .with_sizer(Sizer { counter, most: spec.size().saturating_add(spec.size() / 4 + 1) })
        .with_trim(true);
    config.with_overlap(spec.overlap()).expect("a spec's overlap is below its size")
}

fn range((start, chunk): (usize, &str)) -> ByteRange {
    ByteRange::new(start, start + chunk.len())
}

pub(super) fn shifted(range: ByteRange, by: usize) -> ByteRange {
    ByteRange::new(by + range.start, by + range.end)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::{prop, prop_assert, prop_assert_eq, prop_oneof, proptest};

    use super::super::{ChunkSpec, Strategy, split};
    use super::*;
    use crate::text::tokens::{Tokenizer, counter};

    fn spec(strategy: Strategy, size: usize, overlap: usize) -> ChunkSpec {
        ChunkSpec::new(strategy, size, overlap, Tokenizer::Words).expect("a valid spec")
    }

    fn chunks(text: &str, strategy: Strategy, size: usize, overlap: usize) -> Vec<&str> {
        let words = counter(Tokenizer::Words, None).expect("words need no model");
        split(text, &spec(strategy, size, overlap), words.as_ref())
            .into_iter()
            .map(|range| &text[range.as_range()])
            .collect()
    }

    proptest! {
        #[test]
        fn windows_change_no_chunk_of_plain_text(
            parts in prop::collection::vec(
                prop_oneof![
                    6 => "[a-z]{1,8} ", 2 => "[a-z]{1,8}[.?!] ", 1 => "\n", 1 => "\n\n", 1 => "(漢|字|e|e\u{301}|🦀){1,3} ",
                ],
                0..400,
            ),
            overlap in 0_usize..4,
        ) {
            // Chunks of 6 words have at most 6 * 13 bytes, so half a window holds several.
            let text = parts.concat();
            let words = counter(Tokenizer::Words, None).expect("words need no model");
            let splitter = TextSplitter::new(config(&spec(Strategy::Recursive, 6, overlap), words.as_ref()));
            let split = |text: &str| splitter.chunk_indices(text).map(range).collect::<Vec<_>>();
            let n_split = Cell::new(0);
            let ranges = in_windows(&text, 512, |window| {
                assert!(window.len() <= 512);
                n_split.set(n_split.get() + window.len());
                split(window)
            });
            // The ends, and the words of each chunk: in a word of ideographs several starts have the same words.
            let sized = |ranges: Vec<ByteRange>| -> Vec<(usize, usize)> {
                ranges.iter().map(|range| (range.end, words.count(&text[range.as_range()]))).collect()
            };
            prop_assert_eq!(sized(ranges), sized(split(&text)));
            // A window advances by at least half its length less one chunk, so by a third.
            prop_assert!(n_split.get() <= 3 * text.len() + 512, "{} of {}", n_split.get(), text.len());
        }
    }

    #[test]
    fn a_chunk_longer_than_a_window_ends_at_its_last_white_space() {
        // Windows of 8: "ab cdef " up to the space before "ghijklmnop", which itself has 10 bytes.
        let found = in_windows("ab cdef ghijklmnop", 8, |text| {
            let trimmed = text.trim_end().len();
            vec![ByteRange::new(0, trimmed)]
        });
        assert_eq!(found, [(0, 7).into(), (8, 16).into(), (16, 18).into()]);
    }

    #[test]
    fn no_chunk_of_plain_text_holds_a_gap() {
        let text = format!("ab{}cd{}ef\n\ngh ", "\n".repeat(16), " ".repeat(128));
        let found: Vec<_> = parts(&text).collect();
        // 2, 16, 2, 128 and 6 bytes.
        assert_eq!(found, [0..2, 18..20, 148..154]);
    }

    #[test]
    fn runs_of_markdown_begin_at_blocks() {
        // Blocks of 7 + 2 ("# one" and breaks), 14 + 1, 5 bytes: the fence holds a line that looks like a heading.
        let text = "# one\n\n```\n# not\n```\n\nlast";
        assert_eq!(runs(text, 64).len(), 1);
        assert_eq!(runs(text, 25), [0..22, 22..26]);
        assert_eq!(runs(text, 20), [0..7, 7..26]);
        assert_eq!(runs(text, 4), [0..7, 7..22, 22..26]);
    }

    #[test]
    fn sentences_stay_whole_where_they_fit() {
        // Words: 3, 4, 2. Five hold no two sentences of 3 + 4, six hold the last two.
        let text = "It rained hard. The river rose overnight. Nobody slept.";
        assert_eq!(
            chunks(text, Strategy::Recursive, 6, 0),
            ["It rained hard.", "The river rose overnight. Nobody slept."]
        );
    }

    #[test]
    fn an_overlap_repeats_whole_sentences_that_fit_into_it() {
        let text = "It rained hard. The river rose overnight. Nobody slept.";
        assert_eq!(
            chunks(text, Strategy::Recursive, 7, 4),
            [
                "It rained hard. The river rose overnight.",
                "The river rose overnight. Nobody slept."
            ]
        );
    }

    #[test]
    fn markdown_is_cut_before_a_heading_rather_than_inside_a_section() {
        // Words, marks counted: 2 + 3, 2 + 2; plain text would fill eight words up to "short".
        let text = "# Lag\n\nRestart the consumer.\n\n# Disk\n\nDelete logs.";
        assert_eq!(
            chunks(text, Strategy::Markdown, 8, 0),
            ["# Lag\n\nRestart the consumer.", "# Disk\n\nDelete logs."]
        );
    }
}
