//! The effect of a change: questions won and lost, tokens, and the promise.
//!
//! The promise assumes that the reader treats other passages as it does today. Let D be the mean distraction that the loss budget
//! measures (answer score from the gold passages alone, less that with other passages around them), over prompts that hold the
//! evidence with m other passages on average. If a change makes that m', and distraction grows with the number of other passages
//! but ever more slowly, it changes by at most `D |m' / m - 1|`. The promise is withheld in three cases:
//!
//! - that bound exceeds [`MOST_UNKNOWN`] of the promise's margin of error;
//! - m changes and is below [`FEWEST_OTHERS`];
//! - the share of questions lost, times the margin of error of the score without evidence, exceeds the promise's margin.

use super::alternative::{Alternative, Change, Promise, Setting, Withheld};
use super::packing::{Limits, Ranked};
use super::recorded::{Answer, Recorded, RecordedRun};
use ragtriage_core::stats::randomisation::{RandomisationPlan, randomisation};
use ragtriage_core::stats::t::mean_error;
use ragtriage_core::types::Interval;

/// Fewer other passages than this around the evidence show too little of a reader's distraction.
const FEWEST_OTHERS: f64 = 2.0;

/// Share of the promise's margin of error that distraction may add. It is a bias, which no sample of questions makes smaller.
const MOST_UNKNOWN: f64 = 0.5;

/// A question's prompt after a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct After {
    pub is_supported: bool,
    pub tokens: Option<usize>,
    /// Passages without gold evidence; `None`: as today.
    pub n_other: Option<usize>,
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
        n_other: Some(asked.n_other(&ranked.hits[..n])),
    }
}

/// Compares the prompts `after` a change with today's.
pub(super) fn measured(
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
    let scored: Vec<(&Recorded<'_>, Answer, After)> = run
        .questions
        .iter()
        .zip(after)
        .filter_map(|(asked, after)| Some((asked, asked.answer?, *after)))
        .collect();
    if scored.is_empty() {
        return None;
    }
    let without = without_evidence(&scored);
    let gains: Vec<f64> = scored
        .iter()
        .map(|(asked, answer, after)| gain(asked, answer, after, without.mean))
        .collect();
    let clusters: Vec<usize> = scored.iter().map(|(asked, ..)| asked.cluster).collect();
    let ci95 = interval(&gains, &clusters);
    let lost = scored.iter().filter(|(asked, _, after)| asked.is_supported && !after.is_supported);
    let share_lost = lost.count() as f64 / scored.len() as f64;
    let distraction = distraction(&scored);
    let margin = ci95.map_or(0.0, margin);
    let withheld = if share_lost * without.margin > margin {
        Some(Withheld::FewWithoutEvidence)
    } else if distraction.is_little_known {
        Some(Withheld::FewOtherPassages)
    } else if distraction.most > MOST_UNKNOWN * margin {
        Some(Withheld::Distraction)
    } else {
        None
    };
    Some(Promise {
        n: scored.len(),
        gain: gains.iter().sum::<f64>() / scored.len() as f64,
        ci95,
        distraction: distraction.most,
        withheld,
    })
}

/// Returns the change of a question's score by delivery; `without`: the score without evidence.
fn gain(asked: &Recorded<'_>, answer: &Answer, after: &After, without: f64) -> f64 {
    match (asked.is_supported, after.is_supported) {
        (false, true) => answer.delivery,
        (true, false) => without - answer.retrieved,
        _ => 0.0,
    }
}

/// The score of the questions without evidence in the prompt now.
struct Without {
    mean: f64,
    /// Its margin of error; 1 under two clusters.
    margin: f64,
}

fn without_evidence(scored: &[(&Recorded<'_>, Answer, After)]) -> Without {
    let lacking = scored.iter().filter(|(asked, ..)| !asked.is_supported);
    let (scores, clusters): (Vec<f64>, Vec<usize>) =
        lacking.map(|(asked, answer, _)| (answer.retrieved, asked.cluster)).unzip();
    mean_error(&scores, &clusters).map_or(Without { mean: 0.0, margin: 1.0 }, |error| Without {
        mean: error.mean,
        margin: margin(error.interval_in((0.0, 1.0))),
    })
}

/// Returns half the width of an interval.
fn margin(interval: Interval) -> f64 {
    (interval.high - interval.low) / 2.0
}

/// The part of distraction in a change.
struct DistractionChange {
    /// The largest change of the score per question.
    most: f64,
    /// True if today's prompts show too little of it.
    is_little_known: bool,
}

fn distraction(scored: &[(&Recorded<'_>, Answer, After)]) -> DistractionChange {
    let (mut n, mut cost, mut right) = (0, 0.0, 0.0);
    let (mut today, mut then) = (0, 0);
    for (_, answer, after) in scored.iter().filter(|(.., after)| after.is_supported) {
        let Some((n_other, lost)) = answer.noise else {
            continue;
        };
        n += 1;
        cost += lost;
        right += answer.retrieved + answer.delivery;
        today += n_other;
        then += after.n_other.unwrap_or(n_other);
    }
    let is_changed = today != then;
    let ratio = if is_changed { then as f64 / today.max(1) as f64 } else { 1.0 };
    // More cannot be lost than these prompts answer right.
    let most = (f64::max(cost, 0.0) * (ratio - 1.0).abs()).min(right);
    DistractionChange {
        most: most / scored.len() as f64,
        is_little_known: is_changed && (today as f64) < FEWEST_OTHERS * f64::from(n),
    }
}
