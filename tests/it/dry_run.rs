//! `run --dry-run`: what it counts is what the run then does, and nothing is sent or written meanwhile.

use serde_json::{Value, json};
use wiremock::ResponseTemplate;

use crate::endpoint::{Endpoint, knows, sets};
use crate::project::{Outcome, Project};

fn call(project: &Project, base_url: &str, more: &[&str]) -> Outcome {
    let sets = sets(base_url);
    let mut args = vec!["run", "c.toml", "--out", "runs", "--name", "r"];
    args.extend(sets.iter().map(String::as_str));
    args.extend(more);
    project.call(&args)
}

fn dry(project: &Project, base_url: &str, more: &[&str]) -> Value {
    let outcome = call(project, base_url, &[&["--dry-run", "--json"], more].concat());
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    assert!(project.files("runs").is_empty(), "a dry run leaves no run");
    serde_json::from_str(&outcome.stdout).expect("JSON")
}

/// Prompts, cached, same prompt and calls.
fn counts(estimate: &Value) -> [u64; 4] {
    ["prompts", "cached", "same_prompt", "calls"]
        .map(|key| estimate[key].as_u64().expect("a number"))
}

#[test]
fn what_is_counted_is_what_the_run_then_asks() {
    let endpoint = Endpoint::start(None, knows);
    let project = Project::new();
    let estimate = dry(&project, &endpoint.base_url(), &[]);
    assert!(endpoint.requests().is_empty());
    // Both documents are packed for both questions, so gold in noise is the same prompt; the closed-book sample holds both.
    assert_eq!(counts(&estimate), [8, 0, 2, 6]);
    assert_eq!(estimate["questions"], 2);
    assert_eq!(estimate["most_completion_tokens"], 6 * 1_024);

    assert_eq!(call(&project, &endpoint.base_url(), &[]).code, 0);
    assert_eq!(endpoint.requests().len(), 6);
    let traces = project.traces("r");
    let conditions =
        traces.iter().flat_map(|trace| trace["conditions"].as_array().expect("conditions"));
    let attempts =
        conditions.flat_map(|condition| condition["attempts"].as_array().expect("attempts"));
    let called = attempts.filter(|attempt| attempt["origin"] == "called");
    let tokens: u64 =
        called.map(|attempt| attempt["tokens"]["prompt"].as_u64().expect("a number")).sum();
    assert_eq!(estimate["prompt_tokens"], tokens);
}

#[test]
fn after_a_run_all_is_in_the_cache() {
    let endpoint = Endpoint::start(None, knows);
    let project = Project::new();
    let one_condition = ["--set", "evaluation.conditions=[\"retrieved\"]"];
    assert_eq!(call(&project, &endpoint.base_url(), &one_condition).code, 0);
    std::fs::remove_dir_all(project.path("runs")).expect("removed");

    let price = ["--set", "generation.price={prompt = 0.0, completion = 1000.0}"];
    let estimate = dry(&project, &endpoint.base_url(), &price);
    assert_eq!(counts(&estimate), [8, 2, 2, 4]);
    // Four calls are left (oracle, closed book), of at most 1,024 tokens each: $1,000 a million.
    assert_eq!(estimate["most_completion_tokens"], 4096);
    assert_eq!(estimate["most_cost_usd"], 4.096);
    assert_eq!(endpoint.requests().len(), 2);
}

#[test]
fn the_text_names_the_host_and_says_what_leaves() {
    let endpoint = Endpoint::start(None, knows);
    let project = Project::new();
    let shown = call(&project, &endpoint.base_url(), &["--dry-run"]).stdout;
    let here = format!("passages and questions go to {} (generator)", endpoint.base_url());
    assert!(shown.contains("Leaves the machine  nothing\n") && shown.contains(&here), "{shown}");

    // Nobody is asked, so the host need not be there.
    let far = "https://user:hush@llm.invalid/v1?key=hush";
    let shown = call(&project, far, &["--dry-run"]);
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""));
    let sentence =
        "Leaves the machine  passages and questions go to https://llm.invalid/v1 (generator)\n";
    assert!(shown.stdout.contains(sentence) && !shown.stdout.contains("hush"), "{}", shown.stdout);
    assert!(shown.stdout.contains("unknown: `generation.price` is not set"), "{}", shown.stdout);
}

#[test]
fn recorded_responses_cost_nothing() {
    let shown = Project::runbooks().call(&["run", "--dry-run"]).stdout;
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Calls none; 0 of ") && words.contains("Cost none"), "{shown}");
}

#[test]
fn services_of_retrieval_are_not_called_either() {
    let service = Endpoint::start(None, knows);
    for path in ["/v1/embeddings", "/rerank"] {
        service.answer(path, ResponseTemplate::new(500));
    }
    let project = Project::new();
    let endpoint = format!("retrieval.dense.endpoint={}", service.base_url());
    let rerank = format!("rerank.endpoint={}/rerank", service.uri());
    let dense = [
        "--set",
        "retrieval.retrievers=[\"bm25\", \"dense\"]",
        "--set",
        &endpoint,
        "--set",
        &rerank,
    ];
    let estimate = dry(&project, &service.base_url(), &dense);
    assert!(service.requests().is_empty());
    assert_eq!(counts(&estimate)[3], 6);
    assert!(estimate["stand_in"].as_str().expect("said").starts_with("retrieval by bm25 replaces"));
    let sent = estimate["sent"].as_array().expect("a list").iter().map(|one| &one["for"]);
    assert_eq!(sent.collect::<Vec<_>>(), ["encoder", "reranker", "generator"]);
}

#[test]
fn without_a_generator_nothing_is_paid_and_nothing_leaves() {
    let project = Project::new();
    let outcome = project.run(&["--dry-run", "--set", "generation.generator=none"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    assert!(outcome.stdout.contains("none"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("Leaves the machine  nothing\n"), "{}", outcome.stdout);
    assert!(project.files("runs").is_empty());
}

#[test]
fn a_run_that_is_resumed_counts_what_is_left() {
    let endpoint = Endpoint::start(None, knows);
    let project = Project::new();
    let one_condition = ["--set", "evaluation.conditions=[\"retrieved\"]"];
    assert_eq!(call(&project, &endpoint.base_url(), &one_condition).code, 0);
    let first = project.read("runs/r/traces.jsonl").lines().next().expect("a line").to_owned();
    project.write("runs/r/traces.jsonl", format!("{first}\n"));
    let before = project.files("runs");
    let outcome = project.call(&[
        "run",
        "--out",
        "runs",
        "--resume",
        "r",
        "--dry-run",
        "--json",
        "--no-cache",
    ]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let estimate: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!((&estimate["questions"], &estimate["calls"]), (&json!(1), &json!(1)));
    assert!(project.files("runs") == before, "nothing is written");
}

#[test]
fn a_run_says_first_what_leaves_this_machine() {
    let endpoint = Endpoint::start(None, knows);
    let project = Project::new();
    // The unspecified address leads here as well, but is none of the loopback ones.
    let elsewhere = endpoint.base_url().replace("127.0.0.1", "0.0.0.0");
    let outcome = call(&project, &elsewhere, &["--limit", "1"]);
    let announced = format!(
        "leaves this machine: passages and questions go to {elsewhere} (generator); `--dry-run` counts it"
    );
    assert_eq!(outcome.stderr, format!("{announced}\nrun folder: runs/r\n"));
}
