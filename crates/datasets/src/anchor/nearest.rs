//! The sentences that share the most words with a question and its answers, where no answer was located.

use std::collections::{BTreeMap, BTreeSet};

use super::sentences::Sentences;
use ragtriage_core::text::answer_index::{AnswerIndex, Occurrence};
use ragtriage_core::text::normalise;
use ragtriage_core::types::Question;

/// Number of sentences returned.
const MOST_SENTENCES: usize = 5;

/// Words with more occurrences are not looked up: they occur in sentences of every kind, and would cost most of the time.
const MOST_OCCURRENCES: usize = 2_000;

/// Returns the sentences with the largest sum over their distinct shared words of ln(N/n), where n is the number of occurrences of
/// the word and N that of all words; equal ones in document order. None share nothing.
pub(super) fn nearest(
    index: &AnswerIndex<'_>,
    sentences: &Sentences<'_>,
    question: &Question,
    within: Option<usize>,
) -> Vec<Occurrence> {
    let mut text = question.text.clone();
    for answer in &question.answers {
        text.push(' ');
        text.push_str(answer);
    }
    let form = normalise::words(&text);
    let words: BTreeSet<&str> = form.split(' ').filter(|word| !word.is_empty()).collect();
    let mut scores: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for word in words {
        let n_found = index.places_of(word, None).len();
        if n_found > MOST_OCCURRENCES {
            continue;
        }
        let weight = (index.n_words() as f64 / n_found.max(1) as f64).ln();
        let places = index.places_of(word, within);
        let holders: BTreeSet<(usize, usize)> =
            places.map(|place| (place.text, sentences.number(place))).collect();
        for holder in holders {
            *scores.entry(holder).or_default() += weight;
        }
    }
    let mut ranked: Vec<((usize, usize), f64)> = scores.into_iter().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1)); // stable
    ranked
        .into_iter()
        .filter_map(|((text, sentence), _)| {
            let range = *sentences.of(text).get(sentence)?;
            Some(Occurrence { text, range })
        })
        .take(MOST_SENTENCES)
        .collect()
}
