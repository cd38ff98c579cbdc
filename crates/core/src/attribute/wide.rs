//! Labels that are wider than a chunk: sections, pages, the chunks of another chunker.
//!
//! No chunking could be expected to hold such a range whole, and the answer seldom needs all of it. Support is therefore
//! read twice (see [`Reading`]); where both readings lose it at different stages, the loss is not known.

use crate::text::answers::AnswerMatcher;
use crate::types::{ByteRange, Question};

/// Length in bytes up to which a range is never wide: two or three sentences. A quote of that length is needed in full,
/// however short the chunks are. With the shipped questions labelled by section and chunks of 64 tokens, a limit of 400 made
/// 12 of 172 claims wrong, all of them `chunking` of sections of 300 to 400 bytes.
pub const MOST_QUOTED: usize = 300;

/// Reading of a label that is wider than a chunk. The truth lies between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// All of its bytes are needed.
    Strict,
    /// A part of it suffices: one that holds a gold answer or a wording of a required fact; if the label holds neither,
    /// a passage that shares half of the shorter of the two with it.
    Lenient,
}

/// Returns true if a labelled range of `length` bytes is wider than half a typical chunk and than a quote.
#[must_use]
pub fn is_wide(length: usize, typical_chunk_bytes: usize) -> bool {
    length > MOST_QUOTED && 2 * length > typical_chunk_bytes
}

/// Returns the places inside `wide` ranges of `text` of what marks the answer to `question`.
pub(super) fn answer_ranges(question: &Question, wide: &[ByteRange], text: &str) -> Vec<ByteRange> {
    if wide.is_empty() {
        return Vec::new();
    }
    let matcher = AnswerMatcher::new(&question.marks());
    let inside = |label: &ByteRange| {
        let start = label.start;
        let found = matcher.ranges_in(text.get(label.as_range()).unwrap_or_default());
        found.into_iter().map(move |at| ByteRange::new(start + at.start, start + at.end))
    };
    wide.iter().flat_map(inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::QuestionKind;

    #[test]
    fn a_range_is_wide_beyond_half_a_typical_chunk_and_three_sentences() {
        assert!(!is_wide(300, 100), "a quote of three sentences");
        assert!(is_wide(301, 600) && is_wide(301, 601));
        assert!(!is_wide(301, 602), "half of 602 bytes is 301");
    }

    #[test]
    fn answers_and_facts_are_found_inside_the_label_only() {
        let text = "In 1992 it rose; in 1992 it sank.";
        let mut question = Question::new("q".into(), String::new());
        question.answers = vec!["1992".to_owned()];
        question.required = vec![vec!["it sank".to_owned()]];
        let found = |question: &Question| answer_ranges(question, &[(8, 33).into()], text);
        // 1992 is at 20..24, `it sank` at 25..32.
        assert_eq!(found(&question), [(20, 24).into(), (25, 32).into()]);
        question.kind = QuestionKind::YesNo;
        assert_eq!(found(&question), []);
    }
}
