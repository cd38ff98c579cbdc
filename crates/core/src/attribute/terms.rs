//! Content terms of a question: the words that a passage on the same subject shares with it.
//!
//! Words by UAX #29, lower-cased, stemmed, without stop words (the analyser's defaults), and without the words that
//! only mark a question: sharing one of those does not make a passage more relevant.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::text::analyse::Analyzer;

/// Interrogatives and auxiliaries that are not among Lucene's 33 stop words.
const ASKING: &str = "who whom whose which what when where why how do does did done has have had having can could would \
                      should may might were been being am from many much";

/// One analyser for all questions, so that no word is stemmed twice.
static ANALYZER: LazyLock<Analyzer> = LazyLock::new(Analyzer::default);

static ASKING_TERMS: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| ANALYZER.term_list(ASKING).into_iter().collect());

/// Returns the distinct content terms of a question.
#[must_use]
pub fn of_question(text: &str) -> BTreeSet<String> {
    let mut terms: BTreeSet<String> = ANALYZER.term_list(text).into_iter().collect();
    terms.retain(|term| !ASKING_TERMS.contains(term));
    terms
}

/// Bytes that [`shares_one`] analyses at a time, at least.
const PIECE_BYTES: usize = 128;

/// Returns true if `text` holds one of `wanted`. Most texts that do have one in their first sentence, and are read no further.
pub(super) fn shares_one(text: &str, wanted: &BTreeSet<String>) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, next) = rest.split_at(piece_end(rest));
        let mut shares = false;
        ANALYZER.terms(piece, &mut |term| shares = shares || wanted.contains(term));
        if shares {
            return true;
        }
        rest = next;
    }
    false
}

/// Returns the end of the first piece of `text`: before a space after another ASCII character, where no word goes on.
fn piece_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_end = |at: &usize| bytes[*at] == b' ' && bytes[at - 1].is_ascii_graphic();
    let mut ends = PIECE_BYTES..bytes.len();
    ends.find(is_end).unwrap_or(bytes.len())
}

/// Returns the members of `wanted` that `text` contains.
#[must_use]
pub fn shared(text: &str, wanted: &BTreeSet<String>) -> BTreeSet<String> {
    let mut shared = BTreeSet::new();
    ANALYZER.terms(text, &mut |term| {
        if wanted.contains(term) && !shared.contains(term) {
            shared.insert(term.to_owned());
        }
    });
    shared
}

/// Returns `wanted` without the terms of `texts`.
#[must_use]
pub fn without(mut wanted: BTreeSet<String>, texts: &[String]) -> BTreeSet<String> {
    for text in texts {
        ANALYZER.terms(text, &mut |term| {
            wanted.remove(term);
        });
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_only_ask_are_no_content() {
        // Snowball's English stems: founded -> found, magazine -> magazin.
        let terms: Vec<String> =
            of_question("When was the magazine founded, and why does it matter?")
                .into_iter()
                .collect();
        assert_eq!(terms, ["found", "magazin", "matter"]);
        assert!(of_question("Who is he, and from where?").contains("he"));
    }

    proptest::proptest! {
        #[test]
        fn reading_piece_by_piece_finds_what_reading_all_finds(
            text in "([a-c]{1,3}|flood|[.' ]|\u{e9}|\u{301}|日){0,120}", wanted in "[a-c]{1,3}|flood",
        ) {
            let wanted = BTreeSet::from([wanted]);
            proptest::prop_assert_eq!(shares_one(&text, &wanted), !shared(&text, &wanted).is_empty());
        }
    }

    #[test]
    fn sharing_is_by_stems() {
        let wanted = of_question("Which rivers flood?");
        assert!(shares_one("The river rose.", &wanted) && !shares_one("Which was it?", &wanted));
        assert!(!shares_one(
            "The river rose.",
            &without(wanted, &["a river".to_owned(), "Flooding".to_owned()])
        ));
    }
}
