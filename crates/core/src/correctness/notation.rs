//! How texts are written: their characters, letters, markup and code, as `crates/core/languages/notation.toml` says.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;

use crate::language;
use crate::text::citations::Citable;
use crate::text::pattern;

/// Marks the beginning and the end of bold, code and boxed text.
pub(super) const EMPHASIS: char = '\u{e000}';

/// What the file says; a key of characters or letters is read for each of its own.
#[derive(Deserialize)]
struct Notation {
    characters: BTreeMap<String, String>,
    letters: BTreeMap<String, String>,
    markup: Vec<(String, String)>,
    dates: Vec<String>,
    code: Vec<String>,
}

static NOTATION: LazyLock<Notation> = LazyLock::new(|| language::read("notation.toml"));
static CHARACTERS: LazyLock<HashMap<char, &str>> = LazyLock::new(|| by_char(&NOTATION.characters));
static LETTERS: LazyLock<HashMap<char, &str>> = LazyLock::new(|| by_char(&NOTATION.letters));
static MARKUP: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let steps = NOTATION.markup.iter();
    steps.map(|(markup, plain)| (pattern(markup), &**plain)).collect()
});
/// Finds in one pass whether there is any markup.
static ANY_MARKUP: LazyLock<RegexSet> =
    LazyLock::new(|| set(NOTATION.markup.iter().map(|(markup, _)| markup)));
static CODE: LazyLock<RegexSet> = LazyLock::new(|| set(&NOTATION.code));
/// The first has the month first.
static DATES: LazyLock<Vec<Regex>> =
    LazyLock::new(|| NOTATION.dates.iter().map(|date| pattern(date)).collect());

fn set<'p>(patterns: impl IntoIterator<Item = &'p String>) -> RegexSet {
    RegexSet::new(patterns).expect("patterns of a file of ours")
}

fn by_char(read: &'static BTreeMap<String, String>) -> HashMap<char, &'static str> {
    read.iter().flat_map(|(read, all)| all.chars().map(|c| (c, &**read))).collect()
}

/// Returns `answer` as plain text with one spelling of dashes, quotes and spaces; emphasis and line breaks are marked. Without
/// `has_citations` numbers in brackets stay.
pub(super) fn clean(answer: &str, has_citations: bool) -> String {
    let mut text: String = spelled(answer.chars(), &CHARACTERS).nfkc().collect();
    if has_citations {
        text = Citable::new([]).without_citations(&text);
    }
    let steps = if ANY_MARKUP.is_match(&text) { MARKUP.as_slice() } else { &[] };
    for (markup, plain) in steps {
        text = markup.replace_all(&text, *plain).into_owned();
    }
    text.trim().to_owned()
}

/// Returns what is read for the characters.
fn spelled(text: impl Iterator<Item = char>, read: &HashMap<char, &str>) -> String {
    let mut out = String::new();
    for c in text {
        match read.get(&c) {
            Some(read) => out.push_str(read),
            None => out.push(c),
        }
    }
    out
}

/// Lower case and NFKC, without Latin, Greek, Cyrillic and Arabic diacritics; one form for the variants of a letter.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let is_mark = |c: &char| matches!(c, '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{65f}');
    let letters = text.nfkd().filter(|c| !is_mark(c)).flat_map(char::to_lowercase);
    spelled(letters, &LETTERS).nfc().collect()
}

/// Returns true if a gold answer looks like code, a path, a formula, a reference or an identifier.
pub(super) fn is_code(gold: &str) -> bool {
    CODE.is_match(gold)
}

/// Returns year, month and day of the date in digits that begins `text`, with its bytes.
pub(super) fn digit_date(text: &str, is_american: bool) -> Option<([Option<u32>; 3], usize)> {
    let mut dates = DATES[usize::from(!is_american)..].iter();
    let date = dates.find_map(|date| date.captures(text))?;
    let field = |name| date.name(name).and_then(|field| field.as_str().parse().ok());
    Some((["year", "month", "day"].map(field), date[0].len()))
}
