//! The configuration of evaluation: metrics, judging, gates.

use std::collections::BTreeSet;

use crate::Error;
use crate::error::SEE_SCHEMA;
use crate::settings::Settings;
use ragtriage_core::correctness::Judge;
use ragtriage_core::hint::Hint;
use ragtriage_core::metric::{Cutoff, Family, Metric};
use ragtriage_eval::gate::{Gate, GateBound};
use ragtriage_eval::summary::{EvaluationPlan, RESAMPLES};

/// Rejects values outside their range, and gates that no metric could meet.
///
/// # Errors
/// The first of them.
pub fn check(settings: &Settings) -> Result<(), Error> {
    settings.validate()?;
    gates(settings).map_err(|error| {
        Error::setting(format!("`[gates]`: {error}"))
            .with_hint(error.hint().unwrap_or_else(|| SEE_SCHEMA.to_owned()))
    })?;
    Ok(())
}

/// Returns the evaluation plan of a run with these settings.
#[must_use]
pub fn evaluation(settings: &Settings) -> EvaluationPlan {
    let evaluation = &settings.evaluation;
    EvaluationPlan {
        metrics: metrics(settings),
        k: settings.retrieval.k,
        judge: judge(settings),
        resamples: RESAMPLES,
        seed: evaluation.seed,
    }
}

/// Returns the configured gates.
///
/// # Errors
/// A limit that its metric always meets or never meets.
pub fn gates(settings: &Settings) -> Result<Vec<Gate>, ragtriage_eval::Error> {
    let gates = &settings.gates;
    let all = [
        (GateBound::Min, &gates.min),
        (GateBound::Max, &gates.max),
        (GateBound::MaxDrop, &gates.max_drop),
    ];
    let each =
        all.into_iter().flat_map(|(bound, limits)| limits.iter().map(move |limit| (bound, limit)));
    each.map(|(bound, (metric, limit))| Gate::new(*metric, bound, *limit)).collect()
}

/// Returns the standard metrics at `ks`, `EM@k`, the rule of thumb's `EM@5` and the configured ones, without
/// duplicates.
fn metrics(settings: &Settings) -> Vec<Metric> {
    let evaluation = &settings.evaluation;
    let em = [settings.retrieval.k, 5].map(|k| Metric::new(Family::Em, Some(Cutoff::Top(k))));
    let further = em.into_iter().flatten().chain(evaluation.metrics.iter().copied());
    Metric::standard(&evaluation.ks)
        .into_iter()
        .chain(further)
        .collect::<BTreeSet<Metric>>()
        .into_iter()
        .collect()
}

fn judge(settings: &Settings) -> Judge {
    Judge { scorer: settings.evaluation.scorer, language: settings.dataset.language() }
}
