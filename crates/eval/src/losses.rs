//! The table of losses: where the answerable questions of a run were lost, each counted once, at which stages their evidence was
//! complete, and what each stage costs in correct answers. Every report prints it.

use schemars::JsonSchema;
use serde::Serialize;

use super::verdict::{Conclusion, ESTIMATED, LossBudget, LossVerdict, SUPPORT};
use ragtriage_core::attribute::classify::{Evidence, Outcome};
use ragtriage_core::stats::rounding::adding_up;
use ragtriage_core::types::{FailureClass, Interval, QuestionKind, Stage, Trace};

/// The losses of a run, by stage.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LossTable {
    /// Answerable questions with a result: the sum of all `questions` but those outside.
    pub n: usize,
    /// Answerable questions with a result whose evidence can be tested: those that `complete` counts.
    pub n_testable: usize,
    /// Questions of which a record shows neither a loss nor the prompt.
    pub n_unseen: usize,
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
    /// The failure class of the questions that the stage loses; `not_in_prompt`: a record does not show which stage before the prompt.
    pub class: FailureClass,
    /// Questions whose evidence is complete in the result of the stage, all of a wide label; at `wrong_answer` those answered correctly. It
    /// is no upper bound on accuracy, since the model may answer others from memory. `None` where a record does not show it.
    pub complete: Option<usize>,
    /// Questions of the class, of which the answer is not correct; without a generator those whose evidence it lost. `None` at
    /// `wrong_answer` where only retrieval is judged.
    pub questions: Option<usize>,
    /// Correct answers that fixing this stage alone would recover, rounded so that they add up; `None` where that is not known.
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

/// Classes of questions that no stage lost, or of which that is open.
const OTHERS: [(FailureClass, &str); 5] = [
    (FailureClass::Correct, "correct, with evidence"),
    (FailureClass::CorrectWithoutEvidence, "correct, without evidence"),
    (FailureClass::Delivered, "evidence in the prompt"),
    (FailureClass::Unsure, "unsure if correct"),
    (FailureClass::Unclear, "unclear"),
];

/// Classes outside the table.
const OUTSIDE: [(Option<FailureClass>, &str); 4] = [
    (Some(FailureClass::Failed), "failed"),
    (None, "unanswerable"),
    (Some(FailureClass::Declined), "unanswerable and declined"),
    (Some(FailureClass::Hallucinated), "unanswerable and answered"),
];

/// Returns the class of a question by its evidence alone, whatever was answered; `None` if it is unanswerable.
fn by_evidence(trace: &Trace, outcome: &Outcome) -> Option<FailureClass> {
    if outcome.class.has_no_result() {
        return Some(outcome.class);
    }
    let class = match outcome.evidence {
        Evidence::Complete | Evidence::Truncated => FailureClass::Delivered,
        Evidence::Untestable | Evidence::Unseen { .. } | Evidence::Partial { .. } => {
            FailureClass::Unclear
        }
        evidence => evidence.class()?,
    };
    (trace.question.kind != QuestionKind::Unanswerable).then_some(class)
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
            if is_of_retrieval { by_evidence(trace, outcome) } else { Some(outcome.class) }
        });
        let ends: Vec<Option<FailureClass>> = ends.collect();
        let count = |end| ends.iter().filter(|found| **found == end).count();
        let testable: Vec<&Outcome> = testable(outcomes).collect();
        let costs = costs(budget, verdict);
        let stage_losses = |class: FailureClass| {
            let complete = class.stage().filter(|stage| is_shown(&testable, *stage));
            let is_counted = class != FailureClass::WrongAnswer || !is_of_retrieval;
            let cost = costs.iter().find(|cost| cost.0 == class);
            StageLosses {
                class,
                complete: complete.map(|stage| n_complete(&testable, stage)),
                questions: is_counted.then(|| count(Some(class))),
                answers: cost.map(|(_, answers, _)| *answers),
                ci95: cost.and_then(|(.., ci95)| *ci95),
            }
        };
        let not_in_prompt = FailureClass::NotInPrompt;
        let classes = Stage::ALL.map(FailureClass::from).into_iter();
        let classes = classes.flat_map(|class| {
            let unknown = (class == FailureClass::WrongAnswer).then_some(not_in_prompt);
            unknown.into_iter().chain([class])
        });
        let classes = classes.filter(|class| match class {
            FailureClass::NotInPrompt => count(Some(not_in_prompt)) > 0,
            FailureClass::WrongAnswer => is_answered,
            _ => true,
        });
        let stages = classes.map(stage_losses).collect();
        let found = |(class, what)| QuestionCount { what, questions: count(class) };
        let is_any = |found: &QuestionCount| found.questions > 0;
        let others = OTHERS.map(|(class, what)| (Some(class), what)).into_iter().map(found);
        let outside: Vec<QuestionCount> = OUTSIDE.into_iter().map(found).filter(is_any).collect();
        Self {
            n: ends.len() - outside.iter().map(|found| found.questions).sum::<usize>(),
            n_testable: testable.len(),
            n_unseen: outcomes.iter().filter(|outcome| outcome.evidence.is_unseen()).count(),
            is_estimated: budget.of == ESTIMATED,
            stages,
            others: others.filter(is_any).collect(),
            outside,
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

/// Some are correct by a part of a wide label; here all of it is needed.
fn n_complete(testable: &[&Outcome], stage: Stage) -> usize {
    let is_complete = |outcome: &&&Outcome| match (stage, outcome.evidence.missing_from()) {
        (Stage::Generation, from) => from.is_none() && outcome.class == FailureClass::Correct,
        (_, from) => from.is_none_or(|from| stage < from),
    };
    testable.iter().filter(is_complete).count()
}

/// Returns the cost of each class in correct answers, with its interval; empty where the loss budget does not count answers or is not
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
    let classes: Vec<FailureClass> = classes.chain([FailureClass::NotInPrompt]).collect();
    let terms = |class| budget.terms.iter().filter(move |term| term.source.class() == class);
    let answers = classes.iter().map(|class| terms(*class).map(|term| term.mean).sum::<f64>() * n);
    let answers = adding_up(&answers.collect::<Vec<f64>>(), 0);
    let each = classes.into_iter().zip(answers);
    each.map(|(class, answers)| {
        let ci95 = match class {
            FailureClass::WrongAnswer => verdict.generator.ci95,
            _ => terms(class).next().and_then(|term| term.ci95).map(|ci95| ci95.times(n)),
        };
        (class, answers, ci95)
    })
    .collect()
}
