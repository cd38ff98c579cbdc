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
    /// Main effect of each varied parameter, in the given order.
    pub effects: Vec<ParameterEffect>,
    /// The measure's family against k: the default, the winner and the best of each group of retrievers.
    pub by_k: Vec<SweepCurve>,
    /// At equal k against chunk size: one curve per group of retrievers, each point the mean over that group's trials of that
    /// size.
    pub by_size_equal_k: Vec<SweepCurve>,
    /// The curves at equal context tokens.
    pub by_size_equal_tokens: Vec<SweepCurve>,
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
    /// The mean over the passages it packs.
    pub at_prompt: Option<f64>,
    /// Mean context tokens of the passages it packs.
    pub context_tokens: f64,
    /// The difference from the default; `None` for the default itself, and if the default failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    /// True if no other trial has as much at the prompt for fewer tokens, or more for as many.
    pub on_front: bool,
    /// Truncation of its chunks by the encoder input limit, if that matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncation: Option<TrialTruncation>,
}

/// A trial minus the default, by question.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Mean.
    pub delta: f64,
    /// Its 95% interval, simultaneous with those of all trials: it excludes zero if and only if p is below 5%; `None` under
    /// two clusters.
    pub ci95: Option<Interval>,
    /// p by max-T over all trials: the probability that, if none differed, any would differ as
    /// much.
    pub p_max_t: f64,
}

/// Main effect of a varied parameter: means over all trials that share a value of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParameterEffect {
    /// The varied parameter.
    pub key: String,
    /// In the given order; values without a completed trial are omitted.
    pub values: Vec<EffectValue>,
    /// The largest mean minus the smallest.
    pub range: f64,
    /// True if the trials of each value have the same combinations of all other varied parameters' values, equally often. Otherwise, as
    /// in a random sample or if trials failed, the means also differ by those.
    pub balanced: bool,
}

/// One value of a varied parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EffectValue {
    /// As TOML.
    pub value: String,
    /// Number of completed trials with this value; includes the default only if the sweep generated
    /// it.
    pub n_trials: usize,
    /// The mean of the measure over them.
    pub mean: f64,
    /// That mean minus the mean over all trials of the sweep.
    pub effect: f64,
    /// The effect's 95% interval by t over clusters of questions.
    pub ci95: Option<Interval>,
    /// The mean at equal k over them.
    pub equal_k: Option<f64>,
    /// The mean at equal context tokens over them.
    pub equal_tokens: Option<f64>,
    /// Mean context tokens over them.
    pub context_tokens: f64,
}

/// A line of a chart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweepCurve {
    /// Its label: a trial's name, a group of retrievers.
    pub name: String,
    /// Ascending by x; both finite.
    pub points: Vec<(f64, f64)>,
}

/// The method that confirmed the winner.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum Confirmation {
    /// On held-out questions.
    HeldOut(HeldOut),
    /// By cross-fitting: choosing on all folds but one and scoring on that one, in turn.
    CrossFit(CrossFit),
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

/// Cross-fitting: the choice made without each fold in turn, scored on that fold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrossFit {
    /// The folds.
    pub folds: Vec<Fold>,
    /// Questions of all folds.
    pub n: usize,
    /// The mean over all questions of (the trial chosen without the question's fold minus default): the gain of this way of
    /// choosing.
    pub delta: f64,
    /// Its 95% interval, by the randomisation test over clusters; `None` under two clusters.
    pub ci95: Option<Interval>,
}

/// One fold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fold {
    /// Questions in it.
    pub n: usize,
    /// The best trial on the other folds.
    pub chosen: String,
    /// The mean over the fold's questions of chosen minus default.
    pub delta: f64,
}

/// The verdict of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TuningVerdict {
    /// The trial that is significantly better than the default; `None`: no claim is made.
    pub claimed: Option<String>,
    /// True if choosing is shown to be worse than keeping the default: the winner is worse on held-out questions, or the
    /// cross-fitted gain's interval lies on the wrong side of zero.
    pub harms: bool,
    /// The setting to use, and the evidence; trials are named by their settings.
    pub text: String,
    /// Set if nothing is claimed though the winner scored higher: number of questions at which a true difference as large as the
    /// one seen on the choosing questions would be detected with 80% power (two-sided t at 5% over the comparisons that p allows
    /// for, same spread and questions per cluster; at least as many clusters as sign flips need for that level). `None` if no
    /// difference was seen, or a claim is made.
    pub n_needed: Option<usize>,
}
