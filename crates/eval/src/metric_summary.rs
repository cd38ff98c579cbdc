//! Summary statistics of a metric over many questions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use ragtriage_core::types::{Interval, or_infinite};

/// A metric over the questions it is defined for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricSummary {
    /// The mean (`MedianRank`: the median, infinite, null in JSON, if most found nothing); 0 when n is 0.
    #[serde(with = "or_infinite")]
    #[schemars(with = "Option<f64>")]
    pub mean: f64,
    /// Questions it is defined for.
    pub n: usize,
    /// Its 95% interval; `None` if fewer than two clusters of questions have a value.
    pub ci95: Option<Interval>,
}

/// Returns the mean, 0 of nothing. An empty sum is -0.0 in Rust; 0.0 is added so that no report shows it.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64 + 0.0
}
