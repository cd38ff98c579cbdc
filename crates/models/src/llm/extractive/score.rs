//! Which sentences of the passages speak of what the question asks.
//!
//! base(sentence) = (sum of w(t) over the distinct question terms t in it
//!     + `CONTEXT` * the same sum over terms that stand only in its passage's title or the heading above it
//!     - `RANK` * its passage's place in the prompt, from 0)
//!     / (1 + `LENGTH` * its bytes / 100)
//! score = base + `BRIDGE` * the best base, for sentences of a passage whose title the best sentence names,
//!
//! with w(t) = ln(1 + N / df(t)), N the sentences of all passages, df those that hold t. Ties keep prompt order. The
//! bridge follows the link of a two-step question: its first step is named by the question, the second by the first.

use super::terms::QuestionTerms;
use ragtriage_core::prompt::PromptPassage;
use ragtriage_core::text::sentences::{Shape, split};

/// Share of a term's weight that a title or heading gives.
const CONTEXT: f64 = 0.5;

/// What each place down the prompt costs: less than any term, enough to part equals.
const RANK: f64 = 0.02;

/// What each 100 bytes of a sentence cost. It and `BRIDGE` were tried at a few values on samples of `HotpotQA` and
/// `SQuAD`.
const LENGTH: f64 = 0.1;

/// Share of the best sentence's score that it lends to the passages it names.
const BRIDGE: f64 = 0.5;

/// A sentence with its score.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sentence<'a> {
    pub text: &'a str,
    /// Its passage's place in the prompt, from 0.
    pub passage: usize,
    /// The question's terms in it.
    pub mask: u128,
    /// The question's terms in the title and heading above it.
    pub context: u128,
    pub score: f64,
}

/// The passages' sentences, best first, with the weight of each of the question's terms.
pub(super) fn rank<'a>(
    terms: &QuestionTerms,
    passages: &'a [PromptPassage],
) -> (Vec<Sentence<'a>>, Vec<f64>) {
    let mut sentences: Vec<Sentence<'a>> = passages
        .iter()
        .enumerate()
        .flat_map(|(passage, shown)| sentences_of(terms, passage, shown))
        .collect();
    let weights = weights(terms.len(), &sentences);
    for sentence in &mut sentences {
        sentence.score = base(&weights, sentence);
    }
    lend(passages, &mut sentences);
    sentences.sort_by(|a, b| b.score.total_cmp(&a.score));
    (sentences, weights)
}

fn sentences_of<'a>(
    terms: &QuestionTerms,
    passage: usize,
    shown: &'a PromptPassage,
) -> Vec<Sentence<'a>> {
    let title = terms.mask(&shown.title);
    let mut context = title;
    let mut found = Vec::new();
    for piece in split(&shown.text) {
        let text = &shown.text[piece.range];
        match piece.shape {
            Shape::Heading => context = title | terms.mask(text),
            Shape::Sentence => found.push(Sentence {
                text,
                passage,
                mask: terms.mask(text),
                context,
                score: 0.0,
            }),
        }
    }
    found
}

fn base(weights: &[f64], sentence: &Sentence<'_>) -> f64 {
    let own = weigh(weights, sentence.mask);
    let context = weigh(weights, sentence.context & !sentence.mask);
    let length = 1.0 + LENGTH * sentence.text.len() as f64 / 100.0;
    (own + CONTEXT * context - RANK * sentence.passage as f64) / length
}

/// The bridge: a passage named by the best sentence gains a share of its score.
fn lend(passages: &[PromptPassage], sentences: &mut [Sentence<'_>]) {
    let Some(top) = sentences
        .iter()
        .copied()
        .reduce(|top, next| if next.score > top.score { next } else { top })
    else {
        return;
    };
    let is_named = |(place, passage): (usize, &PromptPassage)| {
        let name = passage.title.split(" (").next().unwrap_or("");
        place != top.passage && !name.is_empty() && top.text.contains(name)
    };
    let named: Vec<bool> = passages.iter().enumerate().map(is_named).collect();
    for sentence in sentences
        .iter_mut()
        .filter(|sentence| named[sentence.passage])
    {
        sentence.score += BRIDGE * top.score;
    }
}

fn weights(n_terms: usize, sentences: &[Sentence<'_>]) -> Vec<f64> {
    let n = sentences.len() as f64;
    (0..n_terms)
        .map(|term| {
            let holding = sentences
                .iter()
                .filter(|sentence| sentence.mask >> term & 1 == 1)
                .count();
            (1.0 + n / holding.max(1) as f64).ln()
        })
        .collect()
}

/// The sum of the weights of the terms in `mask`.
pub(super) fn weigh(weights: &[f64], mask: u128) -> f64 {
    weights
        .iter()
        .enumerate()
        .filter(|(term, _)| mask >> term & 1 == 1)
        .map(|(_, weight)| weight)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(title: &str, text: &str) -> PromptPassage {
        PromptPassage {
            title: title.into(),
            text: text.into(),
        }
    }

    #[test]
    fn the_score_is_the_documented_sum() {
        let terms = QuestionTerms::of("kafka port");
        let passages = [
            passage("On Kafka", "The port is 9092. It is slow."),
            passage("Other", "Kafka has a port."),
        ];
        let (ranked, weights) = rank(&terms, &passages);
        // N = 3; kafka stands in 1 sentence, port in 2.
        let (kafka, port) = (4.0_f64.ln(), 2.5_f64.ln());
        assert_eq!(weights, [kafka, port]);
        assert_eq!(
            ranked.iter().map(|s| s.text).collect::<Vec<_>>(),
            ["Kafka has a port.", "The port is 9092.", "It is slow."]
        );
        // 17 bytes each for the first two, 11 for the third.
        let expected = [
            (kafka + port - RANK) / (1.0 + LENGTH * 0.17),
            (port + CONTEXT * kafka) / (1.0 + LENGTH * 0.17),
            CONTEXT * kafka / (1.0 + LENGTH * 0.11),
        ];
        for (sentence, expected) in ranked.iter().zip(expected) {
            assert!((sentence.score - expected).abs() < 1e-12, "{sentence:?}");
        }
    }

    #[test]
    fn the_passage_that_the_best_sentence_names_is_next() {
        let terms = QuestionTerms::of("Where was the maker of Blue Hill born?");
        let passages = [
            passage("Rye", "Born where rye grows."),
            passage("Ann Lee (poet)", "She hails from Leeds."),
            passage("Blue Hill", "Blue Hill has one maker, Ann Lee."),
        ];
        let (ranked, _) = rank(&terms, &passages);
        assert_eq!(
            ranked.iter().map(|s| s.passage).collect::<Vec<_>>(),
            [2, 1, 0]
        );
    }

    #[test]
    fn a_heading_speaks_for_the_lines_under_it_and_is_no_answer() {
        let terms = QuestionTerms::of("restart kafka");
        let passages = [passage("", "Wait.\n# Restart\nRun it.\n# Stop\nEnd it.")];
        let (ranked, _) = rank(&terms, &passages);
        assert_eq!(
            ranked.iter().map(|s| s.text).collect::<Vec<_>>(),
            ["Run it.", "Wait.", "End it."]
        );
    }

    #[test]
    fn equal_sentences_keep_the_prompts_order() {
        let terms = QuestionTerms::of("kafka");
        let passages = [
            passage("", "One kafka. Two kafka."),
            passage("", "Three kafka."),
        ];
        let (ranked, _) = rank(&terms, &passages);
        assert_eq!(
            ranked.iter().map(|s| s.text).collect::<Vec<_>>(),
            ["One kafka.", "Two kafka.", "Three kafka."]
        );
    }
}
