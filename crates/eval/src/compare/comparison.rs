//! Results of a comparison.

use serde::Serialize;

use super::answers::FlipGroup;
use super::differences::MetricDifference;
use super::pairs::QuestionCounts;
use super::provenance::RunChange;
use ragtriage_core::metric::Metric;

/// Results of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The files' schema.
    pub schema: u32,
    /// The run that all others are compared with.
    pub baseline: RunHead,
    /// The primary metric; `None` if no pair has a value of any.
    pub primary: Option<Metric>,
    /// Number of hits the baseline packed.
    pub k: usize,
    /// Bootstrap resamples and random permutations.
    pub resamples: usize,
    /// Their seed.
    pub seed: u64,
    /// One for each other run, in the order given.
    pub pairs: Vec<PairComparison>,
}

/// Identity of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunHead {
    /// `A` is the baseline, then `B`, `C`, ...
    pub label: String,
    /// The run's name.
    pub name: String,
    /// Start time, UTC.
    pub started: String,
    /// Its questions.
    pub n_questions: usize,
}

/// One run against the baseline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairComparison {
    /// The run.
    pub run: RunHead,
    /// Counts of the compared questions.
    pub questions: QuestionCounts,
    /// Conclusion from the primary metric, in a sentence.
    pub verdict: String,
    /// Differences in configuration, models and data.
    pub changes: Vec<RunChange>,
    /// In report order.
    pub metrics: Vec<MetricDifference>,
    /// Questions that flipped.
    pub flips: Vec<FlipGroup>,
}

impl PairComparison {
    /// Returns one metric's difference, if it was compared.
    #[must_use]
    pub fn metric(&self, metric: Metric) -> Option<&MetricDifference> {
        self.metrics.iter().find(|difference| difference.metric == metric.into())
    }

    /// Returns true if both runs have a value of the metric.
    pub(super) fn has(&self, metric: Metric) -> bool {
        self.metric(metric).is_some_and(|found| found.n > 0)
    }
}
