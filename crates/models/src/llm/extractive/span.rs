//! Narrowing a sentence to the span that answers.
//!
//! A candidate whose words all stand in the question is none. Among the others those of the wanted sort come first,
//! then the one nearest to the question's terms: nearness = sum over the terms' places in the sentence of
//! weight / (1 + words to there), and 1 more for a name that looks like a person's (two words or more) or a place's
//! (behind a preposition) where that is wanted. Ties keep the sentence's order.

use super::candidates::{Candidate, Looks, candidates, is_unit, is_year};
use super::score::{Sentence, weigh};
use super::terms::{QuestionTerms, Word, is_stop_word, words};
use super::want::Want;

/// What stands before a place.
const PLACE_PREPOSITIONS: [&str; 7] = ["at", "from", "in", "near", "on", "outside", "to"];

/// A span that may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span<'a> {
    pub text: &'a str,
    /// Whether it is of the wanted sort.
    pub fits: bool,
}

/// The best span of `sentence`; `None` where nothing stands out.
pub(super) fn best<'a>(
    sentence: &Sentence<'a>,
    want: Want,
    terms: &QuestionTerms,
    weights: &[f64],
) -> Option<Span<'a>> {
    let words = words(sentence.text);
    let masks: Vec<u128> = words.iter().map(|word| terms.mask(word.text)).collect();
    let mut best: Option<(bool, f64, Candidate)> = None;
    for candidate in candidates(sentence.text, &words) {
        let Some(mut nearness) = nearness(&candidate, &words, &masks, weights) else {
            continue;
        };
        if looks_it(want, sentence.text, &candidate) {
            nearness += 1.0;
        }
        let fits = fits(want, candidate.looks);
        if best
            .as_ref()
            .is_none_or(|(top_fits, top, _)| (fits, nearness) > (*top_fits, *top))
        {
            best = Some((fits, nearness, candidate));
        }
    }
    best.map(|(fits, _, candidate)| Span {
        text: trim(&sentence.text[candidate.range], want, candidate.looks),
        fits,
    })
}

fn fits(want: Want, looks: Looks) -> bool {
    match want {
        Want::Person | Want::Place => looks == Looks::Name,
        Want::Date | Want::Year => looks == Looks::Date,
        Want::Number | Want::Count => looks == Looks::Number,
        Want::Code => looks == Looks::Code,
        Want::Any => matches!(looks, Looks::Code | Looks::Quoted | Looks::Name),
        Want::Clause => false,
    }
}

/// Whether a name looks like one of the wanted sort.
fn looks_it(want: Want, text: &str, candidate: &Candidate) -> bool {
    match want {
        Want::Person => text[candidate.range.clone()].contains(' '),
        Want::Place => {
            let before = text[..candidate.range.start].split_whitespace().next_back();
            before.is_some_and(|word| PLACE_PREPOSITIONS.contains(&word.to_lowercase().as_str()))
        }
        _ => false,
    }
}

/// The year of a date and the number without its unit, where that is what is asked for.
fn trim(text: &str, want: Want, looks: Looks) -> &str {
    match (want, looks) {
        (Want::Year, Looks::Date) => text
            .split_whitespace()
            .find(|word| is_year(word))
            .unwrap_or(text),
        (Want::Count, Looks::Number) => text
            .rsplit_once(' ')
            .filter(|(_, last)| is_unit(last))
            .map_or(text, |(number, _)| number),
        _ => text,
    }
}

/// How near the question's terms stand; `None` for a candidate that holds nothing new.
fn nearness(
    candidate: &Candidate,
    words: &[Word<'_>],
    masks: &[u128],
    weights: &[f64],
) -> Option<f64> {
    let inside =
        |word: &Word<'_>| word.start < candidate.range.end && word.end() > candidate.range.start;
    let first = words.iter().position(inside)?;
    let last = words.iter().rposition(inside)?;
    let is_new = (first..=last).any(|at| masks[at] == 0 && !is_stop_word(words[at].text));
    let distance = |at: usize| {
        if at < first {
            first - at
        } else {
            at.saturating_sub(last)
        }
    };
    let terms = masks
        .iter()
        .enumerate()
        .filter(|&(at, &mask)| mask != 0 && distance(at) > 0);
    is_new.then(|| {
        terms
            .map(|(at, &mask)| weigh(weights, mask) / (1 + distance(at)) as f64)
            .sum()
    })
}

/// The longest run of words of `text` without a term of the question; all of it where every word is one.
pub(super) fn rest<'a>(text: &'a str, terms: &QuestionTerms) -> &'a str {
    let words = words(text);
    let mut longest = 0..0;
    let mut from = 0;
    for (at, word) in words.iter().enumerate() {
        if terms.mask(word.text) != 0 {
            from = at + 1;
        } else if at + 1 - from > longest.len() {
            longest = from..at + 1;
        }
    }
    match (words.get(longest.start), words[longest].last()) {
        (Some(first), Some(last)) => &text[first.start..last.end()],
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span<'a>(question: &str, text: &'a str, want: Want) -> Option<&'a str> {
        let terms = QuestionTerms::of(question);
        let sentence = Sentence {
            text,
            passage: 0,
            mask: terms.mask(text),
            context: 0,
            score: 0.0,
        };
        best(&sentence, want, &terms, &vec![1.0; terms.len()]).map(|span| span.text)
    }

    const TEXT: &str =
        "On 3 May 1998 Ada Brook, born in Leeds, moved 12 hosts with `drainctl` to Paris.";

    #[test]
    fn each_wanted_sort_takes_its_candidate() {
        for (want, expected) in [
            (Want::Person, "Ada Brook"),
            (Want::Date, "3 May 1998"),
            (Want::Year, "1998"),
            (Want::Number, "12"),
            (Want::Code, "drainctl"),
        ] {
            assert_eq!(span("moved?", TEXT, want), Some(expected), "{want:?}");
        }
    }

    #[test]
    fn the_candidate_nearest_to_the_questions_terms_is_taken() {
        // `born` stands 2 words before `Leeds` and far from `Paris`; `hosts` nearer to `Paris`.
        assert_eq!(
            span("Where was she born?", TEXT, Want::Place),
            Some("Leeds")
        );
        assert_eq!(
            span("Where did the drainctl go?", TEXT, Want::Place),
            Some("Paris")
        );
    }

    #[test]
    fn what_the_question_names_is_no_answer() {
        assert_eq!(
            span("Where did Ada Brook of Leeds go?", TEXT, Want::Place),
            Some("Paris")
        );
        assert_eq!(span("Kafka?", "Kafka is slow.", Want::Any), None);
    }

    #[test]
    fn a_unit_stays_where_the_question_does_not_count() {
        let text = "It waits 5 minutes.";
        assert_eq!(
            span("How long does it wait?", text, Want::Number),
            Some("5 minutes")
        );
        assert_eq!(span("How many minutes?", text, Want::Count), Some("5"));
    }

    #[test]
    fn the_rest_is_the_longest_run_the_question_does_not_hold() {
        let terms = QuestionTerms::of("Why does the broker restart?");
        assert_eq!(
            rest("The broker restarts because its disk is full.", &terms),
            "because its disk is full"
        );
        assert_eq!(rest("Broker restart", &terms), "Broker restart");
        assert_eq!(rest("", &terms), "");
    }
}
