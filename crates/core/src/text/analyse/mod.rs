//! Analysis: converts text to the terms that sparse retrieval counts.
//!
//! English is analysed as by Lucene's `EnglishAnalyzer`. In other languages words are also folded by NFKC, elided articles are cut
//! off, and Arabic letters and marks are unified as by Lucene's `ArabicNormalizationFilter`. Chinese, Japanese, Korean, Thai, Lao,
//! Khmer and Myanmar text, whose words are not separated by spaces or have endings, gives overlapping bigrams, as by Lucene's
//! `CJKAnalyzer`.

mod words;

use std::borrow::Cow;
use std::fmt;

use rust_stemmers::{Algorithm, Stemmer as Snowball};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;

use super::hex::hex;
use crate::language::Language;

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
    /// Those of the language; for English, Lucene's 33.
    #[default]
    #[serde(alias = "english")]
    Auto,
    /// No stop words.
    None,
}

/// Method of reducing words to their stem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stemmer {
    /// Snowball's stemmer of the language, if it has one; for English, Porter 2.
    #[default]
    #[serde(alias = "english")]
    Auto,
    /// No stemming.
    None,
}

/// Splits text into words, lower-cases them, drops stop words and stems: in this order.
pub struct Analyzer {
    words: Words,
    lowercase: bool,
    language: &'static Language,
    /// Sorted.
    stopwords: Vec<&'static str>,
    stemmer: Option<Snowball>,
}

impl Default for Analyzer {
    /// Creates the analyser of English with all steps.
    fn default() -> Self {
        Self::new(Words::Unicode, true, StopWords::Auto, Stemmer::Auto, Language::english())
    }
}

impl Analyzer {
    /// Creates an analyser of the given steps for text of `language`.
    #[must_use]
    pub fn new(
        words: Words,
        lowercase: bool,
        stopwords: StopWords,
        stemmer: Stemmer,
        language: &'static Language,
    ) -> Self {
        let stopwords = match stopwords {
            StopWords::Auto => &language.stop_words[..],
            StopWords::None => &[],
        };
        let mut stopwords: Vec<&str> = stopwords.iter().map(String::as_str).collect();
        stopwords.sort_unstable();
        let stemmer = match stemmer {
            Stemmer::Auto => algorithm(&language.stemmer).map(Snowball::create),
            Stemmer::None => None,
        };
        Self { words, lowercase, language, stopwords, stemmer }
    }

    /// Names its steps, for cache keys: analysers with the same key give the same terms.
    #[must_use]
    pub fn key(&self) -> String {
        let words = match self.words {
            Words::Unicode => "unicode",
            Words::Whitespace => "whitespace",
        };
        let Language { code, stemmer: algorithm, elisions, .. } = self.language;
        let language = if self.language.is_english() { "english" } else { code };
        let stopwords = if self.stopwords.is_empty() { "none" } else { language };
        let stemmer = if self.stemmer.is_some() { language } else { "none" };
        let lowercase = self.lowercase;
        let key =
            format!("words={words} lowercase={lowercase} stopwords={stopwords} stemmer={stemmer}");
        if self.language.is_english() {
            return key;
        }
        let data = format!("{:?} {algorithm} {elisions:?}", self.stopwords);
        format!("{key} language={code} {}", hex(&Sha256::digest(data)))
    }

    /// Calls `each` with every term of `text`, in order.
    pub fn terms(&self, text: &str, each: &mut dyn FnMut(&str)) {
        self.words(text, &mut |word| {
            if let Some(term) = self.term(word) {
                each(&term);
            }
        });
    }

    /// Calls `each` with every word of `text`, in order: [`Self::terms`] are the [`Self::term`] of each.
    pub fn words(&self, text: &str, each: &mut dyn FnMut(&str)) {
        match self.words {
            Words::Unicode if self.language.is_english() => words::unicode(text, each),
            Words::Unicode => words::unicode_and_bigrams(text, each),
            Words::Whitespace => text.split_whitespace().for_each(each),
        }
    }

    /// Returns the term of a word; `None` for a stop word.
    #[must_use]
    pub fn term(&self, word: &str) -> Option<String> {
        let is_english = self.language.is_english();
        let folded = if is_english { word.to_owned() } else { word.nfkc().collect() };
        let lower = if self.lowercase { folded.to_lowercase() } else { folded };
        let term = self.without_elision(&lower);
        if self.stopwords.binary_search(&term).is_ok() {
            return None;
        }
        let term = match &self.stemmer {
            Some(stemmer) => stemmer.stem(term),
            None => Cow::Borrowed(term),
        };
        let term =
            if is_english { term.into_owned() } else { term.chars().filter_map(arabic).collect() };
        (!term.is_empty()).then_some(term)
    }

    /// Returns a word without a short form and the apostrophe after it.
    fn without_elision<'w>(&self, word: &'w str) -> &'w str {
        let is_elision =
            |start: &str| self.language.elisions.iter().any(|elision| elision == start);
        match word.split_once(['\'', '’']) {
            Some((start, rest)) if is_elision(start) => rest,
            _ => word,
        }
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
        f.write_str(&self.key())
    }
}

/// Returns the letter for all forms of an Arabic letter; `None` for the vowel marks and the elongation.
fn arabic(c: char) -> Option<char> {
    match c {
        '\u{622}' | '\u{623}' | '\u{625}' => Some('\u{627}'), // alef
        '\u{649}' => Some('\u{64a}'),                         // yeh
        '\u{629}' => Some('\u{647}'),                         // heh
        '\u{640}' | '\u{64b}'..='\u{652}' => None,
        _ => Some(c),
    }
}

/// Returns Snowball's algorithm of that name.
pub(crate) fn algorithm(name: &str) -> Option<Algorithm> {
    Some(match name {
        "arabic" => Algorithm::Arabic,
        "danish" => Algorithm::Danish,
        "dutch" => Algorithm::Dutch,
        "english" => Algorithm::English,
        "finnish" => Algorithm::Finnish,
        "french" => Algorithm::French,
        "german" => Algorithm::German,
        "greek" => Algorithm::Greek,
        "hungarian" => Algorithm::Hungarian,
        "italian" => Algorithm::Italian,
        "norwegian" => Algorithm::Norwegian,
        "portuguese" => Algorithm::Portuguese,
        "romanian" => Algorithm::Romanian,
        "russian" => Algorithm::Russian,
        "spanish" => Algorithm::Spanish,
        "swedish" => Algorithm::Swedish,
        "tamil" => Algorithm::Tamil,
        "turkish" => Algorithm::Turkish,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_steps_cut_lower_stop_and_stem() {
        // Snowball's own vocabulary: running -> run, services -> servic, generously -> generous.
        assert_eq!(
            Analyzer::default().term_list("The Running services, generously (v2.1)!"),
            ["run", "servic", "generous", "v2.1"]
        );
    }

    fn of(code: &str) -> Analyzer {
        Analyzer::new(Words::Unicode, true, StopWords::Auto, Stemmer::Auto, Language::of(code))
    }

    #[test]
    fn words_of_other_languages_are_folded_stopped_and_stemmed_by_their_language() {
        assert_eq!(of("de").term_list("Die Häuser und die STRASSEN"), ["haus", "strass"]);
        assert_eq!(of("ru").term_list("в новых домах"), ["нов", "дом"]);
        // Presentation forms, marks and alef forms are one spelling.
        assert_eq!(
            of("ar").term_list("\u{fe8d}\u{fedf}كِتَاب أحمد"),
            of("ar").term_list("الكتاب احمد")
        );
        assert_eq!(of("xx").term_list("Ｔｈｅ ﬁrst"), ["the", "first"]);
    }

    #[test]
    fn scripts_without_spaces_and_hangul_give_bigrams_of_what_is_written_together() {
        assert_eq!(of("zh").term_list("东京2020年, 是"), ["东京", "2020", "年", "是"]);
        assert_eq!(of("ja").term_list("データ"), ["デー", "ータ"]);
        assert_eq!(of("ja").term_list("ﾃﾞｰﾀ"), ["デー", "ータ"]);
        // Vowel signs and tone marks belong to their consonant.
        assert_eq!(of("th").term_list("ที่นี่ ๑๒"), ["ที่นี่", "๑๒"]);
        assert_eq!(of("ko").term_list("서울에서 K팝"), ["서울", "울에", "에서", "k", "팝"]);
        assert_eq!(Analyzer::default().term_list("东京"), ["东", "京"]);
    }

    #[test]
    fn the_key_tells_languages_and_their_data_apart() {
        let english = "words=unicode lowercase=true stopwords=english stemmer=english";
        assert_eq!(Analyzer::default().key(), english);
        let mut keys: Vec<String> = ["de", "tr", "xx"].map(|code| of(code).key()).into();
        keys.dedup();
        assert!(keys.len() == 3 && keys.iter().all(|key| key.contains(" language=")), "{keys:?}");
    }

    #[test]
    fn whitespace_words_keep_their_punctuation() {
        let analyzer = Analyzer::new(
            Words::Whitespace,
            true,
            StopWords::None,
            Stemmer::None,
            Language::english(),
        );
        assert_eq!(analyzer.term_list("The  end.\n"), ["the", "end."]);
    }
}
