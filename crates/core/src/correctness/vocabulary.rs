//! The words of a language, compiled for matching against tokens; those of English are known next to every other language's.

use std::slice;
use std::sync::LazyLock;

use hashbrown::{HashMap, HashSet};
use rust_stemmers::Stemmer;
use unicode_normalization::UnicodeNormalization;

use super::notation::fold;
use super::token::{Token, tokens};
use crate::language::{self, Class, Language};
use crate::text::analyse::algorithm;

/// A set of phrases: the parts of each. `*` at the end of a part matches any ending, at the start of a phrase any beginning.
#[derive(Default)]
struct Phrases {
    /// By the first part.
    exact: HashMap<String, Vec<Vec<String>>>,
    /// Those whose first part has a `*`.
    wild: Vec<Vec<String>>,
}

/// The phrases of languages, by the number of their class.
#[derive(Default)]
pub(super) struct Lexicon(Vec<Phrases>);

impl Lexicon {
    /// Returns the phrases of languages; stop words and articles are function words, too.
    fn new(sources: &[&Language]) -> Self {
        let mut lexicon = Self::default();
        for source in sources {
            for (class, phrases) in &source.words {
                lexicon.add(*class, phrases);
            }
            lexicon.add(Class::FunctionWords, &source.stop_words);
            lexicon.add(Class::FunctionWords, &source.articles);
            lexicon.add(Class::Articles, &source.articles);
            lexicon.add(Class::Elisions, &source.elisions);
        }
        lexicon
    }

    fn add(&mut self, class: Class, phrases: impl IntoIterator<Item = impl AsRef<str>>) {
        self.0.resize_with(self.0.len().max(class as usize + 1), Phrases::default);
        let known = &mut self.0[class as usize];
        for phrase in phrases {
            let phrase: String = phrase.as_ref().nfkc().collect();
            let mut parts: Vec<String> = Vec::new();
            for token in tokens(&phrase, &Self::default()) {
                match parts.last_mut() {
                    Some(last) if token.is("*") || last == "*" => last.push_str(&token.text),
                    _ => parts.push(token.text),
                }
            }
            match parts.first() {
                Some(first) if first.contains('*') => known.wild.push(parts),
                Some(first) => known.exact.entry(first.clone()).or_default().push(parts),
                None => {}
            }
        }
    }

    /// Returns the phrases of a class that may begin with `word`.
    fn phrases(&self, class: Class, word: &str) -> impl Iterator<Item = &Vec<String>> {
        let known = self.0.get(class as usize);
        let exact = known.and_then(|known| known.exact.get(word));
        exact.into_iter().flatten().chain(known.into_iter().flat_map(|known| &known.wild))
    }

    /// Returns true if a class has `word`.
    pub(super) fn has(&self, class: Class, word: &str) -> bool {
        self.phrases(class, word).any(|parts| parts.len() == 1 && fits(&parts[0], word))
    }

    /// Returns the number of tokens of the phrase of a class that begins at `at`; 0 without one.
    pub(super) fn at(&self, class: Class, tokens: &[Token], at: usize) -> usize {
        let Some(first) = tokens.get(at) else { return 0 };
        let is_there = |parts: &&Vec<String>| {
            let mut pairs = parts.iter().zip(&tokens[at..]);
            parts.len() <= tokens.len() - at && pairs.all(|(part, token)| fits(part, &token.text))
        };
        self.phrases(class, &first.text).filter(is_there).map(Vec::len).max().unwrap_or(0)
    }

    /// Returns true if a phrase of more than `len` tokens at `at` denies nothing, although its first `len` may: `no more than`, `no doubt`.
    pub(super) fn denies_nothing(&self, tokens: &[Token], at: usize, len: usize) -> bool {
        let phrases = [Class::NotDenials, Class::AtMost, Class::AtLeast];
        phrases.into_iter().any(|class| self.at(class, tokens, at) > len)
    }
}

/// Returns true if a word is a part of a phrase.
fn fits(part: &str, word: &str) -> bool {
    match (part.strip_suffix('*'), part.strip_prefix('*')) {
        (Some(begin), _) => word.starts_with(begin),
        (None, Some(end)) => word.ends_with(end),
        (None, None) => word == part,
    }
}

/// A unit: `base = (number + shift) * factor`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unit {
    /// What it measures; the first word is its kind.
    pub dimension: String,
    pub factor: f64,
    pub shift: f64,
}

impl Unit {
    /// Returns what it measures: units of a kind rival each other, even where none can be converted.
    pub(super) fn kind(&self) -> &str {
        self.dimension.split(' ').next().unwrap_or_default()
    }

    /// Returns true if amounts in both units can be compared.
    pub(super) fn converts_to(&self, other: &Self) -> bool {
        let is_cent = |unit: &Self| unit.dimension == "money cent";
        self.dimension == other.dimension
            || self.kind() == other.kind() && (is_cent(self) || is_cent(other))
    }
}

/// All words of a language.
pub(super) struct Vocabulary {
    pub language: &'static Language,
    pub words: Lexicon,
    pub particles: HashSet<String>,
    stemmer: Option<Stemmer>,
    aliases: HashMap<String, String>,
    /// The stems of opposites: a direction by its number, with the side as its sign.
    pub sides: HashMap<String, Vec<i32>>,
    /// Class and value of the words of numbers, dates and times of day.
    pub number_words: HashMap<String, (Class, f64)>,
    units: HashMap<String, Unit>,
    /// Units of time by their adverbs: `daily`.
    pub periods: HashMap<String, Unit>,
}

/// Units by symbol.
static SYMBOLS: LazyLock<HashMap<String, Unit>> = LazyLock::new(|| {
    let mut symbols = HashMap::new();
    for (dimension, units) in language::units() {
        for (symbol, (factor, shift)) in units {
            symbols.insert(symbol, Unit { dimension: dimension.clone(), factor, shift });
        }
    }
    symbols
});
static ALL: LazyLock<Vec<Vocabulary>> = LazyLock::new(|| {
    Language::all().iter().chain([Language::of("")]).map(Vocabulary::new).collect()
});
/// The words of each language alone: a reply may decline in any.
pub(super) static EACH_ALONE: LazyLock<Vec<Lexicon>> =
    LazyLock::new(|| Language::all().iter().map(|language| Lexicon::new(&[language])).collect());

impl Vocabulary {
    /// Returns the vocabulary of `language`.
    pub(super) fn of(language: &'static Language) -> &'static Self {
        ALL.iter().find(|it| it.language == language).unwrap_or(&ALL[ALL.len() - 1])
    }

    fn new(language: &'static Language) -> Self {
        // The language's own words come last, so that they win.
        let mut sources = vec![Language::english(), language];
        sources.dedup();
        let mut words = Lexicon::new(&sources);
        // A reply may say yes, no and a pleasantry in any language.
        for class in [Class::Yes, Class::No, Class::Openings] {
            words.add(class, Language::all().iter().flat_map(|other| other.words(class)));
        }
        let aliases = named(&sources, Class::Aliases).map(|(word, first)| (word, fold(first)));
        let units = |class| {
            let named = named(&sources, class);
            named.filter_map(|(name, symbol)| Some((name, SYMBOLS.get(symbol)?.clone()))).collect()
        };
        let mut vocabulary = Self {
            language,
            words,
            particles: Language::in_all(|it| &it.particles).map(fold).collect(),
            stemmer: algorithm(&language.stemmer).map(Stemmer::create),
            aliases: aliases.collect(),
            sides: HashMap::new(),
            number_words: number_words(&sources),
            units: units(Class::Units),
            periods: units(Class::Periods),
        };
        let opposites = sources.iter().flat_map(|source| source.words(Class::Opposites));
        for (number, entry) in (1..).zip(opposites) {
            for (side, direction) in entry.split('|').zip([number, -number]) {
                for word in names(side) {
                    let stem = vocabulary.stem(&word);
                    vocabulary.sides.entry(stem).or_default().push(direction);
                }
            }
        }
        vocabulary
    }

    /// Returns the tokens of a cleaned text.
    pub(super) fn tokens(&self, text: &str) -> Vec<Token> {
        let mut tokens = tokens(text, &self.words);
        for token in &mut tokens {
            token.stem = self.stem(&token.text);
            token.content = !token.is_symbol();
        }
        for at in 0..tokens.len() {
            let len = self.words.at(Class::FunctionWords, &tokens, at);
            tokens[at..at + len].iter_mut().for_each(|token| token.content = false);
        }
        tokens
    }

    /// Returns the unit with a symbol as written, or a folded name that a particle may follow.
    pub(super) fn unit(&self, symbol: &str, name: &str) -> Option<&Unit> {
        let known = SYMBOLS.get(symbol).or_else(|| self.units.get(name));
        if known.is_some() || name.is_ascii() {
            return known;
        }
        self.particles.iter().find_map(|end| self.units.get(name.strip_suffix(end.as_str())?))
    }

    /// Returns the stem of a word; the word without a stemmer.
    pub(super) fn stem(&self, word: &str) -> String {
        self.stemmer.as_ref().map_or_else(|| word.into(), |stemmer| stemmer.stem(word).into())
    }

    /// Returns the first of the words that are the same as `word`.
    pub(super) fn alias<'w>(&'w self, word: &'w str) -> &'w str {
        self.aliases.get(word).map_or(word, String::as_str)
    }

    /// Returns true for an article.
    pub(super) fn is_article(&self, token: &Token) -> bool {
        self.words.has(Class::Articles, &token.text)
    }
}

/// Names in an entry: spaces separate them, and `_` the words of one name.
fn names(entry: &str) -> impl Iterator<Item = String> {
    entry.split_whitespace().map(|name| fold(&name.replace(['_', '-'], " ")))
}

/// Returns the names in the entries of a class, each with the first word of its entry: a value, a symbol or another name.
fn named<'s>(sources: &'s [&Language], class: Class) -> impl Iterator<Item = (String, &'s str)> {
    let entries = sources.iter().flat_map(move |source| source.words(class));
    let entries = entries.filter_map(|entry| entry.split_once(' '));
    entries.flat_map(|(first, rest)| names(rest).map(move |name| (name, first)))
}

/// Returns the words of numbers, dates and times of day, with class and value; that of the later class wins.
fn number_words(sources: &[&Language]) -> HashMap<String, (Class, f64)> {
    let mut words = HashMap::new();
    for source in sources {
        for class in source.words.range(Class::Ordinals..=Class::ClockWords).map(|it| *it.0) {
            for (name, value) in named(slice::from_ref(source), class) {
                words.insert(name, (class, value.parse().unwrap_or_default()));
            }
        }
    }
    words
}
