//! Score distributions: of passages with gold evidence against others, and of answers.
//!
//! The first shows whether a minimum score could separate them: `retrieval.min_score` drops every passage below it, gold or
//! not.

use std::collections::HashSet;

use ragtriage_core::stats::histogram;
use ragtriage_core::types::ChunkId;
use ragtriage_runs::SavedRun;

/// Score histogram of the passages in the top k.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreSpread {
    /// The bins' edges, ascending, one more than there are bins.
    pub edges: Vec<f64>,
    /// Passages that contain gold evidence, by bin.
    pub gold: Vec<usize>,
    /// All other passages, by bin.
    pub others: Vec<usize>,
    /// Number of questions they come from: those with labelled evidence.
    pub n_questions: usize,
}

/// Returns the scores of the final ranking's first `k` passages, over the questions that have labelled evidence and did not
/// fail. `None` if there are none, if all are equal, or if they only reflect the rank.
#[must_use]
pub fn score_spread(run: &SavedRun, k: usize) -> Option<ScoreSpread> {
    let labelled =
        run.traces.iter().filter(|trace| !trace.failed() && !trace.question.evidence.is_empty());
    let (mut gold, mut others, mut n_questions, mut is_rank) = (Vec::new(), Vec::new(), 0, true);
    for trace in labelled {
        n_questions += 1;
        let holding: HashSet<&ChunkId> =
            trace.gold.groups.iter().flatten().flat_map(|member| &member.chunks).collect();
        let hits = trace.final_ranking().map_or(&[][..], |step| &step.hits);
        for (at, hit) in hits.iter().take(k).enumerate() {
            is_rank &= hit.score == 1.0 / (at + 1) as f64;
            if holding.contains(&hit.id) {
                gold.push(hit.score);
            } else {
                others.push(hit.score);
            }
        }
    }
    let all: Vec<f64> = gold.iter().chain(&others).copied().collect();
    // If one group is empty, only the other is drawn.
    let smaller = [gold.len(), others.len()].into_iter().filter(|n| *n > 0).min()?;
    let edges = histogram::edges(&all, smaller).filter(|_| !is_rank)?;
    let [gold, others] = [gold, others].map(|scores| histogram::counts(&scores, &edges));
    Some(ScoreSpread { edges, gold, others, n_questions })
}

/// Counts questions by the tenth of their score in 0..=1, exactly 0 and exactly 1 separately: 0, up to 0.1, ..., up to 1, 1.
#[must_use]
pub fn tenths(scores: impl Iterator<Item = f64>) -> [usize; 12] {
    let mut counts = [0; 12];
    for score in scores {
        let at = match score {
            score if score <= 0.0 => 0,
            score if score >= 1.0 => 11,
            // Tolerance: 0.6 computed as 0.59999 is 0.6.
            score => 1 + ((10.0 * score + 1e-9) as usize).min(9),
        };
        counts[at] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{failed, manifest, trace};
    use ragtriage_core::types::{GoldMember, Trace};
    use ragtriage_runs::judged::Decided;

    /// A question with these scores from rank 1 on; `d#0` holds its gold evidence.
    fn scored(index: usize, ranked: &[(&str, f64)]) -> Trace {
        let ids: Vec<&str> = ranked.iter().map(|(id, _)| *id).collect();
        let mut trace = trace(index, &ids, "18 May", None);
        for (hit, (_, score)) in trace.steps[0].hits.iter_mut().zip(ranked) {
            hit.score = *score;
        }
        trace.gold.groups = vec![vec![GoldMember {
            doc: "d".into(),
            present: true,
            needed: vec![],
            chunks: vec!["d#0".into()],
            has_answer: true,
            doc_bytes: None,
            encoder_truncated: false,
            wide: Vec::new(),
            answer_ranges: Vec::new(),
        }]];
        trace
    }

    fn run(traces: Vec<Trace>) -> SavedRun {
        SavedRun { manifest: manifest(), traces, passages: [].into(), decided: Decided::default() }
    }

    #[test]
    fn passages_with_gold_are_parted_from_others_by_score() {
        let traces = vec![
            scored(0, &[("d#0", 8.0), ("e#0", 2.0), ("f#0", 1.0)]),
            scored(1, &[("e#0", 3.0), ("d#0", 2.0)]),
        ];
        let found = score_spread(&run(traces.clone()), 2).expect("a spread");
        // 8, 2, 3, 2: quartiles 2 and 4.25; for two of each 2 x 2.25 / 2^(1/3) = 3.57 wide, so 6 / 3.57 = 1.7, two bins of 3 from 2.
        assert_eq!(found.edges, [2.0, 5.0, 8.0]);
        assert_eq!((found.gold, found.others, found.n_questions), (vec![1, 1], vec![2, 0], 2));
        // Failed and unlabelled questions are excluded.
        let mut silent = traces;
        silent[0].error = Some(failed());
        silent[1].question.evidence.clear();
        assert_eq!(score_spread(&run(silent), 2), None);
    }

    #[test]
    fn scores_that_are_the_rank_again_are_none() {
        let traces = vec![
            scored(0, &[("d#0", 1.0), ("e#0", 0.5), ("f#0", 1.0 / 3.0)]),
            scored(1, &[("e#0", 1.0)]),
        ];
        assert_eq!(score_spread(&run(traces), 3), None);
    }

    #[test]
    fn scores_fall_into_tenths_and_their_ends_stand_apart() {
        let found =
            tenths([0.0, 0.05, 0.1, 2.0 / 3.0, 0.6, 0.3 / 0.5, 0.999, 1.0, 1.0].into_iter());
        // 0 | .05 | .1 | - | - | - | - | 2/3, .6, .6 | - | - | .999 | 1, 1
        assert_eq!(found, [1, 1, 1, 0, 0, 0, 0, 3, 0, 0, 1, 2]);
    }
}
