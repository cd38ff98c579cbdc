//! The configuration of a run: data, settings, versions and models.
//!
//! A report is passed on more freely than a run's folder: private values ([`shown`]) are left out. User info and query of
//! addresses were never recorded.

use crate::document::Fact;
use crate::external;
use ragtriage_core::types::QuestionKind;
use ragtriage_data::run::{Manifest, SavedRun, SettingDifference, shown};
use ragtriage_eval::summary::Summary;

/// Returns data, settings, versions and models in reading order.
pub(super) fn facts(run: &SavedRun, summary: &Summary) -> Vec<Fact> {
    let manifest = &run.manifest;
    let mut facts = vec![
        Fact::new("Corpus", corpus(manifest)),
        Fact::new("Questions", questions(run, summary)),
    ];
    if let Some(source) = &manifest.external {
        facts.push(external::pipeline(source));
    }
    let evaluation = &manifest.settings.evaluation;
    facts.extend([
        Fact::new("Scoring", format!("AnswerEM and AnswerF1 by scorer {}", evaluation.scorer)),
        Fact::new("Version", format!("ragtriage {}, {}", manifest.version, manifest.started)),
    ]);
    facts.extend(manifest.models.iter().map(|model| {
        let hash = model.sha256.get("model.safetensors");
        let hash = hash.map_or(String::new(), |hash| format!(" (sha256 {}…)", short(hash)));
        Fact::new(format!("Model, {}", model.role), format!("{}{hash}", model.name))
    }));
    facts.extend(settings(manifest));
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

/// The first twelve digits of a hash.
fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// Returns the settings that differ from their defaults, ascending by name.
fn settings(manifest: &Manifest) -> Vec<Fact> {
    let differences = Manifest::default().setting_differences(manifest).into_iter();
    let fact = |one: SettingDifference| {
        let value = shown(&one.key, &one.to, "(not shown)").to_string();
        Fact::new(one.key, value)
    };
    differences.map(fact).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn told(settings: Value) -> Vec<String> {
        let settings = serde_json::from_value(settings).expect("settings");
        let manifest = Manifest { settings, ..Manifest::default() };
        self::settings(&manifest).iter().map(Fact::to_string).collect()
    }

    #[test]
    fn settings_that_differ_are_named_with_their_values() {
        let found = told(json!({
            "rerank": {"model": "m"}, "retrieval": {"retrievers": ["dense"], "bm25": {"k1": 1.0}, "k": 6},
            "chunking": {"size": 100, "overlap": 7},
        }));
        assert_eq!(
            found,
            [
                "chunking.overlap: 7",
                "chunking.size: 100",
                "rerank.model: \"m\"",
                "retrieval.bm25.k1: 1.0",
                "retrieval.k: 6",
                "retrieval.retrievers: [\"dense\"]",
            ]
        );
    }

    #[test]
    fn no_variable_and_nothing_like_a_key_is_shown_and_what_stands_beside_it_is() {
        let found = told(json!({"generation": {
            "api_key_env": "NAME", "headers_env": {"x": "NAME"},
            "extra_body": {"max_tokens": 20, "api-key": "SECRET", "nested": {"Authorization": "SECRET"},
                           "providers": [{"auth": "SECRET", "n": 1}], "stop": ["a", "b"]},
        }}));
        let shown = [
            "generation.extra_body.max_tokens: 20",
            "generation.extra_body.providers: [{\"auth\":\"(not shown)\",\"n\":1}]",
            "generation.extra_body.stop: [\"a\",\"b\"]",
            "generation.api_key_env: \"(not shown)\"",
        ];
        for line in shown {
            assert!(found.iter().any(|one| one == line), "{line}: {found:?}");
        }
        let text = found.join("\n");
        assert!(!text.contains("SECRET") && !text.contains("NAME"), "{text}");
    }
}
