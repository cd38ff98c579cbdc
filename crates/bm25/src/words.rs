//! The words of documents, and their terms.

use std::borrow::Cow;

use ragtriage_core::text::analyse::Analyzer;

/// The documents that an index is built from.
pub trait IndexedWords: Sync {
    /// Calls `each` with every word of a document, in order. Called once for each document, from several threads.
    fn words(&self, document: usize, each: &mut dyn FnMut(&str));

    /// Returns the term of a word, `None` if the word is dropped. Called once for each distinct word: it may be slow.
    fn term(&self, word: &str) -> Option<String>;
}

/// Texts and their analyser.
pub struct Analysed<'a, F> {
    /// Splits texts into words and makes terms of them.
    pub analyzer: &'a Analyzer,
    /// Returns the text of a document.
    pub text_of: F,
}

impl<'t, F: Fn(usize) -> Cow<'t, str> + Sync> IndexedWords for Analysed<'_, F> {
    fn words(&self, document: usize, each: &mut dyn FnMut(&str)) {
        self.analyzer.words(&(self.text_of)(document), each);
    }

    fn term(&self, word: &str) -> Option<String> {
        self.analyzer.term(word)
    }
}

/// Documents whose words are terms already, by the function that passes those of one document to the function it is given.
#[cfg(test)]
pub(super) struct TermsOf<F: Fn(usize, &mut dyn FnMut(&str)) + Sync>(pub(super) F);

#[cfg(test)]
impl<F: Fn(usize, &mut dyn FnMut(&str)) + Sync> IndexedWords for TermsOf<F> {
    fn words(&self, document: usize, each: &mut dyn FnMut(&str)) {
        (self.0)(document, each);
    }

    fn term(&self, word: &str) -> Option<String> {
        Some(word.to_owned())
    }
}

/// Texts whose terms stand between white space.
#[cfg(test)]
pub(super) fn split<'a>(texts: &'a [&str]) -> impl IndexedWords + 'a {
    TermsOf(|document, each| texts[document].split_whitespace().for_each(each))
}
