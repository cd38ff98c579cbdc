//! The funnel: where the answerable questions of a run were lost, each counted once, by failure class.

use std::collections::BTreeMap;

use crate::document::Table;
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::stats::rounding::adding_up;
use ragtriage_core::text::numbers::{plural, thousands, whole};
use ragtriage_core::types::{FailureClass, Interval, QuestionKind, Stage, Trace};
use ragtriage_eval::summary::{Evaluation, Summary};
use ragtriage_eval::verdict::{Conclusion, ESTIMATED, LossBudget, SUPPORT, Source};

/// Answerable questions of a run by the stage that they reached; every question is counted once.
#[derive(Clone, Debug, PartialEq)]
pub struct Funnel {
    /// Answerable questions that did not fail: the sum of all counts below.
    pub n: usize,
    /// The stages, in pipeline order.
    pub stages: Vec<FunnelRow>,
    /// Questions that were not lost, or of which that is open, by label.
    pub others: Vec<(&'static str, usize)>,
    /// True if the costs of the stages are estimates.
    pub is_estimated: bool,
    /// Questions outside the funnel, in a sentence; empty without any.
    pub outside: String,
}

/// A stage of the funnel.
#[derive(Clone, Debug, PartialEq)]
pub struct FunnelRow {
    /// The stage; `None` for those before the prompt of which a record does not show which lost a question.
    pub stage: Option<Stage>,
    /// Questions whose complete evidence is there; `None` at generation.
    pub held: Option<usize>,
    /// Questions of this failure class.
    pub lost: usize,
    /// Right answers that fixing this stage alone would recover, with their interval.
    pub cost: Option<(f64, Option<Interval>)>,
}

/// End of one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Lost at a stage; `None` where a record does not show which.
    Lost(Option<Stage>),
    /// Not lost, or open, with the label of its row.
    Other(&'static str),
    /// Outside the funnel, with its description.
    Outside(&'static str),
}

/// Rows below the stages, in order.
const OTHERS: [&str; 8] = [
    "right, with evidence",
    "right, without evidence",
    "right, no usable label",
    "evidence in the prompt",
    "unsure if right",
    "open: wide label",
    "open: prompt not recorded",
    "no usable label",
];

impl End {
    /// Returns the end by failure class.
    fn by_class(outcome: &Outcome) -> Self {
        let [right, lucky, unlabelled_right, delivered, unsure, open, unseen, unlabelled] =
            OTHERS.map(Self::Other);
        match outcome.class {
            FailureClass::Correct => right,
            FailureClass::CorrectUnsupported if outcome.reached.is_none() => unlabelled_right,
            FailureClass::CorrectUnsupported => lucky,
            FailureClass::Supported => delivered,
            FailureClass::Unsure => unsure,
            FailureClass::Ambiguous if outcome.is_unseen() => unseen,
            FailureClass::Ambiguous => open,
            FailureClass::Undelivered => Self::Lost(None),
            FailureClass::CorrectAbstention => Self::Outside("unanswerable and abstained"),
            FailureClass::Hallucinated => Self::Outside("unanswerable and answered"),
            FailureClass::NotRecorded => Self::Outside("without a recorded response"),
            FailureClass::Failed => Self::Outside("failed"),
            class => class.stage().map_or(unlabelled, |stage| Self::Lost(Some(stage))),
        }
    }

    /// Returns the end by support alone, whatever was answered.
    fn by_support(trace: &Trace, outcome: &Outcome) -> Self {
        match (outcome.reached, outcome.lost) {
            _ if outcome.class.has_no_result() => Self::by_class(outcome),
            _ if trace.question.kind == QuestionKind::Unanswerable => Self::Outside("unanswerable"),
            _ if outcome.is_unseen() => Self::Other("open: prompt not recorded"),
            (None, _) => Self::Other("no usable label"),
            _ if outcome.is_undelivered() => Self::Lost(None),
            _ if outcome.is_open() => Self::Other("open: wide label"),
            (Some(_), Some(stage)) => Self::Lost(Some(stage)),
            (Some(_), None) => Self::Other("evidence in the prompt"),
        }
    }
}

/// Builds the funnel: by failure class where a generator is judged, else by support alone.
pub(super) fn funnel(traces: &[Trace], evaluation: &Evaluation) -> Funnel {
    let summary = &evaluation.summary;
    let of_retrieval = summary.verdict.conclusion == Conclusion::RetrievalOnly;
    let questions = traces.iter().zip(&evaluation.outcomes);
    let ends = questions.map(|(trace, outcome)| {
        if of_retrieval { End::by_support(trace, outcome) } else { End::by_class(outcome) }
    });
    let ends: Vec<End> = ends.collect();
    let count = |end: End| ends.iter().filter(|found| **found == end).count();
    let costs = costs(summary);
    let steps = summary.waterfall.iter();
    let held: BTreeMap<Stage, usize> = steps.map(|step| (step.stage, step.supported)).collect();
    let is_answered = held.contains_key(&Stage::Generation) && !of_retrieval;
    let stages = Stage::ALL.into_iter().filter(|stage| is_answered || *stage != Stage::Generation);
    let stages = stages.map(|stage| {
        let held = held.get(&stage).copied();
        FunnelRow {
            stage: Some(stage),
            held: held.filter(|_| summary.waterfall_n > 0 && stage != Stage::Generation),
            lost: count(End::Lost(Some(stage))),
            cost: costs.as_ref().map(|costs| costs[stage as usize]),
        }
    });
    let mut stages: Vec<FunnelRow> = stages.collect();
    let n_undelivered = count(End::Lost(None));
    if n_undelivered > 0 {
        let row = FunnelRow {
            stage: None,
            held: None,
            lost: n_undelivered,
            cost: costs.as_ref().and_then(|costs| costs.last()).copied(),
        };
        stages.insert(Stage::Generation as usize, row);
    }
    let mut outside: BTreeMap<&str, usize> = BTreeMap::new();
    for end in &ends {
        if let End::Outside(label) = end {
            *outside.entry(label).or_default() += 1;
        }
    }
    Funnel {
        n: ends.len() - outside.values().sum::<usize>(),
        stages,
        others: OTHERS
            .into_iter()
            .map(|label| (label, count(End::Other(label))))
            .filter(|(_, n)| *n > 0)
            .collect(),
        is_estimated: summary.loss_budget.of == ESTIMATED,
        outside: outside_text(&outside, ends.len()),
    }
}

fn outside_text(outside: &BTreeMap<&str, usize>, n: usize) -> String {
    let each = outside.iter().map(|(label, n)| format!("{} {label}", thousands(*n)));
    let each: Vec<String> = each.collect();
    if each.is_empty() {
        return String::new();
    }
    format!("not counted here: {} of {}", each.join(", "), plural(n, "question", "questions"))
}

/// Returns the cost of each stage, and last that of an unknown one, in right answers; `None` where the loss budget does not count answers or is not to be relied on.
fn costs(summary: &Summary) -> Option<Vec<(f64, Option<Interval>)>> {
    let budget = &summary.loss_budget;
    let is_measured = summary.verdict.counts_answers && budget.of != SUPPORT;
    let is_usable = (is_measured || budget.of == ESTIMATED)
        && budget.n > 0
        && !matches!(summary.verdict.conclusion, Conclusion::RetrievalOnly | Conclusion::Withheld);
    is_usable.then(|| {
        let n = budget.n as f64;
        let rows = || Stage::ALL.map(Some).into_iter().chain([None]);
        let means = rows().map(|stage| mean_of(budget, stage) * n);
        let shown = adding_up(&means.collect::<Vec<f64>>(), 0);
        let intervals = rows().map(|stage| match stage {
            Some(Stage::Generation) => summary.verdict.generator.ci95,
            _ => term_interval(budget, stage).map(|interval| interval.times(n)),
        });
        shown.into_iter().zip(intervals).collect()
    })
}

fn sources(stage: Option<Stage>) -> &'static [Source] {
    let Some(stage) = stage else {
        return &[Source::Undelivered];
    };
    match stage {
        Stage::Corpus => &[Source::Corpus],
        Stage::Chunking => &[Source::Chunking],
        Stage::Retrieval => &[Source::Retrieval],
        Stage::Ranking => &[Source::Ranking],
        Stage::Packing => &[Source::Packing],
        Stage::Generation => &[Source::Distraction, Source::Reader],
    }
}

fn mean_of(budget: &LossBudget, stage: Option<Stage>) -> f64 {
    let terms = budget.terms.iter();
    let here = terms.filter(|term| sources(stage).contains(&term.source));
    here.map(|term| term.mean).sum::<f64>() + 0.0
}

fn term_interval(budget: &LossBudget, stage: Option<Stage>) -> Option<Interval> {
    let mut terms = budget.terms.iter();
    terms.find(|term| sources(stage).contains(&term.source))?.ci95
}

/// The funnel as a table.
pub(crate) fn table(funnel: &Funnel) -> Table {
    let has_costs = funnel.stages.iter().any(|row| row.cost.is_some());
    let mut columns = vec!["", "evidence complete", "questions"];
    if has_costs {
        columns.extend(["answers lost", "95% CI"]);
    }
    let title =
        format!("Outcomes of {}", plural(funnel.n, "answerable question", "answerable questions"));
    let mut table = Table::new(title, &columns);
    for row in &funnel.stages {
        let held = row.held.map_or(String::new(), thousands);
        let label = match row.stage {
            Some(stage) => format!("lost at {stage}"),
            None => "lost before the prompt, stage not recorded".to_owned(),
        };
        let mut cells = vec![label, held, thousands(row.lost)];
        if has_costs {
            let (cost, ci95) = row.cost.unwrap_or_default();
            cells.push(whole(cost));
            cells.push(ci95.map_or(String::new(), |ci| format!("{ci:.0}")));
        }
        table.row(cells);
    }
    for (label, n) in &funnel.others {
        let blank = vec![String::new(); if has_costs { 2 } else { 0 }];
        let cells = [(*label).to_owned(), String::new(), thousands(*n)];
        table.row(cells.into_iter().chain(blank));
    }
    let mut stages = funnel.stages.iter();
    let is_answered = stages.any(|row| row.stage == Some(Stage::Generation));
    let note = if is_answered {
        "evidence complete: after the stage; lost: not answered right, evidence first missing there"
    } else {
        "evidence complete: after the stage; lost: first missing there"
    };
    table.notes.push(note.to_owned());
    if has_costs {
        let lost = if funnel.is_estimated { "answers lost (estimated)" } else { "answers lost" };
        let note = "would be right with complete evidence; at generation, still wrong with it";
        table.notes.push(format!("{lost}: {note}"));
    }
    if !funnel.outside.is_empty() {
        table.notes.push(funnel.outside.clone());
    }
    table
}
