//! `recursive` and `markdown` without configured separators: text-splitter's boundaries.
//!
//! text-splitter is used only in this file. It selects the largest of its levels (line breaks by their number,
//! sentences, words, grapheme clusters, characters; for Markdown first headings, blocks, items, inline elements) of
//! which a chunk holds at least one whole, and as many of those as fit.

use text_splitter::{ChunkConfig, ChunkSizer, MarkdownSplitter, TextSplitter};

use super::spec::ChunkSpec;
use crate::text::tokens::TokenCounter;
use crate::types::ByteRange;

/// Raised whenever the same input would give another range, so with text-splitter's version too (0.33).
pub const VERSION: u32 = 1;

/// Returns the ranges of plain text.
pub(super) fn text(text: &str, spec: &ChunkSpec, counter: &dyn TokenCounter) -> Vec<ByteRange> {
    TextSplitter::new(config(spec, counter))
        .chunk_indices(text)
        .map(range)
        .collect()
}

/// Returns the ranges of Markdown.
pub(super) fn markdown(text: &str, spec: &ChunkSpec, counter: &dyn TokenCounter) -> Vec<ByteRange> {
    MarkdownSplitter::new(config(spec, counter))
        .chunk_indices(text)
        .map(range)
        .collect()
}

/// Lets text-splitter size by our counters.
struct Sizer<'a>(&'a dyn TokenCounter);

impl ChunkSizer for Sizer<'_> {
    fn size(&self, chunk: &str) -> usize {
        self.0.count(chunk)
    }
}

fn config<'a>(spec: &ChunkSpec, counter: &'a dyn TokenCounter) -> ChunkConfig<Sizer<'a>> {
    let config = ChunkConfig::new(spec.size())
        .with_sizer(Sizer(counter))
        .with_trim(true);
    config
        .with_overlap(spec.overlap())
        .expect("a spec's overlap is below its size")
}

fn range((start, chunk): (usize, &str)) -> ByteRange {
    ByteRange::new(start, start + chunk.len())
}

#[cfg(test)]
mod tests {
    use super::super::{ChunkSpec, Strategy, split};
    use crate::text::tokens::{Tokenizer, counter};

    fn chunks(text: &str, strategy: Strategy, size: usize, overlap: usize) -> Vec<&str> {
        let spec = ChunkSpec::new(strategy, size, overlap, Vec::new(), Tokenizer::Words)
            .expect("a valid spec");
        let words = counter(Tokenizer::Words, None).expect("words need no model");
        split(text, &spec, words.as_ref())
            .into_iter()
            .map(|range| &text[range.as_range()])
            .collect()
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
