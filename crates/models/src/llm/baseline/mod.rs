//! The baseline reader: answers with a span or a sentence of a passage, without a model.
//!
//! It shows whether the answer reached the prompt in a sentence that shares words with the question. It does not
//! reason, count or compare; its scores are a floor.
//!
//! score(sentence) = (sum of w(t) over the distinct question terms t in it
//!     + `CONTEXT` * the same sum over terms that are only in its passage's title or the heading above it)
//!     / (1 + `LENGTH` * its bytes / 100)
//!
//! with w(t) = ln(1 + N / df(t)), N the sentences of all passages, df those with t. Ties keep prompt order.

mod spans;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use async_trait::async_trait;
use regex::Regex;

use self::spans::{Candidate, Form, candidates, compile, wanted};
use super::completion::ABSTENTION;
use super::{Completion, Generator, LlmError};
use ragtriage_core::prompt::Prompt;
use ragtriage_core::text::analyse::Analyzer;
use ragtriage_core::text::sentences::{Shape, split};
use ragtriage_core::types::QuestionKind;

/// Number of sentences searched for a span of a wanted form.
const SENTENCES_TRIED: usize = 5;
/// Share of a term's weight that a title or heading gives.
const CONTEXT: f64 = 0.5;
/// Penalty for 100 bytes of a sentence.
const LENGTH: f64 = 0.1;
/// Minimum share of a yes/no question's terms, by weight, that a sentence must contain.
const ENOUGH: f64 = 0.5;
/// Words of questions without content, in addition to the analyser's stop words.
const QUESTION_WORDS: &str = "^(?:about|after|all|any|before|been|being|can|could|did|do|does|doing|during|each|from|had|has|have|he|her|here|his|how|i|its|just|many|may|me|might|more|most|much|must|my|one|only|other|our|out|over|she|should|so|some|than|them|those|under|up|us|very|we|were|what|when|where|which|while|who|whom|whose|why|would|you|your)$";

/// Fixed, so that retrieval's settings do not change answers.
static ANALYZER: LazyLock<Analyzer> = LazyLock::new(Analyzer::default);
static STOPPED: LazyLock<Regex> = LazyLock::new(|| compile(QUESTION_WORDS));
static WORD: LazyLock<Regex> = LazyLock::new(|| compile(r"[\p{L}\p{N}]+"));
static NEGATION: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(?i)\b(?:cannot|neither|never|no|none|nor|not|without)\b|n['’]t\b"));

/// The baseline reader; stateless.
#[derive(Clone, Copy, Debug, Default)]
pub struct Baseline;

impl Baseline {
    /// Answers one prompt from its passages; the rendered messages are not read.
    ///
    /// Span questions get a span if one has the wanted form, yes/no questions `yes` or `no`, all others the best
    /// sentence; `I don't know.` if no sentence shares a content term with the question. Time is linear in the passages' bytes.
    #[must_use]
    pub fn answer(self, prompt: &Prompt) -> String {
        let mut terms = Terms::of(&prompt.question);
        let ranked = ranked(prompt, &mut terms);
        let (Some(top), true) = (ranked.first(), ranked.iter().any(|next| next.own != 0)) else {
            return ABSTENTION.to_owned();
        };
        let answer = match prompt.kind {
            QuestionKind::Span => {
                let forms = wanted(&prompt.question);
                let mut tried = ranked.iter().take(SENTENCES_TRIED);
                let span = tried.find_map(|next| best_span(next.text, forms, &terms));
                span.unwrap_or(top.text)
            }
            QuestionKind::YesNo if agrees(&prompt.question, &terms, top) => "yes",
            QuestionKind::YesNo => "no",
            QuestionKind::Free | QuestionKind::Unanswerable => top.text,
        };
        answer.to_owned()
    }
}

#[async_trait]
impl Generator for Baseline {
    fn name(&self) -> &'static str {
        "baseline"
    }

    async fn generate(&self, prompt: &Prompt) -> Result<Completion, LlmError> {
        Ok(Completion::local(self.answer(prompt)))
    }
}

/// The distinct content terms of a question, numbered, with their weights; terms after the 128th are ignored.
struct Terms {
    numbers: HashMap<String, usize>,
    weights: Vec<f64>,
}

impl Terms {
    fn of(question: &str) -> Self {
        let mut numbers = HashMap::new();
        let lower = question.to_lowercase();
        let words = WORD.find_iter(&lower).map(|word| word.as_str());
        let content = words.filter(|word| !STOPPED.is_match(word));
        for term in content.flat_map(|word| ANALYZER.term_list(word)) {
            let next = numbers.len();
            if next < u128::BITS as usize {
                numbers.entry(term).or_insert(next);
            }
        }
        let weights = Vec::new();
        Self { numbers, weights }
    }

    /// Returns the terms in `text`, one bit each.
    fn mask(&self, text: &str) -> u128 {
        let mut mask = 0;
        ANALYZER.terms(text, &mut |term| {
            mask |= self.numbers.get(term).map_or(0, |number| 1 << number);
        });
        mask
    }

    /// Returns the sum of the weights of the terms in `mask`.
    fn weigh(&self, mask: u128) -> f64 {
        let weights = self.weights.iter().enumerate();
        let inside = weights.filter(|(term, _)| mask >> term & 1 == 1);
        inside.map(|(_, weight)| weight).sum()
    }
}

struct Sentence<'a> {
    text: &'a str,
    /// The question's terms in it.
    own: u128,
    /// The question's terms in the title and heading above it.
    context: u128,
    score: f64,
}

/// Returns the sentences of all passages, best first, and the weights of `terms`.
fn ranked<'a>(prompt: &'a Prompt, terms: &mut Terms) -> Vec<Sentence<'a>> {
    let mut sentences = Vec::new();
    for passage in &prompt.passages {
        let title = terms.mask(&passage.title);
        let mut context = title;
        for piece in split(&passage.text) {
            let text = &passage.text[piece.range];
            let own = terms.mask(text);
            match piece.shape {
                Shape::Heading => context = title | own,
                Shape::Sentence => sentences.push(Sentence { text, own, context, score: 0.0 }),
            }
        }
    }
    for term in 0..terms.numbers.len() {
        let with = sentences.iter().filter(|next| next.own >> term & 1 == 1);
        let share = sentences.len() as f64 / with.count().max(1) as f64;
        terms.weights.push((1.0 + share).ln());
    }
    for sentence in &mut sentences {
        let context = terms.weigh(sentence.context & !sentence.own);
        let length = 1.0 + LENGTH * sentence.text.len() as f64 / 100.0;
        sentence.score = (terms.weigh(sentence.own) + CONTEXT * context) / length;
    }
    sentences.sort_by(|a, b| b.score.total_cmp(&a.score));
    sentences
}

/// Decides a yes/no question: the sentence contains `ENOUGH` of its terms, and a negation if and only if the question
/// has one.
fn agrees(question: &str, terms: &Terms, sentence: &Sentence<'_>) -> bool {
    terms.weigh(sentence.own) >= ENOUGH * terms.weigh(u128::MAX)
        && NEGATION.is_match(sentence.text) == NEGATION.is_match(question)
}

/// Returns the candidate nearest to the question's terms, less one for each form preferred to its own.
fn best_span<'a>(text: &'a str, forms: &[Form], terms: &Terms) -> Option<&'a str> {
    let words = read(text, terms);
    let found = candidates(text, forms).into_iter();
    let scored = found.filter_map(|Candidate { n_preferred, range }| {
        let near = nearness(&range, &words, terms)?;
        Some((near - n_preferred as f64, range))
    });
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, range)| &text[range])
}

/// A word of a sentence.
struct ReadWord {
    range: Range<usize>,
    /// The question's terms in it.
    mask: u128,
    is_stopped: bool,
}

fn read(text: &str, terms: &Terms) -> Vec<ReadWord> {
    let words = WORD.find_iter(text).map(|word| ReadWord {
        range: word.range(),
        mask: terms.mask(word.as_str()),
        is_stopped: ANALYZER.term_list(word.as_str()).is_empty(),
    });
    words.collect()
}

/// Returns the sum over the question's terms outside the candidate of weight / (1 + distance in words); `None` if the
/// candidate has only terms of the question and stop words.
fn nearness(range: &Range<usize>, words: &[ReadWord], terms: &Terms) -> Option<f64> {
    let first = words.iter().position(|word| word.range.end > range.start)?;
    let last = words.iter().rposition(|word| word.range.start < range.end)?;
    let mut inside = words.get(first..=last)?.iter();
    if inside.all(|word| word.mask != 0 || word.is_stopped) {
        return None;
    }
    let distance = |at: usize| first.saturating_sub(at).max(at.saturating_sub(last));
    let outside = words.iter().enumerate().filter(|(at, _)| distance(*at) > 0);
    let near = outside.map(|(at, word)| terms.weigh(word.mask) / (1 + distance(at)) as f64);
    Some(near.sum())
}

#[cfg(test)]
mod tests;
