//! Analysis of a sweep: many trials scored on the same questions, and whether any of them is better than the default.
//!
//! All functions compute on a [`SweepScores`]; `sweep/` runs the trials. Steps: [`rank`] the sweep on the tuning questions, confirm
//! its winner on held-out questions if there are any ([`held_out`]), then [`judge`] the result.

mod label;
mod ranking;
mod verdict;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Serialize;

pub use ranking::{held_out, rank};
pub use verdict::judge;

use crate::score::Scores;
use ragtriage_core::metric::Metric;
use ragtriage_core::types::{Interval, QuestionId};

/// Options for analysing a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct TuningPlan {
    /// The metric that ranks and judges trials; it averages over questions.
    pub metric: Metric,
    /// Sign flips of each test.
    pub permutations: usize,
    /// Their seed.
    pub seed: u64,
}

/// Trials scored on the same questions.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepScores {
    /// The questions, in the data set's order.
    pub questions: Vec<QuestionId>,
    /// Each question's cluster: questions that share gold evidence have the same one. Numbers may
    /// have gaps.
    pub cluster_of: Vec<usize>,
    /// The default first, then in creation order. At least one.
    pub trials: Vec<ScoredTrial>,
}

/// One trial of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredTrial {
    /// Its name in tables and of its run: `default`, `s07`.
    pub name: String,
    /// The varied parameters' values, as TOML; for the default its existing values, whether or not the sweep lists
    /// them.
    pub values: BTreeMap<String, String>,
    /// Its scores, or its error.
    pub result: Result<TrialScores, String>,
}

/// The scores of one trial.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialScores {
    /// One row per question, parallel to [`SweepScores::questions`]; `None` if a metric is undefined or the question failed.
    pub scores: Scores,
    /// Tokens (`cl100k_base`) of the passages packed for each question, as the prompt shows them; `None` if it failed.
    pub context_tokens: Vec<Option<f64>>,
    /// Questions with gold evidence beyond the encoder input limit.
    pub n_truncated: usize,
}

/// The ranking of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrialRanking {
    /// The metric that ranks it.
    pub metric: Metric,
    /// Number of questions that every completed trial has a value for: all statistics are over
    /// these.
    pub n: usize,
    /// Number of questions with a value for some trials only (they failed in others): omitted.
    pub n_left_out: usize,
    /// Number of questions of the sweep without a value in any completed trial: the metric is undefined for them, or they failed
    /// in all.
    pub n_undefined: usize,
    /// Number of clusters of these questions.
    pub n_clusters: usize,
    /// Questions of the largest cluster.
    pub largest_cluster: usize,
    /// Best first: by the metric, then fewer context tokens, then the default, then the earlier one. Failed trials are last.
    pub rows: Vec<RankedTrial>,
    /// The best row's name, possibly the default's. `None` if no trial completed or no question has a
    /// value.
    pub winner: Option<String>,
}

/// One trial's statistics.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedTrial {
    /// Its name and its run's.
    pub name: String,
    /// The varied parameters' values.
    pub values: BTreeMap<String, String>,
    /// The error of a failed trial; all statistics are then 0 or absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The mean of the metric it is ranked by.
    pub mean: f64,
    /// Its 95 % interval, by t over clusters.
    pub ci95: Option<Interval>,
    /// Mean context tokens of the passages it packs.
    pub context_tokens: f64,
    /// Mean seconds of retrieval, reranking and packing.
    pub seconds: Option<f64>,
    /// The difference from the default; `None` for the default itself, and if the default failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    /// Questions with gold evidence beyond the encoder input limit.
    pub n_truncated: usize,
}

/// A trial minus the default, by question.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Mean.
    pub delta: f64,
    /// Its interval at 1 - 5% / trials (Bonferroni), simultaneous with those of all trials: `p_holm` is below 5% where it
    /// excludes zero; `None` under two clusters.
    pub ci95: Option<Interval>,
    /// p by the paired randomisation test, two-sided, Holm-adjusted over all trials that are compared with the default.
    pub p_holm: f64,
    /// Minimum detectable effect of one such comparison (80% power at 5%); `None` if the differences have no variance.
    pub detectable: Option<f64>,
}

/// The questions that decide on the winner.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum Confirmation {
    /// Held-out questions.
    HeldOut(HeldOut),
    /// The tuning questions, by p that are Holm-adjusted over all trials: there are no held-out questions.
    Holm,
}

/// The winner against the default on the held-out questions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeldOut {
    /// Questions compared.
    pub n: usize,
    /// Their clusters.
    pub n_clusters: usize,
    /// The default's mean.
    pub default: f64,
    /// The winner's.
    pub winner: f64,
    /// Winner minus default.
    pub delta: f64,
    /// Its 95% interval, by the test that gives p; `None` under two clusters.
    pub ci95: Option<Interval>,
    /// p by the paired randomisation test, two-sided; `None` if no question was compared.
    pub p: Option<f64>,
    /// Minimum detectable effect of one such comparison (80% power at 5%); `None` if the differences have no variance.
    pub detectable: Option<f64>,
}

/// The verdict of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TuningVerdict {
    /// The trial that is significantly better than the default; `None`: no claim is made.
    pub claimed: Option<String>,
    /// True if the winner is shown to be worse than the default on held-out questions.
    pub harms: bool,
    /// The setting to use, and the evidence; trials are named by their settings.
    pub text: String,
}
