//! `run.json`: the manifest of a run, with its configuration, data and models.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Error, RunFolder, checksum, open_file};
use ragtriage_core::config::{GatesSettings, Settings, marks};
use ragtriage_core::text::sanitize::escaped_json;
use ragtriage_core::types::Hnsw;
use ragtriage_core::types::Note;

/// The version of a run's files; raised when a reader of old files would misread new ones.
pub const SCHEMA: u32 = 3;

/// A model that a run used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelRecord {
    /// Its role: `dense`, `late_interaction`, `rerank`, `generator`, `conditions`.
    pub role: String,
    /// Its name or path.
    pub name: String,
    /// Hex sha256 by file; empty for a remote model.
    #[serde(default)]
    pub sha256: BTreeMap<String, String>,
}

impl ModelRecord {
    /// The role of a generator that answered the conditions of an imported record, whose own answers are another's.
    pub const CONDITIONS: &'static str = "conditions";
}

/// The amount of text beyond the input limit of a retriever's encoder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truncation {
    /// The retriever.
    pub retriever: String,
    /// The texts: `chunks`, `questions`.
    pub what: String,
    /// Number of texts.
    pub n_texts: usize,
    /// Number of texts longer than the encoder input limit.
    pub n_cut: usize,
    /// Tokens of all texts, as counted by the encoder, titles included.
    pub n_tokens: usize,
    /// Number of tokens beyond the encoder input limit.
    pub n_lost: usize,
}

/// The index of an approximate vector search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApproximateIndex {
    /// The retriever.
    pub retriever: String,
    /// The parameters of the HNSW graph. Another build of it gives other rankings: the engine draws the levels of its nodes
    /// without a seed and inserts them in several threads.
    pub hnsw: Hnsw,
}

/// The external source of a run's rankings and answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExternalSource {
    /// One of the constants of this type.
    pub kind: String,
    /// The file, or the service's address without user info and query.
    pub from: String,
    /// Hex sha256 of the file's text; empty for a service.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sha256: String,
}

impl ExternalSource {
    /// JSON lines of an external RAG.
    pub const RESULTS: &'static str = "results";
    /// Traces of an external RAG.
    pub const TRACES: &'static str = "traces";
    /// A TREC run.
    pub const TREC_RUN: &'static str = "TREC run";
    /// A service, asked question by question.
    pub const SERVICE: &'static str = "service";
}

/// Everything about a run that does not concern a single question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The run's name.
    pub name: String,
    /// The version of ragtriage.
    pub version: String,
    /// Other versions that determine the metrics: engine, chunkers, token counters, analyser, by
    /// name.
    pub versions: BTreeMap<String, String>,
    /// The commit of the working directory's repository, if there is one; `-dirty` if it had changes.
    pub git_commit: Option<String>,
    /// Start time, UTC, RFC 3339.
    pub started: String,
    /// End time; `None`: the run did not end.
    pub finished: Option<String>,
    /// The settings file as given; relative paths in `settings` start from its folder.
    pub config: String,
    /// Every setting as resolved, without keys and headers.
    pub settings: Settings,
    /// The data set: format and path.
    pub dataset: String,
    /// Hex sha256 of the loaded data set.
    pub dataset_digest: String,
    /// The keys whose URL is recorded without its user info and query, which may hold secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shortened: Vec<String>,
    /// The source of rankings and answers; `None`: the pipeline that `settings` describe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalSource>,
    /// The text of the prompt's template; `None` if no prompt was built by this program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Irregularities that were counted and accepted.
    pub notes: Vec<Note>,
    /// Documents in the corpus.
    pub n_documents: usize,
    /// Number of chunks.
    pub n_chunks: usize,
    /// Their total tokens, by `chunking.tokenizer`.
    pub chunk_tokens: usize,
    /// Questions of this run (after `split` and `limit`).
    pub n_questions: usize,
    /// Models with their hashes.
    pub models: Vec<ModelRecord>,
    /// The seed of samples and resamples.
    pub seed: u64,
    /// Truncation by encoders, by retriever.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub truncation: Vec<Truncation>,
    /// The indexes of approximate vector searches, by retriever.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approximate: Vec<ApproximateIndex>,
    /// Wall seconds by step: load, assemble, chunk, then by retriever (`bm25`, `embed dense`, `qdrant dense`), questions.
    pub seconds: BTreeMap<String, f64>,
    /// Number of vectors from the cache.
    pub vectors_cached: usize,
    /// Number of computed vectors.
    pub vectors_computed: usize,
}

impl Manifest {
    /// Returns true if the run was imported from a file: missing questions cannot be asked.
    #[must_use]
    pub fn is_imported(&self) -> bool {
        self.external.as_ref().is_some_and(|source| source.kind != ExternalSource::SERVICE)
    }

    /// Returns true if another pipeline than the one that `settings` describe made rankings and answers.
    #[must_use]
    pub fn is_external(&self) -> bool {
        self.external.is_some()
    }

    /// Reads the manifest of the run in `folder`, without its traces.
    ///
    /// # Errors
    /// `Io`, `Damaged`, `WrongChecksum`, `OtherSchema`.
    pub fn load(folder: &RunFolder) -> Result<Self, Error> {
        #[derive(serde::Deserialize)]
        struct Versioned {
            schema: u32,
        }
        let path = &folder.file("run.json");
        let text = open_file(path).and_then(std::io::read_to_string).map_err(|error| {
            let run = folder.path().display();
            let message = match error.kind() {
                ErrorKind::NotFound if !folder.path().exists() => format!("there is no run `{run}`"),
                ErrorKind::NotFound => format!("`{run}` is not a run: it has no run.json"),
                ErrorKind::NotADirectory => format!("`{run}` is not a run: it is a file"),
                _ => return Error::io("read", path)(error),
            };
            let hint = "name the folder of a run, or a run in ragtriage-runs/; `ragtriage import` makes one of results";
            Error::new(message, hint)
        })?;
        if !checksum::holds(checksum::INDENTED, text.trim_end().as_bytes()) {
            return Err(Error::wrong_checksum(path, text.lines().count()));
        }
        // The file is whole: what cannot be read was written by another version.
        let other_version = |why: String| {
            let path = path.display();
            let message = format!("`{path}` was written by another version of ragtriage: {why}");
            Error::new(message, "run again with this version")
        };
        let misread = |source: serde_json::Error| match source.classify() {
            serde_json::error::Category::Data => other_version(source.to_string()),
            _ => Error::wrong_checksum(path, text.lines().count()),
        };
        let Versioned { schema } = serde_json::from_str(&text).map_err(misread)?;
        if schema != SCHEMA {
            return Err(other_version(format!("its schema is {schema}, expected {SCHEMA}")));
        }
        serde_json::from_str(&text).map_err(misread)
    }
}

/// A setting that differs between two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingDifference {
    /// Its name: `retrieval.k`.
    pub key: String,
    /// The first run's value; null if unset.
    pub from: Value,
    /// The second run's value.
    pub to: Value,
}

/// Returns the part of `settings` that affects traces: two runs with equal parts have equal traces.
#[must_use]
pub fn deciding(settings: &Settings) -> Value {
    without_indifferent("", &as_json(settings)).unwrap_or_default()
}

fn without_indifferent(path: &str, value: &Value) -> Option<Value> {
    let (marks, _) = marks(path);
    if marks.may_change_on_resume || marks.affects_summary_only {
        return None;
    }
    let Value::Object(table) = value else {
        return Some(value.clone());
    };
    Some(Value::Object(
        table
            .iter()
            .filter_map(|(key, value): (&String, &Value)| {
                Some((key.clone(), without_indifferent(&join(path, key), value)?))
            })
            .collect(),
    ))
}

fn as_json(settings: &Settings) -> Value {
    serde_json::to_value(settings).expect("settings are plain JSON values")
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

impl Manifest {
    /// Writes `run.json`, without terminal control characters, with a checksum.
    pub fn save(&self, folder: &RunFolder) -> Result<(), Error> {
        let json = serde_json::to_string_pretty(self).expect("a record is plain JSON");
        let mut bytes = escaped_json(&json).into_bytes();
        checksum::seal(checksum::INDENTED, &mut bytes, 0);
        bytes.push(b'\n');
        folder.write("run.json", &bytes)
    }

    /// Returns [`Self::setting_differences`] without those that may change when a run is resumed.
    #[must_use]
    pub fn answer_differences(&self, other: &Self) -> Vec<SettingDifference> {
        let mut found = self.setting_differences(other);
        found.retain(|difference| !marks(&difference.key).0.may_change_on_resume);
        found
    }

    /// Returns the settings that differ in `other`, ascending by name. Gates are excluded: they judge a finished run and
    /// do not change it.
    #[must_use]
    pub fn setting_differences(&self, other: &Self) -> Vec<SettingDifference> {
        let [from, to] = [self, other].map(|manifest| {
            as_json(&Settings { gates: GatesSettings::default(), ..manifest.settings.clone() })
        });
        let mut found = Vec::new();
        collect_differences("", &from, &to, &mut found);
        found
    }
}

fn collect_differences(path: &str, from: &Value, to: &Value, found: &mut Vec<SettingDifference>) {
    // A table that one run lacks is reported key by key.
    if (from.is_object() || to.is_object())
        && [from, to].iter().all(|value| value.is_object() || value.is_null())
    {
        let [a, b] = [from, to].map(|value| value.as_object().cloned().unwrap_or_default());
        let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        for key in keys {
            collect_differences(
                &join(path, key),
                a.get(key).unwrap_or(&Value::Null),
                b.get(key).unwrap_or(&Value::Null),
                found,
            );
        }
    } else if from != to {
        found.push(SettingDifference { key: path.to_owned(), from: from.clone(), to: to.clone() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn manifest(settings: Value) -> Manifest {
        let settings: Settings = serde_json::from_value(settings).expect("settings");
        let json = json!({
            "schema": SCHEMA, "name": "", "version": "", "versions": {}, "git_commit": null, "started": "", "finished": null,
            "config": "", "settings": settings, "dataset": "", "dataset_digest": "", "notes": [], "n_documents": 0,
            "n_chunks": 0, "chunk_tokens": 0, "n_questions": 0, "models": [], "seed": 0, "seconds": {},
            "prompt_tokens": 0, "completion_tokens": 0, "cost_usd": 0.0, "vectors_cached": 0, "vectors_computed": 0,
        });
        serde_json::from_value::<Manifest>(json).expect("a manifest")
    }

    #[test]
    fn a_changed_digit_of_a_saved_manifest_is_found() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = RunFolder::create(parent.path(), "r").expect("made");
        manifest(json!({})).save(&folder).expect("saved");
        assert_eq!(Manifest::load(&folder).expect("loads"), manifest(json!({})));
        let text = std::fs::read_to_string(folder.file("run.json")).expect("read");
        let changed = text.replace("\"n_questions\": 0", "\"n_questions\": 1");
        assert_ne!(text, changed);
        folder.write("run.json", changed.as_bytes()).expect("written");
        let error = Manifest::load(&folder).expect_err("changed").to_string();
        assert!(error.ends_with("its content does not match its checksum"), "{error}");
    }

    #[test]
    fn differences_are_listed_key_by_key() {
        let from = json!({"retrieval": {"k": 5, "bm25": {"b": 0.75}}, "same": [1]});
        let to = json!({"retrieval": {"k": 3, "dense": {"model": "m"}}, "same": [1]});
        let mut found = Vec::new();
        collect_differences("", &from, &to, &mut found);
        let told: Vec<String> =
            found.iter().map(|one| format!("{} {} {}", one.key, one.from, one.to)).collect();
        assert_eq!(
            told,
            ["retrieval.bm25.b 0.75 null", "retrieval.dense.model null \"m\"", "retrieval.k 5 3"]
        );
    }

    #[test]
    fn a_resumed_run_may_change_limits_and_gates_and_no_more() {
        let old = manifest(json!({}));
        let new = manifest(json!({
            "retrieval": {"k": 3}, "generation": {"price": {"prompt": 1.0}}, "http": {"timeout_s": 1.0},
            "gates": {"min": {"RR": 0.5}}, "cache": {"dir": "c"}, "evaluation": {"ks": [1]},
        }));
        let keys = |found: Vec<SettingDifference>| -> Vec<String> {
            found.into_iter().map(|one| one.key).collect()
        };
        assert_eq!(keys(old.answer_differences(&new)), ["evaluation.ks", "retrieval.k"]);
        assert_eq!(
            keys(old.setting_differences(&new)),
            [
                "cache.dir",
                "evaluation.ks",
                "generation.price.prompt",
                "http.timeout_s",
                "retrieval.k"
            ]
        );
        let decides = deciding(&new.settings);
        assert_eq!(decides["retrieval"]["k"], 3);
        assert_eq!(decides["evaluation"].get("ks"), None);
        for table in ["cache", "gates", "http"] {
            assert_eq!(decides.get(table), None, "{table}");
        }
    }
}
