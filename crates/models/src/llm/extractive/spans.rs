//! Candidate answer spans, detected by form alone, and the kind of span that a question asks for.

use std::ops::Range;

use super::terms::{TextWord, is_stop_word, words};

/// Lower-case words that may be inside a name.
const NAME_JOINTS: &str = "al bin da de del der di la of the van von";
const MONTHS: &str =
    "January February March April May June July August September October November December";
const NUMBER_WORDS: &str = "billion eight eleven five four hundred million nine seven six ten thirty thousand three twelve twenty two";
/// Words after a number that belong to it.
const UNITS: &str = "b bytes cm day days dollars feet ft gb ghz gib h hectares hour hours hz inches kb kg kib kilometers \
     kilometres km kw lb m mb meters metres mhz mib mile miles min minute minutes mm month months ms mw percent pounds s second \
     seconds tb tons weeks years";
/// Maximum length of a quoted or backticked candidate; longer ones are sentences.
const LONGEST_QUOTE_BYTES: usize = 120;

/// The form of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looks {
    /// In backticks.
    Code,
    /// In double quotes.
    Quoted,
    /// Capitalised words.
    Name,
    /// A capitalised word that opens the sentence, possibly capitalised only for that reason.
    Opening,
    /// A day, month with year, year or decade.
    Date,
    /// A number with its unit.
    Number,
}

/// A span that may be an answer.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Bytes of the sentence, without backticks or quotes.
    pub range: Range<usize>,
    pub looks: Looks,
}

/// Returns all candidates of a sentence; they may overlap.
pub(super) fn candidates(text: &str, words: &[TextWord<'_>]) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (open, close, looks) in [
        ('`', '`', Looks::Code),
        ('"', '"', Looks::Quoted),
        ('“', '”', Looks::Quoted),
    ] {
        let mut from = 0;
        while let Some(at) = text[from..].find(open) {
            let start = from + at + open.len_utf8();
            let Some(n_bytes) = text[start..].find(close) else {
                break;
            };
            if (1..=LONGEST_QUOTE_BYTES).contains(&n_bytes) {
                let range = start..start + n_bytes;
                found.push(Candidate { range, looks });
            }
            from = start + n_bytes + close.len_utf8();
        }
    }
    let mut at = 0;
    while at < words.len() {
        let Some((looks, n_words)) = run(text, words, at) else {
            at += 1;
            continue;
        };
        let start = words[at].start;
        at += n_words;
        let mut end = words[at - 1].end();
        let span = &text[start..end];
        match looks {
            Looks::Number if text[end..].starts_with('%') => end += 1,
            Looks::Name | Looks::Opening => {
                let name = span.strip_suffix("'s").or(span.strip_suffix("’s"));
                end = start + name.unwrap_or(span).len();
            }
            _ => {}
        }
        let range = start..end;
        found.push(Candidate { range, looks });
    }
    found
}

/// Returns the form and number of words of the date, number or name that begins at word `at`.
fn run(text: &str, words: &[TextWord<'_>], at: usize) -> Option<(Looks, usize)> {
    let word = words[at].text;
    let n_words = date_words(&words[at..]);
    if n_words > 0 {
        return Some((Looks::Date, n_words));
    }
    if is_number(word) {
        return Some((Looks::Number, number_words(text, &words[at..])));
    }
    if !is_capital(word) || is_stop_word(word) {
        return None;
    }
    let n_words = name_words(text, &words[at..]);
    let opens = at == 0 && n_words == 1;
    Some((if opens { Looks::Opening } else { Looks::Name }, n_words))
}

/// `12 May 2005`, `May 12, 2005`, `May 2005`, `2005`, `1980s`.
fn date_words(words: &[TextWord<'_>]) -> usize {
    let [first, second, third] = [0, 1, 2].map(|n| words.get(n).map_or("", |word| word.text));
    if (is_day(first) && lists(MONTHS, second)) || (lists(MONTHS, first) && is_day(second)) {
        2 + usize::from(is_year(third))
    } else if lists(MONTHS, first) && is_year(second) {
        2
    } else {
        usize::from(is_year(first))
    }
}

fn number_words(text: &str, words: &[TextWord<'_>]) -> usize {
    let more = words
        .windows(2)
        .take_while(|two| gap(text, two) == " " && is_number(two[1].text));
    let n = 1 + more.count();
    let has_unit = n < words.len() && gap(text, &words[n - 1..]) == " " && is_unit(words[n].text);
    n + usize::from(has_unit)
}

fn name_words(text: &str, words: &[TextWord<'_>]) -> usize {
    let mut n = 1;
    for (at, two) in words.windows(2).enumerate() {
        let joined = match gap(text, two) {
            " " | " & " => true,
            ". " => two[0].text.len() <= 2,
            _ => false,
        };
        if joined && is_capital(two[1].text) {
            n = at + 2;
        } else if !joined || !lists(NAME_JOINTS, two[1].text) {
            break;
        }
    }
    n
}

/// Returns the text between the first two of `words`.
fn gap<'a>(text: &'a str, words: &[TextWord<'_>]) -> &'a str {
    &text[words[0].end()..words[1].start]
}

fn lists(table: &str, word: &str) -> bool {
    table.split(' ').any(|listed| listed == word)
}

fn is_capital(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) || lists(NUMBER_WORDS, &word.to_lowercase())
}

/// Returns true for a unit that may follow a number.
pub(super) fn is_unit(word: &str) -> bool {
    lists(UNITS, &word.to_lowercase())
}

fn is_day(word: &str) -> bool {
    (1..=2).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns true for a year from 1000 to 2099, or such a decade.
pub(super) fn is_year(word: &str) -> bool {
    let digits = word.strip_suffix('s').unwrap_or(word);
    let is_digits = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_digits && ("1000".."2100").contains(&digits)
}

/// The kind of span wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// A name, preferably of a person.
    Person,
    /// A name, preferably of a place.
    Place,
    Date,
    /// A year alone.
    Year,
    /// A number with its unit.
    Number,
    /// A number without its unit: the question names what is counted.
    Count,
    /// Text in backticks.
    Code,
    /// A clause, for `why` and `how`.
    Clause,
    /// Any candidate but dates and numbers.
    Any,
}

/// The kind of span for a noun after `what` or `which`.
const NOUNS: [(Want, &str); 6] = [
    (Want::Year, "year"),
    (Want::Date, "century date day decade month season"),
    (
        Want::Person,
        "actor actress author director man musician person player singer woman writer",
    ),
    (
        Want::Place,
        "city continent country county island location nation place province region state town village",
    ),
    (
        Want::Number,
        "age amount capacity duration height interval length number percentage population port size threshold timeout",
    ),
    (
        Want::Code,
        "alert branch bucket command config endpoint field file flag header host image key label metric namespace \
         option parameter path query queue script service setting table topic url variable",
    ),
];
/// The number of content words after `what` or `which` among which its noun is sought.
const NOUN_REACH: usize = 3;

impl Want {
    /// Derives the kind of span from the question's first indicative word.
    pub fn of(question: &str) -> Self {
        let lower: Vec<String> = words(question)
            .iter()
            .map(|word| word.text.to_lowercase())
            .collect();
        for (at, word) in lower.iter().enumerate() {
            let next = lower.get(at + 1).map_or("", String::as_str);
            return match word.as_str() {
                "who" | "whom" | "who's" => Self::Person,
                "when" => Self::Date,
                "where" => Self::Place,
                "why" => Self::Clause,
                "how" if next.is_empty() || lists("do does did is are can to should", next) => {
                    Self::Clause
                }
                "how" if next == "many" => Self::Count,
                "how" => Self::Number,
                "what" | "which" | "whose" => Self::by_noun(&lower[at + 1..]),
                _ => continue,
            };
        }
        Self::Any
    }

    /// `what year`, `which of the two hosts`, `what is the port`.
    fn by_noun(after: &[String]) -> Self {
        after
            .iter()
            .filter(|word| !is_stop_word(word))
            .take(NOUN_REACH)
            .find_map(|word| {
                let singular = word.strip_suffix('s').unwrap_or(word);
                NOUNS
                    .iter()
                    .find(|(_, nouns)| lists(nouns, word) || lists(nouns, singular))
            })
            .map_or(Self::Any, |(want, _)| *want)
    }

    /// Returns true if the form matches the kind of span.
    pub fn fits(self, looks: Looks) -> bool {
        match self {
            Self::Person | Self::Place => looks == Looks::Name,
            Self::Date | Self::Year => looks == Looks::Date,
            Self::Number | Self::Count => looks == Looks::Number,
            Self::Code => looks == Looks::Code,
            Self::Any => matches!(looks, Looks::Code | Looks::Quoted | Looks::Name),
            Self::Clause => false,
        }
    }
}

#[cfg(test)]
mod tests {
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
    fn the_question_word_or_its_noun_says_what_is_wanted() {
        for (question, expected) in [
            ("Who wrote it?", Want::Person),
            ("In what year was it built?", Want::Year),
            ("When does the backup run?", Want::Date),
            ("Where is the log kept?", Want::Place),
            ("How many replicas are there?", Want::Count),
            ("How long does it take?", Want::Number),
            ("How do I restart it?", Want::Clause),
            ("Why is it slow?", Want::Clause),
            ("What is the timeout of the proxy?", Want::Number),
            ("Which command drains a node?", Want::Code),
            ("What hosts run it?", Want::Code),
            ("Which city was she born in?", Want::Place),
            ("Name the largest one.", Want::Any),
            ("", Want::Any),
        ] {
            assert_eq!(Want::of(question), expected, "{question}");
        }
    }
}
