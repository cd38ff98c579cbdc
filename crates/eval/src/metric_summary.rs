//! Summary statistics of a metric over many questions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use ragtriage_core::metric::Aggregate;
use ragtriage_core::stats::median::{median, p95};
use ragtriage_core::types::{Interval, or_infinite};

/// A metric over the questions it is defined for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricSummary {
    /// The mean, or another [`Aggregate`] (`MedianRank`: infinite, null in JSON, if most found nothing); 0 when n is 0.
    #[serde(with = "or_infinite")]
    #[schemars(with = "Option<f64>")]
    pub mean: f64,
    /// Questions it is defined for.
    pub n: usize,
    /// Its 95% interval; `None` if fewer than two clusters of questions have a value.
    pub ci95: Option<Interval>,
}

/// Returns the aggregate, 0 of nothing.
pub(crate) fn aggregated(values: &[f64], by: Aggregate) -> f64 {
    match by {
        Aggregate::Mean => mean(values),
        Aggregate::Median => median(values).unwrap_or(0.0),
        Aggregate::P95 => p95(values).unwrap_or(0.0),
    }
}

/// Returns the mean, 0 of nothing. An empty sum is -0.0 in Rust; 0.0 is added so that no report shows it.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64 + 0.0
}
