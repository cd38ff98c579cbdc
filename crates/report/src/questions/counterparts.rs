//! Pairs of questions of two compared runs.

use std::collections::HashMap;

use serde::Serialize;

use super::Evaluated;
use ragtriage_core::measure::{Cutoff, Family, Measure};
use ragtriage_core::types::{ArmName, Attempt, QuestionId, Trace};
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
    /// True if class, fault, answer or a measure of the table differs, or the two were not compared.
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
        let measures = measures(&[run, baseline]);
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
            let differs =
                not_compared.is_some() || differ((run, own), (baseline, there), &measures);
            let of_run = Counterpart { row: there, turn, differs, not_compared };
            counterparts.of_run[own] = Some(of_run);
            counterparts.of_baseline[there] = Some(Counterpart { row: own, ..of_run });
        }
        counterparts
    }
}

/// Returns true if the answer, the class, the fault or a measure of the table differs. Packed passages are not compared: with other
/// chunks they always differ.
fn differ(
    (a, one): (Evaluated<'_>, usize),
    (b, other): (Evaluated<'_>, usize),
    measures: &[Measure],
) -> bool {
    let (first, second) = (&a.evaluation.outcomes[one], &b.evaluation.outcomes[other]);
    (first.class, first.fault) != (second.class, second.fault)
        || answer_text(&a.run.traces[one]) != answer_text(&b.run.traces[other])
        || measures.iter().any(|measure| score(a, one, *measure) != score(b, other, *measure))
}

/// Returns the answer of the retrieved condition.
pub(super) fn answer_text(trace: &Trace) -> Option<String> {
    trace.attempt(ArmName::Retrieved).map(Attempt::answer_text)
}

fn score(subject: Evaluated<'_>, row: usize, measure: Measure) -> Option<f64> {
    let scores = &subject.evaluation.scores;
    let column = scores.measures.iter().position(|column| *column == measure)?;
    scores.rows[row][column]
}

/// Returns the measures that the table of questions shows: at the cutoff of the last run (the baseline, if any), and only those with
/// a value on some question.
pub(super) fn measures(runs: &[Evaluated<'_>]) -> Vec<Measure> {
    let k = runs.last().map_or(0, |subject| subject.k);
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
    let measures = families.into_iter().filter_map(|(family, cutoff)| Measure::new(family, cutoff));
    let has_value = |run: &Evaluated<'_>, measure| {
        (0..run.run.traces.len()).any(|row| score(*run, row, measure).is_some())
    };
    measures.filter(|measure| runs.iter().any(|run| has_value(run, *measure))).collect()
}
