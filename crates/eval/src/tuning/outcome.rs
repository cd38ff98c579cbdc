//! Results of a sweep: the contents of `tune.json` and reports.

use std::collections::BTreeMap;

use serde::Serialize;

use super::sweep::TrialTruncation;
use ragtriage_core::measure::Measure;
use ragtriage_core::types::Interval;

/// The ranking of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrialRanking {
    /// The measure that ranks it.
    pub measure: Measure,
    /// Number of questions that every completed trial has a value for: all statistics are over
    /// these.
    pub n: usize,
    /// Number of questions with a value for some trials only (they failed in others): omitted.
    pub n_left_out: usize,
    /// Number of questions of the sweep without a value in any completed trial: the measure is undefined for them, or they failed
    /// in all.
    pub n_undefined: usize,
    /// Number of clusters of these questions.
    pub n_clusters: usize,
    /// Questions of the largest cluster.
    pub largest_cluster: usize,
    /// Best first: by the measure, then fewer context tokens, then the default, then the earlier one. Failed trials are last.
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
    /// The mean of the measure it is ranked by.
    pub mean: f64,
    /// Its 95 % interval, by t over clusters.
    pub ci95: Option<Interval>,
    /// The mean at equal k.
    pub equal_k: Option<f64>,
    /// The mean at equal context tokens.
    pub equal_tokens: Option<f64>,
    /// Mean context tokens of the passages it packs.
    pub context_tokens: f64,
    /// The difference from the default; `None` for the default itself, and if the default failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    /// Truncation of its chunks by the encoder input limit, if that matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncation: Option<TrialTruncation>,
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
    /// Questions of the largest cluster.
    pub largest_cluster: usize,
    /// The default's mean.
    pub default: f64,
    /// The winner's.
    pub winner: f64,
    /// Winner minus default.
    pub delta: f64,
    /// Its interval at 1 - 5% / `evaluations`, by the test that gives p; `None` under two clusters.
    pub ci95: Option<Interval>,
    /// p by the paired randomisation test, two-sided, times `evaluations`, at most 1; `None` if no question was compared.
    pub p: Option<f64>,
    /// Number of trials ever compared with a default on these questions, this one included.
    pub evaluations: usize,
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
