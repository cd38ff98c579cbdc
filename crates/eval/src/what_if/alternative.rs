//! An alternative to a run's settings, and what it would deliver.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use ragtriage_core::types::{Interval, Step};

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
    /// Upper bound: the passages that hold the evidence come first among the candidates.
    PerfectReranker,
}

impl Change {
    /// Returns true if no setting can promise its delivery.
    #[must_use]
    pub fn is_upper_bound(self) -> bool {
        self == Self::PerfectReranker
    }
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
    pub(super) fn new(key: &str, value: &dyn ToString) -> Self {
        Self { key: key.to_owned(), value: Some(value.to_string()) }
    }

    pub(super) fn removed(key: &str) -> Self {
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
    /// Questions of these with evidence in the prompt after the change; for an upper bound at most.
    pub after: usize,
    /// Questions whose evidence is in the prompt only after the change.
    pub won: usize,
    /// Questions whose evidence is in the prompt only today.
    pub lost: usize,
    /// 95% interval of the net share of questions, `(won - lost) / n`: those that the paired randomisation test does not reject.
    pub net_ci95: Option<Interval>,
    /// Mean tokens of the passages in a prompt today; `None` where they were not counted.
    pub tokens_before: Option<f64>,
    /// Mean tokens of the passages in a prompt after the change; `None` for upper bounds.
    pub tokens_after: Option<f64>,
    /// The change of the answer score by delivery; `None` without an oracle condition.
    pub promise: Option<Promise>,
}

impl Alternative {
    /// Returns the net share of questions, `(won - lost) / n`.
    #[must_use]
    pub fn net(&self) -> f64 {
        (self.won as f64 - self.lost as f64) / self.n.max(1) as f64
    }
}

/// The change of right answers per question that delivery brings, if other passages distract the generator no more than now.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Promise {
    /// Questions in the loss budget, over which it is a mean.
    pub n: usize,
    /// The change by delivery alone.
    pub gain: f64,
    /// Its 95% interval, paired t over clusters.
    pub ci95: Option<Interval>,
}
