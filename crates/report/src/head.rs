//! The head of a report: what was run, on what, with what.

use std::collections::BTreeMap;

use super::external;
use ragtriage_core::types::Kind;
use ragtriage_eval::summary::Summary;
use ragtriage_runs::{Manifest, SavedRun};

/// Label and text, in reading order.
pub(super) fn head(run: &SavedRun, summary: &Summary) -> Vec<(String, String)> {
    let manifest = &run.manifest;
    let setting = |path: &str| {
        let found = path
            .split('.')
            .try_fold(&manifest.settings, |value, key| value.get(key));
        found.map_or(String::new(), plain)
    };
    let retrieval = describe_retrieval(&setting, manifest);
    let mut head = vec![
        (
            "Corpus".to_owned(),
            format!(
                "{}: {} documents, {} chunks of {:.0} tokens on average, digest {}",
                manifest.dataset,
                manifest.n_documents,
                manifest.n_chunks,
                manifest.chunk_tokens as f64 / manifest.n_chunks.max(1) as f64,
                manifest
                    .dataset_digest
                    .get(..12)
                    .unwrap_or(&manifest.dataset_digest),
            ),
        ),
        ("Questions".to_owned(), describe_questions(run, summary)),
        (
            "Chunking".to_owned(),
            format!(
                "{} {}/{} {}{}",
                setting("chunking.strategy"),
                setting("chunking.size"),
                setting("chunking.overlap"),
                setting("chunking.tokenizer"),
                if setting("chunking.title_prefix") == "true" {
                    ", title before each chunk"
                } else {
                    ""
                }
            ),
        ),
        ("Retrieval".to_owned(), retrieval),
        (
            "Generation".to_owned(),
            match setting("generation.generator").as_str() {
                "openai" => format!(
                    "{} at {}, prompt `{}`, {} context tokens",
                    setting("generation.model"),
                    setting("generation.base_url"),
                    setting("generation.prompt"),
                    setting("generation.context_tokens")
                ),
                "none" => "none: retrieval alone".to_owned(),
                name => format!(
                    "{name} reader, {} context tokens",
                    setting("generation.context_tokens")
                ),
            },
        ),
        (
            "Judging".to_owned(),
            format!(
                "flavour {}, right = AnswerEM 1 or AnswerF1 >= {} (facts: all required, none forbidden)",
                setting("evaluation.flavour"),
                setting("evaluation.correct_f1")
            ),
        ),
        (
            "Made by".to_owned(),
            format!(
                "ragtriage {}{}, {}",
                manifest.version,
                manifest
                    .git_commit
                    .as_deref()
                    .map_or(String::new(), |commit| format!(
                        ", commit {}",
                        short(commit)
                    )),
                manifest.started
            ),
        ),
    ];
    for model in &manifest.models {
        let hash = model
            .sha256
            .get("model.safetensors")
            .map_or(String::new(), |hash| {
                format!(" (sha256 {}…)", hash.get(..12).unwrap_or(hash))
            });
        head.push((
            format!("Model, {}", model.role),
            format!("{}{hash}", model.name),
        ));
    }
    if let Some(source) = &manifest.external {
        external::describe(&mut head, source, run);
    }
    head
}

/// The first digits of a commit, and whether it had changes.
fn short(commit: &str) -> String {
    let (hash, dirty) = commit
        .split_once('-')
        .map_or((commit, ""), |(hash, _)| (hash, " with changes"));
    format!("{}{dirty}", hash.get(..12).unwrap_or(hash))
}

/// The retrievers and what is done to their rankings, in the order it happens.
fn describe_retrieval(setting: &dyn Fn(&str) -> String, manifest: &Manifest) -> String {
    let retrievers = setting("retrieval.retrievers");
    let names: Vec<String> = retrievers
        .split(", ")
        .map(|name| describe_retriever(name, setting, manifest))
        .collect();
    let mut said = vec![names.join(" + ")];
    if names.len() > 1 {
        said.push(match setting("retrieval.fusion.method").as_str() {
            "rrf" => format!(", rrf k = {}", setting("retrieval.fusion.k")),
            method => format!(
                ", {method} after {}",
                setting("retrieval.fusion.normalization")
            ),
        });
        let weights = manifest
            .settings
            .pointer("/retrieval/fusion/weights")
            .and_then(serde_json::Value::as_object);
        if let Some(weights) = weights.filter(|weights| !weights.is_empty()) {
            let each: Vec<String> = weights
                .iter()
                .map(|(name, weight)| format!("{name} {}", plain(weight)))
                .collect();
            said.push(format!(" (weights: {})", each.join(", ")));
        }
    }
    if let Some(model) = manifest.models.iter().find(|model| model.role == "rerank") {
        let depth = [setting("rerank.depth"), setting("retrieval.candidates")]
            .into_iter()
            .find(|depth| !depth.is_empty());
        let place = Some(setting("rerank.endpoint")).filter(|url| !url.is_empty());
        let place = place.map_or(String::new(), |url| format!(" at {url}"));
        said.push(format!(
            "; up to {} reranked by {}{place}",
            depth.unwrap_or_default(),
            model.name
        ));
    }
    if let Some(least) = Some(setting("retrieval.min_score")).filter(|least| !least.is_empty()) {
        said.push(format!("; those below {least} dropped"));
    }
    if let Some(filter) = Some(setting("retrieval.filter")).filter(|filter| !filter.is_empty()) {
        said.push(format!("; only documents with {filter}"));
    }
    said.push(format!(
        "; {} candidates, k = {}",
        setting("retrieval.candidates"),
        setting("retrieval.k")
    ));
    said.concat()
}

fn describe_retriever(name: &str, setting: &dyn Fn(&str) -> String, manifest: &Manifest) -> String {
    let search = if manifest.vector_search.is_empty() {
        String::new()
    } else {
        format!(", {}", manifest.vector_search)
    };
    let place = format!("Qdrant {}{search}", setting("vector_store.kind"));
    match name {
        "bm25" => format!(
            "bm25 ({}, k1 {}, b {}{})",
            setting("retrieval.bm25.variant"),
            setting("retrieval.bm25.k1"),
            setting("retrieval.bm25.b"),
            if setting("retrieval.bm25.store") == "qdrant" {
                ", in Qdrant"
            } else {
                ""
            }
        ),
        "dense" | "late_interaction" => {
            let of = |key: &str| setting(&format!("retrieval.{name}.{key}"));
            let mut model = of("model");
            for (key, word) in [("query_model", "questions by"), ("endpoint", "at")] {
                let value = of(key);
                if !value.is_empty() {
                    model = format!("{model}, {word} {value}");
                }
            }
            if of("precision") == "bfloat16" {
                model += ", bfloat16";
            }
            format!("{name} ({model}, {place})")
        }
        other => other.to_owned(),
    }
}

/// A JSON value as a person would write it.
pub(super) fn plain(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        serde_json::Value::Number(number) => match number.as_f64() {
            Some(whole) if whole.fract() == 0.0 && whole.abs() < 1e15 => format!("{whole:.0}"),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}

fn describe_questions(run: &SavedRun, summary: &Summary) -> String {
    let kinds = Kind::ALL.iter().filter_map(|kind| {
        let n = run
            .traces
            .iter()
            .filter(|trace| trace.question.kind == *kind)
            .count();
        (n > 0).then(|| format!("{n} {kind}"))
    });
    let mut tags: BTreeMap<&str, usize> = BTreeMap::new();
    for tag in run.traces.iter().flat_map(|trace| &trace.question.tags) {
        *tags.entry(tag).or_default() += 1;
    }
    let mut tags: Vec<(&str, usize)> = tags.into_iter().collect();
    tags.sort_by_key(|(tag, n)| (std::cmp::Reverse(*n), *tag));
    let tags: Vec<String> = tags
        .iter()
        .take(6)
        .map(|(tag, n)| format!("{n} {tag}"))
        .collect();
    let tags = if tags.is_empty() {
        String::new()
    } else {
        format!("; tags: {}", tags.join(", "))
    };
    format!(
        "{}: {} ({} clusters that share gold documents){tags}",
        summary.n_questions,
        kinds.collect::<Vec<_>>().join(", "),
        summary.n_clusters
    )
}
