//! Joins the fences of code blocks (three backticks or `~~~`) to their code.
//!
//! text-splitter leaves a fence as a chunk of its own where the code does not fit with it. Such a chunk says nothing, and its
//! document's title ranks it high.

use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::text::quote::trim;
use crate::text::tokens::TokenCounter;
use crate::types::ByteRange;

/// Joins each of `ranges`, ascending, that is a fence alone: one that opens a code block to the next range, another to the
/// previous. What does not fit is divided again, at the line nearest to its middle.
pub(super) fn joined(
    text: &str,
    ranges: Vec<ByteRange>,
    size: usize,
    counter: &dyn TokenCounter,
) -> Vec<ByteRange> {
    if ranges.len() < 2 || !ranges.iter().any(|range| is_fence(text, *range)) {
        return ranges;
    }
    let blocks = code_blocks(text);
    let opens = |fence: ByteRange| blocks.binary_search(&fence.start).is_ok();
    let mut joined: Vec<ByteRange> = Vec::with_capacity(ranges.len());
    for range in ranges {
        let last = joined.last().copied();
        match last.filter(|last| is_fence(text, range) && !opens(range) || is_fence(text, *last)) {
            Some(last) => {
                joined.pop();
                joined.extend(divided(text, last.start, range.end, size, counter));
            }
            None => joined.push(range),
        }
    }
    joined
}

fn is_fence(text: &str, range: ByteRange) -> bool {
    let is_fence = |line: &str| ["```", "~~~"].iter().any(|fence| line.trim().starts_with(fence));
    text[range.as_range()].lines().all(is_fence)
}

/// Returns the starts of the code blocks, ascending.
fn code_blocks(text: &str) -> Vec<usize> {
    let events = Parser::new_ext(text, Options::all()).into_offset_iter();
    let blocks = events.filter(|(event, _)| matches!(event, Event::Start(Tag::CodeBlock(_))));
    blocks.map(|(_, range)| range.start).collect()
}

/// Returns the range from `start` to `end`, or its two halves if it does not fit.
fn divided(
    text: &str,
    start: usize,
    end: usize,
    size: usize,
    counter: &dyn TokenCounter,
) -> Vec<ByteRange> {
    let whole = trim(text, (start..end).into());
    if counter.count_up_to(&text[whole.as_range()], size) <= size {
        return vec![whole];
    }
    let own = &text[whole.as_range()];
    let nearest = |breaks: fn(char) -> bool| {
        let halves = own.match_indices(breaks).map(|(at, _)| at).filter(|&at| {
            let (first, second) = (trim(own, (0..at).into()), trim(own, (at..own.len()).into()));
            !is_fence(own, first) && !is_fence(own, second)
        });
        halves.min_by_key(|at| at.abs_diff(own.len() / 2))
    };
    match nearest(|c| c == '\n').or_else(|| nearest(char::is_whitespace)) {
        Some(at) => vec![
            trim(text, (whole.start..whole.start + at).into()),
            trim(text, (whole.start + at..whole.end).into()),
        ],
        None => vec![whole],
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ChunkSpec, Strategy, split};
    use super::*;
    use crate::text::tokens::{Tokenizer, counter};

    fn chunks(text: &str, strategy: Strategy, size: usize) -> Vec<&str> {
        let words = counter(Tokenizer::Words, None).expect("words need no model");
        let spec = ChunkSpec::new(strategy, size, 0, Tokenizer::Words).expect("a valid spec");
        let ranges = split(text, &spec, words.as_ref()).into_iter();
        ranges.map(|range| &text[range.as_range()]).collect()
    }

    #[test]
    fn no_chunk_is_a_fence_alone() {
        let steps: Vec<String> =
            (0..30).map(|i| format!("# step {i}\nvalue_{i} = compute {i}\n\n")).collect();
        let code = steps.concat();
        for (open, close) in [("```python", "```"), ("~~~", "~~~"), ("````", "````")] {
            let text = format!("# Guide\n\nIntro.\n\n{open}\n{code}{close}\n\n## Next\n\nMore.\n");
            for strategy in [Strategy::Markdown, Strategy::Recursive] {
                for size in 5..60 {
                    let chunks = chunks(&text, strategy, size);
                    let alone =
                        chunks.iter().find(|chunk| is_fence(chunk, (0..chunk.len()).into()));
                    assert_eq!(alone, None, "{strategy:?} {size}: {chunks:#?}");
                    let n_words: usize =
                        chunks.iter().map(|it| it.split_whitespace().count()).sum();
                    assert_eq!(
                        n_words,
                        text.split_whitespace().count(),
                        "nothing is lost or repeated"
                    );
                }
            }
        }
    }

    #[test]
    fn a_fence_goes_with_its_own_code() {
        let text = "Before it.\n\n```sh\none two three\nfour five six\n```\n";
        assert_eq!(
            chunks(text, Strategy::Markdown, 4),
            ["Before it.", "```sh\none two three", "four five six\n```"]
        );
    }
}
