//! The table of losses: for each failure class the questions with complete evidence left, and the correct answers that it costs. Every
//! report prints it.

use schemars::JsonSchema;
use serde::Serialize;

use super::verdict::{Conclusion, LossBudget, LossVerdict, Source};
use ragtriage_core::attribute::classify::{Evidence, Outcome};
use ragtriage_core::types::{FailureClass, Interval, QuestionKind, Stage};
use ragtriage_data::run::SavedRun;

/// The losses of a run, by failure class.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LossTable {
    /// Answerable questions with a result.
    pub n: usize,
    /// Answerable questions with a result whose evidence can be tested: those that `complete` counts.
    pub n_testable: usize,
    /// Questions of which the results show neither a loss nor the prompt.
    pub n_unseen: usize,
    /// True if `answers` are estimates.
    pub is_estimated: bool,
    /// Correct answers to the questions of the verdict: with `answers` of all classes they add up to these questions. `None` where
    /// `answers` are not known.
    pub correct: Option<f64>,
    /// In pipeline order.
    pub stages: Vec<StageLosses>,
    /// The same losses by source, per question and not rounded.
    pub budget: LossBudget,
}

/// The losses to a failure class.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StageLosses {
    /// The failure class of the questions that the stage loses; `not_in_prompt`: results do not show which stage before the prompt.
    pub class: FailureClass,
    /// Questions whose evidence is complete in the result of the stage, all of a wide label; at `wrong_answer` those answered correctly. It
    /// is no upper bound on accuracy, since the model may answer others from memory. `None` where results do not show it.
    pub complete: Option<usize>,
    /// Questions of the class, of which the answer is not correct; without a generator those whose evidence it lost. `None` at
    /// `wrong_answer` where only retrieval is judged.
    pub questions: Option<usize>,
    /// Correct answers that complete evidence would recover, rounded so that they add up; at `wrong_answer` those that it would not.
    /// `None` where that is not known.
    pub answers: Option<f64>,
    /// Its 95% interval.
    pub ci95: Option<Interval>,
}

impl StageLosses {
    /// Returns true if results show what the stage loses.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.questions.is_some_and(|n| n > 0 || self.complete.is_some())
    }
}

/// Returns the class of a question by its evidence alone, whatever was answered.
fn by_evidence(evidence: Evidence) -> FailureClass {
    match evidence {
        Evidence::Complete | Evidence::Truncated => FailureClass::Delivered,
        Evidence::Partial { .. } => FailureClass::Unclear,
        other => other.class().unwrap_or(FailureClass::Unclear),
    }
}

impl LossTable {
    /// Builds the table: by failure class where a generator is judged, else by evidence alone. `outcomes` are parallel to the traces.
    #[must_use]
    pub fn new(
        run: &SavedRun,
        outcomes: &[Outcome],
        verdict: &LossVerdict,
        is_answered: bool,
    ) -> Self {
        let is_of_retrieval = verdict.conclusion == Conclusion::RetrievalOnly;
        let answerable = run.traces.iter().zip(outcomes).filter(|(trace, outcome)| {
            trace.question.kind != QuestionKind::Unanswerable && !outcome.class.has_no_result()
        });
        let ends = answerable.map(|(_, outcome)| {
            if is_of_retrieval { by_evidence(outcome.evidence) } else { outcome.class }
        });
        let ends: Vec<FailureClass> = ends.collect();
        let count = |class| ends.iter().filter(|found| **found == class).count();
        let testable: Vec<&Outcome> = testable(outcomes).collect();
        let stage_losses = |class: FailureClass| {
            let stage =
                class.stage().or((class == FailureClass::NotInPrompt).then_some(Stage::Packing));
            let complete = stage.filter(|stage| is_shown(&testable, *stage));
            let is_counted = class != FailureClass::WrongAnswer || !is_of_retrieval;
            let mut counts = verdict.counts.iter().flat_map(|counts| &counts.lost);
            StageLosses {
                class,
                complete: complete.map(|stage| n_complete(&testable, stage)),
                questions: is_counted.then(|| count(class)),
                answers: counts.find(|lost| lost.0 == class).map(|(_, answers)| *answers),
                ci95: verdict.counts.as_ref().and_then(|_| interval(class, verdict)),
            }
        };
        let classes = Source::classes().into_iter().filter(|class| match class {
            FailureClass::NotInPrompt => {
                let counts = verdict.counts.iter().flat_map(|counts| &counts.lost);
                count(*class) > 0
                    || counts.into_iter().any(|lost| lost.0 == *class && lost.1 != 0.0)
            }
            FailureClass::WrongAnswer => is_answered,
            // One of them lost what is not in the prompt.
            FailureClass::NotRetrieved | FailureClass::RankedLow | FailureClass::NotPacked => {
                count(*class) > 0 || count(FailureClass::NotInPrompt) == 0
            }
            _ => true,
        });
        Self {
            stages: classes.map(stage_losses).collect(),
            n: ends.len(),
            n_testable: testable.len(),
            n_unseen: outcomes.iter().filter(|outcome| outcome.evidence.is_unseen()).count(),
            is_estimated: verdict.counts.is_some() && !verdict.counts_answers,
            correct: verdict.counts.as_ref().map(|counts| counts.correct),
            budget: verdict.budget.clone(),
        }
    }

    /// Returns the row of a class.
    #[must_use]
    pub fn row(&self, class: FailureClass) -> Option<&StageLosses> {
        self.stages.iter().find(|row| row.class == class)
    }

    /// Returns true if a row has a loss.
    #[must_use]
    pub fn has_losses(&self) -> bool {
        self.stages
            .iter()
            .any(|row| row.questions.is_some_and(|n| n > 0) || row.answers > Some(0.0))
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
        Evidence::Between { first, last } | Evidence::Partial { first, at: last, .. } => {
            first <= stage && stage < last
        }
        _ => false,
    })
}

/// Some are correct by a part of a wide label; here all of it is needed.
fn n_complete(testable: &[&Outcome], stage: Stage) -> usize {
    let is_complete = |outcome: &&&Outcome| match (stage, outcome.evidence) {
        (Stage::Packing | Stage::Generation, Evidence::Truncated) => false,
        (Stage::Generation, evidence) => {
            evidence.missing_from().is_none() && outcome.class == FailureClass::Correct
        }
        (_, evidence) => evidence.missing_from().is_none_or(|from| stage < from),
    };
    testable.iter().filter(is_complete).count()
}

/// Returns the interval of the answers that `class` costs.
fn interval(class: FailureClass, verdict: &LossVerdict) -> Option<Interval> {
    if class == FailureClass::WrongAnswer {
        return verdict.generator.ci95;
    }
    let budget = &verdict.budget;
    let term = budget.terms.iter().find(|term| term.source.class() == class)?;
    Some(term.ci95?.times(budget.n as f64))
}
