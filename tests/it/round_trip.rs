//! A run written as a record and imported with the same configuration is the same run.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::parity::fetched;
use crate::project::Project;
use crate::run_files::check;

/// Keys of `summary.json` that concern where a run comes from: its wall times.
const PROVENANCE: [&str; 2] = ["seconds", "costs"];

/// Writes a run as a record.
pub fn export(project: &Project, run: &str, file: &str) {
    let run = format!("runs/{run}");
    let outcome = project.call(&["report", &run, "--format", "results"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    project.write(file, outcome.stdout);
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
    assert_eq!(file(own, "outcomes.jsonl"), file(imported, "outcomes.jsonl"));
    for trec in ["retrieval.trec", "chunks.trec", "qrels.trec"] {
        // The last column is the run's name.
        let lines = |name: &str| file(name, trec).replace(&format!(" {name}\n"), "\n");
        assert_eq!(lines(own), lines(imported), "{trec}");
    }
}

/// Writes a run as a record, and imports it with these settings as the same run.
fn assert_returns(project: &Project, run: &str, settings: &[&str]) {
    let (file, back) = (format!("{run}.jsonl"), format!("{run}-back"));
    export(project, run, &file);
    import(project, (&file, &back), settings);
    assert_same(project, run, &back);
}

/// Imports a record of the two questions of [`Project::new`] and returns it with its class counts.
fn imported(lines: [&str; 2], settings: &[&str]) -> (Project, Value) {
    let project = Project::new();
    project.write("record.jsonl", lines.join("\n"));
    let settings = [&["c.toml"], settings].concat();
    import(&project, ("record.jsonl", "first"), &settings);
    assert_returns(&project, "first", &settings);
    let classes = project.summary("first")["classes"].clone();
    (project, classes)
}

#[test]
fn imported_runs_of_every_kind_come_back() {
    let alpha = "Alpha waits six minutes.";
    let contexts = [
        r#"{"id": "q1", "contexts": ["Beta never waits.", "Alpha waits six minutes."], "answer": "x"}"#,
        r#"{"id": "q2", "contexts": ["Alpha waits six minutes.", "a text that is in no document"], "answer": "Beta"}"#,
    ];
    let kinds = [
        contexts,
        // The prompt has one of them, and not all of the other.
        [
            r#"{"id": "q1", "contexts": ["Beta never waits.", "Alpha waits six minutes."], "prompt": "Beta never waits.", "answer": "x"}"#,
            r#"{"id": "q2", "contexts": ["Alpha waits six minutes.", "Beta never waits."], "prompt": "Alpha waits six", "answer": "x"}"#,
        ],
        [contexts[0], r#"{"id": "q2", "error": "boom"}"#],
        [
            contexts[0],
            r#"{"id": "q2", "stages": {"packed": {"k": 3, "hits": ["Beta never waits."]}, "dense": [{"query": "b", "hits": ["Beta never waits."]}]}, "answer": "y"}"#,
        ],
        [
            r#"{"id": "q1", "contexts": ["Alpha waits six minutes."], "answers": ["x", "six minutes"], "conditions": {"oracle": "six minutes"}}"#,
            r#"{"id": "q2", "contexts": [], "answers": [{"answer": null}, {"error": "boom"}], "usage": {"prompt_tokens": 5}}"#,
        ],
    ];
    for lines in kinds {
        imported(lines, &[]);
    }
    let (project, classes) = imported(kinds[4], &[]);
    assert_eq!(classes["failed"], 0, "one of two repeats succeeded");
    let line = project.read("first.jsonl");
    assert!(!line.contains(alpha), "passages are ranges of their documents");
}

/// Rankings without answers: the first `retrieval.k` count as packed.
#[test]
fn retrieval_k_counts_as_packed_where_only_rankings_are_recorded() {
    let lines = [
        r#"{"id": "q1", "stages": {"dense": ["Beta never waits.", "Alpha waits six minutes."]}}"#,
        r#"{"id": "q2", "stages": {"dense": ["Beta never waits.", "Alpha waits six minutes."]}}"#,
    ];
    for (k, supported, ranking) in [("retrieval.k=1", 1, 1), ("retrieval.k=2", 2, 0)] {
        let (_, classes) = imported(lines, &["--set", k]);
        assert_eq!(
            (&classes["delivered"], &classes["ranked_low"]),
            (&supported.into(), &ranking.into())
        );
    }
}

#[test]
#[cfg_attr(
    not(has_data_hotpotqa),
    ignore = "needs datasets/fetched/hotpotqa: ragtriage dataset fetch hotpotqa"
)]
fn questions_of_hotpotqa_come_back_with_all_conditions() {
    let folder = fetched("hotpotqa");
    let settings = format!(
        "[dataset]\nformat = \"hotpotqa\"\npath = {folder:?}\nlimit = 200\n[retrieval]\nretrievers = [\"bm25\", \"tfidf\"]\n\
         [evaluation]\nscorer = \"hotpotqa\"\n"
    );
    let project = Project::of(&[("c.toml", &settings)]);
    project.good("plain", &[]);
    let conditions = &project.traces("plain")[0]["conditions"];
    assert!(conditions.as_array().expect("conditions").len() >= 3, "{conditions}");
    let reader = project.reader_sets();
    let reader = reader.iter().map(String::as_str);
    let settings: Vec<&str> = ["c.toml"].into_iter().chain(reader).collect();
    assert_returns(&project, "plain", &settings);
}

/// The shipped runbooks with their recorded responses under all conditions; BM25 alone.
fn runbooks() -> Project {
    let project = Project::runbooks();
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
    assert_eq!((&source["kind"], &source["from"]), (&"results".into(), &"record.jsonl".into()));
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
    import(&project, ("again.jsonl", "again"), &["--set", "retrieval.bm25.b=0.5"]);
    assert_same(&project, "other", "again");
}
