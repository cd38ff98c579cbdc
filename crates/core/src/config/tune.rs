//! Configuration of a sweep: its search and the confirmation of its winner.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::measure::Measure;

/// The choice of configurations in a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SweepSearch {
    /// Every combination of all values.
    #[default]
    Grid,
    /// `samples` different combinations, drawn at random.
    Random,
}

/// `[tune]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TuneSettings {
    /// Choice of configurations from `[sweep]`.
    pub search: SweepSearch,
    /// Number of configurations in a random search, at least 1.
    #[schemars(range(min = 1))]
    pub samples: usize,
    /// Seed of the random search, the folds and the randomisation test.
    pub seed: u64,
    /// Metric that ranks the configurations. Default: `EvidenceRecall` within the first `tokens` of context, or `EM` where
    /// there are answers and no evidence; `@prompt` where the sweep varies how much is packed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<Measure>,
    /// Token budget (`cl100k_base`) of comparisons at equal context, at least 1.
    #[schemars(range(min = 1))]
    pub tokens: usize,
    /// Use questions of the split `heldout` only to confirm the winner. `false`, or without such questions: confirm by
    /// folds.
    pub heldout: bool,
    /// Number of folds, at least 2; each is scored by the best configuration on the others.
    #[schemars(range(min = 2))]
    pub folds: usize,
}

impl Default for TuneSettings {
    /// 1,000 tokens: five chunks of the default size.
    fn default() -> Self {
        Self {
            search: SweepSearch::Grid,
            samples: 20,
            seed: 0,
            measure: None,
            tokens: 1000,
            heldout: true,
            folds: 5,
        }
    }
}
