//! What stands out in a sentence: the spans an answer may be.
//!
//! Found by looks alone, without a dictionary of names: what stands in backticks or double quotes, runs of capitalised
//! words, dates, and numbers with their unit.

use std::ops::Range;

use super::terms::{Word, is_stop_word};

/// Lower-case words that may stand inside a name, between two capitalised ones.
const NAME_JOINTS: [&str; 12] = [
    "al", "bin", "da", "de", "del", "der", "di", "la", "of", "the", "van", "von",
];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const NUMBER_WORDS: [&str; 17] = [
    "billion", "eight", "eleven", "five", "four", "hundred", "million", "nine", "seven", "six",
    "ten", "thirty", "thousand", "three", "twelve", "twenty", "two",
];

/// Words behind a number that belong to it.
const UNITS: [&str; 50] = [
    "b",
    "bytes",
    "cm",
    "day",
    "days",
    "dollars",
    "feet",
    "ft",
    "gb",
    "ghz",
    "gib",
    "h",
    "hectares",
    "hour",
    "hours",
    "hz",
    "inches",
    "kb",
    "kg",
    "kib",
    "kilometers",
    "kilometres",
    "km",
    "kw",
    "lb",
    "m",
    "mb",
    "meters",
    "metres",
    "mhz",
    "mib",
    "mile",
    "miles",
    "min",
    "minute",
    "minutes",
    "mm",
    "month",
    "months",
    "ms",
    "mw",
    "percent",
    "pounds",
    "s",
    "second",
    "seconds",
    "tb",
    "tons",
    "weeks",
    "years",
];

/// A longer quoted or backticked run is a sentence, not an answer.
const LONGEST_QUOTE_BYTES: usize = 120;

/// A candidate's looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looks {
    /// It stands in backticks.
    Code,
    /// It stands in double quotes.
    Quoted,
    /// Capitalised words.
    Name,
    /// One capitalised word that opens the sentence, and may be capitalised for that only.
    Opening,
    /// A day, month with year, year or decade.
    Date,
    /// A number with its unit.
    Number,
}

/// A candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// Bytes of the sentence, without backticks or quotes.
    pub range: Range<usize>,
    pub looks: Looks,
}

/// All candidates of a sentence; they may overlap.
pub(super) fn candidates(text: &str, words: &[Word<'_>]) -> Vec<Candidate> {
    let mut found = enclosed(text);
    let mut at = 0;
    while at < words.len() {
        let Some((looks, end)) = run(text, words, at) else {
            at += 1;
            continue;
        };
        let start = words[at].start;
        let mut stop = words[end - 1].end();
        let name = &text[start..stop];
        match looks {
            Looks::Number if text[stop..].starts_with('%') => stop += 1,
            Looks::Name | Looks::Opening => stop = start + possessor(name).len(),
            _ => {}
        }
        found.push(Candidate {
            range: start..stop,
            looks,
        });
        at = end;
    }
    found
}

fn possessor(name: &str) -> &str {
    name.strip_suffix("'s")
        .or_else(|| name.strip_suffix("’s"))
        .unwrap_or(name)
}

/// What stands in backticks or double quotes.
fn enclosed(text: &str) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (open, close, looks) in [
        ('`', '`', Looks::Code),
        ('"', '"', Looks::Quoted),
        ('“', '”', Looks::Quoted),
    ] {
        let mut from = 0;
        while let Some(start) = text[from..]
            .find(open)
            .map(|at| from + at + open.len_utf8())
        {
            let Some(end) = text[start..].find(close).map(|at| start + at) else {
                break;
            };
            if (1..=LONGEST_QUOTE_BYTES).contains(&(end - start)) {
                found.push(Candidate {
                    range: start..end,
                    looks,
                });
            }
            from = end + close.len_utf8();
        }
    }
    found
}

/// The date, number or name that begins at word `at`, with the place of the word behind it.
fn run(text: &str, words: &[Word<'_>], at: usize) -> Option<(Looks, usize)> {
    if let Some(end) = date_end(words, at) {
        return Some((Looks::Date, end));
    }
    if is_number(words[at]) {
        return Some((Looks::Number, number_end(text, words, at)));
    }
    let opens_name = words[at].is_capital() && !is_stop_word(words[at].text);
    opens_name.then(|| {
        let end = name_end(text, words, at);
        (
            if at == 0 && end == 1 {
                Looks::Opening
            } else {
                Looks::Name
            },
            end,
        )
    })
}

/// What stands between word `at` and the one before it.
fn gap<'a>(text: &'a str, words: &[Word<'_>], at: usize) -> &'a str {
    &text[words[at - 1].end()..words[at].start]
}

fn name_end(text: &str, words: &[Word<'_>], at: usize) -> usize {
    let mut end = at + 1;
    for next in at + 1..words.len() {
        let joined = match gap(text, words, next) {
            " " | " & " => true,
            ". " => words[next - 1].text.len() <= 2,
            _ => false,
        };
        if joined && words[next].is_capital() {
            end = next + 1;
        } else if !joined || !NAME_JOINTS.contains(&words[next].text) {
            break;
        }
    }
    end
}

fn is_number(word: Word<'_>) -> bool {
    word.is_numeric()
        || NUMBER_WORDS
            .binary_search(&word.text.to_lowercase().as_str())
            .is_ok()
}

fn number_end(text: &str, words: &[Word<'_>], at: usize) -> usize {
    let more = (at + 1..words.len())
        .take_while(|&next| gap(text, words, next) == " " && is_number(words[next]))
        .count();
    let end = at + 1 + more;
    let has_unit = end < words.len() && gap(text, words, end) == " " && is_unit(words[end].text);
    end + usize::from(has_unit)
}

/// Whether a word is a unit that may stand behind a number.
pub(super) fn is_unit(word: &str) -> bool {
    UNITS.binary_search(&word.to_lowercase().as_str()).is_ok()
}

/// The place behind a date: `12 May 2005`, `May 12, 2005`, `May 2005`, `2005`, `1980s`.
fn date_end(words: &[Word<'_>], at: usize) -> Option<usize> {
    let word = |n: usize| words.get(at + n).map_or("", |word| word.text);
    let is_month = |n: usize| MONTHS.contains(&word(n));
    let is_day = |n: usize| {
        (1..=2).contains(&word(n).len()) && word(n).bytes().all(|byte| byte.is_ascii_digit())
    };
    let n_words = if (is_day(0) && is_month(1)) || (is_month(0) && is_day(1)) {
        2 + usize::from(is_year(word(2)))
    } else if is_month(0) && is_year(word(1)) {
        2
    } else {
        usize::from(is_year(word(0)))
    };
    (n_words > 0).then_some(at + n_words)
}

/// Whether a word is a year from 1000 to 2099, or such a decade.
pub(super) fn is_year(word: &str) -> bool {
    let digits = word.strip_suffix('s').unwrap_or(word);
    digits.len() == 4
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && ("1000".."2100").contains(&digits)
}

#[cfg(test)]
mod tests {
    use super::super::terms::words;
    use super::*;

    fn found(text: &str) -> Vec<(&str, Looks)> {
        candidates(text, &words(text))
            .into_iter()
            .map(|found| (&text[found.range], found.looks))
            .collect()
    }

    #[test]
    fn what_stands_out_is_found_with_its_looks() {
        assert_eq!(
            found(
                "Run `kubectl drain` on J. R. Smith's host before 12 May 2005, wait 5 minutes, then \"Go\" at 80%."
            ),
            [
                ("kubectl drain", Looks::Code),
                ("Go", Looks::Quoted),
                ("Run", Looks::Opening),
                ("J. R. Smith", Looks::Name),
                ("12 May 2005", Looks::Date),
                ("5 minutes", Looks::Number),
                ("Go", Looks::Name),
                ("80%", Looks::Number),
            ],
        );
        assert_eq!(
            found("In the University of Oxford, over two million pages from the 1980s."),
            [
                ("University of Oxford", Looks::Name),
                ("two million", Looks::Number),
                ("1980s", Looks::Date)
            ],
        );
    }

    #[test]
    fn an_unclosed_backtick_encloses_nothing() {
        assert_eq!(found("stop ` here"), []);
    }

    #[test]
    fn the_tables_are_sorted_for_the_binary_search() {
        assert!(UNITS.is_sorted());
        assert!(NUMBER_WORDS.is_sorted());
    }
}
