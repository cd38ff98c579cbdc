//! The provenance of a run: every resolved setting, models, versions, hashes and cost, without what is in the report's head.
//!
//! An HTML report is passed on more freely than a run's folder: private values ([`is_private`]) are left out. User info and query of
//! addresses were never recorded.

use serde_json::Value;

use crate::document::Fact;
use ragtriage_core::text::numbers::thousands;
use ragtriage_data::run::{Manifest, is_private};
use ragtriage_eval::summary::Summary;

/// Configuration and provenance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// In reading order.
    pub facts: Vec<Fact>,
    /// Name and value of every setting, in the order of the settings file.
    pub settings: Vec<(String, String)>,
    /// The omissions with their reasons.
    pub notes: Vec<String>,
}

impl Provenance {
    /// Collects the provenance of a run.
    #[must_use]
    pub fn new(manifest: &Manifest, summary: &Summary) -> Self {
        let mut settings = Vec::new();
        let mut n_hidden = 0;
        let values = serde_json::to_value(&manifest.settings).unwrap_or_default();
        collect("", &values, &mut settings, &mut n_hidden);
        let mut notes = Vec::new();
        if n_hidden > 0 {
            notes.push(format!(
                "{n_hidden} more not shown: names of variables that hold keys and headers, and values that may be keys"
            ));
        }
        if !manifest.shortened.is_empty() {
            notes.push(format!(
                "addresses were recorded without user info and query: {}",
                manifest.shortened.join(", ")
            ));
        }
        Self { facts: facts(manifest, summary), settings, notes }
    }
}

fn facts(manifest: &Manifest, summary: &Summary) -> Vec<Fact> {
    let mut facts = vec![
        Fact::new("Data digest, sha256", manifest.dataset_digest.clone()),
        Fact::new("Settings file", manifest.config.clone()),
        Fact::new("Commit, in full", manifest.git_commit.clone().unwrap_or_default()),
    ];
    facts.extend(
        manifest
            .versions
            .iter()
            .map(|(part, version)| Fact::new(format!("Version, {part}"), version.clone())),
    );
    for model in &manifest.models {
        let files = model.sha256.iter();
        facts.extend(files.map(|(file, hash)| {
            Fact::new(format!("Model, {}: sha256 of {file}", model.role), hash.clone())
        }));
    }
    if let Some(source) = &manifest.external {
        facts.push(Fact::new("Imported file, sha256", source.sha256.clone()));
    }
    let finished = manifest.finished.clone().unwrap_or_else(|| "not finished".to_owned());
    facts.push(Fact::new("Finished", finished));
    facts.push(Fact::new("Seed", manifest.seed.to_string()));
    if !summary.arms.is_empty() {
        let tokens = &summary.tokens;
        facts.push(Fact::new("Cost", format!("{:.4} US dollars", summary.cost_usd)));
        facts.push(Fact::new(
            "Tokens",
            format!("{} in, {} out", count(tokens.prompt), count(tokens.completion)),
        ));
    }
    if manifest.vectors_cached + manifest.vectors_computed > 0 {
        let [cached, computed] =
            [manifest.vectors_cached, manifest.vectors_computed].map(thousands);
        facts.push(Fact::new("Vectors", format!("{computed} computed, {cached} from the cache")));
    }
    facts.retain(|fact| !fact.text.is_empty());
    facts
}

pub(crate) fn count(n: u64) -> String {
    usize::try_from(n).map_or_else(|_| n.to_string(), thousands)
}

fn collect(path: &str, value: &Value, settings: &mut Vec<(String, String)>, n_hidden: &mut usize) {
    if is_private(path, value) {
        *n_hidden += 1;
        return;
    }
    match value {
        Value::Object(table) if !table.is_empty() => {
            for (key, value) in table {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                collect(&path, value, settings, n_hidden);
            }
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            for (at, item) in items.iter().enumerate() {
                collect(&format!("{path}[{at}]"), item, settings, n_hidden);
            }
        }
        Value::Null => {}
        Value::Object(_) => settings.push((path.to_owned(), "{}".to_owned())),
        Value::Array(_) | Value::String(_) => settings.push((path.to_owned(), value.to_string())),
        number => settings.push((path.to_owned(), plain(number))),
    }
}

/// A JSON value as a person would write it.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Number(number) => match number.as_f64() {
            Some(whole) if whole.fract() == 0.0 && whole.abs() < 1e15 => format!("{whole:.0}"),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::specimen;
    use ragtriage_eval::summary;

    fn provenance(settings: Value) -> Provenance {
        let run = specimen::run("r");
        let summary = summary::evaluate(&run, &specimen::plan()).summary;
        Provenance::new(
            &Manifest {
                settings: serde_json::from_value(settings).expect("settings"),
                ..run.manifest
            },
            &summary,
        )
    }

    fn extra_body(record: &Provenance) -> Vec<(String, String)> {
        let mut settings = record.settings.clone();
        settings.retain(|(name, _)| name.starts_with("generation.extra_body."));
        settings
    }

    #[test]
    fn every_setting_is_named_with_its_value() {
        let found = provenance(json!({
            "retrieval": {"retrievers": ["bm25"], "bm25": {"k1": 1.0}},
            "rerank": {"model": "m"}, "cache": {"dir": "c"},
        }));
        let told = |name: &str| {
            let found = found.settings.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.as_str())
        };
        let expected = [
            ("retrieval.k", "5"),
            ("retrieval.retrievers", "[\"bm25\"]"),
            ("retrieval.bm25.k1", "1"),
            ("retrieval.bm25.b", "0.75"),
            ("rerank.model", "\"m\""),
            ("gates.min", "{}"),
            ("cache.dir", "\"c\""),
            ("evaluation.cluster", "true"),
        ];
        for (name, value) in expected {
            assert_eq!(told(name), Some(value), "{name}");
        }
        let place = |name: &str| found.settings.iter().position(|(key, _)| key == name);
        assert!(place("dataset.format") < place("retrieval.k"));
        assert!(place("retrieval.k") < place("cache.dir"));
        assert_eq!(found.notes, Vec::<String>::new());
    }

    #[test]
    fn no_variable_and_nothing_like_a_key_is_shown() {
        let found = provenance(json!({"generation": {
            "api_key_env": "NAME", "headers_env": {"x": "NAME"},
            "extra_body": {"max_tokens": 20, "user": "u", "api-key": "SECRET", "nested": {"Authorization": "SECRET"}},
        }}));
        assert_eq!(
            extra_body(&found),
            [("generation.extra_body.max_tokens", "20"), ("generation.extra_body.user", "\"u\"")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
        assert!(found.notes[0].starts_with("4 more not shown"), "{:?}", found.notes);
    }

    #[test]
    fn keys_in_arrays_are_not_shown_and_what_stands_beside_them_is() {
        let found = provenance(json!({"generation": {"extra_body": {
            "providers": [{"auth": "SECRET", "n": 1}, {"Cookie": 7}], "headers": {"x": "SECRET"}, "stop": ["a", "b"],
        }}}));
        assert_eq!(
            extra_body(&found),
            [
                ("generation.extra_body.providers[0].n", "1"),
                ("generation.extra_body.stop", "[\"a\",\"b\"]")
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
        assert!(found.notes[0].starts_with("3 more not shown"), "{:?}", found.notes);
    }

    #[test]
    fn hashes_stand_in_full_and_what_is_not_known_is_left_out() {
        let found = provenance(json!({}));
        let text = |label: &str| {
            found.facts.iter().find(|fact| fact.label == label).map(|fact| fact.text.as_str())
        };
        assert_eq!(text("Data digest, sha256"), Some("ab".repeat(32).as_str()));
        assert_eq!(
            text("Model, dense: sha256 of model.safetensors"),
            Some("cd".repeat(32).as_str())
        );
        assert_eq!(text("Imported file, sha256"), None);
        assert_eq!(text("Commit, in full"), Some("0123456789abcdef-dirty"));
        // Four answers at 1/32 of a dollar, 10 tokens in and 2 out.
        assert_eq!(
            (text("Cost"), text("Tokens")),
            (Some("0.1250 US dollars"), Some("40 in, 8 out"))
        );
    }
}
