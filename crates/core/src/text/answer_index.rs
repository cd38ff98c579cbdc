//! Texts for finding answers in all of them: each text is normalised once.
//!
//! An answer occurs where either comparable form has it between word boundaries: [`normalise::matching`], in which answers
//! are matched everywhere else, or [`normalise::words`], for which quotation marks and dashes of any kind are equal.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::answers::occurrences;
use super::formed::FormedText;
use super::normalise;
use crate::types::{ByteRange, RangeSet};

/// A place in one of the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Occurrence {
    /// The number of the text.
    pub text: usize,
    /// The words there that the answer touches, in bytes.
    pub range: ByteRange,
}

/// The places of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Occurrences {
    /// The places, ascending and disjoint.
    pub places: Vec<Occurrence>,
    /// Number of occurrences: more than places where one unseparated run of characters has several.
    pub n_found: usize,
}

/// A list of texts.
pub struct AnswerIndex<'a> {
    matching: FormIndex<'a>,
    words: FormIndex<'a>,
}

impl<'a> AnswerIndex<'a> {
    /// Takes `texts`; they are numbered in their order.
    pub fn new(texts: impl Iterator<Item = &'a str> + Clone) -> Self {
        Self {
            matching: FormIndex::new(texts.clone(), normalise::matching),
            words: FormIndex::new(texts, normalise::words),
        }
    }

    /// Returns the places of any of `answers`, overlapping ones united; in the text `within` only, if it is given. An answer
    /// without letters and digits has none.
    #[must_use]
    pub fn find(&self, answers: &[String], within: Option<usize>) -> Occurrences {
        let mut found: Vec<Occurrence> = Vec::new();
        let mut n_most = 0;
        for index in [&self.matching, &self.words] {
            for answer in answers {
                let own = index.find(answer, within);
                n_most = n_most.max(own.len());
                found.extend(own);
            }
        }
        found.sort_unstable();
        let of_texts = found.chunk_by(|a, b| a.text == b.text);
        let places: Vec<Occurrence> = of_texts
            .flat_map(|of_text| {
                let text = of_text[0].text;
                let united = RangeSet::union(of_text.iter().map(|it| it.range));
                let ranges = united.ranges().to_vec();
                ranges.into_iter().map(move |range| Occurrence { text, range })
            })
            .collect();
        Occurrences { n_found: n_most.max(places.len()), places }
    }
}

/// The texts in one form.
struct FormIndex<'a> {
    form_of: fn(&str) -> String,
    texts: Vec<FormedText<'a>>,
}

impl<'a> FormIndex<'a> {
    fn new(texts: impl Iterator<Item = &'a str>, form_of: fn(&str) -> String) -> Self {
        Self { form_of, texts: texts.map(|text| FormedText::new(text, form_of)).collect() }
    }

    fn find(&self, answer: &str, within: Option<usize>) -> Vec<Occurrence> {
        let wanted = (self.form_of)(answer);
        if !wanted.contains(char::is_alphanumeric) {
            return Vec::new();
        }
        let in_text = |text: usize| {
            let formed = &self.texts[text];
            let found = occurrences(&wanted, &formed.form);
            found.map(move |range| Occurrence { text, range: formed.stretch(range) })
        };
        let texts = within.map_or(0..self.texts.len(), |text| text..text + 1);
        texts.into_par_iter().flat_map_iter(in_text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::answers::AnswerMatcher;

    fn found<'a>(answers: &[&str], texts: &[&'a str]) -> Vec<(usize, &'a str)> {
        let answers: Vec<String> = answers.iter().map(|answer| (*answer).to_owned()).collect();
        let index = AnswerIndex::new(texts.iter().copied());
        let places = index.find(&answers, None).places;
        places
            .iter()
            .map(|place| (place.text, &texts[place.text][place.range.as_range()]))
            .collect()
    }

    #[test]
    fn an_answer_is_found_in_every_text_as_in_answer_matching() {
        let texts = ["The U.S. Army, 18 May.", "in 2018", "the US  army’s “18”"];
        assert_eq!(found(&["U.S. Army"], &texts), [(0, "U.S. Army"), (2, "US  army’s")]);
        assert_eq!(found(&["18"], &texts), [(0, "18"), (2, "“18”")]);
        assert_eq!(found(&["the US Army's"], &texts), [(2, "US  army’s")]);
        assert_eq!(found(&["navy"], &texts), []);
        assert_eq!(found(&["!!!", "", "the"], &texts), []);
    }

    #[test]
    fn marks_between_words_may_differ() {
        let texts = ["a “well–known” plan — it’s late"];
        assert_eq!(found(&["well-known"], &texts), [(0, "“well–known”")]);
        assert_eq!(found(&["plan - it's late"], &texts), [(0, "plan — it’s late")]);
    }

    #[test]
    fn overlapping_wordings_are_one_place_and_separate_ones_are_two() {
        let texts = ["Denver Broncos beat Carolina. Denver won."];
        assert_eq!(found(&["Denver Broncos", "Broncos"], &texts), [(0, "Denver Broncos")]);
        assert_eq!(found(&["Denver"], &texts), [(0, "Denver"), (0, "Denver")]);
    }

    #[test]
    fn occurrences_in_one_unseparated_run_are_counted() {
        let index = AnswerIndex::new(["7。7"].into_iter());
        let found = index.find(&["7".to_owned()], None);
        assert_eq!((found.places.len(), found.n_found), (1, 2));
    }

    #[test]
    fn an_answer_is_found_inside_unseparated_text() {
        let texts = ["1392年，路易十四颁布了十四条", "서울에서 서울특별시"];
        assert_eq!(found(&["路易十四"], &texts), [(0, "路易十四")]);
        assert_eq!(found(&["十四"], &texts), [(0, "十四"), (0, "十四")]);
        assert_eq!(found(&["서울"], &texts), [(1, "서울에서")]);
    }

    #[test]
    fn one_text_can_be_searched_alone() {
        let index = AnswerIndex::new(["x 1", "y", "x 2 x"].into_iter());
        let of = |text| index.find(&["x".to_owned()], Some(text)).n_found;
        assert_eq!([of(0), of(1), of(2)], [1, 0, 2]);
    }

    proptest::proptest! {
        #[test]
        fn nothing_that_answer_matching_finds_is_missed(
            gold in "[aT1é\u{301}ﬁ .!—-]{0,6}", passage in "[aTt1he\u{301}éﬁ .!—\u{a0}-]{0,40}",
        ) {
            let form = normalise::matching(&gold);
            proptest::prop_assume!(form.contains(char::is_alphanumeric));
            let index = AnswerIndex::new([passage.as_str()].into_iter());
            let n_found = index.find(std::slice::from_ref(&gold), None).n_found;
            let n_expected = AnswerMatcher::new(&[gold]).ranges_in(&passage).len();
            proptest::prop_assert!(n_found >= n_expected);
        }
    }
}
