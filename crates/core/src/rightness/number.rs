//! Numbers in digits and words.

use super::lex::{Token, TokenShape};
use super::tables::WordMap;
use super::words::{CARDINALS, ORDINALS, SCALES};

/// A number at a position of a token sequence.
#[derive(Clone, Debug)]
pub(super) struct Number {
    pub(super) value: f64,
    /// Digits as written, without thousands separators; empty for words.
    pub(super) digits: String,
    pub(super) ordinal: bool,
    /// Index after its last token.
    pub(super) end: usize,
}

/// Returns the number that begins at token `at`.
pub(super) fn number(tokens: &[Token], at: usize) -> Option<Number> {
    let token = tokens.get(at)?;
    match token.shape {
        TokenShape::Digits => in_digits(tokens, at),
        TokenShape::Word => in_words(tokens, at),
        _ => None,
    }
}

fn in_digits(tokens: &[Token], at: usize) -> Option<Number> {
    let plain = tokens[at].text.len() <= 3 && tokens[at].text.bytes().all(|b| b.is_ascii_digit());
    let mut digits = separated(&tokens[at].text)?;
    let mut end = at + 1;
    while plain && tokens.get(end).is_some_and(continues_thousands) {
        digits.push_str(&tokens[end].text);
        end += 1;
    }
    let mut value: f64 = digits.parse().ok()?;
    if let Some(divisor) = fraction_divisor(tokens, end, value) {
        return Some(Number {
            value: value / divisor,
            digits: String::new(),
            ordinal: false,
            end: end + 2,
        });
    }
    let mut ordinal = false;
    if let Some(next) = tokens.get(end).filter(|next| !next.spaced && next.is_word()) {
        match next.text.as_str() {
            "st" | "nd" | "rd" | "th" => ordinal = true,
            "k" => value *= 1e3,
            "m" if next.upper() || follows_currency(tokens, at) => value *= 1e6,
            "b" if next.upper() || follows_currency(tokens, at) => value *= 1e9,
            "bn" => value *= 1e9,
            _ => {}
        }
        end += usize::from(ordinal || value.to_bits() != digits.parse::<f64>().ok()?.to_bits());
    }
    if ordinal || tokens.get(end - 1).is_some_and(|last| last.shape != TokenShape::Digits) {
        return Some(Number {
            value,
            digits: if ordinal { digits } else { String::new() },
            ordinal,
            end,
        });
    }
    let (value, after) = scaled(tokens, end, value);
    if after > end {
        digits.clear();
    }
    let (value, after) = with_fraction(tokens, after, value);
    Some(Number { value, digits, ordinal: false, end: after })
}

fn follows_currency(tokens: &[Token], at: usize) -> bool {
    at > 0 && matches!(tokens[at - 1].text.as_str(), "$" | "€" | "£" | "eur" | "usd" | "gbp")
}

/// `12 400`: three digits after a space go on with a number.
fn continues_thousands(next: &Token) -> bool {
    next.spaced
        && next.shape == TokenShape::Digits
        && next.text.len() == 3
        && next.text.bytes().all(|b| b.is_ascii_digit())
}

/// `3/4`: returns the divisor of a fraction below 1.
fn fraction_divisor(tokens: &[Token], at: usize, value: f64) -> Option<f64> {
    let (slash, below) = (tokens.get(at)?, tokens.get(at + 1)?);
    let divisor: f64 = below.text.parse().ok()?;
    let dated = tokens
        .get(at + 2)
        .is_some_and(|next| !next.spaced && (next.is("/") || next.shape == TokenShape::Digits));
    let joined = (slash.is("/") || slash.is("\u{2044}")) && !slash.spaced && !below.spaced;
    (joined && !dated && value < divisor && (2.0..=10.0).contains(&divisor)).then_some(divisor)
}

/// Returns `1,234.5`, `1.234,5` or `4,95` in digits and a decimal point; `None` for times and versions.
fn separated(text: &str) -> Option<String> {
    if text.contains(':') {
        return None;
    }
    if text.contains('\'') {
        return separated(&text.replace('\'', ""));
    }
    let grouped = |separator: char| {
        let mut groups = text.split(separator);
        let first = groups.next().unwrap_or("");
        (1..=3).contains(&first.len()) && first != "0" && groups.all(|group| group.len() == 3)
    };
    match (text.matches(',').count(), text.matches('.').count()) {
        (0, 0 | 1) => Some(text.to_owned()),
        (_, 0) if grouped(',') => Some(text.replace(',', "")),
        (1, 0) => Some(text.replace(',', ".")),
        (0, _) if grouped('.') => Some(text.replace('.', "")),
        (1, 1) if text.find(',') > text.find('.') => Some(text.replace('.', "").replace(',', ".")),
        (_, 1) => Some(text.replace(',', "")),
        (1, _) => Some(text.replace('.', "").replace(',', ".")),
        _ => None,
    }
}

/// Applies `million` and its like.
fn scaled(tokens: &[Token], at: usize, value: f64) -> (f64, usize) {
    let (mut value, mut at) = (value, at);
    while let Some(scale) =
        tokens.get(at).and_then(|token| SCALES.number(token.text.trim_end_matches('s')))
    {
        value *= scale;
        at += 1;
    }
    (value, at)
}

/// Applies `and a half`.
fn with_fraction(tokens: &[Token], at: usize, value: f64) -> (f64, usize) {
    let word = |offset: usize| tokens.get(at + offset).map_or("", |token| token.text.as_str());
    match (word(0), word(1), word(2)) {
        ("and", "a", "half") => (value + 0.5, at + 3),
        ("and", "a", "quarter") => (value + 0.25, at + 3),
        _ => (value, at),
    }
}

fn in_words(tokens: &[Token], at: usize) -> Option<Number> {
    let (mut total, mut group, mut seen) = (0.0, 0.0, false);
    let (mut end, mut ordinal) = (at, false);
    while let Some(token) = tokens.get(end) {
        let word = token.text.as_str();
        if seen && (word == "and" || (word == "-" && !token.spaced)) {
            if word == "and" && group < 100.0 && total == 0.0 || !adds(tokens, end + 1, group) {
                break;
            }
            end += 1;
            continue;
        }
        if let Some(value) = CARDINALS.number(word) {
            if seen && !fits(group, value) {
                break;
            }
            group += value;
        } else if let Some(value) = ordinal_value(word) {
            if seen && !fits(group, value) {
                break;
            }
            group += value;
            ordinal = true;
        } else if let Some(scale) = SCALES.number(word) {
            if !seen && !follows_article(tokens, end) {
                return None;
            }
            let factor = if seen { group } else { 1.0 };
            if scale >= 1e3 {
                total += factor * scale;
                group = 0.0;
            } else {
                group = factor * scale;
            }
        } else {
            break;
        }
        seen = true;
        end += 1;
        if ordinal {
            break;
        }
    }
    if !seen {
        return None;
    }
    let century = total == 0.0 && !ordinal && (11.0..=20.0).contains(&group);
    if let Some(rest) = in_words_below_hundred(tokens, end).filter(|_| century) {
        let value = group * 100.0 + rest.value;
        return Some(Number { value, digits: value.to_string(), ordinal: false, end: rest.end });
    }
    let (value, end) = decimals(tokens, end, total + group);
    let (value, end) = match with_fraction(tokens, end, value) {
        (more, after) if !ordinal && after > end => scaled(tokens, after, more),
        _ => (value, end),
    };
    Some(Number { value, digits: String::new(), ordinal, end })
}

/// The rest of a year in words: `nineteen ninety-two`.
fn in_words_below_hundred(tokens: &[Token], at: usize) -> Option<Number> {
    let first = tokens.get(at).filter(|token| token.is_word() && token.spaced)?;
    CARDINALS.number(&first.text).filter(|value| *value >= 10.0)?;
    in_words(tokens, at).filter(|rest| (10.0..100.0).contains(&rest.value) && !rest.ordinal)
}

fn follows_article(tokens: &[Token], at: usize) -> bool {
    at > 0 && matches!(tokens[at - 1].text.as_str(), "a" | "an" | "one")
}

/// Returns true if `value` completes `group`: `twenty` and `five`, `two hundred` and `six`.
fn fits(group: f64, value: f64) -> bool {
    group == 0.0
        || (group % 100.0 == 0.0 && value < 100.0)
        || (group % 10.0 == 0.0 && group % 100.0 >= 20.0 && value < 10.0)
}

fn adds(tokens: &[Token], at: usize, group: f64) -> bool {
    tokens.get(at).is_some_and(|token| {
        let value = CARDINALS.number(&token.text).or_else(|| ordinal_value(&token.text));
        value.is_some_and(|value| fits(group, value))
            || (!token.spaced && SCALES.number(&token.text).is_some())
    })
}

/// `three point five`.
fn decimals(tokens: &[Token], at: usize, value: f64) -> (f64, usize) {
    if !tokens.get(at).is_some_and(|token| token.is("point")) {
        return (value, at);
    }
    let (mut value, mut end, mut place) = (value, at + 1, 0.1);
    while let Some(digit) =
        tokens.get(end).and_then(|token| CARDINALS.number(&token.text)).filter(|d| *d < 10.0)
    {
        value += digit * place;
        place /= 10.0;
        end += 1;
    }
    let (value, scaled_end) = scaled(tokens, end, value);
    if end == at + 1 { (value, at) } else { (value, scaled_end) }
}

/// Returns the value of an ordinal word.
pub(super) fn ordinal_value(word: &str) -> Option<f64> {
    ORDINALS.number(word).or_else(|| {
        let cardinal = word.strip_suffix("th")?;
        CARDINALS.number(cardinal).or_else(|| SCALES.number(cardinal))
    })
}

/// Returns the value of a Roman numeral of at least two letters, up to 20.
pub(super) fn roman(word: &str) -> Option<u32> {
    ROMAN.get(word)?.parse().ok()
}

static ROMAN: WordMap = WordMap::new(
    "ii=2 iii=3 iv=4 vi=6 vii=7 viii=8 ix=9 xi=11 xii=12 xiii=13 xiv=14 xv=15 xvi=16 xvii=17 xviii=18 xix=19 xx=20",
);
