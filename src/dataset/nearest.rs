//! What the user probably meant: the known word, or the piece of a document, that comes nearest.

use std::collections::HashMap;

/// Longest piece of a document shown, in characters: a line of a terminal or two.
const SHOWN_CHARS: usize = 160;

/// The candidate with the smallest edit distance to `word`, the first of equals; `None` when even that has more than a
/// third of its characters wrong (two are always allowed).
pub(super) fn word<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(2);
    let near = candidates.into_iter().map(|known| (strsim::osa_distance(word, known), known));
    near.filter(|(distance, known)| *distance <= limit && *distance < known.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// The stretch of `text` with as many words as `quote` that shares the most of them, the first of equals, shortened;
/// `None` when no word is shared.
pub(super) fn passage(text: &str, quote: &str) -> Option<Box<str>> {
    let mut wanted: HashMap<&str, i64> = HashMap::new();
    for word in quote.split_whitespace() {
        *wanted.entry(word).or_default() += 1;
    }
    let width = quote.split_whitespace().count();
    let words: Vec<&str> = text.split_whitespace().collect();
    let (mut shared, mut best) = (0_usize, (0_usize, 0_usize));
    for (end, word) in words.iter().enumerate() {
        // `wanted` holds what the window still lacks; below zero stands for a surplus.
        if let Some(lacking) = wanted.get_mut(word) {
            shared += usize::from(*lacking > 0);
            *lacking -= 1;
        }
        if end >= width
            && let Some(lacking) = wanted.get_mut(words[end - width])
        {
            *lacking += 1;
            shared -= usize::from(*lacking > 0);
        }
        if shared > best.0 {
            best = (shared, (end + 1).saturating_sub(width));
        }
    }
    let (shared, start) = best;
    let end = words.len().min(start + width);
    (shared > 0).then(|| shorten(&words[start..end].join(" ")))
}

/// `text` cut to what an error message can bear.
pub(super) fn shorten(text: &str) -> Box<str> {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((cut, _)) => format!("{}…", &text[..cut]).into(),
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
    fn the_nearest_passage_shares_the_most_words() {
        // Words of the quote: it is stuck after 6 minutes. The window from `it` has all but `6`.
        let text = "Wait. After that it is stuck after 7 minutes and you page.";
        assert_eq!(passage(text, "it is stuck after 6 minutes").as_deref(), Some("it is stuck after 7 minutes"));
        assert_eq!(passage(text, "elsewhere"), None);
        assert_eq!(passage("", "it"), None);
    }

    #[test]
    fn a_long_passage_is_cut_on_a_character() {
        let cut = shorten(&"ä".repeat(200));
        assert_eq!(cut.chars().count(), 161);
    }
}
