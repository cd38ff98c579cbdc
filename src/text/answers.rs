//! Does a passage hold a gold answer?
//!
//! Both sides are normalised by [`normalise::matching`] and the gold must stand on word boundaries: `18` is not in
//! `2018`. A gold that normalises to nothing (`The The`, `!!!`) is looked for in lower case with nothing deleted.

use super::normalise;

/// A passage's text in both comparable forms.
#[derive(Clone, Debug)]
pub struct Searchable {
    stripped: String,
    unstripped: String,
}

impl Searchable {
    /// Normalises `text` once, for any number of golds.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { stripped: normalise::matching(text), unstripped: normalise::unstripped(text) }
    }
}

/// The golds of one question.
#[derive(Clone, Debug, Default)]
pub struct AnswerMatcher {
    stripped: Vec<String>,
    unstripped: Vec<String>,
}

impl AnswerMatcher {
    /// A matcher of any of `answers`; golds that are white space only match nothing.
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

    /// Whether some gold stands in `passage`.
    #[must_use]
    pub fn found_in(&self, passage: &Searchable) -> bool {
        self.stripped.iter().any(|gold| stands_in(gold, &passage.stripped))
            || self.unstripped.iter().any(|gold| stands_in(gold, &passage.unstripped))
    }

    /// Whether some gold stands in `text`, normalising only as far as the golds need.
    #[must_use]
    pub fn found_in_text(&self, text: &str) -> bool {
        let any_in = |golds: &[String], form: fn(&str) -> String| {
            !golds.is_empty() && {
                let passage = form(text);
                golds.iter().any(|gold| stands_in(gold, &passage))
            }
        };
        any_in(&self.stripped, normalise::matching) || any_in(&self.unstripped, normalise::unstripped)
    }

    /// Whether there is nothing to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stripped.is_empty() && self.unstripped.is_empty()
    }
}

/// Whether `gold` occurs in `text` with no letter or digit running on past its own outer letters or digits.
/// Every position is tried: a gold may overlap itself.
#[must_use]
pub fn stands_in(gold: &str, text: &str) -> bool {
    let runs_on = |edge: Option<char>, neighbour: Option<char>| {
        edge.is_some_and(char::is_alphanumeric) && neighbour.is_some_and(char::is_alphanumeric)
    };
    let (first, last) = (gold.chars().next(), gold.chars().next_back());
    let mut from = 0;
    while let Some(found) = text[from..].find(gold) {
        let (at, end) = (from + found, from + found + gold.len());
        if !runs_on(first, text[..at].chars().next_back()) && !runs_on(last, text[end..].chars().next()) {
            return true;
        }
        from = at + first.map_or(1, char::len_utf8);
    }
    false
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
    fn an_overlapping_occurrence_is_found() {
        // In "1 1 11 1 1" nothing is skipped: "1 1" stands at both ends; in "x1 1 1" only the second one is free.
        assert!(found("1 1", "x1 1 1"));
    }

    #[test]
    fn white_space_is_no_gold() {
        assert!(AnswerMatcher::new(&[" ".to_owned(), String::new()]).is_empty());
        assert!(!found(" ", "anything"));
    }
}
