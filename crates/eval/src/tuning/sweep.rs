//! The input of the analysis: trials, each with its scores on the same questions.

use std::collections::BTreeMap;

use crate::score::Scores;
use ragtriage_core::types::{QuestionId, Trace};
use ragtriage_data::run::SavedRun;
use serde::{Deserialize, Serialize};

/// A varied parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Varied {
    /// Its name: `chunking.size`.
    pub key: String,
    /// Its values, as TOML: in the given order, numbers ascending.
    pub values: Vec<String>,
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
    /// One row per question, parallel to [`SweepScores::questions`]; `None` if a measure is undefined or the question failed.
    pub scores: Scores,
    /// Tokens (`cl100k_base`) of the passages packed for each question, as the prompt shows them; `None` if it failed.
    pub context_tokens: Vec<Option<f64>>,
    /// Truncation of its chunks by the encoder input limit, if it matters.
    pub truncation: Option<TrialTruncation>,
}

/// Truncation of a trial's chunks by the encoder input limit: its scores are then not those of its chunks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialTruncation {
    /// Share of the tokens of all chunks that the encoder dropped.
    pub share: f64,
    /// Number of questions with gold evidence among them.
    pub n_questions: usize,
}

/// Below this share of dropped tokens truncation is not reported, unless it drops gold evidence.
const LEAST_SHARE: f64 = 0.01;

impl TrialTruncation {
    /// Returns the truncation of the chunks of `run`, by the encoder that drops most; `None` where it does not matter.
    #[must_use]
    pub fn of(run: &SavedRun) -> Option<Self> {
        let chunks = run.manifest.truncation.iter().filter(|one| one.what == "chunks");
        let shares = chunks.map(|one| one.n_lost as f64 / one.n_tokens.max(1) as f64);
        let share = shares.fold(0.0, f64::max);
        let is_cut = |trace: &&Trace| {
            trace.gold.groups.iter().flatten().any(|member| member.encoder_truncated)
        };
        let n_questions = run.traces.iter().filter(is_cut).count();
        (share >= LEAST_SHARE || n_questions > 0).then_some(Self { share, n_questions })
    }
}
