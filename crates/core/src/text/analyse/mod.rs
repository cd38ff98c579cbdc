//! Analysis: converts text to the terms that sparse retrieval counts.

mod memo;
mod words;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use rust_stemmers::{Algorithm, Stemmer as Snowball};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use memo::Memo;

/// Version of the analysis, part of every cache key that depends on analysed text.
pub const VERSION: u32 = 1;

/// Method of splitting text into words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Words {
    /// Words by UAX #29, as in Lucene's standard tokenizer; punctuation is dropped.
    #[default]
    Unicode,
    /// Text between white space, punctuation included.
    Whitespace,
}

/// Set of words to drop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopWords {
    /// Lucene's 33 English stop words.
    #[default]
    English,
    /// No stop words.
    None,
}

/// Method of reducing words to their stem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stemmer {
    /// Snowball's English stemmer (Porter 2).
    #[default]
    English,
    /// No stemming.
    None,
}

/// `EnglishAnalyzer.ENGLISH_STOP_WORDS_SET` of Apache Lucene, sorted.
const ENGLISH: [&str; 33] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these",
    "they", "this", "to", "was", "will", "with",
];

/// Splits text into words, lower-cases them, drops stop words and stems: in this order.
pub struct Analyzer {
    words: Words,
    lowercase: bool,
    stopwords: StopWords,
    stemmer: Option<Snowball>,
    /// Term caches, one for each text being analysed concurrently.
    memos: Mutex<Vec<Memo>>,
}

impl Analyzer {
    /// Creates an analyser of the given steps.
    #[must_use]
    pub fn new(words: Words, lowercase: bool, stopwords: StopWords, stemmer: Stemmer) -> Self {
        let stemmer = (stemmer == Stemmer::English).then(|| Snowball::create(Algorithm::English));
        Self { words, lowercase, stopwords, stemmer, memos: Mutex::new(Vec::new()) }
    }

    /// Names its steps, for cache keys: analysers with the same key give the same terms.
    #[must_use]
    pub fn key(&self) -> String {
        let words = match self.words {
            Words::Unicode => "unicode",
            Words::Whitespace => "whitespace",
        };
        let stopwords = match self.stopwords {
            StopWords::English => "english",
            StopWords::None => "none",
        };
        let stemmer = match self.stemmer {
            Some(_) => "english",
            None => "none",
        };
        let lowercase = self.lowercase;
        format!("words={words} lowercase={lowercase} stopwords={stopwords} stemmer={stemmer}")
    }

    /// Calls `each` with every term of `text`, in order.
    pub fn terms(&self, text: &str, each: &mut dyn FnMut(&str)) {
        // Lower-casing alone is faster than a cache lookup.
        if self.stemmer.is_none() {
            let mut lowered = String::new();
            self.words(text, &mut |word| {
                let term = self.lower(word, &mut lowered);
                if !self.is_stopped(term) {
                    each(term);
                }
            });
            return;
        }
        let mut memo =
            self.memos.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        self.words(text, &mut |word| {
            if let Some(term) = memo.term(word, || self.term(word).unwrap_or_default()) {
                each(term);
            }
        });
        self.memos.lock().unwrap_or_else(PoisonError::into_inner).push(memo);
    }

    /// Calls `each` with every word of `text`, in order: [`Self::terms`] are the [`Self::term`] of each.
    pub fn words(&self, text: &str, each: &mut dyn FnMut(&str)) {
        match self.words {
            Words::Unicode => words::unicode(text, each),
            Words::Whitespace => text.split_whitespace().for_each(each),
        }
    }

    /// Returns the term of a word; `None` for a stop word.
    #[must_use]
    pub fn term(&self, word: &str) -> Option<String> {
        let mut lowered = String::new();
        let term = self.lower(word, &mut lowered);
        if self.is_stopped(term) {
            return None;
        }
        let term = match &self.stemmer {
            Some(stemmer) => stemmer.stem(term),
            None => Cow::Borrowed(term),
        };
        (!term.is_empty()).then(|| term.into_owned())
    }

    fn lower<'a>(&self, word: &'a str, lowered: &'a mut String) -> &'a str {
        if !self.lowercase {
            return word;
        }
        lower_into(word, lowered);
        lowered
    }

    fn is_stopped(&self, term: &str) -> bool {
        self.stopwords == StopWords::English && ENGLISH.binary_search(&term).is_ok()
    }

    /// Returns the terms of `text` as a list.
    #[must_use]
    pub fn term_list(&self, text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        self.terms(text, &mut |term| terms.push(term.to_owned()));
        terms
    }
}

impl fmt::Debug for Analyzer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Analyzer")
            .field("words", &self.words)
            .field("lowercase", &self.lowercase)
            .field("stopwords", &self.stopwords)
            .field("stemmed", &self.stemmer.is_some())
            .finish_non_exhaustive()
    }
}

fn lower_into(word: &str, buffer: &mut String) {
    buffer.clear();
    if word.is_ascii() {
        buffer.push_str(word);
        buffer.make_ascii_lowercase();
    } else {
        buffer.push_str(&word.to_lowercase());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_steps_cut_lower_stop_and_stem() {
        let analyzer = Analyzer::new(Words::Unicode, true, StopWords::English, Stemmer::English);
        // Snowball's own vocabulary: running -> run, services -> servic, generously -> generous.
        assert_eq!(
            analyzer.term_list("The Running services, generously (v2.1)!"),
            ["run", "servic", "generous", "v2.1"]
        );
    }

    #[test]
    fn whitespace_words_keep_their_punctuation() {
        let analyzer = Analyzer::new(Words::Whitespace, true, StopWords::None, Stemmer::None);
        assert_eq!(analyzer.term_list("The  end.\n"), ["the", "end."]);
    }

    #[test]
    fn the_stop_words_are_sorted_for_the_search() {
        assert!(ENGLISH.is_sorted());
    }
}
