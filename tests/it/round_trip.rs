//! A run written as a record and imported with the same configuration is the same run.

use std::collections::BTreeSet;
use std::fs;

use crate::project::{Project, repository};
use crate::run_files::check;

/// Keys of `summary.json` that concern where a run comes from: its wall times.
const PROVENANCE: [&str; 1] = ["seconds"];

/// Writes a run as a record.
pub fn export(project: &Project, run: &str, file: &str) {
    let run = format!("runs/{run}");
    let outcome = project.call(&["report", &run, "--format", "record", "--out", file]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
}

/// Imports a record with these settings.
pub fn import(project: &Project, (file, name): (&str, &str), settings: &[&str]) {
    let args = ["import", file, "--out", "runs", "--name", name];
    let outcome = project.call(&[&args[..], settings].concat());
    assert_eq!(outcome.code, 0, "{}{}", outcome.stdout, outcome.stderr);
    check(project, name);
}

/// Asserts that a run and its import have the same summary, judgments and rankings.
pub fn assert_same(project: &Project, own: &str, imported: &str) {
    let [before, after] = [own, imported].map(|name| project.summary(name));
    let objects = [&before, &after].map(|summary| summary.as_object().expect("an object"));
    let keys: BTreeSet<&String> = objects.iter().flat_map(|object| object.keys()).collect();
    for key in keys {
        if !PROVENANCE.contains(&key.as_str()) {
            assert_eq!(before.get(key), after.get(key), "{key}");
        }
    }
    let file = |name: &str, file: &str| project.read(&format!("runs/{name}/{file}"));
    assert_eq!(
        file(own, "outcomes.jsonl"),
        file(imported, "outcomes.jsonl")
    );
    for trec in ["retrieval.trec", "chunks.trec", "qrels.trec"] {
        // The last column is the run's name.
        let lines = |name: &str| file(name, trec).replace(&format!(" {name}\n"), "\n");
        assert_eq!(lines(own), lines(imported), "{trec}");
    }
}

/// The shipped runbooks with their recorded responses under all conditions; BM25 alone.
fn runbooks() -> Project {
    let project = Project::runbooks();
    let settings = fs::read_to_string(repository("config/runbooks.toml")).expect("shipped");
    let settings = settings.replace("[\"bm25\", \"dense\"]", "[\"bm25\"]");
    project.write("config/runbooks.toml", settings);
    let outcome = project.call(&["run", "--out", "runs", "--name", "own"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    export(&project, "own", "record.jsonl");
    project
}

#[test]
fn the_runbooks_come_back_from_a_record_with_the_same_summary() {
    let project = runbooks();
    import(&project, ("record.jsonl", "back"), &[]);
    assert_same(&project, "own", "back");
    let source = &project.json("runs/back/run.json")["external"];
    assert_eq!(
        (&source["kind"], &source["from"]),
        (&"record".into(), &"record.jsonl".into())
    );
    // Under another configuration it is the record of a pipeline whose settings are not known.
    let other = ["--set", "retrieval.bm25.b=0.5"];
    import(&project, ("record.jsonl", "other"), &other);
    let source = &project.json("runs/other/run.json")["external"];
    assert_eq!(source.get("is_own"), None);
    let [own, other] = ["own", "other"].map(|name| project.summary(name));
    assert_eq!(own["classes"], other["classes"], "all stages are recorded");
    assert_eq!(own["loss_budget"], other["loss_budget"]);
    // What is imported is written again as it was.
    export(&project, "other", "again.jsonl");
    import(
        &project,
        ("again.jsonl", "again"),
        &["--set", "retrieval.bm25.b=0.5"],
    );
    assert_same(&project, "other", "again");
}
