//! Differences in configuration, models and inputs between two runs.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use ragtriage_data::run::{ExternalSource, Manifest, ModelRecord, SettingDifference};

/// Replaces a value that is private to the run's folder ([`ragtriage_data::run::is_private`]).
const NOT_SHOWN: &str = "(not shown)";

/// A difference in configuration or inputs between two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunChange {
    /// A setting's name, or the kind of input: `data set`, `ragtriage`, `model (dense)`, ...
    pub what: String,
    /// The baseline's value; `(not shown)` on both sides for names of variables and possible
    /// secrets.
    pub baseline: Value,
    /// The run's value.
    pub run: Value,
}

/// Returns the differences: settings first, then data, versions and models. Equal values are
/// omitted.
#[must_use]
pub fn changes(baseline: &Manifest, run: &Manifest) -> Vec<RunChange> {
    let settings = baseline.setting_differences(run).into_iter();
    let mut changes: Vec<RunChange> = settings.map(setting).collect();
    let facts = facts(run);
    let mine = self::facts(baseline);
    let names = mine.keys().chain(facts.keys().filter(|name| !mine.contains_key(*name)));
    for name in names {
        let (a, b) =
            (mine.get(name).unwrap_or(&Value::Null), facts.get(name).unwrap_or(&Value::Null));
        if a != b {
            changes.push(RunChange { what: name.clone(), baseline: a.clone(), run: b.clone() });
        }
    }
    changes
}

/// Returns a setting's change, without private values.
fn setting(SettingDifference { key, from, to }: SettingDifference) -> RunChange {
    let is_private =
        [&from, &to].into_iter().any(|value| ragtriage_data::run::is_private(&key, value));
    let [baseline, run] = [from, to].map(|value| {
        if is_private {
            NOT_SHOWN.into()
        } else {
            ragtriage_data::run::shown(&key, &value, NOT_SHOWN)
        }
    });
    RunChange { what: key, baseline, run }
}

/// Inputs other than the configuration that determine a run's metrics.
fn facts(manifest: &Manifest) -> BTreeMap<String, Value> {
    let mut facts: BTreeMap<String, Value> = [
        ("data set (digest)".to_owned(), Value::from(manifest.dataset_digest.clone())),
        ("documents".to_owned(), manifest.n_documents.into()),
        ("recorded from".to_owned(), manifest.external.as_ref().map(source).into()),
        ("ragtriage".to_owned(), manifest.version.clone().into()),
        ("git commit".to_owned(), manifest.git_commit.clone().into()),
    ]
    .into();
    if manifest.external.is_none() {
        facts.insert("chunks".to_owned(), manifest.n_chunks.into());
    }
    facts.extend(
        manifest
            .versions
            .iter()
            .map(|(part, version)| (format!("version of {part}"), version.clone().into())),
    );
    facts.extend(
        manifest.models.iter().map(|model| (format!("model ({})", model.role), identity(model))),
    );
    facts
}

/// Identifies the source of an imported run: two different files of one name are distinguished.
fn source(external: &ExternalSource) -> String {
    format!("{} {} {}", external.kind, external.from, external.sha256.get(..12).unwrap_or_default())
        .trim_end()
        .to_owned()
}

/// Returns a model's name with the start of its weights' hash: different files of one name are
/// different models.
fn identity(model: &ModelRecord) -> Value {
    let weights = model.sha256.get("model.safetensors").or_else(|| model.sha256.values().next());
    let hash =
        weights.map_or(String::new(), |hash| format!(" sha256 {}", hash.get(..12).unwrap_or(hash)));
    format!("{}{hash}", model.name).into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(key: &str, from: Value, to: Value) -> RunChange {
        setting(SettingDifference { key: key.to_owned(), from, to })
    }

    #[test]
    fn a_private_setting_shows_that_it_differs_and_no_value() {
        for key in
            ["generation.api_key_env", "generation.headers_env.x", "generation.extra_body.cookie"]
        {
            let found = of(key, json!("X"), Value::Null);
            let hidden = Value::from("(not shown)");
            assert_eq!(
                found,
                RunChange { what: key.to_owned(), baseline: hidden.clone(), run: hidden }
            );
        }
        let found = of("retrieval.k", json!(5), json!(3));
        assert_eq!((found.baseline, found.run), (json!(5), json!(3)));
    }
}
