//! Values outside their range are refused before anything is fetched, read or asked. What a part checks itself is left to it.

use super::{MOST_RESAMPLES, gates, unusable};
use crate::settings::{Settings, SettingsError};
use ragtriage_core::config::Form;
use ragtriage_core::config::Precision;
use ragtriage_core::config::{ArmSetting, DenseSettings, RerankSettings};
use ragtriage_core::hint::Hint;
use ragtriage_core::text::tokens::Tokenizer;
use ragtriage_core::types::{Bounds, Condition, Filter};

/// Refuses values outside their range. What a part checks itself is left to it.
pub(super) fn check(settings: &Settings) -> Result<(), SettingsError> {
    let Settings {
        retrieval,
        generation,
        evaluation,
        dataset,
        ..
    } = settings;
    let at_least = |key, value: usize, least: usize| {
        let why = format!("it must be at least {least}");
        if value < least {
            Err(SettingsError::OutOfRange {
                key,
                value: value.to_string(),
                why,
            })
        } else {
            Ok(())
        }
    };
    let within = |key, value: f64, range: std::ops::RangeInclusive<f64>| {
        let why = format!("it must lie in {} to {}", range.start(), range.end());
        if range.contains(&value) {
            Ok(())
        } else {
            Err(SettingsError::OutOfRange {
                key,
                value: value.to_string(),
                why,
            })
        }
    };
    at_least("retrieval.k", retrieval.k, 1)?;
    at_least("retrieval.candidates", retrieval.candidates, retrieval.k)?;
    at_least("retrieval.retrievers", retrieval.retrievers.len(), 1)?;
    within("retrieval.fusion.k", retrieval.fusion.k, 1e-9..=1e9)?;
    for weight in retrieval.fusion.weights.values() {
        within("retrieval.fusion.weights", *weight, 0.0..=1e9)?;
    }
    check_dense(&retrieval.dense, settings.chunking.tokenizer)?;
    check_rerank(&settings.rerank)?;
    check_filter(&retrieval.filter)?;
    if let Some(least) = retrieval.min_score {
        within("retrieval.min_score", least, -1e9..=1e9)?;
    }
    if let Some(depth) = settings.rerank.depth {
        at_least("rerank.depth", depth, retrieval.k)?;
    }
    within(
        "retrieval.dense.timeout_s",
        retrieval.dense.timeout_s,
        1e-3..=86_400.0,
    )?;
    at_least(
        "retrieval.dense.concurrency",
        retrieval.dense.concurrency,
        1,
    )?;
    within(
        "rerank.timeout_s",
        settings.rerank.timeout_s,
        1e-3..=86_400.0,
    )?;
    at_least("rerank.concurrency", settings.rerank.concurrency, 1)?;
    within(
        "vector_store.timeout_s",
        settings.vector_store.timeout_s,
        1e-3..=86_400.0,
    )?;
    within(
        "vector_store.indexing_timeout_s",
        settings.vector_store.indexing_timeout_s,
        1e-3..=864_000.0,
    )?;
    at_least("generation.context_tokens", generation.context_tokens, 1)?;
    at_least("generation.max_tokens", generation.max_tokens as usize, 1)?;
    at_least("generation.concurrency", generation.concurrency, 1)?;
    at_least("generation.repeat", generation.repeat, 1)?;
    if let Some(most) = generation.most_concurrency {
        at_least("generation.most_concurrency", most, generation.concurrency)?;
    }
    within(
        "generation.timeout_s",
        generation.timeout_s,
        1e-3..=86_400.0,
    )?;
    within(
        "generation.deadline_s",
        generation.deadline_s.unwrap_or(1.0),
        1e-3..=864_000.0,
    )?;
    within(
        "generation.max_usd",
        generation.max_usd.unwrap_or(0.0),
        0.0..=1e9,
    )?;
    within(
        "generation.price.prompt",
        generation.price.prompt,
        0.0..=1e6,
    )?;
    within(
        "generation.price.completion",
        generation.price.completion,
        0.0..=1e6,
    )?;
    at_least("external.concurrency", settings.external.concurrency, 1)?;
    within(
        "external.timeout_s",
        settings.external.timeout_s,
        1e-3..=86_400.0,
    )?;
    within(
        "external.retries",
        f64::from(settings.external.retries),
        0.0..=10.0,
    )?;
    within("evaluation.correct_f1", evaluation.correct_f1, 0.0..=1.0)?;
    within(
        "evaluation.resamples",
        evaluation.resamples as f64,
        1.0..=MOST_RESAMPLES as f64,
    )?;
    at_least("evaluation.ks", evaluation.ks.len(), 1)?;
    evaluation
        .ks
        .iter()
        .try_for_each(|k| at_least("evaluation.ks", *k, 1))?;
    dataset
        .limit
        .map_or(Ok(()), |limit| at_least("dataset.limit", limit, 1))?;
    gates(settings).map_err(|error| unusable(&format!("`[gates]`: {error}"), error.hint()))?;
    check_lists(settings)
}

/// A setting that stands beside another which leaves it without a meaning is refused, not ignored.
fn meaningless(key: &'static str, value: &str, why: &str) -> SettingsError {
    SettingsError::OutOfRange {
        key,
        value: value.to_owned(),
        why: why.to_owned(),
    }
}

fn check_dense(dense: &DenseSettings, tokenizer: Tokenizer) -> Result<(), SettingsError> {
    let DenseSettings {
        model: _,
        model_path,
        query_model,
        pooling,
        normalize,
        similarity: _,
        max_tokens,
        precision,
        titles,
        query_prefix: _,
        passage_prefix: _,
        endpoint,
        api_key_env,
        dimensions,
        timeout_s: _,
        concurrency: _,
        ca_file,
    } = dense;
    let (local, remote) = (
        "a model in this process has it, not an endpoint",
        "it belongs to `retrieval.dense.endpoint`",
    );
    let mut wrong = if endpoint.is_some() {
        vec![
            ("retrieval.dense.model_path", model_path.is_some(), local),
            ("retrieval.dense.query_model", query_model.is_some(), local),
            ("retrieval.dense.pooling", pooling.is_some(), local),
            ("retrieval.dense.normalize", normalize.is_some(), local),
            ("retrieval.dense.max_tokens", max_tokens.is_some(), local),
            (
                "retrieval.dense.precision",
                *precision != Precision::default(),
                local,
            ),
            ("retrieval.dense.titles", titles.is_some(), local),
            ("chunking.tokenizer", tokenizer == Tokenizer::Model, local),
        ]
    } else {
        vec![
            ("retrieval.dense.api_key_env", api_key_env.is_some(), remote),
            ("retrieval.dense.dimensions", dimensions.is_some(), remote),
            ("retrieval.dense.ca_file", ca_file.is_some(), remote),
        ]
    }
    .into_iter();
    wrong
        .find(|(_, set, _)| *set)
        .map_or(Ok(()), |(key, _, why)| Err(meaningless(key, "set", why)))
}

fn check_rerank(rerank: &RerankSettings) -> Result<(), SettingsError> {
    let RerankSettings {
        model,
        endpoint,
        form,
        api_key_env,
        depth,
        max_tokens,
        precision,
        timeout_s: _,
        concurrency: _,
        ca_file,
    } = rerank;
    let remote = "it belongs to `rerank.endpoint`";
    let local = "a model in this process has it, not an endpoint";
    let nothing = "nothing is reranked without `rerank.model` or `rerank.endpoint`";
    let (is_local, is_remote) = (model.is_some() && endpoint.is_none(), endpoint.is_some());
    let wrong = [
        (
            "rerank.depth",
            depth.is_some() && !is_local && !is_remote,
            nothing,
        ),
        (
            "rerank.api_key_env",
            api_key_env.is_some() && !is_remote,
            remote,
        ),
        ("rerank.ca_file", ca_file.is_some() && !is_remote, remote),
        (
            "rerank.form",
            *form != Form::default() && !is_remote,
            remote,
        ),
        (
            "rerank.max_tokens",
            max_tokens.is_some() && !is_local,
            local,
        ),
        (
            "rerank.precision",
            *precision != Precision::default() && !is_local,
            local,
        ),
    ];
    wrong
        .into_iter()
        .find(|(_, set, _)| *set)
        .map_or(Ok(()), |(key, _, why)| Err(meaningless(key, "set", why)))
}

/// A condition without a value would let everything through, or nothing.
fn check_filter(filter: &Filter) -> Result<(), SettingsError> {
    let empty = |condition: &Condition| match condition {
        Condition::Is(_) => false,
        Condition::OneOf(values) => values.is_empty(),
        Condition::Not(excluded) => excluded.not.is_empty(),
        Condition::Within(bounds) => *bounds == Bounds::default(),
    };
    match filter.fields.iter().find(|(_, condition)| empty(condition)) {
        Some((field, _)) => {
            let why =
                "it needs a value, a list of values, `not`, or one of `gt`, `gte`, `lt`, `lte`";
            Err(meaningless(
                "retrieval.filter",
                &format!("`{field}` without a value"),
                why,
            ))
        }
        None => Ok(()),
    }
}

fn check_lists(settings: &Settings) -> Result<(), SettingsError> {
    let twice = |key, value: String| SettingsError::OutOfRange {
        key,
        value,
        why: "it stands there twice".to_owned(),
    };
    let retrievers = &settings.retrieval.retrievers;
    if let Some(name) = retrievers
        .iter()
        .enumerate()
        .find(|(at, name)| retrievers[..*at].contains(name))
    {
        return Err(twice("retrieval.retrievers", name.1.name().to_owned()));
    }
    if let Some(name) = settings
        .retrieval
        .fusion
        .weights
        .keys()
        .find(|name| !retrievers.contains(name))
    {
        let why = "no such retriever is asked (`retrieval.retrievers`)".to_owned();
        return Err(SettingsError::OutOfRange {
            key: "retrieval.fusion.weights",
            value: name.name().to_owned(),
            why,
        });
    }
    let weights = &settings.retrieval.fusion.weights;
    if weights.len() == retrievers.len() && weights.values().all(|weight| *weight == 0.0) {
        let why = "at least one must be above 0".to_owned();
        return Err(SettingsError::OutOfRange {
            key: "retrieval.fusion.weights",
            value: "0 for all".to_owned(),
            why,
        });
    }
    let arms = &settings.evaluation.arms;
    if let Some(arm) = arms
        .iter()
        .enumerate()
        .find(|(at, arm)| arms[..*at].contains(arm))
    {
        return Err(twice("evaluation.arms", format!("{:?}", arm.1)));
    }
    if arms.first() != Some(&ArmSetting::Retrieved) {
        let why = "its first arm must be `retrieved`".to_owned();
        return Err(SettingsError::OutOfRange {
            key: "evaluation.arms",
            value: format!("{arms:?}"),
            why,
        });
    }
    Ok(())
}
