//! Values outside their range are refused before anything is fetched, read or asked. What a part checks itself is left to it.

use super::{MOST_RESAMPLES, gates, unusable};
use crate::settings::file::ArmSetting;
use crate::settings::{Settings, SettingsError};

/// Refuses values outside their range. What a part checks itself is left to it.
pub(super) fn check(settings: &Settings) -> Result<(), SettingsError> {
    let Settings { retrieval, generation, evaluation, dataset, .. } = settings;
    let at_least = |key, value: usize, least: usize| {
        let why = format!("it must be at least {least}");
        if value < least { Err(SettingsError::OutOfRange { key, value: value.to_string(), why }) } else { Ok(()) }
    };
    let within = |key, value: f64, range: std::ops::RangeInclusive<f64>| {
        let why = format!("it must lie in {} to {}", range.start(), range.end());
        if range.contains(&value) {
            Ok(())
        } else {
            Err(SettingsError::OutOfRange { key, value: value.to_string(), why })
        }
    };
    at_least("retrieval.k", retrieval.k, 1)?;
    at_least("retrieval.candidates", retrieval.candidates, retrieval.k)?;
    at_least("retrieval.retrievers", retrieval.retrievers.len(), 1)?;
    within("retrieval.fusion.k", retrieval.fusion.k, f64::MIN_POSITIVE..=1e9)?;
    for weight in retrieval.fusion.weights.values() {
        within("retrieval.fusion.weights", *weight, 0.0..=1e9)?;
    }
    if let Some(least) = retrieval.min_score {
        within("retrieval.min_score", least, f64::MIN..=f64::MAX)?;
    }
    if let Some(depth) = settings.rerank.depth {
        at_least("rerank.depth", depth, retrieval.k)?;
    }
    within("vector_store.timeout_s", settings.vector_store.timeout_s, 1e-3..=86_400.0)?;
    within("vector_store.indexing_timeout_s", settings.vector_store.indexing_timeout_s, 1e-3..=864_000.0)?;
    at_least("generation.context_tokens", generation.context_tokens, 1)?;
    at_least("generation.max_tokens", generation.max_tokens as usize, 1)?;
    at_least("generation.concurrency", generation.concurrency, 1)?;
    within("generation.timeout_s", generation.timeout_s, 1e-3..=86_400.0)?;
    within("generation.price.prompt", generation.price.prompt, 0.0..=1e6)?;
    within("generation.price.completion", generation.price.completion, 0.0..=1e6)?;
    at_least("external.concurrency", settings.external.concurrency, 1)?;
    within("external.timeout_s", settings.external.timeout_s, 1e-3..=86_400.0)?;
    within("external.retries", f64::from(settings.external.retries), 0.0..=10.0)?;
    within("evaluation.correct_f1", evaluation.correct_f1, 0.0..=1.0)?;
    within("evaluation.resamples", evaluation.resamples as f64, 1.0..=MOST_RESAMPLES as f64)?;
    at_least("evaluation.ks", evaluation.ks.len(), 1)?;
    evaluation.ks.iter().try_for_each(|k| at_least("evaluation.ks", *k, 1))?;
    dataset.limit.map_or(Ok(()), |limit| at_least("dataset.limit", limit, 1))?;
    gates(settings).map_err(|error| unusable(&format!("`[gates]`: {error}"), Some(error.hint())))?;
    check_lists(settings)
}

fn check_lists(settings: &Settings) -> Result<(), SettingsError> {
    let twice = |key, value: String| SettingsError::OutOfRange { key, value, why: "it stands there twice".to_owned() };
    let retrievers = &settings.retrieval.retrievers;
    if let Some(name) = retrievers.iter().enumerate().find(|(at, name)| retrievers[..*at].contains(name)) {
        return Err(twice("retrieval.retrievers", format!("{:?}", name.1).to_lowercase()));
    }
    if let Some(name) = settings.retrieval.fusion.weights.keys().find(|name| !retrievers.contains(name)) {
        let why = "no such retriever is asked (`retrieval.retrievers`)".to_owned();
        let value = format!("{name:?}").to_lowercase();
        return Err(SettingsError::OutOfRange { key: "retrieval.fusion.weights", value, why });
    }
    let arms = &settings.evaluation.arms;
    if let Some(arm) = arms.iter().enumerate().find(|(at, arm)| arms[..*at].contains(arm)) {
        return Err(twice("evaluation.arms", format!("{:?}", arm.1)));
    }
    if arms.first() != Some(&ArmSetting::Retrieved) {
        let why = "its first arm must be `retrieved`".to_owned();
        return Err(SettingsError::OutOfRange { key: "evaluation.arms", value: format!("{arms:?}"), why });
    }
    Ok(())
}
