//! Audits the rule of rightness: agreement with a person, and the share of right answers corrected for its errors.

use std::collections::BTreeMap;

use super::answer_audit::{AnswerAudit, JudgedCell};
use super::corrections::Corrections;
use crate::clusters;
use crate::summary::EvaluationPlan;
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::rightness::Correctness;
use ragtriage_core::stats::kappa::{Disagreement, kappa};
use ragtriage_core::stats::ppi::{PpiItem, ppi_mean};
use ragtriage_core::types::{ArmName, QuestionKind};
use ragtriage_runs::SavedRun;

/// Returns the rule's own decision on each question's answer; `None` for unanswerable questions and those without an answer or a
/// gold answer.
#[must_use]
pub fn decisions(run: &SavedRun, outcomes: &[Outcome]) -> Vec<Option<Correctness>> {
    let questions = run.traces.iter().zip(outcomes);
    questions
        .map(|(trace, outcome)| {
            let decision = outcome.judgments.decision(ArmName::Retrieved);
            let decision = decision.filter(|_| trace.question.kind != QuestionKind::Unanswerable);
            decision.map(|decision| decision.rule)
        })
        .collect()
}

/// Computes the results of the audit of answers; `None` if no answer was judged. `rule` is parallel to the run's traces.
///
/// The share of right answers is that of [`ppi_mean`], with 0.5 as the prediction where the rule is unsure.
#[must_use]
pub fn answer_audit(
    run: &SavedRun,
    rule: &[Option<Correctness>],
    corrections: &Corrections,
    plan: &EvaluationPlan,
) -> Option<AnswerAudit> {
    let audited = audited(rule, corrections);
    if audited.is_empty() {
        return None;
    }
    let (places, items) = items(rule, &audited);
    let traces = places.iter().map(|&at| &run.traces[at]);
    let cluster_of = clusters::cluster_of(traces, plan.cluster);
    let mut counts: BTreeMap<(Correctness, bool), usize> = BTreeMap::new();
    let (mut grades, mut grade_clusters) = (Vec::new(), Vec::new());
    for (at, cluster) in places.iter().zip(&cluster_of) {
        let Some(answer) = audited.get(at) else {
            continue;
        };
        *counts.entry((answer.rule, answer.is_right)).or_default() += 1;
        if answer.rule != Correctness::Unsure {
            let by_rule = answer.rule == Correctness::Right;
            grades.push((i32::from(by_rule), i32::from(answer.is_right)));
            grade_clusters.push(*cluster);
        }
    }
    Some(AnswerAudit {
        n_questions: items.len(),
        n_unsure: rule.iter().filter(|rule| **rule == Some(Correctness::Unsure)).count(),
        n_audited: audited.len(),
        cells: counts
            .into_iter()
            .map(|((rule, is_right), count)| JudgedCell { rule, is_right, count })
            .collect(),
        kappa: kappa(&grades, &grade_clusters, Disagreement::Any),
        right: ppi_mean(&items, &cluster_of),
    })
}

/// A judged answer.
struct AuditedAnswer {
    rule: Correctness,
    is_right: bool,
}

/// Returns the audited answers among those that the rule judges, by their place in the run.
fn audited(
    rule: &[Option<Correctness>],
    corrections: &Corrections,
) -> BTreeMap<usize, AuditedAnswer> {
    let judged = corrections.judged.iter().filter_map(|question| {
        let answer = AuditedAnswer { rule: rule[question.at]?, is_right: question.is_right? };
        Some((question.at, answer))
    });
    judged.collect()
}

/// Returns the answers that the rule judges, each with its place in the run.
fn items(
    rule: &[Option<Correctness>],
    audited: &BTreeMap<usize, AuditedAnswer>,
) -> (Vec<usize>, Vec<PpiItem>) {
    rule.iter()
        .enumerate()
        .filter_map(|(at, rule)| {
            let rule = (*rule)?;
            let item = PpiItem {
                prediction: rule.score(),
                audited: audited
                    .get(&at)
                    .map(|answer| Correctness::from_right(answer.is_right).score()),
            };
            Some((at, item))
        })
        .unzip()
}
