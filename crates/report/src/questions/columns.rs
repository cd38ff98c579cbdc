//! The measures that the table of questions shows.

use super::evaluated::Evaluated;
use ragtriage_core::measure::{Cutoff, Family, Measure};

/// Returns the columns of all runs: at the cutoff of the last run (the baseline, if any), and only those with a value on some question.
pub(super) fn measures(runs: &[Evaluated<'_>]) -> Vec<Measure> {
    let k = runs.last().map_or(0, |subject| subject.k);
    wanted(k)
        .into_iter()
        .filter(|measure| runs.iter().any(|subject| has_value(subject, *measure)))
        .collect()
}

fn has_value(subject: &Evaluated<'_>, measure: Measure) -> bool {
    let scores = &subject.evaluation.scores;
    scores
        .measures
        .iter()
        .position(|column| *column == measure)
        .is_some_and(|at| scores.rows.iter().any(|row| row[at].is_some()))
}

fn wanted(k: usize) -> Vec<Measure> {
    let families = [
        (Family::Em, Some(Cutoff::Top(k))),
        (Family::Em, Some(Cutoff::Prompt)),
        (Family::EvidenceRecall, Some(Cutoff::Prompt)),
        (Family::ReciprocalRank, None),
        (Family::Ndcg, Some(Cutoff::Top(10))),
        (Family::AnswerRight, None),
        (Family::AnswerEm, None),
        (Family::AnswerF1, None),
        (Family::FactRecall, None),
        (Family::Groundedness, None),
    ];
    families.into_iter().filter_map(|(family, cutoff)| Measure::new(family, cutoff)).collect()
}
