//! Finds gold answers in passages.
//!
//! Both sides are in the same `Form`, and the gold answer must begin and end at word boundaries: `18` is not in `2018`. An
//! answer occurs in a text if it does in one of its forms.

use std::sync::OnceLock;

use memchr::memmem;

use super::border;
use super::formed::{Form, FormedText};
use super::normalise;
use crate::types::{ByteRange, RangeSet};

/// A passage's text in its comparable forms.
#[derive(Clone, Debug)]
pub struct Searchable {
    text: String,
    /// In the order of [`Form::ALL`], each created when a gold answer first needs it.
    forms: [OnceLock<String>; 3],
}

impl Searchable {
    /// Takes `text`, which is normalised once for any number of gold answers.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned(), forms: Default::default() }
    }

    fn form(&self, form: Form) -> &str {
        self.forms[form as usize].get_or_init(|| form.of(&self.text))
    }
}

/// Matches any gold answer of one question.
#[derive(Clone, Debug, Default)]
pub struct AnswerMatcher {
    /// Each answer in each form in which it is searched for.
    wanted: Vec<(Form, String)>,
}

impl AnswerMatcher {
    /// Creates a matcher of any of `answers`; answers of white space only match nothing.
    #[must_use]
    pub fn new(answers: &[String]) -> Self {
        let wanted = answers.iter().flat_map(|answer| {
            let is_whole = normalise::matching(answer).is_empty() || ends_in_article(answer);
            let forms = Form::ALL.into_iter();
            let forms = forms.filter(move |form| (*form == Form::Unstripped) == is_whole);
            forms.map(move |form| (form, form.of(answer)))
        });
        Self { wanted: wanted.filter(|(_, gold)| !gold.is_empty()).collect() }
    }

    /// Returns true if some gold answer occurs in `passage`.
    #[must_use]
    pub fn found_in(&self, passage: &Searchable) -> bool {
        self.wanted.iter().any(|(form, gold)| stands_in(gold, passage.form(*form)))
    }

    /// Returns true if some gold answer occurs in `text`, normalising only as far as the answers need.
    #[must_use]
    pub fn found_in_text(&self, text: &str) -> bool {
        !self.wanted.is_empty() && self.found_in(&Searchable::new(text))
    }

    /// Returns the ranges of gold answers in `text`: from the first to the last word (separated by white space) that an
    /// occurrence touches, outer ASCII punctuation left out; ascending and disjoint. Empty exactly if
    /// [`Self::found_in_text`] is false.
    #[must_use]
    pub fn ranges_in(&self, text: &str) -> Vec<ByteRange> {
        let mut found = Vec::new();
        for form in Form::ALL {
            let mut wanted = self.wanted_in(form).peekable();
            if wanted.peek().is_some() {
                let formed = FormedText::new(text, form);
                wanted.for_each(|gold| found.extend(ranges(gold, &formed)));
            }
        }
        RangeSet::union(found).ranges().to_vec()
    }

    /// Returns the answers that are searched for in `form`.
    pub(super) fn wanted_in(&self, form: Form) -> impl Iterator<Item = &str> {
        self.wanted.iter().filter(move |(of, _)| *of == form).map(|(_, gold)| &**gold)
    }
}

/// Returns true if the last word is an article: there, it names something, as in `Plan A` and `mode="a"`.
fn ends_in_article(answer: &str) -> bool {
    let is_mark = |c: char| !c.is_alphanumeric() && !"-'’".contains(c);
    let last = answer.rsplit(is_mark).find(|word| !word.is_empty());
    last.is_some_and(|word| ["a", "an", "the"].iter().any(|it| word.eq_ignore_ascii_case(it)))
}

/// Returns true if `gold` occurs in `text` between borders of words. Every
/// position is tried: a gold answer may overlap itself.
#[must_use]
pub fn stands_in(gold: &str, text: &str) -> bool {
    occurrences(gold, text).next().is_some()
}

/// Returns the ranges of the text of `formed` that [`FormedText::stretch`] gives for each occurrence of `gold`, in the same form.
pub(super) fn ranges<'a>(
    gold: &'a str,
    formed: &'a FormedText<'_>,
) -> impl Iterator<Item = ByteRange> + 'a {
    occurrences(gold, &formed.form).map(|found| formed.stretch(found))
}

/// Returns the ranges of the occurrences that [`stands_in`] finds, ascending.
pub fn occurrences<'a>(gold: &'a str, text: &'a str) -> impl Iterator<Item = ByteRange> + 'a {
    let first = gold.chars().next();
    let finder = memmem::Finder::new(gold);
    let mut from = 0;
    std::iter::from_fn(move || {
        let first_bytes = first?.len_utf8();
        while let Some(found) = finder.find(&text.as_bytes()[from..]) {
            let (at, end) = (from + found, from + found + gold.len());
            from = at + first_bytes;
            let range = ByteRange::new(at, end);
            if border::is_bounded(text, range) {
                return Some(range);
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(gold: &str, passage: &str) -> bool {
        let matcher = AnswerMatcher::new(&[gold.to_owned()]);
        let by_text = matcher.found_in_text(passage);
        assert_eq!(by_text, matcher.found_in(&Searchable::new(passage)));
        by_text
    }

    #[test]
    fn a_number_inside_a_number_is_no_match() {
        assert!(!found("18", "It happened in 2018."));
        assert!(found("18", "It happened on 18 May 2018."));
        assert!(found("18", "ages 18–20"), "a dash ends a word");
        for (gold, passage) in [
            ("13", "1.3 seconds"),
            ("$20", "$1.20"),
            ("$8.70", "870 taxes"),
            ("24.26", "2,426"),
            ("30.8%", "308"),
            ("50.00", "5,000"),
            ("1000", "10:00"),
            ("3", "1.3"),
            ("1.3", "1.35"),
            ("0.125", "125"),
        ] {
            assert!(!found(gold, passage), "{gold} in {passage}");
        }
        for (gold, passage) in [
            ("1577", "$1,577"),
            ("1577.00", "$1,577.00"),
            ("1,250,000", "1250000"),
            ("1250 Euro", "1.250 Euro"),
            ("1.3", "about 1.3."),
            ("10:00", "at 10:00, or"),
            ("3.14", "３.14"),
        ] {
            assert!(found(gold, passage), "{gold} in {passage}");
        }
    }

    #[test]
    fn punctuation_case_articles_and_compatibility_forms_do_not_matter() {
        assert!(found("The U.S. Army", "served in the US   army."));
        assert!(found("five km", "about \u{fb01}ve\u{a0}km"));
    }

    #[test]
    fn a_gold_of_articles_or_punctuation_is_matched_unstripped() {
        assert!(found("The The", "Soul Mining by The The, 1983"));
        assert!(!found("The The", "the others and the rest"));
        assert!(found("!!!", "the band !!! (Chk Chk Chk)"));
        assert!(!found("!!!", "hello!"));
    }

    #[test]
    fn an_answer_in_markup_is_found() {
        for passage in [
            "set [`UV_TWO`](https://x/y#uv_two)",
            "|`UV_TWO`|text|",
            "use(`UV_TWO`)here",
            "export UV_TWO=1",
            "**UV\\_TWO**(new)",
            "{\"UV_TWO\":\"1\"}",
            "UV_ONE/UV_TWO",
            "<b>UV_ONE/UV_TWO</b>",
        ] {
            assert!(found("UV_TWO", passage), "{passage}");
        }
        assert!(found("I/O", "<td>I/O</td>") && !found("b", "a/b/c</i>"));
        assert!(found("the Army's", "the Army’s") && found("18-20", "18–20"));
    }

    #[test]
    fn scripts_without_spaces_have_no_word_borders_and_particles_may_follow() {
        for (gold, passage) in [
            ("路易十四", "法国国王路易十四颁布了"),
            ("308", "ที่คะแนน308แต้ม"),
            ("ทีม", "แพนเทอร์สทีมรับ"),
            ("서울", "1392년에 서울에서 일어났다"),
            ("दिल्ली", "राजधानी दिल्ली।"),
            ("Türkiye", "Türkiye'de ve"),
            ("Élysée", "au palais de l'Élysée"),
            ("NFL", "campionatul NFL-ului"),
        ] {
            assert!(found(gold, passage), "{gold}");
        }
        for (gold, passage) in [
            ("ที", "ที่"),
            ("서울", "서울특별시"),
            ("दिल", "दिल्ली"),
            ("Army", "the Army's"),
            ("don", "I don't"),
            ("well", "well-known"),
        ] {
            assert!(!found(gold, passage), "{gold}");
        }
        assert_eq!(marked(&["十四"], "国王路易十四颁布"), ["十四"], "not the whole run");
    }

    #[test]
    fn an_overlapping_occurrence_is_found() {
        // In "1 1 11 1 1" nothing is skipped: "1 1" occurs at both ends; in "x1 1 1" only the second one is free.
        assert!(found("1 1", "x1 1 1"));
    }

    fn marked<'a>(golds: &[&str], passage: &'a str) -> Vec<&'a str> {
        let golds: Vec<String> = golds.iter().map(|gold| (*gold).to_owned()).collect();
        let ranges = AnswerMatcher::new(&golds).ranges_in(passage);
        ranges.iter().map(|range| &passage[range.as_range()]).collect()
    }

    #[test]
    fn the_words_of_every_occurrence_are_marked() {
        assert_eq!(
            marked(
                &["The U.S. Army", "18"],
                "He left the \"US  Army\" (18) in 2018, not the U.S. army; ages 18–20."
            ),
            ["US  Army", "18", "U.S. army", "18–20"]
        );
        assert_eq!(
            marked(&["caf\u{e9}"], "日本 Cafe\u{301}!"),
            ["Cafe\u{301}"],
            "composed by NFKC"
        );
        assert_eq!(marked(&["!!!"], "by !!! (Chk)"), ["!!!"]);
        assert_eq!(
            marked(&["x y", "y z"], "w x y z w"),
            ["x y z"],
            "overlapping ones are one stretch"
        );
        assert_eq!(marked(&["The The"], "by The The"), ["The The"]);
        assert_eq!(marked(&["18"], "2018"), Vec::<&str>::new());
    }

    proptest::proptest! {
        #[test]
        fn something_is_marked_exactly_where_a_gold_is_found(gold in "[aT1é\u{301}ﬁ .!—-]{0,6}", passage in "[aTt1he\u{301}éﬁ .!—\u{a0}-]{0,40}") {
            let matcher = AnswerMatcher::new(&[gold]);
            proptest::prop_assert_eq!(!matcher.ranges_in(&passage).is_empty(), matcher.found_in_text(&passage));
        }
    }

    #[test]
    fn white_space_is_no_gold() {
        assert!(!found(" ", "anything"));
        assert!(!found("", "anything"));
    }
}
