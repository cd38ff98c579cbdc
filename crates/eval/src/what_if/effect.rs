//! The effect of a change: questions won and lost, tokens, and the promise.
//!
//! The promise assumes that the generator treats other passages as it does today, which the run cannot show. A question won gains
//! its delivery term of the loss budget; one that is lost falls to the mean score of the questions without evidence.

use super::alternative::{Alternative, Change, Promise, Setting};
use super::packing::{Limits, Ranked};
use super::recorded::{Answer, Recorded, RecordedRun};
use crate::measure_summary;
use ragtriage_core::stats::randomisation::{RandomisationPlan, randomisation};
use ragtriage_core::types::Interval;

/// A question's prompt after a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct After {
    pub is_supported: bool,
    pub tokens: Option<usize>,
}

/// Returns the alternative of a change of settings; `None` if it changes no prompt.
pub(super) fn alternative(
    run: &RecordedRun<'_>,
    change: Change,
    settings: Vec<Setting>,
) -> Option<Alternative> {
    let limits = limits(run, change);
    let mut has_changed = false;
    let mut after = Vec::with_capacity(run.questions.len());
    for asked in &run.questions {
        let ranked = match change {
            Change::Ranking { step } => asked.ranking(step)?,
            _ => asked.last(),
        };
        let n = ranked.packed(limits);
        has_changed |= ranked.hits[..n] != asked.packed.hits[..];
        after.push(packed(asked, ranked, n));
    }
    has_changed.then(|| measured(run, change, settings, &after))
}

fn limits(run: &RecordedRun<'_>, change: Change) -> Limits {
    let today = run.limits;
    match change {
        Change::K { k, context_tokens } => Limits { k, budget: context_tokens.or(today.budget) },
        Change::Budget { context_tokens } => Limits { budget: Some(context_tokens), ..today },
        _ => today,
    }
}

fn packed(asked: &Recorded<'_>, ranked: &Ranked<'_>, n: usize) -> After {
    After {
        is_supported: asked.can_be_supported && ranked.supports(n),
        tokens: ranked.tokens_of(n),
    }
}

/// Compares the prompts `after` a change with today's.
fn measured(
    run: &RecordedRun<'_>,
    change: Change,
    settings: Vec<Setting>,
    after: &[After],
) -> Alternative {
    let pairs = || run.questions.iter().zip(after);
    let won = pairs().filter(|(asked, after)| !asked.is_supported && after.is_supported);
    let lost = pairs().filter(|(asked, after)| asked.is_supported && !after.is_supported);
    let net: Vec<f64> = pairs()
        .map(|(asked, after)| f64::from(after.is_supported) - f64::from(asked.is_supported))
        .collect();
    let clusters: Vec<usize> = run.questions.iter().map(|asked| asked.cluster).collect();
    Alternative {
        change,
        settings,
        n: after.len(),
        before: run.questions.iter().filter(|asked| asked.is_supported).count(),
        after: after.iter().filter(|after| after.is_supported).count(),
        won: won.count(),
        lost: lost.count(),
        net_ci95: interval(&net, &clusters),
        tokens_before: mean(run.questions.iter().map(Recorded::tokens)),
        tokens_after: mean(after.iter().map(|after| after.tokens)),
        promise: promise(run, after),
    }
}

/// The test that a comparison with the changed run makes; its sign assignments are listed up to 16 clusters that differ.
const TEST: RandomisationPlan = RandomisationPlan { permutations: 1_000, seed: 0, tests: 1 };

/// Returns the mean differences that the paired randomisation test does not reject.
fn interval(differences: &[f64], clusters: &[usize]) -> Option<Interval> {
    let Interval { low, high } = randomisation(differences, clusters, TEST)?.interval?;
    Some(Interval { low: low.max(-1.0), high: high.min(1.0) })
}

/// Returns the mean; `None` if a value is missing.
fn mean(values: impl ExactSizeIterator<Item = Option<usize>>) -> Option<f64> {
    let n = values.len();
    let total: Option<usize> = values.sum();
    total.filter(|_| n > 0).map(|total| total as f64 / n as f64)
}

fn promise(run: &RecordedRun<'_>, after: &[After]) -> Option<Promise> {
    let questions = run.questions.iter().zip(after);
    let scored: Vec<(&Recorded<'_>, Answer, bool)> = questions
        .filter_map(|(asked, after)| Some((asked, asked.answer?, after.is_supported)))
        .collect();
    if scored.is_empty() {
        return None;
    }
    let lacking = scored.iter().filter(|(asked, ..)| !asked.is_supported);
    let lacking: Vec<f64> = lacking.map(|(_, answer, _)| answer.retrieved).collect();
    let without = measure_summary::mean(&lacking);
    let gain = |(asked, answer, after): &(&Recorded<'_>, Answer, bool)| match (
        asked.is_supported,
        after,
    ) {
        (false, true) => answer.delivery,
        (true, false) => without - answer.retrieved,
        _ => 0.0,
    };
    let gains: Vec<f64> = scored.iter().map(gain).collect();
    let clusters: Vec<usize> = scored.iter().map(|(asked, ..)| asked.cluster).collect();
    Some(Promise {
        n: scored.len(),
        gain: measure_summary::mean(&gains),
        ci95: interval(&gains, &clusters),
    })
}

/// Returns the bound of a reranker that puts the passages that hold the evidence first among the candidates; `None` if it wins no
/// question, or the prompts of another order are unknown: passages are not counted.
pub(super) fn perfect_reranker(run: &RecordedRun<'_>) -> Option<Alternative> {
    if !run.is_external && !run.is_counted {
        return None;
    }
    let after = run.questions.iter().map(|asked| {
        let k = if run.is_external { asked.packed.hits.len() } else { run.limits.k };
        let fits = asked.cover.is_some_and(|cover| {
            let within = |budget: usize| cover.tokens.is_some_and(|tokens| tokens <= budget);
            cover.n <= k && run.limits.budget.is_none_or(within)
        });
        After { is_supported: asked.is_supported || fits, tokens: None }
    });
    let after: Vec<After> = after.collect();
    Some(measured(run, Change::PerfectReranker, Vec::new(), &after)).filter(|bound| bound.won > 0)
}
