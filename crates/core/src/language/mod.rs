//! Languages as data: one file each in `crates/core/languages`, read by BM25's analysis, the scorer `mlqa` and the rule of rightness.
//!
//! To add a language, write its file, add it to [`FILES`], and nothing else. A key may be left out. An entry may have several
//! words; `*` at its end stands for any ending, `*` at its start for any beginning. Case and diacritics do not matter.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;

/// The files by their ISO 639-1 code.
const FILES: &[(&str, &str)] = &[
    ("en", include_str!("../../languages/en.toml")),
    ("de", include_str!("../../languages/de.toml")),
];

/// The units that all languages share, by dimension: symbol, factor to the base unit, and the shift before it.
const UNITS: &str = include_str!("../../languages/units.toml");

/// What is known of a language.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Language {
    /// ISO 639-1 code, the file's name.
    #[serde(skip)]
    pub code: String,
    /// English name; empty for a language without a file.
    pub name: String,
    /// Name of its Snowball stemmer, as in `rust_stemmers::Algorithm`, in lower case; empty without one.
    pub stemmer: String,
    /// Decimal mark, `.` or `,`; the other one separates thousands.
    pub decimal: String,
    /// A capital letter marks a name: not where common nouns have one, or the script has no case.
    pub names_by_case: bool,
    /// Articles, as removed by MLQA's script for the languages that it knows.
    pub articles: Vec<String>,
    /// Words that BM25 drops.
    pub stop_words: Vec<String>,
    /// Words without content of their own, besides the stop words.
    pub function_words: Vec<String>,
    /// Short forms that precede a word with an apostrophe between: `l` in `l'Élysée`.
    pub elisions: Vec<String>,
    /// Endings that may directly follow any word, as particles do.
    pub particles: Vec<String>,
    /// Words that say yes.
    pub yes: Vec<String>,
    /// Words that say no.
    pub no: Vec<String>,
    /// Pleasantries before an answer, which are no part of it.
    pub openings: Vec<String>,
    /// Words that deny what is said in their clause.
    pub negations: Vec<String>,
    /// Phrases before something that is not the answer: `instead of`.
    pub contrasts: Vec<String>,
    /// Phrases before or after something that no longer holds.
    pub former: Vec<String>,
    /// Phrases that deny what precedes them: `is wrong`.
    pub denials_after: Vec<String>,
    /// Words of doubt.
    pub hedges: Vec<String>,
    /// Words between alternatives.
    pub or: Vec<String>,
    /// Words between parts that all count.
    pub and: Vec<String>,
    /// Words before a contrast.
    pub but: Vec<String>,
    /// Phrases of an upper bound that is included.
    pub at_most: Vec<String>,
    /// Phrases of a lower bound that is included.
    pub at_least: Vec<String>,
    /// Phrases of a lower bound that is excluded.
    pub more_than: Vec<String>,
    /// Phrases of an upper bound that is excluded.
    pub less_than: Vec<String>,
    /// Pairs of words that contradict each other, separated by a space.
    pub opposites: Vec<String>,
    /// Replies that decline to answer.
    pub declined: DeclinedWords,
    /// Numbers, dates, times and units.
    pub numbers: NumberWords,
}

/// Words of replies that decline to answer: that a source, or the speaker, lacks the matter asked for.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeclinedWords {
    /// Whole replies.
    pub whole: Vec<String>,
    /// The speaker: `I`, `we`.
    pub speakers: Vec<String>,
    /// What was searched: `context`, `documents`.
    pub sources: Vec<String>,
    /// What is missing: `information`, `answer`.
    pub matters: Vec<String>,
    /// Words of lacking and denying.
    pub denials: Vec<String>,
    /// Verbs of knowing, finding and containing: they decline together with speaker, source or matter.
    pub verbs: Vec<String>,
    /// Verbs of stating, which decline by themselves: `is not stated`.
    pub statements: Vec<String>,
    /// Apologies before a refusal.
    pub apologies: Vec<String>,
}

/// Numbers, dates, times and units in words. Alternatives are separated by spaces, words of one name by `_`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NumberWords {
    /// Names of 0, 1, 2 and so on; those of twenty and more may be here or in `tens`.
    pub cardinals: Vec<String>,
    /// Names of 20, 30 to 90, which are followed by a unit.
    pub tens: Vec<String>,
    /// Word between a unit and the ten that follows it: `fünfundzwanzig`.
    pub unit_before_ten: String,
    /// Ordinals of 0, 1, 2 and so on.
    pub ordinals: Vec<String>,
    /// Endings that make digits an ordinal.
    pub ordinal_ends: Vec<String>,
    /// Factors: name and value.
    pub scales: Vec<String>,
    /// Fractions: name and value.
    pub halves: Vec<String>,
    /// Names of the twelve months.
    pub months: Vec<String>,
    /// Marks of the first half of the day, after an hour.
    pub before_noon: Vec<String>,
    /// Marks of the second half of the day, after an hour.
    pub after_noon: Vec<String>,
    /// Times of day by name: name and hour.
    pub clock_words: Vec<String>,
    /// Words between an amount and the unit that it is divided by.
    pub per: Vec<String>,
    /// Adverbs of a rate: name and symbol of the unit.
    pub rates: Vec<String>,
    /// Symbol of a unit, then its names.
    pub units: Vec<String>,
}

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let read = |(code, text): &(&str, &str)| Language {
        code: (*code).to_owned(),
        ..toml::from_str(text).unwrap_or_else(|error| panic!("languages/{code}.toml: {error}"))
    };
    FILES.iter().map(read).collect()
});

/// The language without data.
static NONE: LazyLock<Language> = LazyLock::new(Language::default);

impl Language {
    /// Returns all languages with data, English first.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &LANGUAGES
    }

    /// Returns English.
    #[must_use]
    pub fn english() -> &'static Self {
        &LANGUAGES[0]
    }

    /// Returns the language of an ISO 639-1 code; one without any words if there is no data.
    #[must_use]
    pub fn of(code: &str) -> &'static Self {
        LANGUAGES.iter().find(|language| language.code == code).unwrap_or(&NONE)
    }

    /// Returns true if the language has a file.
    #[must_use]
    pub fn has_data(&self) -> bool {
        !self.name.is_empty()
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.code)
    }
}

/// Returns the shared units by dimension.
#[must_use]
pub fn units() -> BTreeMap<String, Vec<String>> {
    toml::from_str(UNITS).unwrap_or_else(|error| panic!("languages/units.toml: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read_and_has_what_the_rule_needs() {
        for language in Language::all() {
            let Language { name, yes, no, negations, declined, numbers, .. } = language;
            let needed = [
                yes,
                no,
                negations,
                &declined.whole,
                &declined.sources,
                &declined.denials,
                &declined.statements,
                &numbers.units,
            ];
            assert!(!name.is_empty() && needed.iter().all(|words| !words.is_empty()), "{name}");
            assert!(numbers.months.len() == 12, "{name}");
        }
    }

    #[test]
    fn every_unit_has_a_shared_symbol() {
        let units = units();
        let symbols: Vec<&str> =
            units.values().flatten().filter_map(|unit| unit.split(' ').next()).collect();
        for language in Language::all() {
            for unit in &language.numbers.units {
                let symbol = unit.split(' ').next().unwrap_or_default();
                assert!(symbols.contains(&symbol), "{}: {unit}", language.name);
            }
        }
    }

    #[test]
    fn a_language_without_a_file_has_no_words() {
        assert!(!Language::of("xx").has_data() && Language::of("de").has_data());
    }
}
