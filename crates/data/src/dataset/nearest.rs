//! Suggestions: the known word, or the piece of a document, nearest to a given text.

use ragtriage_core::text::quote;

/// Maximum length of a shown text, in characters: one or two terminal lines.
const SHOWN_CHARS: usize = 160;

/// Returns the candidate with the smallest edit distance to `word`, the first of equals; `None` if more than a third
/// of the characters differ (two are always allowed).
#[must_use]
pub fn word<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(2);
    let near = candidates.into_iter().map(|known| (strsim::osa_distance(word, known), known));
    near.filter(|(distance, known)| *distance <= limit && *distance < known.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// Returns the result of [`quote::nearest`], on one line and shortened.
pub(super) fn passage(text: &str, quote: &str) -> Option<Box<str>> {
    quote::nearest(text, quote).map(|range| shorten(&quote::one_spaced(&text[range.as_range()])))
}

/// Returns `text`, truncated to [`SHOWN_CHARS`] characters if it is longer.
pub(super) fn shorten(text: &str) -> Box<str> {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((cut, _)) => format!("{}…", text[..cut].trim_end()).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_recognised_and_another_word_is_not() {
        let known = ["evidence", "answers", "id"];
        assert_eq!(word("evidnece", known), Some("evidence"));
        assert_eq!(word("anwser", known), Some("answers"));
        assert_eq!(word("colour", known), None);
        assert_eq!(word("xy", known), None);
    }

    #[test]
    fn a_long_passage_is_cut_on_a_character() {
        let cut = shorten(&"ä".repeat(200));
        assert_eq!(cut.chars().count(), 161);
    }
}
