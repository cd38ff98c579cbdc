//! A seeded sample of questions.

use std::collections::HashSet;

use crate::stats::random::Random;
use crate::types::{Question, QuestionId};

/// Returns `n` of the questions (all, when there are fewer), in their order.
///
/// Each question draws a number from `seed` and its own id, and the `n` smallest numbers are selected. The sample
/// therefore does not depend on the order of the file, a larger one contains every smaller one of the same seed, and
/// adding questions to the set replaces few of those drawn.
#[must_use]
pub fn sample(questions: Vec<Question>, n: usize, seed: u64) -> Vec<Question> {
    let ids: Vec<QuestionId> = questions.iter().map(|question| question.id.clone()).collect();
    let kept = sampled(&ids, n, seed);
    questions.into_iter().filter(|question| kept.contains(&question.id)).collect()
}

/// Returns the members of `ids` that [`sample`] selects.
#[must_use]
pub fn sampled(ids: &[QuestionId], n: usize, seed: u64) -> HashSet<QuestionId> {
    let mut drawn: Vec<(u64, usize)> =
        ids.iter().enumerate().map(|(index, id)| (draw(seed, id.as_str()), index)).collect();
    drawn.sort_unstable();
    drawn.into_iter().take(n).map(|(_, index)| ids[index].clone()).collect()
}

/// Hashes the id by FNV-1a, started from the mixed seed, then mixed once more: FNV alone gives similar ids similar high
/// bits.
fn draw(seed: u64, id: &str) -> u64 {
    const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;
    let mix = |state| Random::new(state).next_u64();
    mix(id.bytes().fold(mix(seed), |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME)))
}

#[cfg(test)]
mod tests {

    use std::collections::BTreeMap;

    use super::*;

    fn questions(n: usize) -> Vec<Question> {
        let question = |index: usize| Question::new(format!("q{index:03}").into(), "?".into());
        (0..n).map(question).collect()
    }

    fn ids(questions: &[Question]) -> Vec<&str> {
        questions.iter().map(|question| question.id.as_str()).collect()
    }

    #[test]
    fn the_sample_is_pinned() {
        // Computed by the same formula in Python.
        assert_eq!(ids(&sample(questions(20), 4, 42)), ["q001", "q004", "q007", "q011"]);
    }

    #[test]
    fn a_larger_sample_holds_the_smaller_and_keeps_the_order() {
        let (small, large) = (sample(questions(100), 10, 7), sample(questions(100), 40, 7));
        assert_eq!((small.len(), large.len()), (10, 40));
        assert!(ids(&small).iter().all(|id| ids(&large).contains(id)));
        assert!(ids(&large).is_sorted());
        let mut reversed = questions(100);
        reversed.reverse();
        let mut again = sample(reversed, 10, 7);
        again.reverse();
        assert_eq!(ids(&again), ids(&small));
    }

    #[test]
    fn every_question_is_drawn_about_equally_often() {
        // 2,000 seeds, 5 of 20: each expected 500 times, standard deviation sqrt(2000 * .25 * .75) = 19.4; five of them.
        let mut counts = BTreeMap::new();
        for seed in 0..2_000 {
            for id in ids(&sample(questions(20), 5, seed)) {
                *counts.entry(id.to_owned()).or_insert(0_i32) += 1;
            }
        }
        assert_eq!(counts.len(), 20);
        assert!(counts.values().all(|count| (count - 500).abs() < 97), "{counts:?}");
    }
}
