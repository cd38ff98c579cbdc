//! The table of losses: where the answerable questions of a run were lost, each counted once, at which stages their evidence was
//! complete, and what each stage costs in right answers. Every report prints it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::verdict::{Conclusion, ESTIMATED, LossBudget, LossVerdict, SUPPORT};
use ragtriage_core::attribute::classify::{Evidence, Outcome};
use ragtriage_core::stats::rounding::adding_up;
use ragtriage_core::types::{FailureClass, Flag, Interval, QuestionKind, Stage, Trace};

/// The losses of a run, by stage.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LossTable {
    /// Answerable questions with a result: the sum of all `questions` but those outside.
    pub n: usize,
    /// Answerable questions with a result whose evidence can be tested: those that `complete` counts.
    pub n_testable: usize,
    /// True if `answers` are estimates.
    pub is_estimated: bool,
    /// In pipeline order.
    pub stages: Vec<StageLosses>,
    /// Questions that no stage lost, or of which that is open.
    pub others: Vec<QuestionCount>,
    /// Questions outside the table.
    pub outside: Vec<QuestionCount>,
}

/// The losses of a stage.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StageLosses {
    /// The failure class of the questions that the stage loses; `undelivered`: a record does not show which stage before the prompt.
    pub class: FailureClass,
    /// Questions whose evidence is complete in the result of the stage, all of a wide label; at `generation` those answered right. It
    /// is no upper bound on accuracy, since the model may answer others from memory. `None` where a record does not show it.
    pub complete: Option<usize>,
    /// The same with `answer_elsewhere` counted as evidence: labels may be incomplete, and the truth is between the two.
    pub complete_with_elsewhere: Option<usize>,
    /// Questions whose evidence is first missing here, by failure class, regardless of the answer; at `generation` those answered
    /// wrong, by fault. A stage of which `complete` is not known has its own at the next one.
    pub missing: BTreeMap<&'static str, usize>,
    /// Questions of the class, of which the answer is not right; without a generator those whose evidence it lost. `None` at
    /// `generation` where only retrieval is judged.
    pub questions: Option<usize>,
    /// Right answers that fixing this stage alone would recover, rounded so that they add up; `None` where that is not known.
    pub answers: Option<f64>,
    /// Its 95% interval.
    pub ci95: Option<Interval>,
}

/// Questions of one description.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QuestionCount {
    /// The description.
    pub what: &'static str,
    /// Their number.
    pub questions: usize,
}

/// End of one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Lost at the stage of that class.
    Lost(FailureClass),
    /// Not lost, or open, by its place in [`OTHERS`].
    Other(usize),
    /// Outside the table.
    Outside(&'static str),
}

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
    fn by_class(outcome: &Outcome) -> Self {
        match outcome.class {
            FailureClass::Correct => Self::Other(0),
            FailureClass::CorrectUnsupported if outcome.evidence.is_testable() => Self::Other(1),
            FailureClass::CorrectUnsupported => Self::Other(2),
            FailureClass::Supported => Self::Other(3),
            FailureClass::Unsure => Self::Other(4),
            FailureClass::Ambiguous if outcome.evidence.is_unseen() => Self::Other(6),
            FailureClass::Ambiguous => Self::Other(5),
            FailureClass::Unattributed => Self::Other(7),
            FailureClass::CorrectAbstention => Self::Outside("unanswerable and abstained"),
            FailureClass::Hallucinated => Self::Outside("unanswerable and answered"),
            FailureClass::NotRecorded => Self::Outside("without a recorded response"),
            FailureClass::Failed => Self::Outside("failed"),
            class => Self::Lost(class),
        }
    }

    /// Returns the end by evidence alone, whatever was answered.
    fn by_evidence(trace: &Trace, outcome: &Outcome) -> Self {
        if outcome.class.has_no_result() {
            return Self::by_class(outcome);
        }
        if trace.question.kind == QuestionKind::Unanswerable {
            return Self::Outside("unanswerable");
        }
        match outcome.evidence {
            Evidence::Untestable => Self::Other(7),
            Evidence::Unseen { .. } => Self::Other(6),
            Evidence::Partial { .. } => Self::Other(5),
            Evidence::Complete | Evidence::Truncated => Self::Other(3),
            Evidence::Between { .. } => Self::Lost(FailureClass::Undelivered),
            Evidence::Lost { cause, .. } => Self::Lost(cause.into()),
        }
    }
}

impl LossTable {
    /// Builds the table: by failure class where a generator is judged, else by evidence alone. `outcomes` are parallel to `traces`.
    #[must_use]
    pub fn new(
        traces: &[Trace],
        outcomes: &[Outcome],
        (budget, verdict): (&LossBudget, &LossVerdict),
        is_answered: bool,
    ) -> Self {
        let is_of_retrieval = verdict.conclusion == Conclusion::RetrievalOnly;
        let ends = traces.iter().zip(outcomes).map(|(trace, outcome)| {
            if is_of_retrieval { End::by_evidence(trace, outcome) } else { End::by_class(outcome) }
        });
        let ends: Vec<End> = ends.collect();
        let count = |end: End| ends.iter().filter(|found| **found == end).count();
        let testable: Vec<&Outcome> = testable(outcomes).collect();
        let elsewhere = with_elsewhere(traces, outcomes);
        let mut missing = missing(&testable);
        let costs = costs(budget, verdict);
        let mut pending: BTreeMap<&'static str, usize> = BTreeMap::new();
        let stage_losses = |class: FailureClass| {
            let complete = class.stage().filter(|stage| is_shown(&testable, *stage));
            for (name, n) in
                class.stage().and_then(|stage| missing.remove(&stage)).unwrap_or_default()
            {
                *pending.entry(name).or_default() += n;
            }
            let is_counted = class != FailureClass::Generation || !is_of_retrieval;
            let cost = costs.iter().find(|cost| cost.0 == class);
            StageLosses {
                class,
                complete: complete.map(|stage| n_complete(&testable, stage)),
                complete_with_elsewhere: complete.map(|stage| {
                    n_complete(&self::testable(&elsewhere).collect::<Vec<_>>(), stage)
                }),
                missing: if complete.is_some() {
                    std::mem::take(&mut pending)
                } else {
                    BTreeMap::new()
                },
                questions: is_counted.then(|| count(End::Lost(class))),
                answers: cost.map(|(_, answers, _)| *answers),
                ci95: cost.and_then(|(.., ci95)| *ci95),
            }
        };
        let undelivered = FailureClass::Undelivered;
        let classes = Stage::ALL.map(FailureClass::from).into_iter();
        let classes = classes.flat_map(|class| {
            let unknown = (class == FailureClass::Generation).then_some(undelivered);
            unknown.into_iter().chain([class])
        });
        let classes = classes.filter(|class| match class {
            FailureClass::Undelivered => count(End::Lost(undelivered)) > 0,
            FailureClass::Generation => is_answered,
            _ => true,
        });
        let stages = classes.map(stage_losses).collect();
        let mut outside: BTreeMap<&'static str, usize> = BTreeMap::new();
        for end in &ends {
            if let End::Outside(what) = end {
                *outside.entry(what).or_default() += 1;
            }
        }
        let others = OTHERS.into_iter().enumerate();
        let others =
            others.map(|(at, what)| QuestionCount { what, questions: count(End::Other(at)) });
        Self {
            n: ends.len() - outside.values().sum::<usize>(),
            n_testable: testable.len(),
            is_estimated: budget.of == ESTIMATED,
            stages,
            others: others.filter(|other| other.questions > 0).collect(),
            outside: outside
                .into_iter()
                .map(|(what, questions)| QuestionCount { what, questions })
                .collect(),
        }
    }
}

/// Returns the answerable questions with a result whose evidence can be tested.
fn testable(outcomes: &[Outcome]) -> impl Iterator<Item = &Outcome> {
    outcomes.iter().filter(|outcome| {
        let class = outcome.class;
        outcome.evidence.is_testable() && !class.has_no_result() && !class.is_of_unanswerable()
    })
}

/// Returns false if it is not known of some question whether the result of `stage` holds its evidence.
fn is_shown(testable: &[&Outcome], stage: Stage) -> bool {
    !testable.iter().any(|outcome| match outcome.evidence {
        Evidence::Between { first, last } => first <= stage && stage < last,
        _ => false,
    })
}

/// Some are right by a part of a wide label; here all of it is needed.
fn n_complete(testable: &[&Outcome], stage: Stage) -> usize {
    let is_complete = |outcome: &&&Outcome| match (stage, outcome.evidence.missing_from()) {
        (Stage::Generation, from) => from.is_none() && outcome.class == FailureClass::Correct,
        (_, from) => from.is_none_or(|from| stage < from),
    };
    testable.iter().filter(is_complete).count()
}

/// Returns the questions by the stage whose result first lacks their evidence, by class; at the end by fault.
fn missing(testable: &[&Outcome]) -> BTreeMap<Stage, BTreeMap<&'static str, usize>> {
    let mut missing: BTreeMap<Stage, BTreeMap<&'static str, usize>> = BTreeMap::new();
    for outcome in testable {
        let (stage, name) = match (outcome.evidence.missing_from(), outcome.evidence.class()) {
            (Some(stage), Some(class)) => (stage, class.name()),
            _ if outcome.class == FailureClass::Correct => continue,
            _ => (
                Stage::Generation,
                outcome.fault.map_or(outcome.class.name(), |fault| fault.name()),
            ),
        };
        *missing.entry(stage).or_default().entry(name).or_default() += 1;
    }
    missing
}

/// Returns the outcomes if an answer string in a packed non-gold passage (`answer_elsewhere`) counted as evidence.
#[must_use]
pub fn with_elsewhere(traces: &[Trace], outcomes: &[Outcome]) -> Vec<Outcome> {
    let questions = traces.iter().zip(outcomes);
    let counted = questions.map(|(trace, outcome)| {
        let is_elsewhere = outcome.flags.contains(&Flag::AnswerElsewhere);
        if outcome.evidence.lost().is_none() || !is_elsewhere || outcome.class.has_no_result() {
            return outcome.clone();
        }
        let found = Outcome { evidence: Evidence::Complete, ..outcome.clone() };
        Outcome { class: found.class_with(trace, &found.judgments), ..found }
    });
    counted.collect()
}

/// Returns the cost of each class in right answers, with its interval; empty where the loss budget does not count answers or is not
/// to be relied on.
fn costs(budget: &LossBudget, verdict: &LossVerdict) -> Vec<(FailureClass, f64, Option<Interval>)> {
    let is_measured = verdict.counts_answers && budget.of != SUPPORT;
    let is_usable = (is_measured || budget.of == ESTIMATED)
        && budget.n > 0
        && !matches!(verdict.conclusion, Conclusion::RetrievalOnly | Conclusion::Withheld);
    if !is_usable {
        return Vec::new();
    }
    let n = budget.n as f64;
    let classes = Stage::ALL.map(FailureClass::from).into_iter();
    let classes: Vec<FailureClass> = classes.chain([FailureClass::Undelivered]).collect();
    let terms = |class| budget.terms.iter().filter(move |term| term.source.class() == class);
    let answers = classes.iter().map(|class| terms(*class).map(|term| term.mean).sum::<f64>() * n);
    let answers = adding_up(&answers.collect::<Vec<f64>>(), 0);
    let each = classes.into_iter().zip(answers);
    each.map(|(class, answers)| {
        let ci95 = match class {
            FailureClass::Generation => verdict.generator.ci95,
            _ => terms(class).next().and_then(|term| term.ci95).map(|ci95| ci95.times(n)),
        };
        (class, answers, ci95)
    })
    .collect()
}
