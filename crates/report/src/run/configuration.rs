//! The configuration of a run: data, settings, versions and models.
//!
//! A report is passed on more freely than a run's folder: private values ([`is_private`]) are left out. User info and query of
//! addresses were never recorded.

use serde_json::{Value, json};

use crate::document::Fact;
use crate::external;
use ragtriage_core::config::Settings;
use ragtriage_core::types::QuestionKind;
use ragtriage_data::run::{Manifest, SavedRun, is_private};
use ragtriage_eval::summary::Summary;

/// Settings that are shown whatever they are.
const MAIN: [&str; 5] = [
    "/chunking/size",
    "/chunking/overlap",
    "/retrieval/retrievers",
    "/retrieval/k",
    "/generation/generator",
];

/// Returns data, settings, versions and models in reading order.
pub(super) fn facts(run: &SavedRun, summary: &Summary) -> Vec<Fact> {
    let manifest = &run.manifest;
    let settings = &manifest.settings;
    let mut facts = vec![
        Fact::new("Corpus", corpus(manifest)),
        Fact::new("Questions", questions(run, summary)),
    ];
    if let Some(source) = &manifest.external {
        facts.extend(external::pipeline(source, run));
    }
    let evaluation = &settings.evaluation;
    facts.extend([
        Fact::new(
            "Scoring",
            format!(
                "correct answers by rule `{}`; AnswerEM and AnswerF1 by scorer {}",
                evaluation.correct, evaluation.scorer
            ),
        ),
        Fact::new("Version", version(manifest)),
    ]);
    facts.extend(manifest.models.iter().map(|model| {
        let hash = model.sha256.get("model.safetensors");
        let hash = hash.map_or(String::new(), |hash| format!(" (sha256 {}…)", short(hash)));
        Fact::new(format!("Model, {}", model.role), format!("{}{hash}", model.name))
    }));
    facts.extend(changed(settings, !manifest.is_external()));
    facts
}

fn corpus(manifest: &Manifest) -> String {
    let chunks = if manifest.external.is_some() {
        "chunked elsewhere".to_owned()
    } else if manifest.finished.is_none() {
        "chunks not counted, since the run did not end".to_owned()
    } else {
        let mean = manifest.chunk_tokens as f64 / manifest.n_chunks.max(1) as f64;
        format!("{} chunks of {mean:.0} tokens on average", manifest.n_chunks)
    };
    let Manifest { dataset, n_documents, dataset_digest, .. } = manifest;
    format!("{dataset}: {n_documents} documents, {chunks}, digest {}", short(dataset_digest))
}

fn questions(run: &SavedRun, summary: &Summary) -> String {
    let kinds = QuestionKind::ALL.iter().filter_map(|kind| {
        let n = run.traces.iter().filter(|trace| trace.question.kind == *kind).count();
        (n > 0).then(|| format!("{n} {kind}"))
    });
    format!(
        "{}: {} ({} clusters that share gold evidence)",
        summary.n_questions,
        kinds.collect::<Vec<_>>().join(", "),
        summary.n_clusters
    )
}

fn version(manifest: &Manifest) -> String {
    let commit = manifest.git_commit.as_deref().map_or(String::new(), |commit| {
        let (hash, dirty) =
            commit.split_once('-').map_or((commit, ""), |(hash, _)| (hash, " with changes"));
        format!(", commit {}{dirty}", short(hash))
    });
    format!("ragtriage {}{commit}, {}", manifest.version, manifest.started)
}

/// The first twelve digits of a hash.
fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// Returns the settings that differ from their defaults and the main ones of our own pipeline (`is_own`), in the order of the settings
/// file, and counts those that are not shown.
fn changed(settings: &Settings, is_own: bool) -> Vec<Fact> {
    let mut changed = Changed::default();
    let [values, mut defaults] = [settings, &Settings::default()].map(|settings| json!(settings));
    for main in MAIN.iter().filter(|_| is_own) {
        defaults.pointer_mut(main).map(Value::take);
    }
    changed.collect("", &values, &defaults);
    let Changed { mut facts, n_hidden } = changed;
    if n_hidden > 0 {
        let hidden =
            "not shown: names of variables that hold keys and headers, and values that may be keys";
        facts.push(Fact::new(format!("{n_hidden} more"), hidden));
    }
    facts
}

#[derive(Default)]
struct Changed {
    facts: Vec<Fact>,
    n_hidden: usize,
}

impl Changed {
    fn collect(&mut self, path: &str, value: &Value, default: &Value) {
        if value == default || value.is_null() {
            return;
        }
        if is_private(path, value) {
            self.n_hidden += 1;
            return;
        }
        match value {
            Value::Object(table) => {
                for (key, value) in table {
                    let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    self.collect(&path, value, &default[key]);
                }
            }
            Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
                for (at, item) in items.iter().enumerate() {
                    self.collect(&format!("{path}[{at}]"), item, &Value::Null);
                }
            }
            _ => self.facts.push(Fact::new(path, value.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(settings: Value) -> Vec<String> {
        let settings = serde_json::from_value(settings).expect("settings");
        changed(&settings, false).iter().map(Fact::to_string).collect()
    }

    #[test]
    fn settings_that_differ_are_named_with_their_values_in_the_order_of_the_file() {
        assert_eq!(told(json!({})), [""; 0]);
        let found = told(json!({
            "rerank": {"model": "m"}, "retrieval": {"retrievers": ["dense"], "bm25": {"k1": 1.0}, "k": 6},
        }));
        assert_eq!(
            found,
            [
                "retrieval.retrievers: [\"dense\"]",
                "retrieval.k: 6",
                "retrieval.bm25.k1: 1.0",
                "rerank.model: \"m\""
            ]
        );
    }

    #[test]
    fn no_variable_and_nothing_like_a_key_is_shown_and_what_stands_beside_it_is() {
        let hidden =
            "not shown: names of variables that hold keys and headers, and values that may be keys";
        let found = told(json!({"generation": {
            "api_key_env": "NAME", "headers_env": {"x": "NAME"},
            "extra_body": {"max_tokens": 20, "user": "u", "api-key": "SECRET", "nested": {"Authorization": "SECRET"}},
        }}));
        assert_eq!(
            found,
            [
                "generation.extra_body.max_tokens: 20",
                "generation.extra_body.user: \"u\"",
                &format!("4 more: {hidden}")
            ]
        );
        let found = told(json!({"generation": {"extra_body": {
            "providers": [{"auth": "SECRET", "n": 1}, {"Cookie": 7}], "headers": {"x": "SECRET"}, "stop": ["a", "b"],
        }}}));
        assert_eq!(
            found,
            [
                "generation.extra_body.providers[0].n: 1",
                "generation.extra_body.stop: [\"a\",\"b\"]",
                &format!("3 more: {hidden}")
            ]
        );
    }
}
