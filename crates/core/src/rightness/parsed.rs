//! A text with its tokens, clauses and values, read once.

use std::collections::HashSet;

use super::clean::clean;
use super::extract::mentions;
use super::lex::{Clauses, Token, TokenShape, parts, tokens};
use super::mention::Mention;
use super::words::{has_content, stem};

/// A parsed answer, gold answer or question.
#[derive(Debug)]
pub(super) struct Parsed {
    /// The cleaned text.
    pub(super) text: String,
    pub(super) tokens: Vec<Token>,
    pub(super) parts: Clauses,
    pub(super) mentions: Vec<Mention>,
    /// The question itself denies (`am I forbidden to`): its `may not` is not a negation of the answer.
    pub(super) answers_denial: bool,
    /// The question asks for a former state: `formerly` sets nothing apart.
    pub(super) answers_past: bool,
    /// Stems of its words with content.
    pub(super) stems: HashSet<String>,
}

impl Parsed {
    /// Cleans and parses `text`.
    pub(super) fn new(text: &str) -> Self {
        let text = clean(text);
        let tokens = tokens(&text);
        let stems = tokens
            .iter()
            .filter(|token| content(token))
            .map(|token| stem(&token.text).to_owned())
            .collect();
        Self {
            parts: parts(&tokens),
            mentions: mentions(&tokens),
            answers_denial: false,
            answers_past: false,
            stems,
            tokens,
            text,
        }
    }

    /// Returns the text of tokens `first..end`.
    pub(super) fn slice(&self, first: usize, end: usize) -> &str {
        match (self.tokens.get(first), end.checked_sub(1).and_then(|last| self.tokens.get(last))) {
            (Some(from), Some(to)) if from.start < to.end => self.text[from.start..to.end].trim(),
            _ => "",
        }
    }

    /// Returns the text of a mention.
    pub(super) fn quote(&self, mention: &Mention) -> &str {
        self.slice(mention.first, mention.end)
    }

    /// Returns true if it has a content word of that stem.
    pub(super) fn has(&self, token: &Token) -> bool {
        self.stems.contains(stem(&token.text))
    }

    /// Returns the first token of the last sentence that ends with a question mark.
    pub(super) fn asked_from(&self) -> usize {
        let end = self.tokens.iter().rposition(|token| token.is("?")).unwrap_or(self.tokens.len());
        let last = end.saturating_sub(1);
        let start =
            (0..end).rev().take_while(|&at| self.same_sentence(at, last)).last().unwrap_or(0);
        start + usize::from(self.tokens.get(start).is_some_and(Token::is_mark))
    }

    /// Returns true if it has one of `words`, which spaces separate.
    pub(super) fn says(&self, words: &str) -> bool {
        says(&self.tokens, words)
    }

    /// Returns the word at `at`, empty outside.
    pub(super) fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text.as_str())
    }

    /// Returns the first token of the clause of token `at`.
    pub(super) fn clause_start(&self, at: usize) -> usize {
        let clause = self.parts.clause[at];
        (0..at).rev().take_while(|&i| self.parts.clause[i] == clause).last().unwrap_or(at)
    }

    /// Returns true if tokens `a` and `b` are in one clause.
    pub(super) fn same_clause(&self, a: usize, b: usize) -> bool {
        self.parts.clause.get(a) == self.parts.clause.get(b)
    }

    /// Returns true if tokens `a` and `b` are in one sentence.
    pub(super) fn same_sentence(&self, a: usize, b: usize) -> bool {
        self.parts.sentence.get(a) == self.parts.sentence.get(b)
    }
}

/// Returns true if `token` has content of its own.
pub(super) fn content(token: &Token) -> bool {
    token.shape == TokenShape::Code || token.shape != TokenShape::Mark && has_content(&token.text)
}

/// Returns true if `tokens` have one of `words`, which spaces separate.
pub(super) fn says(tokens: &[Token], words: &str) -> bool {
    tokens.iter().any(|token| words.split(' ').any(|word| token.is(word)))
}
