//! Configuration of a sweep: its metric and the confirmation of its winner.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::measure::Measure;

/// `[tune]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TuneSettings {
    /// Metric that ranks the configurations. Default: `EvidenceRecall` within the first `tokens` of context, or `EM` where
    /// there are answers and no evidence; `@prompt` where the sweep varies how much is packed. A metric of answers
    /// generates answers for all configurations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measure: Option<Measure>,
    /// Token budget (`cl100k_base`) of comparisons at equal context, at least 1.
    #[schemars(range(min = 1))]
    pub tokens: usize,
    /// Use questions of the split `heldout` only to confirm the winner. `false`, or without such questions: the questions
    /// that choose it also test it, with p Holm-adjusted for all configurations.
    pub heldout: bool,
}

impl Default for TuneSettings {
    /// 1,000 tokens: five chunks of the default size.
    fn default() -> Self {
        Self { measure: None, tokens: 1000, heldout: true }
    }
}
