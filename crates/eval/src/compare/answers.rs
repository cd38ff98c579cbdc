//! The flipped questions: those that one run got correct and the other did not.
//!
//! With answers on both sides the two states are a correct and a wrong answer. If a run has no answers, they are
//! whether complete evidence was in the prompt, which needs no generator; the failure class is then the stage that lost
//! it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::pairs::Pairs;
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::correctness::Correctness;
use ragtriage_core::types::{Attempt, Condition, FailureClass, QuestionId, Trace};
use ragtriage_data::run::SavedRun;

/// The direction of a flip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    /// Good in the baseline, not in the run.
    Lost,
    /// Not in the baseline, good in the run.
    Gained,
    /// Neither lost nor gained, but of another class: lost elsewhere, or unsure in one of the runs.
    Moved,
}

/// Flipped questions with one pair of failure classes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlipGroup {
    /// The direction of the flip.
    pub turn: Turn,
    /// Their class in the baseline.
    pub from: FailureClass,
    /// Their class in the run.
    pub to: FailureClass,
    /// In the baseline's order.
    pub questions: Vec<Flip>,
}

/// One flipped question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Flip {
    /// Its id.
    pub id: QuestionId,
    /// Its text.
    pub question: String,
    /// Its gold answers, from the baseline.
    pub gold: String,
    /// The baseline's answer; `None` without a generator.
    pub baseline: Option<String>,
    /// The run's.
    pub run: Option<String>,
}

/// Every pair's state on both sides, `None` where it is unknown.
pub(super) struct JudgedPairs(Vec<Option<(PairedFate, PairedFate)>>);

/// The outcome of a question in one run.
#[derive(Clone, Copy)]
struct PairedFate {
    /// `None`: the answer is unsure.
    good: Option<bool>,
    class: FailureClass,
}

/// Judges every pair; outcomes are parallel to their run's traces.
pub(super) fn judged(
    pairs: &Pairs,
    [baseline, run]: [&SavedRun; 2],
    [first, second]: [&[Outcome]; 2],
) -> JudgedPairs {
    let mut list = pairs.list.iter();
    let has_answers = list.clone().any(|[a, _]| has_answer(&baseline.traces[*a]))
        && list.any(|[_, b]| has_answer(&run.traces[*b]));
    let fate = if has_answers { of_answer } else { of_evidence };
    let sides = pairs.list.iter().map(|[a, b]| fate(&first[*a]).zip(fate(&second[*b])));
    JudgedPairs(sides.collect())
}

/// Judges a question by its answer; `None` where it is unknown.
fn of_answer(outcome: &Outcome) -> Option<PairedFate> {
    let good = match outcome.judgments.correctness(Condition::Retrieved)? {
        Correctness::Correct => Some(true),
        Correctness::Wrong => Some(false),
        Correctness::Unsure => None,
    };
    Some(PairedFate { good, class: outcome.class })
}

/// Judges a question by its evidence, complete in the prompt or not; `None` where it is unknown.
fn of_evidence(outcome: &Outcome) -> Option<PairedFate> {
    if !outcome.evidence.is_testable() {
        return None;
    }
    let class = outcome.evidence.class().unwrap_or(FailureClass::Delivered);
    Some(PairedFate { good: Some(class == FailureClass::Delivered), class })
}

fn has_answer(trace: &Trace) -> bool {
    trace.attempt(Condition::Retrieved).is_some()
}

impl JudgedPairs {
    /// Returns the flips: losses first, then gains, then moves; the largest groups of each first.
    pub(super) fn flips(&self, pairs: &Pairs, runs: [&SavedRun; 2]) -> Vec<FlipGroup> {
        let mut groups: BTreeMap<(Turn, FailureClass, FailureClass), Vec<Flip>> = BTreeMap::new();
        for (fates, at) in self.0.iter().zip(&pairs.list) {
            let Some((first, second)) = fates else {
                continue;
            };
            if let Some(turn) = turn(*first, *second) {
                let traces = [0, 1].map(|side| &runs[side].traces[at[side]]);
                groups.entry((turn, first.class, second.class)).or_default().push(flip(traces));
            }
        }
        let mut groups: Vec<FlipGroup> = groups
            .into_iter()
            .map(|((turn, from, to), questions)| FlipGroup { turn, from, to, questions })
            .collect();
        groups.sort_by_key(|group| (group.turn, std::cmp::Reverse(group.questions.len())));
        groups
    }
}

fn turn(first: PairedFate, second: PairedFate) -> Option<Turn> {
    match (first.good, second.good) {
        (Some(true), Some(false)) => Some(Turn::Lost),
        (Some(false), Some(true)) => Some(Turn::Gained),
        _ => (first.class != second.class).then_some(Turn::Moved),
    }
}

fn flip(traces: [&Trace; 2]) -> Flip {
    let [baseline, run] =
        traces.map(|trace| trace.attempt(Condition::Retrieved).map(Attempt::answer_text));
    let [first, _] = traces;
    Flip {
        id: first.question.id.clone(),
        question: first.question.text.clone(),
        gold: first.question.gold_text(),
        baseline,
        run,
    }
}
