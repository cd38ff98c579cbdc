//! The funnel: where the answerable questions of a run were lost, each counted once, by failure class.

use std::collections::BTreeMap;

use crate::document::Table;
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::stats::rounding::adding_up;
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_core::types::{FailureClass, Fault, Interval, QuestionKind, Stage, Trace};
use ragtriage_eval::summary::{Evaluation, Summary};
use ragtriage_eval::verdict::{Conclusion, LossBudget, SUPPORT, Source};

/// Where the questions of a run ended; every question is counted once.
#[derive(Clone, Debug, PartialEq)]
pub struct Funnel {
    /// Answerable questions that did not fail: the sum of all counts below.
    pub n: usize,
    /// The stages, in pipeline order.
    pub stages: Vec<FunnelRow>,
    /// Questions that were not lost, or of which that is open, by label.
    pub others: Vec<(&'static str, usize)>,
    /// Questions outside the funnel, in a sentence; empty without any.
    pub outside: String,
}

/// A stage of the funnel.
#[derive(Clone, Debug, PartialEq)]
pub struct FunnelRow {
    /// The stage.
    pub stage: Stage,
    /// Questions whose complete evidence is there; `None` at generation.
    pub held: Option<usize>,
    /// Questions of this failure class.
    pub lost: usize,
    /// Right answers that fixing this stage alone would win back, with their interval.
    pub cost: Option<(f64, Option<Interval>)>,
}

/// Builds the funnel: by failure class where a generator is judged, else by support alone.
pub(super) fn funnel(traces: &[Trace], evaluation: &Evaluation) -> Funnel {
    let summary = &evaluation.summary;
    let of_retrieval = summary.verdict.conclusion == Conclusion::RetrievalOnly;
    let is_answerable = |trace: &Trace| trace.question.kind != QuestionKind::Unanswerable;
    let n_unasked = traces.iter().filter(|trace| !is_answerable(trace)).count();
    let n_unasked = if of_retrieval { n_unasked } else { 0 };
    let questions = traces.iter().zip(&evaluation.outcomes);
    let counted = questions.filter(|(trace, _)| !of_retrieval || is_answerable(trace));
    let classes = counted.map(|(_, outcome)| {
        if of_retrieval {
            without_answer(outcome)
        } else {
            outcome.class
        }
    });
    let classes: Vec<FailureClass> = classes.collect();
    let count = |class: FailureClass| classes.iter().filter(|found| **found == class).count();
    let outside = [
        (
            FailureClass::CorrectAbstention,
            "unanswerable and abstained",
        ),
        (FailureClass::Hallucinated, "unanswerable and answered"),
        (FailureClass::NotRecorded, "without a recorded response"),
        (FailureClass::Failed, "failed"),
    ];
    let n_outside: usize = outside.iter().map(|(class, _)| count(*class)).sum();
    let n_outside = n_outside + n_unasked;
    let others = [
        (FailureClass::Correct, "right, with evidence"),
        (FailureClass::CorrectUnsupported, "right, without evidence"),
        (FailureClass::Supported, "evidence in the prompt"),
        (FailureClass::Unsure, "unsure if right"),
        (FailureClass::Ambiguous, "open: wide label"),
        (FailureClass::Unattributed, "no usable label"),
    ];
    let n_unusable = evaluation
        .outcomes
        .iter()
        .filter(|outcome| !of_retrieval && outcome.fault.is_some_and(Fault::is_setup));
    let n_unusable = n_unusable.count();
    let n_unlabelled = evaluation.outcomes.iter().filter(|outcome| {
        !of_retrieval
            && outcome.class == FailureClass::CorrectUnsupported
            && outcome.reached.is_none()
    });
    let n_unlabelled = n_unlabelled.count();
    let costs = costs(summary);
    let held: BTreeMap<Stage, usize> = summary
        .waterfall
        .iter()
        .map(|step| (step.stage, step.supported))
        .collect();
    let stages = Stage::ALL.iter().map(|stage| FunnelRow {
        stage: *stage,
        held: held
            .get(stage)
            .copied()
            .filter(|_| summary.waterfall_n > 0 && *stage != Stage::Generation),
        lost: count((*stage).into())
            - if *stage == Stage::Generation {
                n_unusable
            } else {
                0
            },
        cost: costs.as_ref().map(|costs| costs[*stage as usize]),
    });
    let is_answered = held.contains_key(&Stage::Generation) && !of_retrieval;
    let listed: Vec<String> = outside
        .iter()
        .filter(|(class, _)| count(*class) > 0)
        .map(|(class, label)| format!("{} {label}", thousands(count(*class))))
        .chain((n_unasked > 0).then(|| format!("{} unanswerable", thousands(n_unasked))))
        .collect();
    Funnel {
        n: summary.n_questions - n_outside,
        stages: stages
            .filter(|row| is_answered || row.stage != Stage::Generation)
            .collect(),
        others: others
            .into_iter()
            .map(|(class, label)| match class {
                FailureClass::CorrectUnsupported => (label, count(class) - n_unlabelled),
                _ => (label, count(class)),
            })
            .chain([
                ("right, no usable label", n_unlabelled),
                ("no usable reply", n_unusable),
            ])
            .filter(|(_, n)| *n > 0)
            .collect(),
        outside: if listed.is_empty() {
            String::new()
        } else {
            format!(
                "not counted here: {} of {}",
                listed.join(", "),
                plural(summary.n_questions, "question", "questions")
            )
        },
    }
}

/// Returns the failure class of the question if nothing had been answered.
fn without_answer(outcome: &Outcome) -> FailureClass {
    match (outcome.class, outcome.reached, outcome.lost) {
        (
            FailureClass::Failed
            | FailureClass::NotRecorded
            | FailureClass::CorrectAbstention
            | FailureClass::Hallucinated,
            ..,
        ) => outcome.class,
        (_, None, _) => FailureClass::Unattributed,
        _ if outcome.is_open() => FailureClass::Ambiguous,
        (_, Some(_), Some(stage)) => stage.into(),
        (_, Some(_), None) => FailureClass::Supported,
    }
}

/// Returns the cost of each stage in right answers; `None` where the loss budget does not count answers or is not to be relied on.
fn costs(summary: &Summary) -> Option<Vec<(f64, Option<Interval>)>> {
    let budget = &summary.loss_budget;
    let is_usable = summary.verdict.counts_answers
        && budget.of != SUPPORT
        && budget.n > 0
        && !matches!(
            summary.verdict.conclusion,
            Conclusion::RetrievalOnly | Conclusion::Withheld
        );
    is_usable.then(|| {
        let n = budget.n as f64;
        let stages = Stage::ALL.iter().map(|stage| mean_of(budget, *stage) * n);
        let shown = adding_up(&stages.collect::<Vec<f64>>(), 0);
        let intervals = Stage::ALL.iter().map(|stage| match stage {
            Stage::Generation => summary.verdict.generator.ci95,
            _ => term_interval(budget, *stage).map(|interval| interval.times(n)),
        });
        shown.into_iter().zip(intervals).collect()
    })
}

fn sources(stage: Stage) -> &'static [Source] {
    match stage {
        Stage::Corpus => &[Source::Corpus],
        Stage::Chunking => &[Source::Chunking],
        Stage::Retrieval => &[Source::Retrieval],
        Stage::Ranking => &[Source::Ranking],
        Stage::Packing => &[Source::Packing],
        Stage::Generation => &[Source::Distraction, Source::Reader],
    }
}

fn mean_of(budget: &LossBudget, stage: Stage) -> f64 {
    let terms = budget.terms.iter();
    let here = terms.filter(|term| sources(stage).contains(&term.source));
    here.map(|term| term.mean).sum::<f64>() + 0.0
}

fn term_interval(budget: &LossBudget, stage: Stage) -> Option<Interval> {
    let mut terms = budget.terms.iter();
    terms
        .find(|term| sources(stage).contains(&term.source))?
        .ci95
}

/// The funnel as a table.
pub(crate) fn table(funnel: &Funnel) -> Table {
    let has_costs = funnel.stages.iter().any(|row| row.cost.is_some());
    let mut columns = vec!["", "evidence there", "questions"];
    if has_costs {
        columns.extend(["to win back", "95% CI"]);
    }
    let title = format!(
        "Where {}",
        plural(
            funnel.n,
            "answerable question ends",
            "answerable questions end"
        )
    );
    let mut table = Table::new(title, &columns);
    for row in &funnel.stages {
        let held = row.held.map_or(String::new(), thousands);
        let label = format!("lost at {}", row.stage);
        let mut cells = vec![label, held, thousands(row.lost)];
        if has_costs {
            let (cost, ci95) = row.cost.unwrap_or_default();
            cells.push(format!("{cost:.0}"));
            cells.push(ci95.map_or(String::new(), |ci| format!("{ci:.0}")));
        }
        table.row(cells);
    }
    for (label, n) in &funnel.others {
        let blank = vec![String::new(); if has_costs { 2 } else { 0 }];
        let cells = [(*label).to_owned(), String::new(), thousands(*n)];
        table.row(cells.into_iter().chain(blank));
    }
    let is_answered = funnel.stages.len() == Stage::ALL.len();
    let note = if is_answered {
        "evidence there: complete after the stage; lost: not answered right, evidence first missing there"
    } else {
        "evidence there: complete after the stage; lost: first missing there"
    };
    table.notes.push(note.to_owned());
    if has_costs {
        let note = "to win back: right answers that complete evidence brings; at generation, those it does not bring";
        table.notes.push(note.to_owned());
    }
    if !funnel.outside.is_empty() {
        table.notes.push(funnel.outside.clone());
    }
    table
}
