//! Borders of words, at which an answer begins and ends.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use unicode_normalization::char::is_combining_mark;

use super::script::{is_hangul, is_unspaced};
use crate::language::Language;
use crate::types::ByteRange;

static PARTICLES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| Language::in_all(|it| &it.particles).collect());
static ELISIONS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| Language::in_all(|it| &it.elisions).collect());

/// Returns true if neither letters nor digits at the ends of `range` go on outside it in `text`. In scripts without spaces nothing
/// goes on except a mark, and a particle ends a word before Hangul.
pub(super) fn is_bounded(text: &str, range: ByteRange) -> bool {
    let (before, after) = (&text[..range.start], &text[range.end..]);
    let inside = &text[range.as_range()];
    let starts_free = match (before.chars().next_back(), inside.chars().next()) {
        (Some(before), Some(first)) => !is_joined(before, first),
        _ => true,
    };
    starts_free
        && match (inside.chars().next_back(), after.chars().next()) {
            (Some(last), Some(next)) if last.is_alphanumeric() => {
                !is_joined(last, next) && (next.is_ascii() || !is_combining_mark(next))
                    || is_hangul(next) && PARTICLES.contains(word_at_start(after))
            }
            _ => true,
        }
}

fn is_joined(one: char, other: char) -> bool {
    [one, other].iter().all(|c| c.is_alphanumeric() && !is_unspaced(*c))
}

fn word_at_start(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len())]
}

/// Puts a space for an ASCII apostrophe after an elision, as in `l'Élysée`, and for an apostrophe or hyphen before a particle, as
/// in `Türkiye'de`: deleting it would join two words.
pub(crate) fn separated(text: &str) -> Cow<'_, str> {
    let mut out: Option<Vec<u8>> = None;
    for at in memchr::memchr2_iter(b'\'', b'-', text.as_bytes()) {
        let (before, rest) = text.split_at(at);
        let after = word_at_start(&rest[1..]);
        let is_elided = rest.starts_with('\'') && is_elision(before, after);
        if !after.is_empty() && (is_elided || PARTICLES.contains(&rest[..=after.len()])) {
            out.get_or_insert_with(|| text.as_bytes().to_vec())[at] = b' ';
        }
    }
    out.map_or(Cow::Borrowed(text), |bytes| {
        Cow::Owned(String::from_utf8(bytes).expect("one ASCII character for another"))
    })
}

/// Returns true if the last word of `before` is a short form, and a vowel or an `h` follows.
fn is_elision(before: &str, after: &str) -> bool {
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_consonant = |c: char| c.is_ascii() && !"aeiouhAEIOUH".contains(c);
    !after.starts_with(is_consonant) && ELISIONS.contains(word.to_lowercase().as_str())
}
