//! Error rate of the attribution, and its confusion matrix.

use std::collections::BTreeMap;

use serde::Serialize;

use super::answer_audit::AnswerAudit;
use super::answers::answer_audit;
use super::corrections::Corrections;
use crate::summary::{EvaluationPlan, Share};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::rightness::Correctness;
use ragtriage_core::stats::wilson::wilson;
use ragtriage_core::types::FailureClass;
use ragtriage_runs::{SCHEMA, SavedRun};

/// Results of an audit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Audit {
    /// The files' schema.
    pub schema: u32,
    /// The run's name.
    pub run: String,
    /// Questions of the run.
    pub n_questions: usize,
    /// Lines of the sheet.
    pub n_sampled: usize,
    /// Agreement on the answers; `None` if no answer was judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<AnswerAudit>,
    /// Questions whose class was audited.
    pub n_audited: usize,
    /// Audited questions whose printed class was wrong, with their share and its Wilson interval.
    pub wrong: Share,
    /// Every combination of printed and correct class that occurred, equal ones included, in the
    /// classes' order.
    pub confusion: Vec<Mistake>,
}

/// A cell of the confusion matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Mistake {
    /// The class assigned by the rules.
    pub printed: FailureClass,
    /// The auditor's class.
    pub correct: FailureClass,
    /// Questions.
    pub count: usize,
}

/// Computes the results of an audit. `outcomes` and `rule` are parallel to the run's traces.
#[must_use]
pub fn audit(
    run: &SavedRun,
    outcomes: &[Outcome],
    rule: &[Option<Correctness>],
    corrections: &Corrections,
    plan: &EvaluationPlan,
) -> Audit {
    let mut counts: BTreeMap<(FailureClass, FailureClass), usize> = BTreeMap::new();
    for question in &corrections.judged {
        if let Some(correct) = question.correct {
            *counts.entry((outcomes[question.at].class, correct)).or_default() += 1;
        }
    }
    let n_audited = counts.values().sum();
    let wrong = counts.iter().filter(|((printed, correct), _)| printed != correct);
    let count = wrong.map(|(_, count)| count).sum();
    Audit {
        schema: SCHEMA,
        run: run.manifest.name.clone(),
        n_questions: outcomes.len(),
        n_sampled: corrections.n_lines,
        answers: answer_audit(run, rule, corrections, plan),
        n_audited,
        wrong: Share {
            count,
            share: count as f64 / n_audited.max(1) as f64,
            ci95: wilson(count, n_audited),
        },
        confusion: counts
            .into_iter()
            .map(|((printed, correct), count)| Mistake { printed, correct, count })
            .collect(),
    }
}
