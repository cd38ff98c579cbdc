//! Rules between settings: what a value of one setting demands of another. The range of a single setting is declared on its field.

use std::borrow::Cow;

use super::collection_rules;
use super::model::{Precision, RerankApi};
use super::out_of_range::OutOfRange;
use super::ranges::check_ranges;
use super::retrieval::{DenseSettings, RerankSettings, RetrievalSettings};
use super::settings::{AUTO, ChunkingSettings, Settings};
use crate::chunk::Strategy;
use crate::text::tokens::Tokenizer;
use crate::types::{ArmName, Condition, Filter, NumberBounds};

const ONLY_LOCAL: &str = "but only a model in this process uses it, not an endpoint";

impl Settings {
    /// Checks every range, and what one setting demands of another.
    ///
    /// # Errors
    /// The first setting that cannot be used.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        check_ranges("", self)?;
        let language = &self.dataset.language;
        let is_code = language.len() == 2 && language.bytes().all(|byte| byte.is_ascii_lowercase());
        if language != AUTO && !is_code {
            let problem = "must be `auto` or a code of ISO 639-1, such as `de`";
            return refuse("dataset.language", language, problem);
        }
        let retrieval = &self.retrieval;
        check_candidates(retrieval.k, retrieval.candidates)?;
        check_chunks_file(&self.chunking)?;
        check_dense(&retrieval.dense, self.chunking.tokenizer)?;
        check_rerank(&self.rerank, retrieval.k)?;
        check_filter(&retrieval.filter)?;
        if self.judge.is_on() && self.judge.model.is_empty() {
            return refuse("judge.model", "empty", "must name the model of the judge");
        }
        self.check_retrievers()?;
        collection_rules::check(self)?;
        self.check_arms()
    }

    fn check_retrievers(&self) -> Result<(), OutOfRange> {
        let (retrievers, weights) = (&self.retrieval.retrievers, &self.retrieval.fusion.weights);
        if let Some(name) = duplicate(retrievers) {
            return refuse("retrieval.retrievers", name.name(), "listed twice");
        }
        let key = "retrieval.fusion.weights";
        if let Some(name) = weights.keys().find(|name| !retrievers.contains(name)) {
            return refuse(key, name.name(), "which is not in `retrieval.retrievers`");
        }
        if weights.len() == retrievers.len() && weights.values().all(|weight| *weight == 0.0) {
            return refuse(key, "0 for all", "at least one must be above 0");
        }
        Ok(())
    }

    fn check_arms(&self) -> Result<(), OutOfRange> {
        let arms = &self.evaluation.arms;
        if let Some(arm) = duplicate(arms) {
            return refuse("evaluation.arms", &format!("{arm:?}"), "listed twice");
        }
        if arms.first() != Some(&ArmName::Retrieved) {
            let value = format!("{arms:?}");
            return refuse("evaluation.arms", &value, "must begin with `retrieved`");
        }
        Ok(())
    }
}

fn check_chunks_file(chunking: &ChunkingSettings) -> Result<(), OutOfRange> {
    if chunking.file.is_none() || chunking.strategy == Strategy::File {
        return Ok(());
    }
    let problem = "but only `chunking.strategy = \"file\"` uses it";
    refuse("chunking.file", "set", problem)
}

fn check_dense(dense: &DenseSettings, tokenizer: Tokenizer) -> Result<(), OutOfRange> {
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
    let problem =
        if endpoint.is_some() { ONLY_LOCAL } else { "but only `retrieval.dense.endpoint` uses it" };
    let local = [
        ("retrieval.dense.model_path", model_path.is_some()),
        ("retrieval.dense.query_model", query_model.is_some()),
        ("retrieval.dense.pooling", pooling.is_some()),
        ("retrieval.dense.normalize", normalize.is_some()),
        ("retrieval.dense.max_tokens", max_tokens.is_some()),
        ("retrieval.dense.precision", *precision != Precision::default()),
        ("retrieval.dense.titles", titles.is_some()),
        ("chunking.tokenizer", tokenizer == Tokenizer::Model),
    ];
    let remote = [
        ("retrieval.dense.api_key_env", api_key_env.is_some()),
        ("retrieval.dense.dimensions", dimensions.is_some()),
        ("retrieval.dense.ca_file", ca_file.is_some()),
    ];
    let unused = if endpoint.is_some() { &local[..] } else { &remote[..] };
    match unused.iter().find(|(_, is_set)| *is_set) {
        Some((key, _)) => refuse(key, "set", problem),
        None => Ok(()),
    }
}

fn check_rerank(rerank: &RerankSettings, k: usize) -> Result<(), OutOfRange> {
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
    let only_remote = "but only `rerank.endpoint` uses it";
    let nothing = "but nothing is reranked without `rerank.model` or `rerank.endpoint`";
    let is_remote = endpoint.is_some();
    let is_local = model.is_some() && !is_remote;
    let unused = [
        ("rerank.depth", depth.is_some() && !is_local && !is_remote, nothing),
        ("rerank.api_key_env", api_key_env.is_some() && !is_remote, only_remote),
        ("rerank.ca_file", ca_file.is_some() && !is_remote, only_remote),
        ("rerank.form", *form != RerankApi::default() && !is_remote, only_remote),
        ("rerank.max_tokens", max_tokens.is_some() && !is_local, ONLY_LOCAL),
        ("rerank.precision", *precision != Precision::default() && !is_local, ONLY_LOCAL),
    ];
    match unused.into_iter().find(|(_, is_set, _)| *is_set) {
        Some((key, _, problem)) => refuse(key, "set", problem),
        None => depth.map_or(Ok(()), |depth| at_least("rerank.depth", depth, ("retrieval.k", k))),
    }
}

/// A condition without a value would let everything through, or nothing.
fn check_filter(filter: &Filter) -> Result<(), OutOfRange> {
    let Some((field, _)) = filter.fields.iter().find(|(_, condition)| is_empty(condition)) else {
        return Ok(());
    };
    refuse(
        "retrieval.filter",
        &format!("`{field}` without a value"),
        "must have a value, a list of values, `not`, or one of `gt`, `gte`, `lt`, `lte`",
    )
}

fn is_empty(condition: &Condition) -> bool {
    match condition {
        Condition::Is(_) => false,
        Condition::OneOf(values) => values.is_empty(),
        Condition::Not(excluded) => excluded.not.is_empty(),
        Condition::Within(bounds) => *bounds == NumberBounds::default(),
    }
}

fn duplicate<T: PartialEq>(items: &[T]) -> Option<&T> {
    let mut items_at = items.iter().enumerate();
    items_at.find(|(at, item)| items[..*at].contains(item)).map(|(_, item)| item)
}

/// Names the setting that is not the default: the user wrote that one.
fn check_candidates(k: usize, candidates: usize) -> Result<(), OutOfRange> {
    let (k_key, candidates_key) = ("retrieval.k", "retrieval.candidates");
    if candidates >= k || candidates != RetrievalSettings::default().candidates {
        return at_least(candidates_key, candidates, (k_key, k));
    }
    let problem = format!(
        "must be at most `{candidates_key}`, which is {candidates}: raise that, or lower k"
    );
    refuse(k_key, &k.to_string(), problem)
}

/// `least`: another setting with its value.
fn at_least(
    key: &'static str,
    value: usize,
    (other, least): (&str, usize),
) -> Result<(), OutOfRange> {
    if value >= least {
        return Ok(());
    }
    let problem = format!("must be at least `{other}`, which is {least}");
    refuse(key, &value.to_string(), problem)
}

fn refuse(
    key: &'static str,
    value: &str,
    problem: impl Into<Cow<'static, str>>,
) -> Result<(), OutOfRange> {
    Err(OutOfRange { name: key.into(), value: value.to_owned(), problem: problem.into() })
}
