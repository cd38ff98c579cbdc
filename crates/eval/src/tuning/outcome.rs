//! Results of a sweep: the contents of `tune.json` and reports.

use std::collections::BTreeMap;

use serde::Serialize;

use ragtriage_core::measure::Measure;
use ragtriage_core::types::Interval;

/// A sweep in order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrialRanking {
    /// The measure that ranks it.
    pub measure: Measure,
    /// Questions that every trial which ran has a value for: all numbers are over these.
    pub n: usize,
    /// Questions with a value for some trials only (they failed in others): left out.
    pub n_left_out: usize,
    /// Questions of the sweep that no trial which ran has a value for: the measure is not defined for them, or they failed in all.
    pub n_undefined: usize,
    /// Clusters of the n.
    pub n_clusters: usize,
    /// Best first: by the measure, then fewer context tokens, then the default, then the earlier one. Failed trials are last.
    pub rows: Vec<RankedTrial>,
    /// The best row's name; may be the default's. `None` where nothing ran or no question has a value.
    pub winner: Option<String>,
    /// Main effect of each varied parameter, in the given order.
    pub effects: Vec<ParameterEffect>,
    /// The measure's family against k: the default, the winner and the best of each group of retrievers.
    pub by_k: Vec<SweepCurve>,
    /// At equal k against chunk size: a curve a group of retrievers, each point the mean over that group's trials of that size.
    pub by_size_equal_k: Vec<SweepCurve>,
    /// The curves at equal context tokens.
    pub by_size_equal_tokens: Vec<SweepCurve>,
}

/// One trial's numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedTrial {
    /// Its name and its run's.
    pub name: String,
    /// The varied parameters' values.
    pub values: BTreeMap<String, String>,
    /// Why it has no numbers; then all of them are 0 or absent.
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
    /// The mean over what it packs itself.
    pub at_prompt: Option<f64>,
    /// Mean context tokens of what it packs itself.
    pub context_tokens: f64,
    /// Against the default; `None` for the default itself, and where that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    /// True if no other trial has as much at the prompt for fewer tokens, or more for as many.
    pub on_front: bool,
}

/// A trial minus the default, question by question.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Mean.
    pub delta: f64,
    /// Its 95 % interval by t over clusters, for this one difference alone; `None` under two clusters.
    pub ci95: Option<Interval>,
    /// p by max-T over all trials: the chance that, were none different, any would differ as much.
    pub p_max_t: f64,
}

/// Main effect of a varied parameter: means over all trials that share a value of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParameterEffect {
    /// The trial.
    pub key: String,
    /// In the order given; values that no trial which ran has are left out.
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
    /// Trials with this value that ran, the default among them only where the sweep made it.
    pub n_trials: usize,
    /// The mean of the measure over them.
    pub mean: f64,
    /// That mean minus the mean over all trials of the sweep.
    pub effect: f64,
    /// The effect's 95 % interval by t over clusters of questions.
    pub ci95: Option<Interval>,
    /// The mean at equal k over them.
    pub equal_k: Option<f64>,
    /// The mean at equal context tokens over them.
    pub equal_tokens: Option<f64>,
    /// Mean context tokens over them.
    pub context_tokens: f64,
}

/// A line of a drawing.
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
    /// On questions that chose nothing.
    HeldOut(HeldOut),
    /// By choosing on some folds and scoring on the other, in turn.
    CrossFit(CrossFit),
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
    /// Its 95 % interval by t over clusters; `None` under two clusters.
    pub ci95: Option<Interval>,
    /// p by the paired randomisation test, two-sided, times `evaluations`, at most 1; `None` where no question was compared.
    pub p: Option<f64>,
    /// Trials that were ever compared with a default on these questions, this one included.
    pub evaluations: usize,
}

/// The choice made in turn without each fold, scored on it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrossFit {
    /// The folds.
    pub folds: Vec<Fold>,
    /// Questions of all folds.
    pub n: usize,
    /// The mean over all questions of (what was chosen without the question's fold minus default): what choosing this way brings.
    pub delta: f64,
    /// Its 95 % interval by t over clusters; `None` under two clusters.
    pub ci95: Option<Interval>,
}

/// One fold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fold {
    /// Questions in it.
    pub n: usize,
    /// The trial that was best on the others.
    pub chosen: String,
    /// The mean over the fold's questions of chosen minus default.
    pub delta: f64,
}

/// The verdict of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TuningVerdict {
    /// The trial that is better than the default beyond chance; `None`: no claim is made.
    pub claimed: Option<String>,
    /// One or two sentences.
    pub text: String,
    /// Set if nothing is claimed though the winner scored higher: number of questions at which a true difference as large as the
    /// one seen on the choosing questions would be detected with 80% power (two-sided t at 5% over the comparisons that p allows
    /// for, same spread and questions per cluster; at least as many clusters as sign flips need for that level). `None` if no
    /// difference was seen, or a claim is made.
    pub n_needed: Option<usize>,
}
