//! Pairs of questions of two compared runs.

use std::collections::HashMap;

use serde::Serialize;

use super::Evaluated;
use ragtriage_core::metric::{Cutoff, Family, Metric};
use ragtriage_core::types::{Attempt, Condition, QuestionId, Trace};
use ragtriage_eval::compare::PairComparison;
use ragtriage_eval::compare::answers::Turn;

/// Pairs of equal questions in the other of two compared runs, parallel to the traces of each. Made while both still have their texts.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterparts {
    pub(super) of_run: Vec<Option<Counterpart>>,
    pub(super) of_baseline: Vec<Option<Counterpart>>,
}

/// The other side of a compared question.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Counterpart {
    /// Its row in the other run, from 0.
    pub row: usize,
    /// `lost`, `gained` or `moved`, where it flipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// True if class, fault, answer or a metric of the table differs, or the two were not compared.
    pub differs: bool,
    /// The reason, if the two were not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_compared: Option<&'static str>,
}

impl Counterparts {
    /// Pairs the questions of two runs by id.
    #[must_use]
    pub fn new(run: Evaluated<'_>, baseline: Evaluated<'_>, comparison: &PairComparison) -> Self {
        let flips = comparison.flips.iter();
        let turns: HashMap<&QuestionId, Turn> = flips
            .flat_map(|group| group.questions.iter().map(|flip| (&flip.id, group.turn)))
            .collect();
        let theirs = baseline.run.traces.iter().enumerate();
        let theirs: HashMap<&QuestionId, usize> =
            theirs.map(|(row, trace)| (&trace.question.id, row)).collect();
        let metrics = metrics(&[run, baseline]);
        let mut counterparts = Self {
            of_run: vec![None; run.run.traces.len()],
            of_baseline: vec![None; baseline.run.traces.len()],
        };
        for (own, trace) in run.run.traces.iter().enumerate() {
            let Some(&there) = theirs.get(&trace.question.id) else {
                continue;
            };
            let other = &baseline.run.traces[there];
            let not_compared = if trace.question.text == other.question.text {
                (trace.failed() || other.failed()).then_some("failed in one of the runs")
            } else {
                Some("another text in A")
            };
            let turn = turns.get(&trace.question.id).copied();
            let differs = not_compared.is_some() || differ((run, own), (baseline, there), &metrics);
            let of_run = Counterpart { row: there, turn, differs, not_compared };
            counterparts.of_run[own] = Some(of_run);
            counterparts.of_baseline[there] = Some(Counterpart { row: own, ..of_run });
        }
        counterparts
    }
}

/// Returns true if the answer, the class, the fault or a metric of the table differs. Packed passages are not compared: with other
/// chunks they always differ.
fn differ(
    (a, one): (Evaluated<'_>, usize),
    (b, other): (Evaluated<'_>, usize),
    metrics: &[Metric],
) -> bool {
    let (first, second) = (&a.evaluation.outcomes[one], &b.evaluation.outcomes[other]);
    (first.class, first.fault) != (second.class, second.fault)
        || answer_text(&a.run.traces[one]) != answer_text(&b.run.traces[other])
        || metrics.iter().any(|metric| score(a, one, *metric) != score(b, other, *metric))
}

/// Returns the answer of the retrieved condition.
pub(super) fn answer_text(trace: &Trace) -> Option<String> {
    trace.attempt(Condition::Retrieved).map(Attempt::answer_text)
}

fn score(subject: Evaluated<'_>, row: usize, metric: Metric) -> Option<f64> {
    let scores = &subject.evaluation.scores;
    let column = scores.metrics.iter().position(|column| *column == metric)?;
    scores.rows[row][column]
}

/// Returns the metrics that the table of questions shows: at the cutoff of the last run (the baseline, if any), and only those with
/// a value on some question.
pub(super) fn metrics(runs: &[Evaluated<'_>]) -> Vec<Metric> {
    let k = runs.last().map_or(0, |subject| subject.k);
    let families = [
        (Family::Em, Some(Cutoff::Top(k))),
        (Family::Em, Some(Cutoff::Prompt)),
        (Family::EvidenceRecall, Some(Cutoff::Prompt)),
        (Family::ReciprocalRank, None),
        (Family::Ndcg, Some(Cutoff::Top(10))),
        (Family::AnswerCorrect, None),
        (Family::AnswerEm, None),
        (Family::AnswerF1, None),
        (Family::FactRecall, None),
        (Family::Groundedness, None),
    ];
    let metrics = families.into_iter().filter_map(|(family, cutoff)| Metric::new(family, cutoff));
    let has_value = |run: &Evaluated<'_>, metric| {
        (0..run.run.traces.len()).any(|row| score(*run, row, metric).is_some())
    };
    metrics.filter(|metric| runs.iter().any(|run| has_value(run, *metric))).collect()
}
