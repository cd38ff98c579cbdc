//! What was set, used or read otherwise in two runs.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::store::{ExternalSource, Manifest, ModelRecord};

/// Something that two runs have otherwise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// A setting's name, or what else it is: `data set`, `ragxray`, `model (dense)`, ...
    pub what: String,
    /// The baseline's.
    pub baseline: Value,
    /// The run's.
    pub run: Value,
}

/// Settings first, then data, versions and models. What is the same is left out.
#[must_use]
pub fn changes(baseline: &Manifest, run: &Manifest) -> Vec<Change> {
    let settings = baseline.setting_differences(run).into_iter();
    let mut changes: Vec<Change> =
        settings.map(|one| Change { what: one.key, baseline: one.from, run: one.to }).collect();
    let facts = facts(run);
    let mine = self::facts(baseline);
    let names = mine.keys().chain(facts.keys().filter(|name| !mine.contains_key(*name)));
    for name in names {
        let (a, b) = (mine.get(name).unwrap_or(&Value::Null), facts.get(name).unwrap_or(&Value::Null));
        if a != b {
            changes.push(Change { what: name.clone(), baseline: a.clone(), run: b.clone() });
        }
    }
    changes
}

/// What decides a run's numbers beside its settings.
fn facts(manifest: &Manifest) -> BTreeMap<String, Value> {
    let mut facts: BTreeMap<String, Value> = [
        ("data set (digest)".to_owned(), Value::from(manifest.dataset_digest.clone())),
        ("documents".to_owned(), manifest.n_documents.into()),
        ("recorded from".to_owned(), manifest.external.as_ref().map(source).into()),
        ("ragxray".to_owned(), manifest.version.clone().into()),
        ("git commit".to_owned(), manifest.git_commit.clone().into()),
    ]
    .into();
    if manifest.external.is_none() {
        facts.insert("chunks".to_owned(), manifest.n_chunks.into());
    }
    facts
        .extend(manifest.versions.iter().map(|(part, version)| (format!("version of {part}"), version.clone().into())));
    facts.extend(manifest.models.iter().map(|model| (format!("model ({})", model.role), identity(model))));
    facts
}

/// What a recorded run was made of: two files of one name are two records.
fn source(external: &ExternalSource) -> String {
    format!("{} {} {}", external.kind, external.from, external.sha256.get(..12).unwrap_or_default())
        .trim_end()
        .to_owned()
}

/// A model's name with the start of its weights' hash: two files of one name are two models.
fn identity(model: &ModelRecord) -> Value {
    let weights = model.sha256.get("model.safetensors").or_else(|| model.sha256.values().next());
    let hash = weights.map_or(String::new(), |hash| format!(" sha256 {}", hash.get(..12).unwrap_or(hash)));
    format!("{}{hash}", model.name).into()
}
