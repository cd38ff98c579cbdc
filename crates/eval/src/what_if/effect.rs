//! The effect of a change: questions won and lost, tokens, and the promise.
//!
//! The promise assumes that the reader treats other passages as it does today. Let D be the mean distraction that the loss budget
//! measures (answer score from the gold passages alone, less that with other passages around them), over prompts that hold the
//! evidence with m other passages on average. If a change makes that m', and distraction grows with the number of other passages
//! but ever more slowly, it changes by at most `D |m' / m - 1|`. The promise is withheld where that exceeds half the width of its
//! interval, and where m is below [`FEWEST_OTHERS`] and changes.

use super::alternative::{Alternative, Change, Promise, Setting, Withheld};
use super::packing::{Limits, Ranked};
use super::recorded::{Answer, Recorded, RecordedRun};
use ragtriage_core::stats::t::mean_error;
use ragtriage_core::types::Interval;

/// Fewer other passages than this around the evidence show too little of a reader's distraction.
const FEWEST_OTHERS: f64 = 2.0;

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
        Change::K { k, context_tokens } => Limits {
            k,
            budget: context_tokens.or(today.budget),
        },
        Change::Budget { context_tokens } => Limits {
            budget: Some(context_tokens),
            ..today
        },
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
        before: run
            .questions
            .iter()
            .filter(|asked| asked.is_supported)
            .count(),
        after: after.iter().filter(|after| after.is_supported).count(),
        won: won.count(),
        lost: lost.count(),
        net_ci95: interval(&net, &clusters),
        tokens_before: mean(run.questions.iter().map(Recorded::tokens)),
        tokens_after: mean(after.iter().map(|after| after.tokens)),
        promise: promise(run, after),
    }
}

fn interval(differences: &[f64], clusters: &[usize]) -> Option<Interval> {
    mean_error(differences, clusters).map(|error| error.interval_in((-1.0, 1.0)))
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
        .map(
            |(asked, answer, after)| match (asked.is_supported, after.is_supported) {
                (false, true) => answer.delivery,
                (true, false) => without.unwrap_or(0.0) - answer.retrieved,
                _ => 0.0,
            },
        )
        .collect();
    let clusters: Vec<usize> = scored.iter().map(|(asked, ..)| asked.cluster).collect();
    let ci95 = mean_error(&gains, &clusters).map(|error| error.interval().within(1.0));
    let is_any_lost = scored
        .iter()
        .any(|(asked, _, after)| asked.is_supported && !after.is_supported);
    let (distraction, few) = distraction(&scored);
    let withheld = if is_any_lost && without.is_none() {
        Some(Withheld::NothingLostToday)
    } else if few {
        Some(Withheld::FewOtherPassages)
    } else if ci95.is_none_or(|ci95| distraction > (ci95.high - ci95.low) / 2.0)
        && distraction > 0.0
    {
        Some(Withheld::Distraction)
    } else {
        None
    };
    Some(Promise {
        n: scored.len(),
        gain: gains.iter().sum::<f64>() / scored.len() as f64,
        ci95,
        distraction,
        withheld,
    })
}

/// Returns the mean score of the questions without evidence in the prompt today.
fn without_evidence(scored: &[(&Recorded<'_>, Answer, After)]) -> Option<f64> {
    let lacking = scored.iter().filter(|(asked, ..)| !asked.is_supported);
    let scores: Vec<f64> = lacking.map(|(_, answer, _)| answer.retrieved).collect();
    (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
}

/// Returns the largest change by distraction per question, and whether today's prompts show too little of it.
fn distraction(scored: &[(&Recorded<'_>, Answer, After)]) -> (f64, bool) {
    let (mut n, mut cost, mut today, mut then) = (0, 0.0, 0, 0);
    for (_, answer, after) in scored.iter().filter(|(.., after)| after.is_supported) {
        let Some((n_other, lost)) = answer.noise else {
            continue;
        };
        n += 1;
        cost += lost;
        today += n_other;
        then += after.n_other.unwrap_or(n_other);
    }
    if today == then {
        return (0.0, false);
    }
    let is_few = (today as f64) < FEWEST_OTHERS * f64::from(n);
    if today == 0 {
        return (0.0, is_few);
    }
    let ratio = then as f64 / today as f64;
    let cost = cost.max(0.0) / scored.len() as f64;
    (cost * (ratio - 1.0).abs(), is_few)
}
