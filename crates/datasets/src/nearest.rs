//! What the user probably meant: the known word, or the piece of a document, that comes nearest.

use ragtriage_core::text::quote;

/// Longest piece of a document shown, in characters: a line of a terminal or two.
const SHOWN_CHARS: usize = 160;
/// A longer run of characters without white space is a script that has none, or a blob: it may be cut within.
const WORD_CHARS: usize = 80;

/// The candidate with the smallest edit distance to `word`, the first of equals; `None` when even that has more than a
/// third of its characters wrong (two are always allowed).
pub(super) fn word<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(2);
    let near = candidates
        .into_iter()
        .map(|known| (strsim::osa_distance(word, known), known));
    near.filter(|(distance, known)| *distance <= limit && *distance < known.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// What [`quote::nearest`] finds, on one line and shortened.
pub(super) fn passage(text: &str, quote: &str) -> Option<Box<str>> {
    quote::nearest(text, quote).map(|range| shorten(&quote::one_spaced(&text[range.as_range()])))
}

/// `text` cut to what an error message can bear: before a word, so that what looks for secrets in the message finds each whole
/// or not at all.
pub(super) fn shorten(text: &str) -> Box<str> {
    let Some((cut, next)) = text.char_indices().nth(SHOWN_CHARS) else {
        return text.into();
    };
    let head = &text[..cut];
    let whole = if next.is_whitespace() {
        head
    } else {
        whole_words(head)
    };
    format!("{}…", whole.trim_end()).into()
}

/// `head` without the word that its end cuts; of a run that is no word, without the letters, digits and marks of keys.
fn whole_words(head: &str) -> &str {
    match head.rfind(char::is_whitespace) {
        Some(at) if head[at..].chars().count() <= WORD_CHARS => &head[..at],
        _ => head.trim_end_matches(|c: char| c.is_ascii_graphic()),
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

    #[test]
    fn a_word_is_shown_whole_or_not_at_all() {
        let shown = |text: String| shorten(&text).into_string();
        let (words, token) = ("word ".repeat(30), "aB3".repeat(12));
        assert_eq!(
            shown(format!("{words}{token} and more")),
            format!("{}…", words.trim_end())
        );
        // 120 characters and 36: the cut at 160 falls behind ` and`.
        let head = format!("{}{token}", &words[..120]);
        assert_eq!(shown(format!("{head} and more")), format!("{head} and…"));
        assert_eq!(shown(format!("{head} android")), format!("{head}…"));
        let (blob, umlauts) = ("aB3".repeat(60), "ä".repeat(100));
        assert_eq!(
            [shown(blob.clone()), shown(format!("one {blob}"))],
            ["…", "one…"]
        );
        assert_eq!(shown(format!("{umlauts}{blob}")), format!("{umlauts}…"));
    }
}
