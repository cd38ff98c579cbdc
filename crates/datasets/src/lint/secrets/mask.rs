//! Keeping secrets out of what quotes the data.
//!
//! A secret is cut out of the text that it stands in: once that is cut, lower-cased or parted into terms, no pattern knows it
//! again. [`Known`] is the net under this, for quotes that come from elsewhere: it knows eight characters in a row of any secret
//! that was found. Shorter secrets, and words without a digit, it does not know: they would hide the language.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use super::pattern::{Secret, found_in};

/// Bytes of a secret, without marks and in lower case, by which it is known again.
const TRACE: usize = 8;
/// A secret of letters alone may be words; of so many it is an issuer's token.
const LEAST_LETTERS: usize = 20;

/// `text` with every secret in it cut away.
#[must_use]
pub fn masked(text: &str) -> Cow<'_, str> {
    masked_piece(text, 0..text.len(), &found_in(text))
}

/// The bytes `range` of `text`, without what belongs to one of `secrets`, which are those of all of `text`, in order.
#[must_use]
pub fn masked_piece<'a>(text: &'a str, range: Range<usize>, secrets: &[Secret]) -> Cow<'a, str> {
    let first = secrets.partition_point(|secret| secret.end <= range.start);
    let (mut out, mut at) = (String::new(), range.start);
    for secret in secrets[first..]
        .iter()
        .take_while(|secret| secret.start < range.end)
    {
        out.push_str(&text[at..secret.hidden.clamp(at, range.end)]);
        out.push('…');
        at = secret.end.min(range.end);
    }
    if out.is_empty() {
        return Cow::Borrowed(&text[range]);
    }
    out.push_str(&text[at..range.end]);
    Cow::Owned(out)
}

/// The traces of secrets that were found: what they are cannot be read from it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Known(HashSet<[u8; TRACE]>);

impl Known {
    /// Takes note of the `secrets` of `text`.
    pub(super) fn learn(&mut self, text: &str, secrets: &[Secret]) {
        for secret in secrets {
            let value = squashed(&text[secret.hidden..secret.end]);
            let has_digit = |bytes: &[u8]| bytes.iter().any(u8::is_ascii_digit);
            // A secret may hold words: they stand elsewhere, too.
            let is_plain = !has_digit(value.as_bytes()) && value.len() >= LEAST_LETTERS;
            self.0
                .extend(traces(&value).filter(|trace| is_plain || has_digit(trace)));
        }
    }

    /// `text` without the secrets in it, and without words that share a trace with one that was found.
    #[must_use]
    pub fn masked(&self, text: &str) -> String {
        let text = masked(text);
        if self.0.is_empty() {
            return text.into_owned();
        }
        let mut out = String::with_capacity(text.len());
        for piece in text.split_inclusive(parts) {
            let word = piece.trim_end_matches(parts);
            let is_known = traces(&squashed(word)).any(|trace| self.0.contains(&trace));
            out.push_str(if is_known { "…" } else { word });
            out.push_str(&piece[word.len()..]);
        }
        out
    }
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known").finish_non_exhaustive()
    }
}

/// What parts words in a finding.
fn parts(c: char) -> bool {
    c.is_whitespace() || c == '`'
}

fn squashed(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn traces(squashed: &str) -> impl Iterator<Item = [u8; TRACE]> {
    squashed
        .as_bytes()
        .windows(TRACE)
        .map(|window| window.try_into().expect("a window of that width"))
}

#[cfg(test)]
mod tests {
    use super::super::pattern::tests::made;
    use super::*;

    fn known(text: &str) -> Known {
        let mut known = Known::default();
        known.learn(text, &found_in(text));
        known
    }

    #[test]
    fn a_secret_is_cut_away_and_what_stands_before_it_is_not() {
        let (token, value) = (made("ghp_", 36), made("", 12));
        assert_eq!(
            masked(&format!("use {token}, or password={value}")),
            "use ghp_…, or password=…"
        );
        assert!(matches!(masked("use the token"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_piece_holds_nothing_of_a_secret_that_its_bounds_cut() {
        let token = made("ghp_", 36);
        let text = format!("use {token} here");
        let secrets = found_in(&text);
        let piece = |range| masked_piece(&text, range, &secrets);
        // `use ` is bytes 0 to 3, the token 4 to 43.
        assert_eq!(
            [piece(0..20), piece(20..49), piece(20..30), piece(0..6)],
            ["use ghp_…", "… here", "…", "use gh…"]
        );
        assert_eq!([piece(0..4), piece(44..49)], ["use ", " here"]);
    }

    #[test]
    fn a_known_secret_is_known_again_cut_lower_cased_and_without_its_marks() {
        let value = made("Release-", 16);
        let known = known(&format!("password = {value}"));
        let half = &value[8..20];
        let texts = [
            value.clone(),
            half.to_owned(),
            half.to_lowercase(),
            value.replace('-', ""),
            format!("a {half}, `{half}`"),
        ];
        assert_eq!(
            texts.map(|text| known.masked(&text)),
            ["…", "…", "…", "…", "a … `…`"]
        );
        assert_eq!(
            known.masked("the  release `waits`\n"),
            "the  release `waits`\n"
        );
        assert_eq!(format!("{known:?}"), "Known { .. }");
    }

    #[test]
    fn a_password_that_is_a_word_does_not_hide_the_word_elsewhere() {
        let text = ["postgres://app:", "checkout@db/orders"].concat();
        assert_eq!(
            known(&text).masked("why is checkout slow?"),
            "why is checkout slow?"
        );
        assert_eq!(known(&text).masked(&text), "postgres://app:…db/orders");
    }
}
