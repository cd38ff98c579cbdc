//! Measures a judge's verdicts.

use std::collections::BTreeMap;

use super::judge_summary::{FlipCount, JudgeAudit, JudgeCell, JudgeSummary, PositionBias};
use crate::audit::Corrections;
use crate::audit::answers::{self, AuditedAnswer};
use crate::clusters;
use crate::summary::EvaluationPlan;
use ragtriage_core::rightness::{Correctness, JudgeOrder};
use ragtriage_core::stats::kappa::{Disagreement, Kappa, kappa};
use ragtriage_core::stats::mcnemar::mcnemar;
use ragtriage_core::stats::ppi::ppi_mean;
use ragtriage_core::stats::t::mean_error;
use ragtriage_core::stats::wilson::wilson;
use ragtriage_runs::SavedRun;
use ragtriage_runs::judged::{self, JudgeReply, Verdicts};

/// Audited answers from which on a judge's corrected figure is shown.
pub const LEAST_AUDITED: usize = 50;

/// Measures the verdicts of the judge that wrote the last of `replies`; `None` without replies. `rule` is parallel to the run's
/// traces.
#[must_use]
pub fn judge_summary(
    run: &SavedRun,
    rule: &[Option<Correctness>],
    replies: &[JudgeReply],
    corrections: Option<&Corrections>,
    plan: &EvaluationPlan,
) -> Option<JudgeSummary> {
    let judge = &replies.last()?.judge;
    let verdicts = judged::verdicts(&run.traces, replies, judge);
    let decisions: Vec<Option<Correctness>> = verdicts.iter().map(decision).collect();
    let clusters = clusters::cluster_of(&run.traces, plan.cluster);
    let n_replies = verdicts.iter().map(Verdicts::len).sum();
    let n_readable: usize = verdicts.iter().map(|verdicts| readable(verdicts).count()).sum();
    let answers = run.traces.iter().filter_map(judged::answer_to_judge);
    Some(JudgeSummary {
        judge: judge.clone(),
        n_answers: answers.count(),
        n_judged: decisions.iter().flatten().count(),
        n_replies,
        n_unreadable: n_replies - n_readable,
        cost_usd: judged::spent(replies).usd,
        cells: cells(rule, &decisions),
        kappa: agreement(rule, &decisions, &clusters),
        order_flips: flips(verdicts.iter().filter_map(by_order)),
        repeat_flips: flips(verdicts.iter().filter_map(by_repeat)),
        position: position(&verdicts, &clusters),
        audit: corrections
            .map(|corrections| audit(run, rule, &decisions, corrections, plan))
            .unwrap_or_default(),
    })
}

fn readable(verdicts: &Verdicts) -> impl Iterator<Item = (JudgeOrder, bool)> {
    verdicts.iter().filter_map(|((order, _), verdict)| Some((*order, verdict.is_same()?)))
}

/// Returns the judge's decision: unsure where its verdicts disagree, `None` without a readable one.
fn decision(verdicts: &Verdicts) -> Option<Correctness> {
    let mut all = readable(verdicts).map(|(_, is_same)| is_same);
    let first = all.next()?;
    Some(if all.all(|is_same| is_same == first) {
        Correctness::from_right(first)
    } else {
        Correctness::Unsure
    })
}

fn cells(rule: &[Option<Correctness>], judge: &[Option<Correctness>]) -> Vec<JudgeCell> {
    let mut counts: BTreeMap<(Correctness, Correctness), usize> = BTreeMap::new();
    for pair in rule.iter().zip(judge) {
        if let (Some(rule), Some(judge)) = pair {
            *counts.entry((*rule, *judge)).or_default() += 1;
        }
    }
    let cells = counts.into_iter();
    cells.map(|((rule, judge), count)| JudgeCell { rule, judge, count }).collect()
}

/// Returns kappa over the answers that both decide. `clusters` is parallel to both.
fn agreement(
    first: &[Option<Correctness>],
    second: &[Option<Correctness>],
    clusters: &[usize],
) -> Option<Kappa> {
    let pairs = first.iter().zip(second).zip(clusters);
    let (grades, cluster_of): (Vec<(i32, i32)>, Vec<usize>) = pairs
        .filter_map(|((first, second), cluster)| {
            Some(((grade(*first)?, grade(*second)?), *cluster))
        })
        .unzip();
    kappa(&grades, &cluster_of, Disagreement::Any)
}

fn grade(decision: Option<Correctness>) -> Option<i32> {
    match decision? {
        Correctness::Right => Some(1),
        Correctness::Wrong => Some(0),
        Correctness::Unsure => None,
    }
}

/// Returns the first verdict in each order: "same" with the gold answer first, and with the answer first.
fn first_verdicts(verdicts: &Verdicts) -> Option<(bool, bool)> {
    let first = |order| verdicts.get(&(order, 0))?.is_same();
    Some((first(JudgeOrder::GoldFirst)?, first(JudgeOrder::AnswerFirst)?))
}

/// Returns true if the first verdict changed with the order; `None` if not judged in both.
fn by_order(verdicts: &Verdicts) -> Option<bool> {
    first_verdicts(verdicts).map(|(gold_first, answer_first)| gold_first != answer_first)
}

/// Returns true if the repeats in some order differ; `None` if no order has two verdicts.
fn by_repeat(verdicts: &Verdicts) -> Option<bool> {
    let repeats = JudgeOrder::ALL.map(|order| {
        let all = readable(verdicts).filter(|(of, _)| *of == order);
        all.map(|(_, is_same)| is_same).collect::<Vec<bool>>()
    });
    let mut repeats = repeats.iter().filter(|all| all.len() > 1).peekable();
    repeats.peek()?;
    Some(repeats.any(|all| all.iter().any(|is_same| *is_same != all[0])))
}

fn flips(changed: impl Iterator<Item = bool>) -> Option<FlipCount> {
    let changed: Vec<bool> = changed.collect();
    let (n, flipped) = (changed.len(), changed.iter().filter(|is| **is).count());
    (n > 0).then(|| FlipCount { n, flipped, ci95: wilson(flipped, n) })
}

fn position(verdicts: &[Verdicts], clusters: &[usize]) -> Option<PositionBias> {
    let pairs = verdicts.iter().zip(clusters);
    let (pairs, cluster_of): (Vec<(bool, bool)>, Vec<usize>) =
        pairs.filter_map(|(verdicts, cluster)| Some((first_verdicts(verdicts)?, *cluster))).unzip();
    let only = |first: bool| pairs.iter().filter(|pair| **pair == (first, !first)).count();
    let (only_gold_first, only_answer_first) = (only(true), only(false));
    let both = pairs.iter().filter(|pair| **pair == (true, true)).count();
    let differences: Vec<f64> = pairs
        .iter()
        .map(|(gold_first, answer_first)| {
            f64::from(u8::from(*gold_first)) - f64::from(u8::from(*answer_first))
        })
        .collect();
    let n = pairs.len();
    (n > 0).then(|| PositionBias {
        n,
        same_gold_first: both + only_gold_first,
        same_answer_first: both + only_answer_first,
        difference: differences.iter().sum::<f64>() / n as f64,
        ci95: mean_error(&differences, &cluster_of).map(|mean| mean.interval_in((-1.0, 1.0))),
        p: mcnemar(only_gold_first, only_answer_first),
    })
}

/// Compares the judge with people, and corrects the share of right answers: [`ppi_mean`] with the judge's decisions as
/// predictions, and the rule's where the judge has none. The strata are those of the audit sheet.
fn audit(
    run: &SavedRun,
    rule: &[Option<Correctness>],
    judge: &[Option<Correctness>],
    corrections: &Corrections,
    plan: &EvaluationPlan,
) -> JudgeAudit {
    let audited = answers::audited(rule, corrections);
    let person: Vec<Option<Correctness>> =
        (0..rule.len()).map(|at| audited.get(&at).map(AuditedAnswer::person)).collect();
    let n_audited = audited.keys().filter(|at| judge[**at].is_some()).count();
    let clusters = clusters::cluster_of(&run.traces, plan.cluster);
    let predictions: Vec<Option<Correctness>> =
        judge.iter().zip(rule).map(|(judge, rule)| judge.or(*rule)).collect();
    let (places, items) = answers::items(rule, &predictions, &audited);
    let traces = places.iter().map(|&at| &run.traces[at]);
    let right = (n_audited >= LEAST_AUDITED)
        .then(|| ppi_mean(&items, &clusters::cluster_of(traces, plan.cluster)))
        .flatten();
    JudgeAudit { n_audited, kappa: agreement(judge, &person, &clusters), right }
}
