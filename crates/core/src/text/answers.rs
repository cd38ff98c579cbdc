//! Finds gold answers in passages.
//!
//! Both sides are normalised by [`normalise::matching`] and the gold answer must begin and end at word boundaries: `18`
//! is not in `2018`. A gold answer that normalises to nothing (`The The`, `!!!`) is searched for in lower case with
//! nothing deleted.

use std::sync::OnceLock;

use memchr::memmem;

use super::border;
use super::formed::FormedText;
use super::normalise;
use crate::types::{ByteRange, RangeSet};

/// A passage's text in both comparable forms.
#[derive(Clone, Debug)]
pub struct Searchable {
    text: String,
    stripped: String,
    /// Created when a gold answer first needs it: few do.
    unstripped: OnceLock<String>,
}

impl Searchable {
    /// Normalises `text` once, for any number of gold answers.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            stripped: normalise::matching(text),
            unstripped: OnceLock::new(),
        }
    }

    fn unstripped(&self) -> &str {
        self.unstripped.get_or_init(|| normalise::unstripped(&self.text))
    }
}

/// Matches any gold answer of one question.
#[derive(Clone, Debug, Default)]
pub struct AnswerMatcher {
    stripped: Vec<String>,
    unstripped: Vec<String>,
}

impl AnswerMatcher {
    /// Creates a matcher of any of `answers`; answers of white space only match nothing.
    #[must_use]
    pub fn new(answers: &[String]) -> Self {
        let mut matcher = Self::default();
        for answer in answers {
            let stripped = normalise::matching(answer);
            if !stripped.is_empty() {
                matcher.stripped.push(stripped);
                continue;
            }
            let whole = normalise::unstripped(answer);
            if !whole.is_empty() {
                matcher.unstripped.push(whole);
            }
        }
        matcher
    }

    /// Returns true if some gold answer occurs in `passage`.
    #[must_use]
    pub fn found_in(&self, passage: &Searchable) -> bool {
        self.stripped.iter().any(|gold| stands_in(gold, &passage.stripped))
            || self.unstripped.iter().any(|gold| stands_in(gold, passage.unstripped()))
    }

    /// Returns true if some gold answer occurs in `text`, normalising only as far as the answers need.
    #[must_use]
    pub fn found_in_text(&self, text: &str) -> bool {
        any_in(&self.stripped, text, normalise::matching)
            || any_in(&self.unstripped, text, normalise::unstripped)
    }

    /// Returns the ranges of gold answers in `text`: from the first to the last word (separated by white space) that an
    /// occurrence touches, outer ASCII punctuation left out; ascending and disjoint. Empty exactly if
    /// [`Self::found_in_text`] is false.
    #[must_use]
    pub fn ranges_in(&self, text: &str) -> Vec<ByteRange> {
        let mut found = touched(&self.stripped, text, normalise::matching);
        found.extend(touched(&self.unstripped, text, normalise::unstripped));
        RangeSet::union(found).ranges().to_vec()
    }
}

fn any_in(golds: &[String], text: &str, form: fn(&str) -> String) -> bool {
    if golds.is_empty() {
        return false;
    }
    let passage = form(text);
    golds.iter().any(|gold| stands_in(gold, &passage))
}

/// Returns true if `gold` occurs in `text` between borders of words. Every
/// position is tried: a gold answer may overlap itself.
#[must_use]
pub fn stands_in(gold: &str, text: &str) -> bool {
    first_in(gold, text).is_some()
}

/// Returns the range of the first occurrence that [`stands_in`] finds.
#[must_use]
pub fn first_in(gold: &str, text: &str) -> Option<ByteRange> {
    occurrences(gold, text).next()
}

/// Returns the ranges of such occurrences of `gold` in `text`, ascending.
pub(super) fn occurrences<'a>(
    gold: &'a str,
    text: &'a str,
) -> impl Iterator<Item = ByteRange> + 'a {
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

/// Returns the ranges of `text` that match any gold answer once both are in the same `form`. White space always
/// separates words: the form of a text is the forms of its words, without those that vanish, joined by single spaces.
fn touched(golds: &[String], text: &str, form: fn(&str) -> String) -> Vec<ByteRange> {
    if golds.is_empty() {
        return Vec::new();
    }
    let formed = FormedText::new(text, form);
    golds
        .iter()
        .flat_map(|gold| occurrences(gold, &formed.form).map(|found| formed.stretch(found)))
        .collect()
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
