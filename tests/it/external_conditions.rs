//! The conditions of an external RAG, asked of its service or of the generator of the settings.

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde_json::{Value, json};
use wiremock::{Request, ResponseTemplate};

use crate::external::{Rag, asked};
use crate::planted::server::{Said, Server};
use crate::project::{Outcome, Project};
use crate::run_files::{check, class};

const ALPHA: &str = "Alpha waits six minutes.";
const BETA: &str = "Beta never waits.";

/// Retrieves alpha's document for every question; reads the contexts that it is sent.
fn respond(asked: &Value) -> Value {
    let contexts = match asked["contexts"].as_array() {
        Some(contexts) => contexts.clone(),
        None => vec![json!(ALPHA)],
    };
    let text: Vec<&str> = contexts.iter().filter_map(Value::as_str).collect();
    let text = text.join(" ");
    let answer = match asked["id"].as_str().expect("an id") {
        "q1" => text.split_once("waits ").map(|(_, behind)| behind.split('.').next()),
        _ => text.split_once(" never").map(|(before, _)| before.split_whitespace().last()),
    };
    json!({"id": asked["id"], "contexts": contexts, "answer": answer.flatten().unwrap_or("I don't know")})
}

fn rag() -> Rag {
    Rag::start(|request: &Request| {
        ResponseTemplate::new(200).set_body_json(respond(&asked(request)))
    })
}

fn run(project: &Project, rag: &Rag, args: &[&str]) -> Outcome {
    let url = rag.set();
    let sets = ["--set", &url, "--set", "external.answers_contexts=true"];
    project.run(&[&sets, args].concat())
}

/// The contexts sent for question and condition, of several requests each.
fn sent(rag: &Rag) -> BTreeMap<(String, String), Vec<Value>> {
    let mut sent: BTreeMap<(String, String), Vec<Value>> = BTreeMap::new();
    for asked in rag.requests().iter().map(asked) {
        let text = |key: &str| asked[key].as_str().unwrap_or("-").to_owned();
        let contexts = asked.get("contexts").cloned().unwrap_or(Value::Null);
        sent.entry((text("id"), text("condition"))).or_default().push(contexts);
    }
    sent
}

#[test]
fn a_service_is_sent_the_passages_of_each_condition() {
    let project = Project::new();
    let rag = rag();
    let outcome = run(&project, &rag, &["--name", "r"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    check(&project, "r");
    let mut sent = sent(&rag);
    let mut of = |id: &str, condition: &str| {
        sent.remove(&(id.to_owned(), condition.to_owned())).unwrap_or_default()
    };
    assert_eq!(of("q1", "-"), [Value::Null]);
    // Its gold document is one chunk, and that is what was retrieved: the oracle's contexts are those of the question itself. What is
    // sent is the test, with another answer.
    let probe = of("q1", "oracle");
    assert_eq!(probe.len(), 1);
    let text = probe[0][0].as_str().expect("a text");
    assert!(text.starts_with("Alpha waits ") && !text.contains("six"), "{text}");
    assert!(of("q1", "gold_with_distractors").is_empty(), "the prompt has its gold");
    assert_eq!(of("q1", "closed_book"), [json!([])]);
    // The missing gold goes into the middle of one context: before it. A title is the first line.
    let gold = format!("B\n{BETA}");
    assert_eq!(of("q2", "gold_with_distractors"), [json!([gold, ALPHA])]);
    let oracle = of("q2", "oracle");
    assert_eq!(oracle.len(), 2, "the condition and the test: {oracle:?}");
    assert!(oracle.contains(&json!([gold])), "{oracle:?}");
    let summary = project.summary("r");
    assert_eq!(class(&summary, "not_in_prompt"), 1);
    let terms: Vec<(&str, f64)> = summary["losses"]["budget"]["terms"]
        .as_array()
        .expect("terms")
        .iter()
        .map(|term| {
            (term["source"].as_str().expect("a name"), term["mean"].as_f64().expect("a mean"))
        })
        .filter(|(_, mean)| *mean != 0.0)
        .collect();
    // One of two questions is lost, and its evidence would bring it back.
    assert_eq!(terms, [("not_in_prompt", 0.5)]);
    // Two tests are too few to prove neglect, and one that is passed proves use.
    let report = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!report.contains("not known whether"), "{report}");
}

#[test]
fn contexts_are_sent_as_they_were_retrieved_in_a_body_of_the_services_own() {
    let project = Project::new();
    let rag = Rag::start(|request: &Request| {
        let asked = asked(request);
        let body = match asked.get("docs") {
            // White space of its own.
            None => json!({"sources": ["Beta  never\nwaits."], "text": "no"}),
            Some(_) => json!({"text": "six minutes"}),
        };
        ResponseTemplate::new(200).set_body_json(body)
    });
    let outcome = run(
        &project,
        &rag,
        &[
            "--name",
            "r",
            "--set",
            "external.request={ q = \"{question}\", docs = \"{contexts}\", mode = \"{condition}\" }",
            "--set",
            "external.contexts=/sources",
            "--set",
            "external.answer=/text",
            "--set",
            "evaluation.conditions=[\"retrieved\", \"gold_with_distractors\"]",
            "--set",
            "chunking.title_prefix=false",
        ],
    );
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let docs: Vec<Value> = rag
        .requests()
        .iter()
        .map(asked)
        .filter(|asked| asked["mode"] == "gold_with_distractors")
        .map(|asked| asked["docs"].clone())
        .collect();
    assert_eq!(docs, [json!([ALPHA, "Beta  never\nwaits."])]);
}

#[test]
fn a_condition_that_failed_is_asked_again_on_resume_and_no_other() {
    let project = Project::new();
    let failed = Mutex::new(false);
    let rag = Rag::start(move |request: &Request| {
        let asked = asked(request);
        let mut failed = failed.lock().expect("no holder panics");
        if asked["id"] == "q2" && asked["condition"] == "closed_book" && !*failed {
            *failed = true;
            return ResponseTemplate::new(400).set_body_string("no");
        }
        ResponseTemplate::new(200).set_body_json(respond(&asked))
    });
    let outcome = run(&project, &rag, &["--name", "r"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(class(&project.summary("r"), "failed"), 1);
    let before = rag.requests().len();
    let outcome = run(&project, &rag, &["--resume", "r"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(class(&project.summary("r"), "failed"), 0);
    let again: Vec<String> = rag.requests()[before..]
        .iter()
        .map(|request| asked(request)["condition"].as_str().unwrap_or("retrieved").to_owned())
        .collect();
    assert_eq!(again, ["retrieved", "closed_book"]);
}

#[test]
fn a_dry_run_counts_the_questions_of_a_service_and_makes_no_call() {
    let project = Project::new();
    let rag = rag();
    let outcome = run(&project, &rag, &["--dry-run", "--json"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(rag.requests().len(), 0);
    let estimate: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let counts = ["questions", "prompts", "calls"].map(|key| estimate[key].as_u64());
    assert_eq!(counts, [Some(2), Some(0), Some(0)]);
    assert_eq!(estimate["sent"][0]["for"], "service");
    let text = run(&project, &rag, &["--dry-run"]).stdout;
    assert!(text.contains("that of the service"), "{text}");
}

/// A record of the same RAG; `q1` has an oracle of its own.
fn record() -> String {
    let lines = [
        json!({"id": "q1", "contexts": [ALPHA], "answer": "six minutes", "conditions": {"oracle": "six minutes"}}),
        json!({"id": "q2", "contexts": [ALPHA], "answer": "I don't know"}),
    ];
    lines.map(|line| format!("{line}\n")).concat()
}

/// Reads as the service does.
fn generator() -> Server {
    Server::start(|asked| {
        let id = if asked.question.starts_with("How") { "q1" } else { "q2" };
        let answer = respond(&json!({"id": id, "contexts": asked.passages}));
        Said::text(format!("Answer: {}", answer["answer"].as_str().expect("text")))
    })
}

fn import(project: &Project, server: &Server, args: &[&str]) -> Outcome {
    project.write("answers.jsonl", record());
    let url = format!("generation.base_url={}", server.base_url());
    let all = [
        "import",
        "answers.jsonl",
        "c.toml",
        "--out",
        "runs",
        "--conditions",
        "--set",
        "generation.generator=openai",
        "--set",
        "generation.model=theirs",
        "--set",
        &url,
    ];
    project.call(&[&all, args].concat())
}

#[test]
fn the_conditions_of_a_record_are_asked_of_the_generator_and_the_report_names_it() {
    let project = Project::new();
    let server = generator();
    let dry = import(&project, &server, &["--dry-run", "--json"]);
    assert_eq!(dry.code, 0, "{}", dry.stderr);
    assert_eq!(server.arrived().len(), 0);
    let outcome = import(&project, &server, &["--name", "r", "--full"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    check(&project, "r");
    // The oracle of `q2`, its gold in noise, and both without contexts: `q1` has an oracle and its gold.
    assert_eq!(server.arrived().len(), 4);
    let estimate: Value = serde_json::from_str(&dry.stdout).expect("JSON");
    assert_eq!(estimate["calls"], 4);
    let manifest = project.json("runs/r/run.json");
    assert_eq!(manifest["models"], json!([{"role": "conditions", "name": "theirs", "sha256": {}}]));
    assert!(manifest["template"].as_str().expect("text").contains("Passages:"));
    let report = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        report.contains(
            "the conditions were answered by `theirs`, with the prompt template of the settings"
        ),
        "{report}"
    );
    let summary = project.summary("r");
    assert_eq!(summary["losses"]["budget"]["n"], 2);
    assert_eq!(summary["losses"]["budget"]["loss"], 0.5);
    // The responses are cached: nothing is asked again.
    let again = import(&project, &server, &["--name", "again"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_eq!(server.arrived().len(), 4);
}

#[test]
fn conditions_need_a_generator_and_a_dry_run_needs_conditions() {
    let project = Project::new();
    project.write("answers.jsonl", record());
    let args = ["import", "answers.jsonl", "c.toml", "--out", "runs"];
    let none = ["--conditions", "--set", "generation.generator=none"];
    let outcome = project.refused(&[&args[..], &none].concat());
    assert!(
        outcome.stderr.starts_with(
            "error: `generation.generator` is `none`, so no generator can answer the conditions\nhint: "
        ),
        "{}",
        outcome.stderr
    );
    let outcome = project.call(&[&args[..], &["--dry-run"]].concat());
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("--conditions"), "{}", outcome.stderr);
}
