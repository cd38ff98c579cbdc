//! A paired comparison: every run against the first, question by question.
//!
//! [`pairs`] matches the questions, [`differences`] computes the paired statistics of each metric, [`answers`] finds
//! the questions that only one run got correct, [`provenance`] lists differences in configuration and inputs. Both runs are measured with the baseline's scorer, threshold of a correct answer, cutoffs and seed, each question by its own run's gold answers.
//!
//! The declared family of tests is one primary metric over all compared runs: its p-values are Holm-adjusted. All other
//! p-values are unadjusted and exploratory.

pub mod answers;
mod comparison;
pub mod differences;
pub mod pairs;
pub mod provenance;
mod verdict;

#[cfg(test)]
pub(super) mod tests;

use std::collections::BTreeSet;

use self::differences::MetricDifference;
use self::pairs::Pairs;
use self::provenance::RunChange;
use super::diagnose;
use super::score::{self, Scores};
use super::summary::EvaluationPlan;
use crate::Error;
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::metric::{Cutoff, Family, Metric, Quantity};
use ragtriage_core::stats::holm::holm;
use ragtriage_data::run::{SCHEMA, SavedRun};

pub use comparison::{Comparison, PairComparison, RunHead};
pub use verdict::{LEVEL, p_text};

/// Parameters of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparePlan {
    /// The baseline's evaluation plan.
    pub evaluation: EvaluationPlan,
    /// The metrics to compare; empty: all reported ones and the costs, with a value in both runs.
    pub metrics: Vec<Metric>,
    /// The primary metric. Default: the first of `AnswerCorrect`, `AnswerF1`, `EvidenceRecall@prompt`, `EM@prompt` and `nDCG@10`
    /// that all pairs have.
    pub primary: Option<Metric>,
    /// Compares runs over different questions on the shared ones.
    pub intersect: bool,
}

/// Compares `others` with `baseline`.
///
/// # Errors
/// Runs over other questions, and a requested primary metric that no pair has.
pub fn compare(
    baseline: &SavedRun,
    others: &[ComparedRun<'_>],
    plan: &ComparePlan,
) -> Result<Comparison, Error> {
    let evaluation = &plan.evaluation;
    let paired = others.iter().map(|other| Pairs::new(baseline, other.run, plan.intersect));
    let paired: Vec<Pairs> = paired.collect::<Result<_, _>>()?;
    let metrics = metrics(plan);
    let first = Scored::new(ComparedRun { run: baseline, k: evaluation.k }, &metrics, evaluation);
    let mut pairs: Vec<PairComparison> = others
        .iter()
        .zip(paired)
        .enumerate()
        .map(|(at, (other, pairs))| {
            let second = Scored::new(*other, &metrics, evaluation);
            pair(head(at + 1, other.run), [&first, &second], &pairs, plan)
        })
        .collect();
    let primary = primary(plan, &pairs)?;
    adjust(&mut pairs, primary);
    let n_compared = pairs.len();
    for pair in &mut pairs {
        pair.verdict = verdict::sentence(pair, primary, n_compared);
    }
    let EvaluationPlan { k, resamples, seed, .. } = *evaluation;
    Ok(Comparison {
        schema: SCHEMA,
        baseline: head(0, baseline),
        primary,
        k,
        resamples,
        seed,
        pairs,
    })
}

fn pair(
    run: RunHead,
    [first, second]: [&Scored<'_>; 2],
    pairs: &Pairs,
    plan: &ComparePlan,
) -> PairComparison {
    let mut metrics =
        differences::differences(&first.scores, &second.scores, pairs, &plan.evaluation);
    if plan.metrics.is_empty() {
        metrics.retain(|difference| difference.n > 0);
    }
    let runs = [first.run, second.run];
    let mut changes = provenance::changes(&first.run.manifest, &second.run.manifest);
    let [a, b] = runs.map(|run| &run.decided.answers).map(|it| it.judge.len() + it.person.len());
    if a != b {
        let what = "answers decided by a judge or an audit".to_owned();
        changes.push(RunChange { what, baseline: a.into(), run: b.into() });
    }
    let judged = answers::judged(pairs, runs, [&first.outcomes, &second.outcomes]);
    PairComparison {
        run,
        questions: pairs.counts,
        verdict: String::new(),
        changes,
        metrics,
        flips: judged.flips(pairs, runs),
    }
}

fn head(at: usize, run: &SavedRun) -> RunHead {
    let (name, started) = (run.manifest.name.clone(), run.manifest.started.clone());
    RunHead { label: label(at), name, started, n_questions: run.traces.len() }
}

/// `A` to `Z`, then `R27`, `R28`, ...
fn label(at: usize) -> String {
    let letter = u8::try_from(at).ok().filter(|at| *at < 26).map(|at| char::from(b'A' + at));
    letter.map_or_else(|| format!("R{}", at + 1), String::from)
}

/// Returns the metrics to score: the requested ones in order, else all that a run reports, and the costs; the primary
/// metric always.
fn metrics(plan: &ComparePlan) -> Vec<Metric> {
    let chosen = !plan.metrics.is_empty();
    let mut metrics = if chosen { plan.metrics.clone() } else { plan.evaluation.metrics.clone() };
    metrics.extend(plan.primary);
    if !chosen {
        let costs = Family::ALL.iter().filter(|family| family.is_cost());
        metrics.extend(costs.filter_map(|family| Metric::new(*family, None)));
        metrics.sort_unstable();
    }
    let mut seen = BTreeSet::new();
    metrics.retain(|metric| seen.insert(*metric));
    metrics
}

/// Creates the error of a metric or class that is defined for no question.
pub(crate) fn no_value(message: String) -> Error {
    let hint = "metrics and classes of answers need a generator and gold answers; ranking metrics need relevance judgments; \
                `ragtriage report RUN` shows what a run has";
    Error::new(message, hint)
}

/// Returns the primary metric.
fn primary(plan: &ComparePlan, pairs: &[PairComparison]) -> Result<Option<Metric>, Error> {
    if let Some(metric) = plan.primary {
        let anywhere = pairs.iter().any(|pair| pair.has(metric));
        let message = format!("no question has a value of `{metric}` in both runs");
        return if anywhere { Ok(Some(metric)) } else { Err(no_value(message)) };
    }
    let usual = [
        Metric::new(Family::AnswerCorrect, None),
        Metric::new(Family::AnswerF1, None),
        Metric::new(Family::EvidenceRecall, Some(Cutoff::Prompt)),
        Metric::new(Family::Em, Some(Cutoff::Prompt)),
        Metric::new(Family::Ndcg, Some(Cutoff::Top(10))),
    ];
    let measured = metrics(plan);
    let usual = usual.into_iter().flatten().filter(|metric| measured.contains(metric));
    Ok(usual
        .chain(measured.iter().copied())
        .find(|metric| pairs.iter().all(|pair| pair.has(*metric))))
}

/// Applies Holm's adjustment to the primary metric's p-values, over all pairs that have one.
fn adjust(pairs: &mut [PairComparison], primary: Option<Metric>) {
    let mut family: Vec<&mut MetricDifference> = pairs
        .iter_mut()
        .flat_map(|pair| &mut pair.metrics)
        .filter(|difference| {
            Some(difference.metric) == primary.map(Quantity::from) && difference.p.is_some()
        })
        .collect();
    let p_values: Vec<f64> = family.iter().filter_map(|difference| difference.p).collect();
    for (difference, adjusted) in family.iter_mut().zip(holm(&p_values)) {
        difference.p_holm = Some(adjusted);
    }
}

/// A run that is compared with the baseline.
#[derive(Clone, Copy, Debug)]
pub struct ComparedRun<'a> {
    /// Its files.
    pub run: &'a SavedRun,
    /// Number of hits it packed; its failure classes depend on it.
    pub k: usize,
}

/// A run's scores and outcomes, parallel to its traces.
struct Scored<'a> {
    run: &'a SavedRun,
    scores: Scores,
    outcomes: Vec<Outcome>,
}

impl<'a> Scored<'a> {
    fn new(
        ComparedRun { run, k }: ComparedRun<'a>,
        metrics: &[Metric],
        plan: &EvaluationPlan,
    ) -> Self {
        let outcomes = diagnose::outcomes(run, k, plan.judge);
        let scores = score::score_classified(run, &outcomes, metrics, plan.judge);
        Self { run, scores, outcomes }
    }
}
