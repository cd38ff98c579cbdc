//! Spans of a text by their probability: the decoding of transformers' question-answering pipeline (4.57).
//!
//! A span's score is the product of the softmax of its start and of its end, over the tokens of the window that may be
//! in an answer and `[CLS]`. Each window offers its best spans; spans of one text with the same characters, case aside,
//! add up. The null score is the product of both at `[CLS]`, the least of all windows (Rajpurkar et al. 2018).

use std::ops::Range;

/// Maximum word pieces of an answer: `max_answer_len`.
const MOST_TOKENS: usize = 15;
/// Number of spans that a window offers: the pipeline's `2 * top_k + 10` for one answer.
const OFFERED: usize = 12;

/// A span of a window's tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TokenSpan {
    pub(super) first: usize,
    /// The last token, included.
    pub(super) last: usize,
    pub(super) score: f32,
}

/// The spans that a window offers, best first, and its null score.
#[derive(Debug)]
pub(super) struct WindowSpans {
    pub(super) spans: Vec<TokenSpan>,
    pub(super) null_score: f32,
}

impl WindowSpans {
    /// Decodes the logits of a start and of an end, alternating, for each token; `text` are the tokens of the text,
    /// `open` those of the softmax.
    pub(super) fn decode(logits: &[f32], text: &Range<usize>, open: &[bool]) -> Self {
        let [starts, ends] = [0, 1].map(|side| {
            let logits = logits.iter().skip(side).step_by(2);
            softmax(logits.copied(), open)
        });
        let mut spans: Vec<TokenSpan> = text
            .clone()
            .flat_map(|first| {
                (first..text.end.min(first + MOST_TOKENS)).map(move |last| (first, last))
            })
            .map(|(first, last)| TokenSpan { first, last, score: starts[first] * ends[last] })
            .filter(|span| span.score > 0.0)
            .collect();
        spans.sort_by(|a, b| b.score.total_cmp(&a.score));
        spans.truncate(OFFERED);
        let null_score = starts[0] * ends[0];
        Self { spans, null_score }
    }
}

/// Returns the softmax over the open places; 0 elsewhere.
fn softmax(logits: impl Iterator<Item = f32>, open: &[bool]) -> Vec<f32> {
    let mut values: Vec<f32> = logits
        .zip(open)
        .map(|(logit, open)| if *open { logit } else { f32::NEG_INFINITY })
        .collect();
    let largest = values.iter().copied().fold(f32::MIN, f32::max);
    for value in &mut values {
        *value = (*value - largest).exp();
    }
    let sum: f32 = values.iter().sum();
    for value in &mut values {
        *value /= sum;
    }
    values
}

/// The best span of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct TextSpan {
    /// Its bytes.
    pub range: Range<usize>,
    /// The sum of the scores of the spans with its characters: a probability, or more where windows overlap.
    pub score: f64,
}

/// The answer of a text to a question.
#[derive(Clone, Debug, PartialEq)]
pub struct TextAnswer {
    /// The best span; `None` without word pieces.
    pub best: Option<TextSpan>,
    /// The score of no answer; 1 without word pieces.
    pub null_score: f64,
}

/// The spans of one text that its windows offered so far.
pub(super) struct Offered<'a> {
    text: &'a str,
    spans: Vec<(String, TextSpan)>,
    null_score: f64,
}

impl<'a> Offered<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, spans: Vec::new(), null_score: 1.0 }
    }

    /// Adds a window's spans; `bytes` returns the bytes of a span in the text.
    pub(super) fn add(&mut self, window: &WindowSpans, bytes: impl Fn(&TokenSpan) -> Range<usize>) {
        self.null_score = self.null_score.min(window.null_score.into());
        for span in &window.spans {
            let (range, score) = (bytes(span), f64::from(span.score));
            let key = self.text.get(range.clone()).unwrap_or_default().to_lowercase();
            match self.spans.iter_mut().find(|(known, _)| *known == key) {
                Some((_, known)) => known.score += score,
                None => self.spans.push((key, TextSpan { range, score })),
            }
        }
    }

    /// Returns the best span, of equal ones the first.
    pub(super) fn best(self) -> TextAnswer {
        let spans = self.spans.into_iter().map(|(_, span)| span);
        TextAnswer {
            best: spans.reduce(|best, next| if next.score > best.score { next } else { best }),
            null_score: self.null_score,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_softmax_is_over_open_tokens_and_spans_stay_in_the_text() {
        // [CLS] q [SEP] a b [SEP]: the question's logits are the largest and do not count.
        let starts = [0.0, 9.0, 9.0, 2.0_f32.ln(), 0.0, 9.0];
        let ends = [0.0, 9.0, 9.0, 0.0, 3.0_f32.ln(), 9.0];
        let logits: Vec<f32> = starts.iter().zip(ends).flat_map(|(s, e)| [*s, e]).collect();
        let open = [true, false, false, true, true, false];
        let found = WindowSpans::decode(&logits, &(3..5), &open);
        // Starts 1, 2, 1 of 4 for [CLS], a, b; ends 1, 1, 3 of 5.
        assert!((found.null_score - 0.25 * 0.2).abs() < 1e-6);
        let expected = [(3, 4, 0.5 * 0.6), (4, 4, 0.25 * 0.6), (3, 3, 0.5 * 0.2)];
        assert_eq!(found.spans.len(), expected.len());
        for (span, (first, last, score)) in found.spans.iter().zip(expected) {
            assert_eq!((span.first, span.last), (first, last));
            assert!((span.score - score).abs() < 1e-6, "{span:?}");
        }
    }

    #[test]
    fn an_answer_has_at_most_fifteen_tokens_and_a_window_offers_twelve() {
        let found = WindowSpans::decode(&[0.0; 60], &(1..30), &[true; 30]);
        assert_eq!(found.spans.len(), 12);
        // Start at 1, end at 16: one token too long, so the best span ends earlier.
        let mut logits = [0.0; 60];
        (logits[2], logits[2 * 16 + 1]) = (9.0, 9.0);
        let found = WindowSpans::decode(&logits, &(1..30), &[true; 30]);
        assert!(found.spans.iter().all(|span| span.last - span.first < 15));
    }

    #[test]
    fn spans_with_the_same_characters_add_up_and_the_least_null_score_counts() {
        let text = "Red or red or blue";
        let mut offered = Offered::new(text);
        let bytes = |span: &TokenSpan| span.first..span.last;
        for (spans, null_score) in
            [(vec![(14, 18, 0.4), (0, 3, 0.25)], 0.5), (vec![(7, 10, 0.25)], 0.125)]
        {
            let spans = spans
                .into_iter()
                .map(|(first, last, score)| TokenSpan { first, last, score })
                .collect();
            offered.add(&WindowSpans { spans, null_score }, bytes);
        }
        let answer = offered.best();
        let (range, score) = (0..3, 0.5);
        assert_eq!(answer.best, Some(TextSpan { range, score }));
        assert_eq!(answer.null_score, 0.125);
    }
}
