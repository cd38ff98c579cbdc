//! Normalisation of answers before they are compared.
//!
//! [`official`] is `normalize_answer` of the SQuAD and HotpotQA scripts (Rajpurkar et al. 2016): lower case, ASCII
//! punctuation deleted, the articles a/an/the removed as whole words, white space collapsed. [`matching`] does the
//! same after NFKC, so that ligatures, full-width forms and non-breaking spaces of real documents compare equal;
//! it is used to find answers in passages, never to score them.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{UnicodeNormalization, is_nfkc_quick};

use super::script::is_unspaced;
use super::{border, pattern};
use crate::language::Language;

/// Applies `normalize_answer` of the official scripts; no Unicode normalisation.
#[must_use]
pub fn official(text: &str) -> String {
    strip(&text.to_lowercase())
}

/// Applies [`official`] after NFKC. Marks before particles and after elisions separate words. Decimal points and the colons of times
/// are no punctuation: 13 is not 1.3.
#[must_use]
pub fn matching(text: &str) -> String {
    strip(&with_number_marks(&fold(&border::separated(text))))
}

/// Puts letters that no text has for the points, commas and colons between digits, except separators of thousands.
fn with_number_marks(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let n_digits = |digits: &[u8]| digits.iter().take_while(|it| it.is_ascii_digit()).count();
    let mut out = String::new();
    let mut copied = 0;
    for at in memchr::memchr3_iter(b'.', b',', b':', bytes) {
        let before = bytes[..at].iter().rev().take(4).take_while(|it| it.is_ascii_digit()).count();
        let after = n_digits(&bytes[at + 1..bytes.len().min(at + 5)]);
        let is_grouping =
            (1..=3).contains(&before) && after == 3 && bytes[at - before..at] != *b"0";
        if before == 0 || after == 0 || is_grouping && bytes[at] != b':' {
            continue;
        }
        out.push_str(&text[copied..at]);
        out.push(if bytes[at] == b':' { 'ː' } else { 'ꞏ' });
        copied = at + 1;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Unicode's punctuation and that of ASCII.
static PUNCTUATION: LazyLock<Regex> = LazyLock::new(|| pattern(r"[\p{P}$+<=>^`|~]"));

/// Applies `normalize_answer` of MLQA's script: lower case, punctuation deleted, the language's articles removed, white space
/// collapsed, Chinese characters separated. In a language that the script does not know, the letters of every script without spaces
/// are separated.
#[must_use]
pub fn mlqa(text: &str, language: &Language) -> String {
    let lower = text.to_lowercase();
    let bare = PUNCTUATION.replace_all(&lower, "");
    let is_own = |c: char| match &*language.code {
        "zh" => ('\u{4e00}'..='\u{9fa5}').contains(&c),
        "ar" | "de" | "en" | "es" | "hi" | "vi" => false,
        _ => is_unspaced(c),
    };
    let mut out = String::with_capacity(bare.len());
    // The script deletes the Arabic article everywhere.
    let bare = if language.code == "ar" { bare.replace("ال", " ") } else { bare.into_owned() };
    let is_word = |c: char| c.is_alphanumeric() && !is_combining_mark(c);
    let mut rest = &*bare;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_word(c) != is_word(first)).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        if language.articles.iter().any(|article| article == run) {
            out.push(' ');
        } else {
            for c in run.chars() {
                let around = if is_own(c) { " " } else { "" };
                out.extend([around, c.encode_utf8(&mut [0; 4]), around]);
            }
        }
        rest = after;
    }
    collapse(&out)
}

/// Applies NFKC and lower case and collapses white space, nothing deleted: for gold answers that [`matching`] leaves
/// empty.
#[must_use]
pub fn unstripped(text: &str) -> String {
    collapse(&fold(text))
}

/// Applies [`matching`] to a text in which markup separates words: quotation marks, brackets, code and table marks, `=` and the
/// slash of `macOS/Linux`. Quotation marks and dashes of any kind are those of ASCII. Nothing separates the parts of a web address
/// or of a Markdown link's target, of a path with several slashes (that of `</b>` is none), or of a number.
#[must_use]
pub fn separated(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_inclusive(is_space) {
        let has_one_slash = word.matches('/').count() == 1 + word.matches("</").count();
        let mut rest = word;
        while let Some(at) = ["](", "://"].iter().filter_map(|it| rest.find(it)).min() {
            let (before, target) = rest.split_at(at + 1);
            separate(before, has_one_slash, &mut out);
            let end = target.find([')', '>', ']', '"', '`', '|']).unwrap_or(target.len());
            out.push_str(&target[..end]);
            rest = &target[end..];
        }
        separate(rest, has_one_slash, &mut out);
    }
    matching(&out)
}

/// Appends `text` with spaces for separating marks and ASCII for other quotation marks and dashes.
fn separate(text: &str, is_slash_separating: bool, out: &mut String) {
    let is_digit_at = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    out.extend(text.char_indices().map(|(at, c)| match c {
        '`' | '[' | ']' | '(' | ')' | '{' | '}' | '<' | '>' | '|' | '=' | '"' | '*' | '“' | '”'
        | '„' | '«' | '»' => ' ',
        '/' if is_slash_separating && !(at > 0 && is_digit_at(at - 1) && is_digit_at(at + 1)) => {
            ' '
        }
        '‘' | '’' => '\'',
        '\u{2010}'..='\u{2015}' | '−' => '-',
        _ => c,
    }));
}

/// Applies NFKC, then lower case, then NFKC again where lower-casing broke the form (`İ` becomes `i` and a mark).
fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    composed(&composed(text).to_lowercase())
}

fn composed(text: &str) -> String {
    match is_nfkc_quick(text.chars()) {
        unicode_normalization::IsNormalized::Yes => text.to_owned(),
        _ => text.nfkc().collect(),
    }
}

/// Deletes ASCII punctuation, removes articles, collapses white space. `text` must be lower case.
fn strip(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut pending_space = false;
    let mut word_start: Option<usize> = None; // where the current run of word characters began in `out`
    for c in text.chars().filter(|c| !c.is_ascii_punctuation()).chain(std::iter::once(' ')) {
        if c.is_alphanumeric() {
            if word_start.is_none() {
                if pending_space && !out.is_empty() {
                    out.push(' ');
                }
                pending_space = false;
                word_start = Some(out.len());
            }
            out.push(c);
            continue;
        }
        if let Some(start) = word_start.take()
            && matches!(&out[start..], "a" | "an" | "the")
        {
            out.truncate(out[..start].trim_end_matches(' ').len());
            pending_space = true;
        }
        if is_space(c) {
            pending_space = true;
        } else {
            if pending_space && !out.is_empty() {
                out.push(' ');
            }
            pending_space = false;
            out.push(c);
        }
    }
    out
}

fn collapse(text: &str) -> String {
    text.split(is_space).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns true for white space of Python's `str.split`: Unicode's, and the four ASCII separators.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Expected values: the SQuAD script's steps applied by hand (lower, delete punctuation, drop articles, collapse).
    #[test]
    fn the_official_form_lowers_deletes_punctuation_and_articles() {
        assert_eq!(official("The  U.S. Army's \"A\" team"), "us armys team");
        assert_eq!(official("an-other a.n. Theatre"), "another theatre");
        assert_eq!(official("The The"), "");
        assert_eq!(official("!!!"), "");
        assert_eq!(official(""), "");
    }

    #[test]
    fn articles_go_at_word_boundaries_that_unicode_punctuation_makes() {
        // "\b(a|an|the)\b" sees a boundary at a dash that is not ASCII punctuation: " —cat".
        assert_eq!(official("the—cat and the cat"), "—cat and cat");
        assert_eq!(official("cat the"), "cat");
        assert_eq!(official("a 1 the 2"), "1 2");
    }

    #[test]
    fn markup_separates_words_and_addresses_and_numbers_are_whole() {
        for (text, expected) in [
            ("set [`UV_TWO`](https://x/y#uv_two).", "set uvtwo httpsxyuvtwo"),
            ("[the first index](../a/first-index.md)", "first index afirstindexmd"),
            ("<https://x/y>|`a=b`|**c**(d)", "httpsxy b c d"),
            ("macOS/Linux 1/20 src/a/b.rs", "macos linux 120 srcabrs"),
            ("<0.13 first-index UV\\_TWO", "0ꞏ13 firstindex uvtwo"),
            ("The “well–known” Army’s 18–20", "wellknown armys 1820"),
        ] {
            assert_eq!(separated(text), expected);
        }
    }

    #[test]
    fn only_matching_applies_nfkc() {
        assert_eq!(matching("ﬁve\u{a0}ＫＭ²"), "five km2");
        assert_eq!(official("ﬁve"), "ﬁve");
    }

    #[test]
    fn the_unstripped_form_keeps_punctuation_and_articles() {
        assert_eq!(unstripped(" The\nThe "), "the the");
        assert_eq!(unstripped("!!!"), "!!!");
    }
}
