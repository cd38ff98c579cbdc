//! The table a sweep is read from: trials, each with its scores on the same questions.

use std::collections::BTreeMap;

use crate::score::Scores;
use ragtriage_core::types::QuestionId;

/// A trial that was varied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Varied {
    /// Its name: `chunking.size`.
    pub key: String,
    /// The values it took, as TOML: in the order given, numbers of a range ascending.
    pub values: Vec<String>,
}

/// Trials scored on the same questions.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepScores {
    /// The varied parameters.
    pub varied: Vec<Varied>,
    /// The questions, in the data set's order.
    pub questions: Vec<QuestionId>,
    /// Each question's cluster: questions that share evidence documents have one. Numbers may have gaps.
    pub cluster_of: Vec<usize>,
    /// The default first, then in the order they were made. At least one.
    pub trials: Vec<ScoredTrial>,
}

/// One trial of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredTrial {
    /// The name it has in tables, which is its run's: `default`, `s07`.
    pub name: String,
    /// The varied parameters' values, as TOML; of the default those it has anyway, whether or not the sweep names them.
    pub values: BTreeMap<String, String>,
    /// `chunking.size`, where chunks have one.
    pub size: Option<usize>,
    /// Separates trials of one size in a chart: their retrievers, `bm25 + dense`.
    pub group: String,
    /// Its scores, or why there are none.
    pub result: Result<TrialScores, String>,
}

/// The scores of one trial.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialScores {
    /// A row a question, parallel to [`SweepScores::questions`]; `None` where a measure is not defined or the question failed.
    pub scores: Scores,
    /// Tokens (`cl100k_base`) of the passages packed for each question, as the prompt shows them; `None` where it failed.
    pub context_tokens: Vec<Option<f64>>,
}
