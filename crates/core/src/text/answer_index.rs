//! Texts for finding answers in all of them: each text is normalised once. An answer occurs where [`AnswerMatcher`] finds it.

use std::sync::OnceLock;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::answers::{AnswerMatcher, ranges};
use super::formed::{Form, FormedText};
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
    texts: Vec<&'a str>,
    /// The texts in each form of [`Form::ALL`], created when an answer first needs it.
    formed: [OnceLock<Vec<FormedText<'a>>>; 3],
}

impl<'a> AnswerIndex<'a> {
    /// Takes `texts`; they are numbered in their order.
    pub fn new(texts: impl Iterator<Item = &'a str>) -> Self {
        Self { texts: texts.collect(), formed: Default::default() }
    }

    /// Returns the places of any of `answers`, overlapping ones united; in the text `within` only, if it is given.
    #[must_use]
    pub fn find(&self, answers: &[String], within: Option<usize>) -> Occurrences {
        let matcher = AnswerMatcher::new(answers);
        let mut found: Vec<Occurrence> = Vec::new();
        let mut n_most = 0;
        for form in Form::ALL {
            for answer in matcher.wanted_in(form) {
                let own = self.places(form, answer, within);
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

    /// Returns the places of `answer`, which is in `form`.
    fn places(&self, form: Form, answer: &str, within: Option<usize>) -> Vec<Occurrence> {
        let formed = self.formed[form as usize]
            .get_or_init(|| self.texts.iter().map(|&text| FormedText::new(text, form)).collect());
        let texts = within.map_or(0..formed.len(), |text| text..text + 1);
        let places = texts.into_par_iter().flat_map_iter(|text| {
            ranges(answer, &formed[text]).map(move |range| Occurrence { text, range })
        });
        places.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(found(&["!!!", ""], &texts), []);
    }

    /// Of `anchor`'s first users: each answer is within another value.
    #[test]
    fn a_part_of_a_value_is_not_the_answer() {
        for (answer, text) in [
            ("first index", "the `first-index` strategy"),
            ("uv_two", "see [environment](https://x/y#uv_two) or https://x/z/uv_two"),
            ("13", "only <0.13"),
            ("6 minutes", "after 2.6 minutes"),
            ("$20", "costs $1.20"),
            ("Plan A", "The plan is B"),
            ("mode=\"a\"", "Open it with mode=\"wb\"."),
            ("20", "on 1/20"),
        ] {
            assert_eq!(found(&[answer], &[text]), [], "{answer}");
        }
        assert_eq!(found(&["Plan A"], &["The plan is “Plan A”."]), [(0, "“Plan A”")]);
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
        fn an_answer_has_places_exactly_where_answer_matching_finds_it(
            gold in "[aT1é\u{301}ﬁ .!—`/-]{0,6}", passage in "[aTt1he\u{301}éﬁ .!—`/\u{a0}-]{0,40}",
        ) {
            let index = AnswerIndex::new([passage.as_str()].into_iter());
            let found = index.find(std::slice::from_ref(&gold), None);
            let ranges: Vec<ByteRange> = found.places.iter().map(|it| it.range).collect();
            proptest::prop_assert_eq!(ranges, AnswerMatcher::new(&[gold]).ranges_in(&passage));
        }
    }
}
