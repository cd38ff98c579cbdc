//! The published figures of `evals/reproduce.toml` that need no model: BM25 and TF-IDF on CISI and `SciFact`. `evals/reproduce.py`
//! runs all of them.

use std::collections::BTreeMap;

use assert_cmd::Command;
use serde::Deserialize;
use serde_json::Value;

use crate::project::repository;

#[derive(Deserialize)]
struct List {
    system: Vec<System>,
}

/// A published system; `evals/reproduce.toml` explains its keys.
#[derive(Deserialize)]
struct System {
    name: String,
    config: Option<String>,
    #[serde(default)]
    set: Vec<String>,
    published: BTreeMap<String, f64>,
    tolerance: Option<f64>,
}

impl System {
    fn is_lexical(&self) -> bool {
        !self.set.iter().any(|setting| setting.contains("dense"))
    }
}

/// Runs the judged systems of `evals/reproduce.toml` that have this configuration and no model, each over `n` queries.
fn check(config: &str, n: u64, n_systems: usize) {
    let text =
        std::fs::read_to_string(repository("evals/reproduce.toml")).expect("in the repository");
    let list: List = toml::from_str(&text).expect("a list");
    let systems: Vec<(&System, f64)> = list
        .system
        .iter()
        .filter(|system| system.config.as_deref() == Some(config) && system.is_lexical())
        .filter_map(|system| Some((system, system.tolerance?)))
        .collect();
    assert_eq!(systems.len(), n_systems);
    for (system, tolerance) in systems {
        let summary = summary(config, system);
        for (metric, published) in &system.published {
            let found = &summary["metrics"][metric];
            assert_eq!(found["n"], n, "{}, {metric}", system.name);
            let mean = found["mean"].as_f64().expect("a mean");
            assert!(
                (mean - published).abs() <= tolerance,
                "{}, {metric}: {mean}, published {published}",
                system.name
            );
        }
    }
}

/// `summary.json` of a run.
fn summary(config: &str, system: &System) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::cargo_bin("ragtriage").expect("built");
    command
        .args(["run", "--json", "--offline", "--out", "runs"])
        .arg(repository("evals").join(config))
        .current_dir(folder.path())
        .env("RAGTRIAGE_CACHE", folder.path().join("cache"));
    for setting in &system.set {
        command.args(["--set", setting]);
    }
    let output = command.output().expect("run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("summary.json")
}

#[test]
#[cfg_attr(
    not(has_data_cisi),
    ignore = "needs datasets/fetched/cisi: ragtriage dataset fetch cisi"
)]
fn tfidf_and_bm25_on_cisi_are_the_collections_published_table() {
    check("../config/cisi.toml", 76, 2);
}

#[test]
#[cfg_attr(
    not(has_data_scifact),
    ignore = "needs datasets/fetched/scifact: ragtriage dataset fetch scifact"
)]
fn bm25_on_scifact_is_near_pyserinis() {
    check("../config/scifact.toml", 300, 1);
}
