//! Languages as data: one file each in `crates/core/languages`, read by BM25's analysis, the scorer `mlqa`, the rule of correctness
//! and the metrics of citations.
//!
//! To add a language, write its file and nothing else. A key may be left out, except `yes`, `no`,
//! `negations`, `months` and the classes of replies that decline. An entry may have several words; `*` at its end matches any ending, `*` at its
//! start any beginning. Case and diacritics do not matter. Where an entry has several names, spaces separate them, and `_` the
//! words of one name; their value or symbol comes first.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use include_dir::{Dir, File, include_dir};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use whatlang::{Lang, Script};

/// The files: those of languages by their ISO 639-1 code.
static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/languages");

/// A language's words and marks.
#[derive(Default, Deserialize)]
#[serde(default)]
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
    /// Short forms that precede a word with an apostrophe between: `l` in `l'Élysée`.
    pub elisions: Vec<String>,
    /// Endings that may directly follow any word, as particles do, with the mark before them, if any: `'da` in `Türkiye'da`.
    pub particles: Vec<String>,
    /// Nouns before the number of a cited passage, in texts of any language: `document` in `[document 2]`. Of letters, without `*`.
    pub cited: Vec<String>,
    /// Words that the rule of correctness reads.
    #[serde(flatten)]
    pub words: BTreeMap<Class, Vec<String>>,
}

/// A class of words that the rule of correctness reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Words without content of their own, besides the stop words.
    FunctionWords,
    /// The articles and elisions above.
    #[serde(skip)]
    Articles,
    #[serde(skip)]
    Elisions,
    /// Conjunctions and pronouns that begin a clause.
    ClauseWords,
    /// Words that say yes.
    Yes,
    /// Words that say no.
    No,
    /// Pleasantries before an answer, which are no part of it.
    Openings,
    /// Words that deny their clause.
    Negations,
    /// Phrases that begin with a negation and deny nothing: `not only`.
    NotDenials,
    /// Phrases before something that is not the answer: `instead of`.
    Contrasts,
    /// Phrases in the clause of something that no longer holds.
    Former,
    /// Phrases that deny what precedes them: `is wrong`.
    DenialsAfter,
    /// Words of doubt.
    Hedges,
    /// Words between alternatives.
    Or,
    /// Words between parts that all count.
    And,
    /// Words before a contrast.
    But,
    /// Phrases of an upper bound that is included.
    AtMost,
    /// Phrases of a lower bound that is included.
    AtLeast,
    /// Phrases of a lower bound that is excluded.
    MoreThan,
    /// Phrases of an upper bound that is excluded.
    LessThan,
    /// Words next to a date, time of day or bare number that make it an upper limit, where the gold answer is a lower one: `by`, `until`.
    Before,
    /// Words next to a value that make it a lower limit, where the gold answer is an upper one: `from`, `after`, `every`.
    After,
    /// Words of a question that asks what must be kept: an answer's "at least" is none of another limit.
    Musts,
    /// Two sides of a direction or an order, with `|` between: `before | after`.
    Opposites,
    /// Words of a question that asks for an upper limit.
    AsksMost,
    /// Words of a question that asks for a lower limit.
    AsksLeast,
    /// Words of a question that asks for an order: `respectively`.
    Order,
    /// Words of a question that asks for a person.
    Who,
    /// Words before a name that are no part of it.
    Titles,
    /// Words that make another name of the one that follows.
    NameStarts,
    /// Words between the words of a name, and before a place that has it: `of`.
    Links,
    /// Words that are the same, the first one first.
    Aliases,
    /// Words of a clause that concludes: its value or name is the answer, as if emphasised.
    Conclusions,

    /// Replies that decline as a whole.
    WholeReplies,
    /// The speaker: `I`, `we`.
    Speakers,
    /// The searched sources: `context`, `documents`.
    Sources,
    /// The missing thing: `information`, `answer`.
    Matters,
    /// Words of lacking and denying.
    Denials,
    /// Verbs of stating, which need no source: `is not stated`.
    Statements,
    /// Apologies and offers of help around a refusal.
    Apologies,
    /// Phrases that say by themselves that something is missing: `is silent on`, `beyond the scope of`.
    Lacks,
    /// Words of restriction: `only`.
    Only,
    /// What an assistant does: `help`, `questions`. Restricted, they decline.
    Serves,
    /// Words of a rule or duty, which deny nothing: `must not`.
    Duties,
    /// Words that open a subordinate clause, whose denial is not the source's own: `says that`, `if`.
    Frames,
    /// Words before a source that is only named: `according to the text`.
    Attributions,
    /// Verbs of treating a topic, and of what is known: `The text describes the trial, not the verdict.`
    Topics,

    /// Ordinals: value, then the names. Of two classes up to `ClockWords` that have a word, the later one wins.
    Ordinals,
    /// The twelve months: number, then the names.
    Months,
    /// Numbers: value, then the names.
    Cardinals,
    /// Factors: value, then the names.
    Scales,
    /// Fractions: value, then the names.
    Halves,
    /// Times of day: hour, then the names.
    ClockWords,
    /// Endings that make digits an ordinal.
    OrdinalEnds,
    /// Marks of the first half of the day, after an hour.
    BeforeNoon,
    /// Marks of the second half of the day, after an hour.
    AfterNoon,
    /// Words that make a number an hour of the day: `Uhr`.
    HourWords,
    /// Words before a range: `between`.
    RangeStarts,
    /// Words between the ends of a range: `to`.
    RangeLinks,
    /// Signs of a negative number.
    Minus,
    /// Words between an amount and the unit that it is divided by.
    Per,
    /// Words before a time after which something happens again: `every`.
    Every,
    /// Nouns of counts that recur: the `times` of `four times an hour`.
    Times,
    /// Symbol of a unit of time, then the words for each: `daily`.
    Periods,
    /// Symbol of a unit, then its names.
    Units,
}

/// English, the others with a file, and those without one.
static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let names = FILES.files().filter_map(|file| file.path().file_stem()?.to_str());
    let codes = names.filter(|name| name.len() == 2);
    let own = codes.map(|code| (code.to_owned(), read(&format!("{code}.toml"))));
    let others: BTreeMap<String, Language> = read("others.toml");
    let all = own.chain(others).map(|(code, language)| Language { code, ..language });
    let mut all: Vec<Language> = all.collect();
    all.sort_by_key(|it| (!it.is_english(), !it.has_data()));
    all
});

/// The language of which nothing is known.
static NONE: LazyLock<Language> = LazyLock::new(Language::default);

impl Language {
    /// Returns all languages with data, English first.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &LANGUAGES[..LANGUAGES.partition_point(Self::has_data)]
    }

    /// Returns the words of one kind, such as the particles, of all languages.
    pub fn in_all(
        of: fn(&'static Self) -> &'static [String],
    ) -> impl Iterator<Item = &'static str> {
        LANGUAGES.iter().flat_map(of).map(String::as_str)
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

    /// Returns true for English.
    #[must_use]
    pub fn is_english(&self) -> bool {
        self.code == "en"
    }

    /// Returns true if the language has a file.
    #[must_use]
    pub fn has_data(&self) -> bool {
        !self.name.is_empty()
    }

    /// Returns the words of a class.
    pub(crate) fn words(&self, class: Class) -> impl Iterator<Item = &str> {
        self.words.get(&class).into_iter().flatten().map(String::as_str)
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

/// Returns what a file says.
pub(crate) fn read<T: DeserializeOwned>(name: &str) -> T {
    let text = FILES.get_file(name).and_then(File::contents_utf8).unwrap_or_default();
    toml::from_str(text).unwrap_or_else(|error| panic!("languages/{name}: {error}"))
}

/// Returns the units that all languages share, by dimension: symbol, factor to the base unit, and the shift before it.
pub(crate) fn units() -> BTreeMap<String, BTreeMap<String, (f64, f64)>> {
    read("units.toml")
}

/// Number of texts to sample.
const N_SAMPLES: usize = 40;
/// Bytes of the sample, about 20,000 letters of English.
const SAMPLE_BYTES: usize = 20_000;
/// Letters and digits that show a language written in Latin script; fewer are taken for English.
const LEAST_LETTERS: usize = 60;

/// ISO 639-3 and 639-1 of whatlang's languages whose 639-1 code is not the first two letters of 639-3.
const CODES: &str = include_str!("../../languages/codes.txt");

/// Returns the ISO 639-1 code of the language of `texts`, from the beginnings of some spread over all. Text in Latin script that is
/// short or of no clear language counts as English, as does no text at all.
#[must_use]
pub fn detect<'a>(texts: impl ExactSizeIterator<Item = &'a str>) -> String {
    let step = texts.len().div_ceil(N_SAMPLES).max(1);
    let n_samples = texts.len().div_ceil(step).max(1);
    let mut sample = String::new();
    for text in texts.step_by(step) {
        sample.push_str(&text[..text.floor_char_boundary(SAMPLE_BYTES / n_samples)]);
        sample.push('\n');
    }
    let n_letters = sample.chars().filter(|c| c.is_alphanumeric()).count();
    let found = whatlang::detect(&sample).filter(|found| {
        found.script() != Script::Latin || found.is_reliable() && n_letters >= LEAST_LETTERS
    });
    let code = found.map_or(Lang::Eng, |found| found.lang()).code();
    let mut codes = CODES.split_ascii_whitespace();
    codes.find(|known| *known == code).and_then(|_| codes.next()).unwrap_or(&code[..2]).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read_and_has_what_the_rule_needs() {
        for language in Language::all() {
            let needed =
                [Class::Yes, Class::No, Class::Negations].map(|class| language.words(class).next());
            assert!(language.has_data() && needed.iter().all(Option::is_some), "{language:?}");
            assert_eq!(language.words(Class::Months).count(), 12, "{language:?}");
            let declining = Class::WholeReplies..=Class::Topics;
            assert_eq!(language.words.range(declining).count(), 14, "{language:?}");
            let is_pair = |pair: &str| pair.matches('|').count() == 1;
            assert!(language.words(Class::Opposites).all(is_pair), "{language:?}");
        }
    }

    #[test]
    fn every_unit_has_a_shared_symbol_and_every_number_word_a_value() {
        let units = units();
        let symbols: Vec<&str> =
            units.values().flat_map(BTreeMap::keys).map(String::as_str).collect();
        for language in Language::all() {
            for unit in language.words(Class::Units).chain(language.words(Class::Periods)) {
                let (symbol, _) = unit.split_once(' ').expect("names");
                assert!(symbols.contains(&symbol), "{language:?}: {unit}");
            }
            for entry in language.words.range(Class::Ordinals..=Class::ClockWords) {
                let is_value = |entry: &String| {
                    entry.split_once(' ').is_some_and(|(value, _)| value.parse::<f64>().is_ok())
                };
                assert!(entry.1.iter().all(is_value), "{language:?}: {entry:?}");
            }
        }
    }

    #[test]
    fn a_language_without_a_file_has_no_words() {
        assert!(!Language::of("xx").has_data() && Language::of("de").has_data());
    }

    #[test]
    fn a_language_is_detected_by_its_own_text_and_the_unclear_is_english() {
        let cases = [
            (
                "en",
                "The order was not delivered, because the driver found no one at home and the parcel went back.",
            ),
            (
                "de",
                "Die Bestellung wurde nicht ausgeliefert, weil der Fahrer niemanden angetroffen hat und das Paket zurückging.",
            ),
            ("ru", "Заказ не был доставлен, потому что водитель никого не застал дома."),
            ("ar", "لم يتم تسليم الطلب لأن السائق لم يجد أحدا في المنزل"),
            ("zh", "因为司机没有找到任何人，所以订单没有送达。"),
            ("ja", "運転手が誰にも会えなかったため、注文は配達されませんでした。"),
            ("ko", "운전기사가 아무도 만나지 못해 주문이 배달되지 않았습니다."),
            ("th", "คำสั่งซื้อไม่ได้รับการจัดส่งเนื่องจากคนขับไม่พบใครที่บ้าน"),
            ("en", "kubectl rollout undo"),
            ("en", "Warszawa 1923"),
            ("en", ""),
        ];
        for (code, text) in cases {
            assert_eq!(detect([text].into_iter()), code, "{text}");
        }
    }

    #[test]
    fn every_language_of_the_detector_has_a_two_letter_code() {
        let pairs: Vec<&str> = CODES.split_ascii_whitespace().collect();
        for pair in pairs.chunks(2) {
            assert!(Lang::from_code(pair[0]).is_some() && pair[1].len() == 2, "{pair:?}");
        }
    }
}
