//! Traces of another RAG, as instrumentation packages export them, become a run: the failure class of every question is
//! the one that the script of `tests/data/spans` planted.

use serde_json::Value;

use crate::project::{Project, repository};
use crate::run_files;

const SETTINGS: &str = "[dataset]\nformat = \"jsonl\"\npath = \"data\"\n";

/// A project over the documents and questions that the traces are about, with the file `name`.
fn project(name: &str) -> Project {
    let project = Project::of(&[("c.toml", SETTINGS)]);
    for (from, to) in [
        ("corpus.jsonl", "data/corpus.jsonl"),
        ("questions.jsonl", "data/questions.jsonl"),
        (name, name),
    ] {
        let text = std::fs::read_to_string(repository("tests/data/spans").join(from))
            .expect("in the repository");
        project.write(to, text);
    }
    project
}

fn import(project: &Project, args: &[&str]) -> crate::project::Outcome {
    project.call(&[&["import"], args, &["c.toml", "--out", "runs", "--name", "r"]].concat())
}

/// The failure class of each question, by construction: the reranker dropped the evidence of q2, the retriever never found
/// that of q3, and the model answered q4 wrong.
const PLANTED: [(&str, &str); 5] = [
    ("q1", "correct"),
    ("q2", "ranked_low"),
    ("q3", "not_retrieved"),
    ("q4", "wrong_answer"),
    ("q5", "correct"),
];

fn planted() -> Vec<(String, String)> {
    let planted = PLANTED.iter();
    planted.map(|(id, class)| ((*id).to_owned(), (*class).to_owned())).collect()
}

fn classes(project: &Project) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let outcomes = project.read("runs/r/outcomes.jsonl");
    outcomes
        .lines()
        .map(|line| {
            let outcome: Value = serde_json::from_str(line).expect("JSON");
            (text(&outcome["id"]), text(&outcome["class"]))
        })
        .collect()
}

#[test]
fn the_planted_failure_classes_come_back_from_every_source() {
    for name in [
        "otlp-langchain.jsonl",
        "console-llama-index.json",
        "langsmith.jsonl",
        "otlp-langfuse.jsonl",
        "langfuse-observations.json",
        "langfuse-trace.json",
    ] {
        let project = project(name);
        let outcome = import(&project, &[name]);
        assert_eq!(outcome.code, 0, "{name}: {}{}", outcome.stdout, outcome.stderr);
        run_files::check(&project, "r");
        assert_eq!(classes(&project), planted(), "{name}");
        let manifest: Value = serde_json::from_str(&project.read("runs/r/run.json")).expect("JSON");
        assert_eq!(manifest["external"]["kind"], "traces");
        for file in ["run.json", "traces.jsonl", "passages.jsonl"] {
            assert!(
                !project.read(&format!("runs/r/{file}")).contains("not-a-real-secret"),
                "{name} {file}"
            );
        }
    }
}

#[test]
fn ids_alone_are_whole_documents() {
    let project = project("otlp-genai.jsonl");
    let outcome = import(&project, &["otlp-genai.jsonl"]);
    assert_eq!(outcome.code, 0, "{}{}", outcome.stdout, outcome.stderr);
    assert_eq!(classes(&project), planted());
}

#[test]
fn traces_without_a_question_of_the_data_set_are_refused_or_counted() {
    let project = project("otlp-langchain.jsonl");
    let questions = project.read("data/questions.jsonl");
    let fewer: Vec<&str> = questions.lines().filter(|line| !line.contains("\"q3\"")).collect();
    project.write("data/questions.jsonl", fewer.join("\n"));
    let outcome = import(&project, &["otlp-langchain.jsonl"]);
    assert_eq!(outcome.code, 2);
    assert!(
        outcome.stderr.contains("the data set has no question `Who built the old lighthouse?`"),
        "{}",
        outcome.stderr
    );
    let outcome = import(&project, &["--partial", "--full", "otlp-langchain.jsonl"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(
        outcome
            .stdout
            .contains("1 trace without a span of a retriever, reranker or model, left out"),
        "{}",
        outcome.stdout
    );
}
