//! The settings of a sweep: what is varied, how it is searched, and how its winner is confirmed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::measure::Measure;

/// How the settings of a sweep are picked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SweepSearch {
    /// Every combination of all values.
    #[default]
    Grid,
    /// `samples` different combinations, drawn.
    Random,
}

/// `[tune]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TuneSettings {
    /// How settings are picked out of `[sweep]`.
    pub search: SweepSearch,
    /// How many the random search draws, at least 1.
    #[schemars(range(min = 1))]
    pub samples: usize,
    /// Seed of the draw, the folds and the sign flips.
    pub seed: u64,
    /// What settings are ranked and judged by. Default: the share of evidence found in the first `tokens` of context, `EvidenceRecall`
    /// at so many tokens, or `EM` where there are answers and no evidence; `@prompt` instead where the sweep varies how much is packed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<Measure>,
    /// The budget of the view at equal context tokens (`cl100k_base`), at least 1.
    #[schemars(range(min = 1))]
    pub tokens: usize,
    /// Whether questions of the split `heldout` choose nothing and confirm the winner. Else, and where there are none, folds confirm it.
    pub heldout: bool,
    /// Where no split is held out: parts of the questions, each scored by what was best on the others; at least 2.
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
