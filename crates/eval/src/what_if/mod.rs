//! Deliveries of other settings, computed from recorded ranks and tokens: no call is made.
//!
//! Each recorded ranking is packed again under another k, another budget or without the steps after it, as the pipeline packs:
//! whole passages in rank order until one does not fit. Evidence in the prompt is then exact arithmetic. The expected gain of an
//! alternative is the change of the answer score by delivery.
//! A question won gains its delivery term of the loss budget; one that is lost falls to the mean score of the questions without
//! evidence. That assumes that the generator treats other passages as it does today, which the run cannot show.

mod advice;
mod recorded;
#[cfg(test)]
mod tests;

pub use advice::Advice;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::metric_summary;
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::attribute::known::TopK;
use ragtriage_core::stats::randomisation::{RandomisationPlan, randomisation};
use ragtriage_core::text::numbers::{of_count, whole};
use ragtriage_core::types::{Interval, Step};
use ragtriage_data::run::SavedRun;
use recorded::{Answer, Limits, Ranked, Recorded, RecordedRun};

/// Effects of other settings, computed from the record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhatIf {
    /// Every alternative that the record allows and that changes a prompt.
    pub alternatives: Vec<Alternative>,
    /// The alternatives worth trying as sentences, the best first.
    pub advice: Vec<Advice>,
}

impl WhatIf {
    /// Evaluates the alternatives to the settings of `run`. `top` is the hits that packing takes; `cluster_of[i]` is question i's
    /// cluster.
    #[must_use]
    pub fn new(run: &SavedRun, outcomes: &[Outcome], top: TopK, cluster_of: &[usize]) -> Self {
        let run = &RecordedRun::new(run, outcomes, top, cluster_of);
        if run.questions.is_empty() {
            return Self::default();
        }
        let changes = changes(run).into_par_iter();
        let found: Vec<Option<Alternative>> =
            changes.map(|(change, settings)| alternative(run, change, settings)).collect();
        let mut alternatives: Vec<Alternative> = Vec::new();
        for one in found.into_iter().flatten() {
            if !alternatives.iter().any(|other| is_same_prompt(&one, other)) {
                alternatives.push(one);
            }
        }
        Self { advice: advice::advice(&alternatives), alternatives }
    }
}

/// Returns true if two budgets hold the same passages.
fn is_same_prompt(one: &Alternative, other: &Alternative) -> bool {
    let are_budgets = [one, other].map(|one| matches!(one.change, Change::Budget { .. }));
    are_budgets == [true, true] && one.tokens_after == other.tokens_after
}

/// A change of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// Another number of passages, and another budget where one is given.
    K {
        /// Passages packed.
        k: usize,
        /// The budget that holds them all; `None`: the present budget.
        #[serde(skip_serializing_if = "Option::is_none")]
        context_tokens: Option<usize>,
    },
    /// Another budget of tokens.
    Budget {
        /// The budget.
        context_tokens: usize,
    },
    /// An earlier ranking instead of the final one.
    Ranking {
        /// Its step.
        step: Step,
    },
}

/// A setting with its new value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Setting {
    /// Its name, such as `retrieval.k`.
    pub key: String,
    /// Its value as in the configuration; `None`: the setting is removed.
    pub value: Option<String>,
}

impl Setting {
    fn new(key: &str, value: &dyn ToString) -> Self {
        Self { key: key.to_owned(), value: Some(value.to_string()) }
    }

    fn removed(key: &str) -> Self {
        Self { key: key.to_owned(), value: None }
    }
}

/// An alternative with the questions that it wins and loses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Alternative {
    /// The change.
    #[serde(flatten)]
    pub change: Change,
    /// The settings that make it; empty where none does.
    pub settings: Vec<Setting>,
    /// Answerable questions whose support can be tested and that did not fail.
    pub n: usize,
    /// Questions of these with evidence in the prompt now.
    pub before: usize,
    /// Questions of these with evidence in the prompt after the change.
    pub after: usize,
    /// Questions whose evidence is in the prompt only after the change.
    pub won: usize,
    /// Questions whose evidence is in the prompt only today.
    pub lost: usize,
    /// 95% interval of the net share of questions, `(won - lost) / n`: those that the paired randomisation test does not reject.
    pub net_ci95: Option<Interval>,
    /// Mean tokens of the passages in a prompt today; `None` where they were not counted.
    pub tokens_before: Option<f64>,
    /// The same after the change.
    pub tokens_after: Option<f64>,
    /// The change of the answer score by delivery; `None` without an oracle condition.
    pub expected_gain: Option<ExpectedGain>,
}

impl Alternative {
    /// Returns the net share of questions, `(won - lost) / n`.
    #[must_use]
    pub fn net(&self) -> f64 {
        (self.won as f64 - self.lost as f64) / self.n.max(1) as f64
    }

    /// Returns the expected gain in correct answers, else the net number of questions, with its interval.
    #[must_use]
    pub fn gain(&self) -> String {
        let net = ExpectedGain { n: self.n, gain: self.net(), ci95: self.net_ci95 };
        let ExpectedGain { n, gain, ci95 } = self.expected_gain.unwrap_or(net);
        let n = n as f64;
        whole(gain * n) + &of_count(ci95.map(|ci95| ci95.times(n)))
    }
}

/// The change of correct answers per question that delivery brings, if other passages distract the generator no more than now.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectedGain {
    /// Questions in the loss budget, over which it is a mean.
    pub n: usize,
    /// The change by delivery alone.
    pub gain: f64,
    /// Its 95% interval, by the paired randomisation test over clusters.
    pub ci95: Option<Interval>,
}

/// Numbers of passages tried.
const KS: [usize; 6] = [1, 3, 5, 10, 20, 50];
/// Budgets of tokens tried.
const BUDGETS: [usize; 6] = [250, 500, 1000, 2000, 4000, 8000];
/// A budget that holds k passages is rounded up to a multiple of this.
const BUDGET_UNIT: usize = 100;

const K: &str = "retrieval.k";
const BUDGET: &str = "generation.context_tokens";

/// Returns the changes with their settings; some may change no prompt.
fn changes(run: &RecordedRun<'_>) -> Vec<(Change, Vec<Setting>)> {
    if run.is_external {
        // The other pipeline's settings are unknown; its passages are counted per prompt.
        let depth = depth(run);
        let ks = KS.into_iter().filter(|k| *k <= depth).map(|k| of_k(k, None));
        let rankings = of_rankings(run).into_iter().map(|(change, _)| change);
        return ks.chain(rankings).map(|change| (change, Vec::new())).collect();
    }
    if !run.is_counted {
        return Vec::new();
    }
    let mut changes = of_ks(run);
    changes.extend(BUDGETS.map(|context_tokens| {
        let setting = Setting::new(BUDGET, &context_tokens);
        (Change::Budget { context_tokens }, vec![setting])
    }));
    changes.extend(of_rankings(run));
    changes
}

fn of_k(k: usize, context_tokens: Option<usize>) -> Change {
    Change::K { k, context_tokens }
}

fn depth(run: &RecordedRun<'_>) -> usize {
    let depths = run.questions.iter().map(|asked| asked.last().hits.len());
    depths.max().unwrap_or(0)
}

fn of_ks(run: &RecordedRun<'_>) -> Vec<(Change, Vec<Setting>)> {
    let depth = depth(run);
    let mut changes = Vec::new();
    for k in KS {
        if k > depth || k == run.limits.k {
            continue;
        }
        changes.push((of_k(k, None), vec![Setting::new(K, &k)]));
        let fits = budget_of(run, k);
        if run.limits.budget.is_some_and(|budget| budget < fits) {
            let settings = vec![Setting::new(K, &k), Setting::new(BUDGET, &fits)];
            changes.push((of_k(k, Some(fits)), settings));
        }
    }
    changes
}

/// Returns the budget that holds the first k passages of every question.
fn budget_of(run: &RecordedRun<'_>, k: usize) -> usize {
    let limits = Limits { k, budget: None };
    let needed = |asked: &Recorded<'_>| {
        let last = asked.last();
        last.tokens_of(last.packed(limits)).unwrap_or(0)
    };
    let most = run.questions.iter().map(needed).max().unwrap_or(0);
    most.div_ceil(BUDGET_UNIT) * BUDGET_UNIT
}

/// Returns every earlier ranking. Under a minimum score only the one that it filters: the scores of others have another scale.
fn of_rankings(run: &RecordedRun<'_>) -> Vec<(Change, Vec<Setting>)> {
    let steps: Vec<Step> = run.questions[0].rankings.iter().map(|(step, _)| *step).collect();
    let Some((last, earlier)) = steps.split_last() else {
        return Vec::new();
    };
    let first = if *last == Step::MinScore { earlier.len().saturating_sub(1) } else { 0 };
    let earlier = earlier[first..].iter();
    earlier.map(|step| (Change::Ranking { step: *step }, without(*last, *step, run))).collect()
}

/// Returns the settings that leave out the steps after `step`.
fn without(last: Step, step: Step, run: &RecordedRun<'_>) -> Vec<Setting> {
    if last == Step::MinScore {
        return vec![Setting::removed("retrieval.min_score")];
    }
    let mut settings = Vec::new();
    if step != Step::Fused && run.settings.retrieval.retrievers.len() > 1 {
        settings.push(Setting::new("retrieval.retrievers", &format!("[\"{step}\"]")));
    }
    if last == Step::Reranked {
        settings.push(Setting::removed("rerank.model"));
    }
    settings
}

/// A question's prompt after a change.
struct After {
    is_supported: bool,
    tokens: Option<usize>,
}

/// Compares the prompts after a change of settings with today's; `None` if it changes no prompt.
fn alternative(
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
    if !has_changed {
        return None;
    }
    let pairs = || run.questions.iter().zip(&after);
    let won = pairs().filter(|(asked, after)| !asked.is_supported && after.is_supported);
    let lost = pairs().filter(|(asked, after)| asked.is_supported && !after.is_supported);
    let net: Vec<f64> = pairs()
        .map(|(asked, after)| f64::from(after.is_supported) - f64::from(asked.is_supported))
        .collect();
    let clusters: Vec<usize> = run.questions.iter().map(|asked| asked.cluster).collect();
    let before = run.questions.iter().filter(|asked| asked.is_supported).count();
    Some(Alternative {
        change,
        settings,
        n: after.len(),
        before,
        after: after.iter().filter(|after| after.is_supported).count(),
        won: won.count(),
        lost: lost.count(),
        net_ci95: interval(&net, &clusters, before as f64 / after.len() as f64),
        tokens_before: mean(run.questions.iter().map(Recorded::tokens)),
        tokens_after: mean(after.iter().map(|after| after.tokens)),
        expected_gain: expected_gain(run, &after),
    })
}

fn limits(run: &RecordedRun<'_>, change: Change) -> Limits {
    let today = run.limits;
    match change {
        Change::K { k, context_tokens } => Limits { k, budget: context_tokens.or(today.budget) },
        Change::Budget { context_tokens } => Limits { budget: Some(context_tokens), ..today },
        Change::Ranking { .. } => today,
    }
}

fn packed(asked: &Recorded<'_>, ranked: &Ranked<'_>, n: usize) -> After {
    After {
        is_supported: asked.can_be_supported && ranked.supports(n),
        tokens: ranked.tokens_of(n),
    }
}

/// The test that a comparison with the changed run makes; its sign assignments are listed up to 16 clusters that differ.
const TEST: RandomisationPlan = RandomisationPlan { permutations: 1_000, seed: 0, tests: 1 };

/// Returns the mean differences from a mean of `before` that the paired randomisation test does not reject; the mean stays in 0..=1.
fn interval(differences: &[f64], clusters: &[usize], before: f64) -> Option<Interval> {
    let Interval { low, high } = randomisation(differences, clusters, TEST)?.interval?;
    // No negative zero.
    Some(Interval { low: low.max(-before) + 0.0, high: high.min(1.0 - before) })
}

/// Returns the mean; `None` if a value is missing.
fn mean(values: impl ExactSizeIterator<Item = Option<usize>>) -> Option<f64> {
    let n = values.len();
    let total: Option<usize> = values.sum();
    total.filter(|_| n > 0).map(|total| total as f64 / n as f64)
}

fn expected_gain(run: &RecordedRun<'_>, after: &[After]) -> Option<ExpectedGain> {
    let questions = run.questions.iter().zip(after);
    let scored: Vec<(&Recorded<'_>, Answer, bool)> = questions
        .filter_map(|(asked, after)| Some((asked, asked.answer?, after.is_supported)))
        .collect();
    if scored.is_empty() {
        return None;
    }
    let lacking = scored.iter().filter(|(asked, ..)| !asked.is_supported);
    let lacking: Vec<f64> = lacking.map(|(_, answer, _)| answer.retrieved).collect();
    let without = metric_summary::mean(&lacking);
    let gain = |(asked, answer, after): &(&Recorded<'_>, Answer, bool)| match (
        asked.is_supported,
        after,
    ) {
        (false, true) => answer.delivery,
        (true, false) => without - answer.retrieved,
        _ => 0.0,
    };
    let now: Vec<f64> = scored.iter().map(|(_, answer, _)| answer.retrieved).collect();
    let gains: Vec<f64> = scored.iter().map(gain).collect();
    let clusters: Vec<usize> = scored.iter().map(|(asked, ..)| asked.cluster).collect();
    Some(ExpectedGain {
        n: scored.len(),
        gain: metric_summary::mean(&gains),
        ci95: interval(&gains, &clusters, metric_summary::mean(&now)),
    })
}
