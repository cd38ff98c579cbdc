//! `tune.json`: the results of a sweep and its provenance.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::trials::DEFAULT;
use super::tune::SweepOutcome;
use ragtriage_core::config::TuneSettings;
use ragtriage_core::measure::Measure;
use ragtriage_eval::tuning::{Confirmation, TrialRanking, TuningVerdict};

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
    /// The varied parameters, with their values.
    varied: BTreeMap<&'a str, &'a [String]>,
    measure: Measure,
    equal_k: Measure,
    equal_tokens: Measure,
    /// The name of the default's row.
    default: &'static str,
    n_choosing: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    n_held_out: Option<usize>,
    n_left: usize,
    interrupted: bool,
    ranking: &'a TrialRanking,
    confirmation: Option<&'a Confirmation>,
    verdict: &'a TuningVerdict,
    /// Number of trials whose finished runs were reused.
    n_reused: usize,
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
        let SweepOutcome { plan, trials, runs, ranking, confirmation, verdict, .. } = outcome;
        let named = trials.iter().zip(runs).filter_map(|(trial, run)| {
            let run = run.as_ref()?;
            Some((
                trial.name.as_str(),
                run.strip_prefix(folder).unwrap_or(run).display().to_string(),
            ))
        });
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            config: config.display().to_string(),
            dataset,
            dataset_digest,
            tune,
            varied: outcome
                .varied
                .iter()
                .map(|varied| (varied.key.as_str(), varied.values.as_slice()))
                .collect(),
            measure: plan.measure,
            equal_k: plan.equal_k,
            equal_tokens: plan.equal_tokens,
            default: DEFAULT,
            n_choosing: outcome.n_choosing,
            n_held_out: outcome.n_held_out,
            n_left: outcome.n_left,
            interrupted: outcome.interrupted,
            ranking,
            confirmation: confirmation.as_ref(),
            verdict,
            n_reused: outcome.n_reused,
            runs: named.collect(),
        }
    }
}
