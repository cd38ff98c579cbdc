//! Results by arm: answer quality, cost, and the variation of repeated answers.

use std::collections::BTreeMap;

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::diagnose;
use super::measure_summary::mean;
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::attribute::judge::{Settled, decide};
use ragtriage_core::rightness::{Correctness, Judge};
use ragtriage_core::stats::bootstrap::Bootstrap;
use ragtriage_core::stats::interval::of_mean;
use ragtriage_core::stats::wilson::wilson;
use ragtriage_core::types::{ArmName, Attempt, Interval, Origin, QuestionKind, Trace};

/// The answer quality of a condition (arm).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArmScore {
    /// Questions asked in this arm that have gold answers.
    pub n: usize,
    /// Mean of right answers: 1, 0.5 where the rule is unsure, 0.
    pub mean: f64,
    /// Its 95 % interval.
    pub ci95: Option<Interval>,
    /// Mean `AnswerF1`; for questions with key facts of right answers.
    pub f1: f64,
}

/// Returns the scores of every arm that was run, by name.
#[must_use]
pub fn arm_scores(
    traces: &[Trace],
    outcomes: &[Outcome],
    judge: Judge,
    bootstrap: &Bootstrap,
) -> BTreeMap<String, ArmScore> {
    let (arms, columns) = right_by_arm(traces, outcomes);
    let scored = arms.iter().zip(&columns).zip(bootstrap.intervals(&columns));
    scored
        .map(|((arm, column), ci95)| {
            let answers = traces.par_iter().zip(outcomes);
            let f1: Vec<f64> = answers
                .filter_map(|(trace, outcome)| diagnose::f1(trace, outcome, *arm, judge))
                .collect();
            let right: Vec<f64> = column.iter().flatten().copied().collect();
            let n_clusters = bootstrap.n_clusters_with_value(column);
            let ci95 = of_mean(&right, (0.0, 1.0), n_clusters, ci95);
            let score = ArmScore { n: right.len(), mean: mean(&right), ci95, f1: mean(&f1) };
            (arm.name().to_owned(), score)
        })
        .collect()
}

/// Returns the arms that were run, each with a column of right answers.
pub(super) fn right_by_arm(
    traces: &[Trace],
    outcomes: &[Outcome],
) -> (Vec<ArmName>, Vec<Vec<Option<f64>>>) {
    let arms = ArmName::ALL.iter().copied();
    let was_run = |arm: &ArmName| traces.iter().any(|trace| trace.attempt(*arm).is_some());
    let column = |arm| {
        let answers = traces.iter().zip(outcomes);
        answers.map(|(trace, outcome)| diagnose::right(trace, outcome, arm)).collect()
    };
    arms.filter(was_run).map(|arm| (arm, column(arm))).unzip()
}

/// Usage of an arm's calls. A cached response uses nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArmUse {
    /// Calls made, failed ones among them.
    pub calls: usize,
    /// Calls that failed after all retries.
    pub failed: usize,
    /// Cached responses from earlier runs.
    pub cached: usize,
    /// Replies shared with another arm of the question that has an equal prompt.
    pub same_prompt: usize,
    /// Prompt tokens: as billed, else by our own count.
    pub prompt: u64,
    /// Answer tokens.
    pub completion: u64,
    /// US dollars.
    pub cost_usd: f64,
}

/// Tokens of all calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TokenTotals {
    /// Prompt tokens: as billed, else as counted locally.
    pub prompt: u64,
    /// Completion tokens.
    pub completion: u64,
    /// Token counts by arm, with the calls.
    #[serde(default)]
    pub by_arm: BTreeMap<String, ArmUse>,
}

/// Sums the usage of every arm's calls.
#[must_use]
pub fn tokens(traces: &[Trace]) -> TokenTotals {
    let mut totals = TokenTotals::default();
    for arm in traces.iter().flat_map(|trace| &trace.arms) {
        let entry = totals.by_arm.entry(arm.arm.name().to_owned()).or_default();
        arm.attempts.iter().for_each(|attempt| entry.add(attempt));
    }
    // Endpoints may report arbitrary numbers, so the sums saturate.
    for entry in totals.by_arm.values() {
        totals.prompt = totals.prompt.saturating_add(entry.prompt);
        totals.completion = totals.completion.saturating_add(entry.completion);
    }
    totals
}

impl ArmUse {
    /// Adds the usage of one attempt.
    pub(super) fn add(&mut self, attempt: &Attempt) {
        match attempt.origin {
            Origin::Cached => self.cached += 1,
            Origin::SamePrompt => self.same_prompt += 1,
            Origin::Called => {
                self.calls += 1;
                self.failed += usize::from(attempt.error.is_some());
                let prompt = attempt.tokens.prompt_billed.unwrap_or(attempt.tokens.prompt);
                self.prompt = self.prompt.saturating_add(prompt);
                self.completion = self.completion.saturating_add(attempt.tokens.completion);
                self.cost_usd += attempt.cost_usd;
            }
        }
    }
}

/// Changes observed when the same prompts are asked again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Repeats {
    /// Questions asked several times, each time with an answer that can be judged.
    pub n: usize,
    /// Questions with both right and wrong answers.
    pub flipped: usize,
    /// Wilson's 95 % interval of their share.
    pub ci95: Option<Interval>,
    /// The mean answer score of the first repeat, the second, ...
    pub means: Vec<f64>,
    /// Mean over questions of the standard deviation of a question's answer scores (n - 1 in the denominator).
    pub deviation: f64,
}

/// Compares the repeats of the arm `retrieved`; `None` without repeats.
#[must_use]
pub fn repeats(traces: &[Trace], judge: Judge, settled: &Settled) -> Option<Repeats> {
    let answerable =
        traces.iter().filter(|trace| trace.question.kind != QuestionKind::Unanswerable);
    let asked = answerable.filter_map(|trace| {
        let arm = trace
            .arms
            .iter()
            .find(|arm| arm.arm == ArmName::Retrieved)
            .filter(|arm| arm.attempts.len() > 1)?;
        arm.attempts
            .iter()
            .map(|attempt: &Attempt| {
                Some(decide(&trace.question, attempt, judge, settled)?.judgment.correctness)
            })
            .collect()
    });
    let asked: Vec<Vec<Correctness>> = asked.collect();
    let (n, times) = (asked.len(), asked.iter().map(Vec::len).min()?);
    let flipped = asked
        .iter()
        .filter(|all| all.contains(&Correctness::Right) && all.contains(&Correctness::Wrong))
        .count();
    let means = (0..times)
        .map(|at| asked.iter().map(|all| all[at].score()).sum::<f64>() / n as f64)
        .collect();
    let deviation = asked.iter().map(|all| deviation(all)).sum::<f64>() / n as f64;
    Some(Repeats { n, flipped, ci95: wilson(flipped, n), means, deviation })
}

fn deviation(all: &[Correctness]) -> f64 {
    let mean = all.iter().map(|answer| answer.score()).sum::<f64>() / all.len() as f64;
    let squares: f64 = all.iter().map(|answer| (answer.score() - mean).powi(2)).sum();
    (squares / (all.len() - 1) as f64).sqrt()
}
