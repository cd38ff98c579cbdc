//! `tune.json`: the results of a sweep and its provenance.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::trials::DEFAULT;
use super::tune::SweepOutcome;
use ragtriage_core::config::TuneSettings;
use ragtriage_core::metric::Metric;

/// Raised when a reader of the old file would misread the new.
const SCHEMA: u32 = 1;

/// The file.
#[derive(Serialize)]
pub struct TuneFile<'a> {
    schema: u32,
    version: &'static str,
    /// The settings file as given.
    config: String,
    dataset: String,
    dataset_digest: &'a str,
    tune: &'a TuneSettings,
    metric: Metric,
    /// The name of the default's row.
    default: &'static str,
    #[serde(flatten)]
    outcome: &'a SweepOutcome,
    /// Each trial's run, from the sweep's folder.
    runs: BTreeMap<&'a str, String>,
}

impl<'a> TuneFile<'a> {
    /// Creates the file's contents for `outcome`, found with `tune` in the sweep's `folder`.
    #[must_use]
    pub fn new(
        outcome: &'a SweepOutcome,
        tune: &'a TuneSettings,
        config: &Path,
        (dataset, dataset_digest): (String, &'a str),
        folder: &Path,
    ) -> Self {
        let named = outcome.trials.iter().zip(&outcome.runs).filter_map(|(trial, run)| {
            let run = run.as_ref()?;
            let run = run.strip_prefix(folder).unwrap_or(run).display().to_string();
            Some((trial.name.as_str(), run))
        });
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            config: config.display().to_string(),
            dataset,
            dataset_digest,
            tune,
            metric: outcome.plan.metric,
            default: DEFAULT,
            outcome,
            runs: named.collect(),
        }
    }
}
