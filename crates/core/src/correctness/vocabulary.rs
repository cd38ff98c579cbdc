//! The words of a language, compiled for matching against tokens; those of English are known next to every other language's.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use rust_stemmers::Stemmer;
use unicode_normalization::UnicodeNormalization;

use super::notation::fold;
use super::token::{Shaping, Token, tokens};
use crate::language::{self, Class, Language};
use crate::text::analyse::algorithm;

/// A set of phrases: the parts of each, by the first one. `*` at the end of a part matches any ending, at its start any
/// beginning.
#[derive(Default)]
pub(super) struct Phrases {
    exact: HashMap<String, Vec<Vec<String>>>,
    /// Those whose first part has a `*`.
    wild: Vec<Vec<String>>,
}

impl Phrases {
    fn new<'a>(entries: impl IntoIterator<Item = &'a str>) -> Self {
        let mut phrases = Self::default();
        for entry in entries {
            let parts: Vec<String> = entry.split(' ').flat_map(parts).collect();
            match parts.first() {
                Some(first) if first.contains('*') => phrases.wild.push(parts),
                Some(first) => phrases.exact.entry(first.clone()).or_default().push(parts),
                None => {}
            }
        }
        phrases
    }

    /// Returns the number of tokens of the longest phrase that begins at `at`; 0 without one.
    pub(super) fn at(&self, tokens: &[Token], at: usize) -> usize {
        let Some(first) = tokens.get(at) else { return 0 };
        let known = self.exact.get(&first.text).into_iter().flatten().chain(&self.wild);
        known.map(|parts| fit(parts, &tokens[at..])).max().unwrap_or(0)
    }
}

/// Returns the parts of a word of a phrase, as in a cleaned text.
fn parts(word: &str) -> Vec<String> {
    if word.starts_with('*') {
        return vec![fold(word)];
    }
    let word: String = word.nfkc().collect();
    let mut parts: Vec<String> = Vec::new();
    for token in tokens(&word, &Shaping::default()) {
        match parts.last_mut() {
            Some(last) if token.is("*") => last.push('*'),
            _ => parts.push(token.text),
        }
    }
    parts
}

/// Returns the number of tokens that a phrase takes.
fn fit(parts: &[String], tokens: &[Token]) -> usize {
    let mut end = 0;
    for part in parts {
        let fits = |token: &Token| match (part.strip_suffix('*'), part.strip_prefix('*')) {
            (Some(begin), _) => token.text.starts_with(begin),
            (None, Some(end)) => token.text.ends_with(end),
            (None, None) => token.is(part),
        };
        if !tokens.get(end).is_some_and(fits) {
            return 0;
        }
        end += 1;
    }
    end
}

/// The phrases of a language, by class.
pub(super) struct Lexicon(BTreeMap<Class, Phrases>);

impl Lexicon {
    fn new(sources: &[&Language]) -> Self {
        let mut entries: BTreeMap<Class, Vec<&str>> = BTreeMap::new();
        for (class, words) in sources.iter().flat_map(|source| &source.words) {
            entries.entry(*class).or_default().extend(words.iter().map(String::as_str));
        }
        Self(entries.into_iter().map(|(class, words)| (class, Phrases::new(words))).collect())
    }

    /// Returns the number of tokens of the phrase of a class that begins at `at`; 0 without one.
    pub(super) fn at(&self, class: Class, tokens: &[Token], at: usize) -> usize {
        self.0.get(&class).map_or(0, |phrases| phrases.at(tokens, at))
    }

    /// Returns true if a phrase of more than `len` tokens at `at` denies nothing, although its first `len` may: `no more than`, `no doubt`.
    pub(super) fn denies_nothing(&self, tokens: &[Token], at: usize, len: usize) -> bool {
        let phrases = [Class::NotDenials, Class::AtMost, Class::AtLeast];
        phrases.into_iter().any(|class| self.at(class, tokens, at) > len)
    }
}

/// A unit: `base = (number + shift) * factor`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unit {
    pub dimension: String,
    pub factor: f64,
    pub shift: f64,
}

impl Unit {
    /// Returns true for months and years, where the other is a duration of days or less.
    pub(super) fn is_months_of(&self, other: &Self) -> bool {
        self.dimension == "months" && other.dimension == "duration"
    }

    /// Returns what it measures: units of a kind rival each other, even where none can be converted.
    pub(super) fn kind(&self) -> &str {
        match self.dimension.as_str() {
            "months" | "working_days" => "duration",
            dimension if dimension == "cent" || dimension.len() == 3 => "money",
            dimension => dimension,
        }
    }

    /// Returns true for a currency.
    pub(super) fn is_money(&self) -> bool {
        self.kind() == "money"
    }

    /// Returns true if amounts in both units can be compared.
    pub(super) fn converts_to(&self, other: &Self) -> bool {
        let is_cent = self.dimension == "cent" || other.dimension == "cent";
        self.dimension == other.dimension || self.is_money() && other.is_money() && is_cent
    }
}

/// Meaning of a word in a number, a date or a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NumberWord {
    Cardinal(f64),
    Ordinal(f64),
    Scale(f64),
    Share(f64),
    Month(u32),
    Hour(f64),
}

/// All words of a language.
pub(super) struct Vocabulary {
    pub language: &'static Language,
    pub particles: HashSet<String>,
    pub words: Lexicon,
    shaping: Shaping,
    stemmer: Option<Stemmer>,
    articles: HashSet<String>,
    /// Articles, stop words and function words.
    contentless: HashSet<String>,
    aliases: HashMap<String, String>,
    /// The stems of opposites: a direction by its number, with the side as its sign.
    pub sides: HashMap<String, Vec<i32>>,
    pub number_words: HashMap<String, NumberWord>,
    units: HashMap<String, Unit>,
    symbols: HashMap<String, Unit>,
    /// Units of time by their adverbs: `daily`.
    pub periods: HashMap<String, Unit>,
}

static ALL: LazyLock<Vec<Vocabulary>> = LazyLock::new(|| {
    Language::all().iter().chain([Language::of("")]).map(Vocabulary::new).collect()
});
/// The words of each language alone: a reply may decline in any. The function words are all that it has.
pub(super) static EACH_ALONE: LazyLock<Vec<Lexicon>> = LazyLock::new(|| {
    let alone = |language: &Language| {
        let mut words = Lexicon::new(&[language]);
        let shared = language.stop_words.iter().chain(&language.articles).map(String::as_str);
        let all = Phrases::new(language.words(Class::FunctionWords).chain(shared));
        words.0.insert(Class::FunctionWords, all);
        words
    };
    Language::all().iter().map(alone).collect()
});

impl Vocabulary {
    /// Returns the vocabulary of `language`.
    pub(super) fn of(language: &'static Language) -> &'static Self {
        let place = Language::all().iter().position(|other| other == language);
        &ALL[place.unwrap_or(ALL.len() - 1)]
    }

    fn new(language: &'static Language) -> Self {
        // The language's own words come last, so that they win.
        let mut sources = vec![Language::english(), language];
        sources.dedup();
        let mut words = Lexicon::new(&sources);
        // A reply may say yes, no and a pleasantry in any language.
        for class in [Class::Yes, Class::No, Class::Openings] {
            let all = Language::all().iter().flat_map(|other| other.words(class));
            words.0.insert(class, Phrases::new(all));
        }
        let set = |class| sources.iter().flat_map(|source| source.words(class)).map(fold).collect();
        let pairs = |class| {
            let entries = sources.iter().flat_map(move |source| source.words(class));
            entries.filter_map(|entry| entry.split_once(' '))
        };
        let articles = folded(sources.iter().flat_map(|source| &source.articles));
        let mut contentless: HashSet<String> = set(Class::FunctionWords);
        contentless.extend(set(Class::Every));
        contentless.extend(folded(sources.iter().flat_map(|source| &source.stop_words)));
        contentless.extend(articles.iter().cloned());
        let alias = |(first, rest): (&str, &str)| -> Vec<(String, String)> {
            rest.split(' ').map(|word| (fold(word), fold(first))).collect()
        };
        let (units, symbols, periods) = units(&sources);
        let stemmer = algorithm(&language.stemmer).map(Stemmer::create);
        let opposites = sources.iter().flat_map(|source| source.words(Class::Opposites));
        let side = |(number, entry): (i32, &str)| -> Vec<(String, i32)> {
            let sides = entry.split('|').zip([number, -number]);
            let words = sides.flat_map(|(side, sign)| names(side).map(move |word| (word, sign)));
            words.map(|(word, sign)| (stem(stemmer.as_ref(), &word), sign)).collect()
        };
        let mut sides: HashMap<String, Vec<i32>> = HashMap::new();
        for (word, side) in (1..).zip(opposites).flat_map(side) {
            sides.entry(word).or_default().push(side);
        }
        Self {
            language,
            sides,
            particles: folded(Language::all().iter().flat_map(|other| &other.particles)),
            words,
            shaping: Shaping {
                elisions: folded(&language.elisions),
                clause_words: set(Class::ClauseWords),
            },
            stemmer,
            articles,
            contentless,
            aliases: pairs(Class::Aliases).flat_map(alias).collect(),
            number_words: number_words(&sources),
            units,
            symbols,
            periods,
        }
    }

    /// Returns the tokens of a cleaned text.
    pub(super) fn tokens(&self, text: &str) -> Vec<Token> {
        let mut tokens = tokens(text, &self.shaping);
        for token in &mut tokens {
            token.stem = self.stem(&token.text);
            token.content = !token.is_symbol() && !self.contentless.contains(&token.text);
        }
        // A function word of several characters.
        for at in 0..tokens.len() {
            if tokens[at].unspaced {
                let len = self.words.at(Class::FunctionWords, &tokens, at);
                for token in &mut tokens[at..at + len] {
                    token.content = false;
                }
            }
        }
        tokens
    }

    /// Returns the unit with a symbol as written, or a folded name that a particle may follow.
    pub(super) fn unit(&self, symbol: &str, name: &str) -> Option<&Unit> {
        let known = self.symbols.get(symbol).or_else(|| self.units.get(name));
        if known.is_some() || name.is_ascii() {
            return known;
        }
        let mut names = self.particles.iter().filter_map(|end| name.strip_suffix(end.as_str()));
        names.find_map(|name| self.units.get(name))
    }

    /// Returns the stem of a word.
    pub(super) fn stem(&self, word: &str) -> String {
        stem(self.stemmer.as_ref(), word)
    }

    /// Returns the first of the words that are the same as `word`.
    pub(super) fn alias<'w>(&'w self, word: &'w str) -> &'w str {
        self.aliases.get(word).map_or(word, String::as_str)
    }

    /// Returns true for an article.
    pub(super) fn is_article(&self, token: &Token) -> bool {
        self.articles.contains(&token.text)
    }
}

/// Returns the stem of a word; the word without a stemmer.
fn stem(stemmer: Option<&Stemmer>, word: &str) -> String {
    stemmer.map_or_else(|| word.to_owned(), |stemmer| stemmer.stem(word).into_owned())
}

/// Returns a set of folded words.
fn folded<'w>(words: impl IntoIterator<Item = &'w String>) -> HashSet<String> {
    words.into_iter().map(|word| fold(word)).collect()
}

/// Names in entries: spaces separate them, and `_` the words of one name.
fn names(entry: &str) -> impl Iterator<Item = String> {
    let names = entry.split(' ').filter(|name| !name.is_empty());
    names.map(|name| fold(&name.replace(['_', '-'], " ")))
}

/// Makes a word's meaning of its number.
type OfNumber = fn(f64) -> NumberWord;

/// Returns the words of numbers, dates and times of day.
fn number_words(sources: &[&Language]) -> HashMap<String, NumberWord> {
    use NumberWord::{Cardinal, Hour, Month, Ordinal, Scale, Share};
    let mut words: HashMap<String, NumberWord> = HashMap::new();
    for source in sources {
        let placed: [(Class, OfNumber); 4] = [
            (Class::Ordinals, Ordinal),
            (Class::Tens, |place| Cardinal(20.0 + 10.0 * place)),
            (Class::Months, |place| Month(place as u32 + 1)),
            (Class::Cardinals, Cardinal),
        ];
        for (class, of) in placed {
            for (place, entry) in source.words(class).enumerate() {
                words.extend(names(entry).map(|name| (name, of(place as f64))));
            }
        }
        let valued: [(Class, OfNumber); 3] =
            [(Class::Scales, Scale), (Class::Halves, Share), (Class::ClockWords, Hour)];
        for (class, of) in valued {
            for (entry, value) in source.words(class).filter_map(|entry| entry.rsplit_once(' ')) {
                let value = value.parse().unwrap_or_default();
                words.extend(names(entry).map(|name| (name, of(value))));
            }
        }
        // `fünfundzwanzig`.
        for between in source.words(Class::UnitBeforeTen) {
            for (one, units) in source.words(Class::Cardinals).enumerate().take(10).skip(1) {
                for (ten, tens) in source.words(Class::Tens).enumerate() {
                    let value = Cardinal((20 + 10 * ten + one) as f64);
                    for unit in names(units) {
                        words.extend(
                            names(tens).map(|ten| (format!("{unit}{}{ten}", fold(between)), value)),
                        );
                    }
                }
            }
        }
    }
    words
}

/// Units by word.
type Units = HashMap<String, Unit>;

/// Returns the units by name, by symbol and by adverb.
fn units(sources: &[&Language]) -> (Units, Units, Units) {
    let mut symbols: HashMap<String, Unit> = HashMap::new();
    for (dimension, units) in language::units() {
        for unit in units {
            let mut parts = unit.split(' ');
            let symbol = parts.next().unwrap_or_default().to_owned();
            let mut number =
                |default| parts.next().map_or(Ok(default), str::parse).unwrap_or(default);
            let (factor, shift) = (number(1.0), number(0.0));
            symbols.insert(symbol, Unit { dimension: dimension.clone(), factor, shift });
        }
    }
    // `5 gb`: a symbol in another case, where no two differ by case alone.
    let mut units: HashMap<String, Unit> = HashMap::new();
    for (symbol, unit) in symbols.iter().filter(|(symbol, _)| symbol.len() > 1 && *symbol != "in") {
        if symbols.iter().all(|(other, known)| fold(other) != fold(symbol) || known == unit) {
            units.insert(fold(symbol), unit.clone());
        }
    }
    let named = |class| {
        let entries = sources.iter().flat_map(move |source| source.words(class));
        let entries = entries.filter_map(|entry| entry.split_once(' '));
        let units = entries.filter_map(|(symbol, rest)| Some((symbols.get(symbol)?, rest)));
        units.flat_map(|(unit, rest)| names(rest).map(|name| (name, unit.clone())))
    };
    units.extend(named(Class::Units));
    let periods = named(Class::Periods).collect();
    (units, symbols, periods)
}
