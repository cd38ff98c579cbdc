//! A run of our own, written as another system would record it and imported: every number but those of its wall times is the same.

use serde_json::{Map, Value, json};

use crate::parity::fetched;
use crate::project::Project;
use crate::run_files::check;

/// The results of a run, one object per question: what an external RAG could record of it.
pub fn results(project: &Project, run: &str) -> Vec<Value> {
    let passages = project.read(&format!("runs/{run}/passages.jsonl"));
    let passages = passages.lines().map(|line| {
        let passage: Value = serde_json::from_str(line).expect("JSON");
        let [start, end] = [0, 1].map(|at| passage["range"][at].clone());
        let id = passage["id"].as_str().expect("an id").to_owned();
        let hit = json!({ "chunk_id": id, "doc_id": passage["doc"], "start": start, "end": end });
        (id, hit)
    });
    let passages: Map<String, Value> = passages.collect();
    let passage = |id: &Value| passages[id.as_str().expect("an id")].clone();
    let hit = |hit: &Value| {
        let mut found = passage(&hit["id"]);
        found["score"] = hit["score"].clone();
        found
    };
    let answer = |condition: &Value| {
        let attempt = &condition["attempts"][0];
        let usage = json!({
            "prompt_tokens": attempt["tokens"]["prompt_billed"],
            "completion_tokens": attempt["tokens"]["completion"],
            "finish_reason": attempt["finish"],
        });
        json!({ "answer": attempt["raw"], "usage": usage, "error": attempt["error"] })
    };
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let k = project.json(&format!("runs/{run}/run.json"))["settings"]["retrieval"]["k"].clone();
    let line = |trace: &Value| {
        let question = &trace["question"];
        let mut line = json!({ "id": question["id"], "question": question["text"] });
        if !trace["error"].is_null() {
            line["error"] = trace["error"].clone();
            return line;
        }
        let stage = |stage: &Value| {
            let hits: Vec<Value> = list(&stage["hits"]).iter().map(hit).collect();
            let k = if stage["stage"] == "packed" { &k } else { &Value::Null };
            json!({ "name": stage["stage"], "k": k, "hits": hits })
        };
        line["stages"] = list(&trace["stages"]).iter().map(stage).collect();
        for condition in list(&trace["conditions"]) {
            let mut answer = answer(&condition);
            let name = condition["condition"].as_str().expect("a name");
            if name == "retrieved" {
                line.as_object_mut()
                    .expect("an object")
                    .append(answer.as_object_mut().expect("an object"));
            } else {
                let shown = list(&condition["attempts"][0]["passages"]);
                answer["contexts"] = shown.iter().map(passage).collect();
                line["conditions"][name] = answer;
            }
        }
        line
    };
    project.traces(run).iter().map(line).collect()
}

/// Writes objects as JSON lines.
pub fn write(project: &Project, file: &str, lines: &[Value]) {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    project.write(file, lines.join("\n"));
}

/// Imports a results file with these settings.
pub fn import(project: &Project, (file, name): (&str, &str), settings: &[&str]) {
    let args = ["import", file, "--out", "runs", "--name", name];
    let outcome = project.call(&[&args[..], settings].concat());
    assert_eq!(outcome.code, 0, "{}{}", outcome.stdout, outcome.stderr);
    check(project, name);
}

/// Asserts that a run and the import of its results have the same losses and scores.
pub fn assert_same(project: &Project, own: &str, imported: &str) {
    let [own, imported] = [own, imported].map(|name| project.summary(name));
    for key in ["stages", "budget"] {
        assert_eq!(own["losses"][key], imported["losses"][key], "{key}");
    }
    for key in ["classes", "two_by_two", "metrics"] {
        assert_eq!(own[key], imported[key], "{key}");
    }
}

/// Imports a results file of the two questions of [`Project::new`] and returns its class counts.
fn imported(lines: [&str; 2], settings: &[&str]) -> Value {
    let project = Project::new();
    project.write("record.jsonl", lines.join("\n"));
    import(&project, ("record.jsonl", "first"), &[&["c.toml"], settings].concat());
    project.summary("first")["classes"].clone()
}

/// Rankings without answers: the first `retrieval.k` count as packed.
#[test]
fn retrieval_k_counts_as_packed_where_only_rankings_are_recorded() {
    let lines = [
        r#"{"id": "q1", "stages": {"dense": ["Beta never waits.", "Alpha waits six minutes."]}}"#,
        r#"{"id": "q2", "stages": {"dense": ["Beta never waits.", "Alpha waits six minutes."]}}"#,
    ];
    for (k, supported, ranking) in [("retrieval.k=1", 1, 1), ("retrieval.k=2", 2, 0)] {
        let classes = imported(lines, &["--set", k]);
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
fn hotpotqa_has_the_same_numbers_with_all_conditions() {
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
    write(&project, "plain.jsonl", &results(&project, "plain"));
    import(&project, ("plain.jsonl", "back"), &settings);
    assert_same(&project, "plain", "back");
}

#[test]
fn the_runbooks_have_the_same_numbers() {
    let project = Project::runbooks();
    let outcome = project.call(&["run", "--out", "runs", "--name", "own"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    write(&project, "record.jsonl", &results(&project, "own"));
    import(&project, ("record.jsonl", "back"), &[]);
    assert_same(&project, "own", "back");
    let source = &project.json("runs/back/run.json")["external"];
    assert_eq!((&source["kind"], &source["from"]), (&"results".into(), &"record.jsonl".into()));
}
