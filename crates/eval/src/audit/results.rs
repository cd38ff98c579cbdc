//! Results of an audit: error rate and confusion table of the failure classes, agreement of the rule of correctness with a person, and the
//! share of correct answers corrected for its errors.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::corrections::Corrections;
use crate::clusters;
use crate::summary::Share;
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::correctness::Correctness;
use ragtriage_core::metric::answer::correct;
use ragtriage_core::stats::ppi::{PpiItem, PpiMean, ppi_mean};
use ragtriage_core::stats::wilson::wilson;
use ragtriage_core::types::{Condition, FailureClass, QuestionKind};
use ragtriage_data::run::{SCHEMA, SavedRun};

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

/// Results of the audit of answers.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AnswerAudit {
    /// Questions with an answer that the rule judges.
    pub n_questions: usize,
    /// Questions of these where the rule is unsure.
    pub n_unsure: usize,
    /// Audited answers.
    pub n_audited: usize,
    /// Every combination of decision and judgment that occurred.
    pub cells: Vec<JudgedCell>,
    /// Audited answers of those that the rule decides on which the person agrees, with their share and its Wilson interval.
    pub agreed: Share,
    /// Share of correct answers; `None` for a single cluster of questions.
    pub correct: Option<PpiMean>,
}

/// Audited answers of one decision and one judgment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct JudgedCell {
    /// The rule's decision.
    pub rule: Correctness,
    /// The person's judgment: correct?
    pub is_correct: bool,
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
        answers: answer_audit(run, rule, corrections),
        n_audited,
        wrong: share(count, n_audited),
        confusion: counts
            .into_iter()
            .map(|((printed, correct), count)| Mistake { printed, correct, count })
            .collect(),
    }
}

/// Returns the rule's own decision on each question's answer; `None` for unanswerable questions and those without an answer or a
/// gold answer.
#[must_use]
pub fn decisions(run: &SavedRun, outcomes: &[Outcome]) -> Vec<Option<Correctness>> {
    let questions = run.traces.iter().zip(outcomes);
    questions
        .map(|(trace, outcome)| {
            let decision = outcome.judgments.decision(Condition::Retrieved);
            let decision = decision.filter(|_| trace.question.kind != QuestionKind::Unanswerable);
            decision.map(|decision| decision.rule)
        })
        .collect()
}

/// Computes the results of the audit of answers; `None` if no answer was judged. `rule` is parallel to the run's traces.
///
/// The share of correct answers is that of [`ppi_mean`], with 0.5 as the prediction where the rule is unsure.
#[must_use]
pub fn answer_audit(
    run: &SavedRun,
    rule: &[Option<Correctness>],
    corrections: &Corrections,
) -> Option<AnswerAudit> {
    let audited = corrections.judged.iter().filter(|question| rule[question.at].is_some());
    let audited: BTreeMap<usize, bool> =
        audited.filter_map(|question| Some((question.at, question.is_correct?))).collect();
    if audited.is_empty() {
        return None;
    }
    // The answers that the rule judges.
    let judged = rule.iter().enumerate().filter_map(|(at, rule)| Some((at, (*rule)?)));
    let judged: Vec<(usize, Correctness)> = judged.collect();
    let traces = judged.iter().map(|(at, _)| &run.traces[*at]);
    let cluster_of = clusters::cluster_of(traces);
    let items = judged.iter().map(|(at, rule)| PpiItem {
        prediction: correct(*rule),
        audited: audited.get(at).map(|is_correct| correct(Correctness::from_correct(*is_correct))),
    });
    let items: Vec<PpiItem> = items.collect();
    let mut counts: BTreeMap<(Correctness, bool), usize> = BTreeMap::new();
    for (at, rule) in &judged {
        if let Some(is_correct) = audited.get(at) {
            *counts.entry((*rule, *is_correct)).or_default() += 1;
        }
    }
    let decided = counts.iter().filter(|((rule, _), _)| *rule != Correctness::Unsure);
    let n_decided = decided.clone().map(|(_, n)| n).sum();
    let agreed =
        decided.filter(|((rule, is_correct), _)| *rule == Correctness::from_correct(*is_correct));
    let agreed = share(agreed.map(|(_, n)| n).sum(), n_decided);
    Some(AnswerAudit {
        n_questions: items.len(),
        n_unsure: judged.iter().filter(|(_, rule)| *rule == Correctness::Unsure).count(),
        n_audited: audited.len(),
        cells: counts
            .into_iter()
            .map(|((rule, is_correct), count)| JudgedCell { rule, is_correct, count })
            .collect(),
        agreed,
        correct: ppi_mean(&items, &cluster_of),
    })
}

fn share(count: usize, n: usize) -> Share {
    Share { count, share: count as f64 / n.max(1) as f64, ci95: wilson(count, n) }
}
