//! Highlights in a passage: its part of the gold ranges, and the words that hold an answer.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;

use ragtriage_core::text::answers::{AnswerMatcher, Searchable};
use ragtriage_core::types::{ByteRange, Passage, Question, RangeSet, Trace};

/// The passages of a page, each normalised once for all questions that name it.
pub(super) struct Searchables(Vec<Searchable>);

impl Searchables {
    pub fn new(passages: &[&Passage]) -> Self {
        Self(passages.par_iter().map(|passage| Searchable::new(&passage.text)).collect())
    }
}

/// The highlights of a passage: starts and ends in UTF-16 units of its text, ascending, not overlapping.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Highlights {
    /// Gold ranges.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gold: Vec<[usize; 2]>,
    /// The words that an answer string touches, as `EM@k` finds it; of a question with facts, those of a required one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answer: Vec<[usize; 2]>,
}

/// Finds the gold evidence and the answers of a question in its passages.
pub(super) struct AnswerMarker<'a> {
    trace: &'a Trace,
    matcher: AnswerMatcher,
}

impl<'a> AnswerMarker<'a> {
    pub fn new(trace: &'a Trace) -> Self {
        Self { trace, matcher: AnswerMatcher::new(&wanted(&trace.question)) }
    }

    /// The marks of `passage`, whose number is `number`; `None` where there are none.
    pub fn marks(
        &self,
        number: usize,
        passage: &Passage,
        searchables: &Searchables,
    ) -> Option<Highlights> {
        let answer = if self.matcher.found_in(&searchables.0[number]) {
            utf16(&passage.text, &self.matcher.ranges_in(&passage.text))
        } else {
            Vec::new()
        };
        let marks = Highlights { gold: self.gold(passage), answer };
        (marks != Highlights::default()).then_some(marks)
    }

    fn gold(&self, passage: &Passage) -> Vec<[usize; 2]> {
        // A passage of another system may have other white space than the document: its bytes are not the document's.
        if passage.text.len() != passage.range.len() {
            return Vec::new();
        }
        let members =
            self.trace.gold.groups.iter().flatten().filter(|member| member.doc == passage.doc);
        let needed = RangeSet::union(members.flat_map(|member| member.needed.iter().copied()));
        let here = needed.intersection(&RangeSet::union([passage.range]));
        let start = passage.range.start;
        let own = here
            .ranges()
            .iter()
            .map(|range| ByteRange::new(range.start - start, range.end - start));
        utf16(&passage.text, &own.collect::<Vec<_>>())
    }
}

/// Returns the strings to highlight: a question's answers where it has spans, else the wordings of its facts.
fn wanted(question: &Question) -> Vec<String> {
    if question.has_spans() {
        question.answers.clone()
    } else {
        question.required.iter().flatten().cloned().collect()
    }
}

/// Byte ranges of `text`, ascending, in UTF-16 units; one that parts a character is left out.
fn utf16(text: &str, ranges: &[ByteRange]) -> Vec<[usize; 2]> {
    let (mut byte, mut units) = (0, 0);
    let whole = ranges.iter().filter(|range| text.get(range.as_range()).is_some());
    let ends = whole.map(|range| {
        [range.start, range.end].map(|to| {
            units += text[byte..to].encode_utf16().count();
            byte = to;
            units
        })
    });
    ends.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_utf16_units() {
        // `a` 1 byte, `é` 2 bytes and 1 unit, `𝄞` 4 bytes and 2 units: bytes 3..8 are `𝄞b`, units 2..5.
        let text = "aé𝄞bc";
        assert_eq!(utf16(text, &[(0, 1).into(), (3, 8).into()]), [[0, 1], [2, 5]]);
        assert_eq!(
            utf16(text, &[(2, 3).into(), (8, 9).into(), (9, 12).into()]),
            [[5, 6]],
            "parted, whole, beyond"
        );
    }
}
