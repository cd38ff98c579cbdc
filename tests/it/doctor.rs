//! `ragtriage doctor`: each check's line, what fails, what is asked of an endpoint, and that no key is printed.

use serde_json::{Value, json};
use wiremock::{Request, ResponseTemplate};

use crate::endpoint::{Endpoint, knows, says, sets};
use crate::project::{Outcome, Project, outcome, repository};

const KEY: &str = "sk-hush-0123456789abcdef";

/// `doctor c.toml` with a key in the environment.
fn doctor(project: &Project, args: &[&str]) -> Outcome {
    let mut command = project.command(&[&["doctor", "c.toml"], args].concat());
    let outcome = outcome(&command.env("TEST_KEY", KEY).output().expect("starts"));
    assert!(
        !outcome.stdout.contains("hush") && !outcome.stderr.contains("hush"),
        "{}{}",
        outcome.stdout,
        outcome.stderr
    );
    outcome
}

/// The checks of `--json` by subject: status, fact, hint.
fn checks(outcome: &Outcome, subject: &str) -> Vec<(String, String, String)> {
    let found: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!(found["passed"], outcome.code == 0);
    let text = |check: &Value, name: &str| check[name].as_str().unwrap_or_default().to_owned();
    let checks = found["checks"].as_array().expect("a list").iter();
    let checks = checks.filter(|check| check["subject"] == subject);
    checks.map(|check| (text(check, "status"), text(check, "fact"), text(check, "hint"))).collect()
}

/// The one check of the generator's endpoint at `endpoint`, with these arguments.
fn generation(endpoint: &Endpoint, args: &[&str]) -> (String, String) {
    let sets = sets(&endpoint.base_url());
    let sets = sets.iter().map(String::as_str);
    let all: Vec<&str> = sets.chain(["--json"]).chain(args.iter().copied()).collect();
    let outcome = doctor(&Project::new(), &all);
    let mut found = checks(&outcome, "generation endpoint");
    assert_eq!(found.len(), 1, "{}", outcome.stdout);
    assert_eq!(found[0].0 == "ok", outcome.code == 0, "{}", outcome.stdout);
    let (status, fact, _) = found.remove(0);
    (status, fact.replace(&endpoint.base_url(), "URL"))
}

fn rejects(status: u16, message: &str) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_json(json!({"error": {"message": message}}))
}

const WITH_KEY: [&str; 2] = ["--set", "generation.api_key_env=TEST_KEY"];

#[test]
fn each_check_is_a_line() {
    let project = Project::new();
    let outcome = doctor(&project, &[]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let folder = project.path("cache").display().to_string();
    let lines: Vec<String> =
        outcome.stdout.lines().map(|line| line.replace(&folder, "CACHE")).collect();
    let starts = ["  ok      configuration  c.toml", "  ok      cache folder   CACHE: writable"];
    for (line, start) in lines.iter().zip(starts) {
        assert!(line.starts_with(start), "{line}");
    }
    assert_eq!(lines.len(), starts.len());
    assert_eq!(project.files("cache").len(), 0, "nothing is left behind");
}

#[test]
fn one_token_is_asked_for() {
    let endpoint = Endpoint::start(None, says("H"));
    let (status, fact) = generation(&endpoint, &WITH_KEY);
    assert_eq!(
        (status.as_str(), fact.as_str()),
        ("ok", "tiny at URL: answers, key accepted (made 1 call to check it)")
    );
    // The context length is read without a call.
    let mut requests = endpoint.requests();
    requests.retain(|request| request.method == "POST");
    assert_eq!(requests.len(), 1);
    let body: Value = serde_json::from_slice(&requests[0].body).expect("JSON");
    assert_eq!((&body["model"], &body["max_tokens"]), (&json!("tiny"), &json!(1)));
}

#[test]
fn a_server_that_repeats_the_key_does_not_get_it_printed() {
    let echo = |request: &Request| {
        let key = request.headers.get("authorization");
        let key = key.and_then(|key| key.to_str().ok()).unwrap_or_default().to_owned();
        rejects(401, &format!("{key} is not a key"))
    };
    let endpoint = Endpoint::start(None, echo);
    let (status, fact) = generation(&endpoint, &WITH_KEY);
    assert_eq!(status, "failed");
    assert!(fact.contains("status 401"), "{fact}");
}

#[test]
fn an_endpoint_that_is_not_there_and_a_key_that_is_not_set_fail() {
    let project = Project::new();
    let outcome = doctor(&project, &["--llm", "http://127.0.0.1:9/v1#tiny", "--json"]);
    let found = checks(&outcome, "generation endpoint");
    assert_eq!(outcome.code, 1);
    assert!(found[0].1.contains("cannot be reached"), "{}", found[0].1);
    assert!(found[0].2.starts_with("start the server"), "{}", found[0].2);

    let outcome = doctor(&project, &["--llm", "openai:gpt-4o-mini", "--json"]);
    let found = checks(&outcome, "generation endpoint");
    assert_eq!(
        found[0].1,
        "the environment variable `OPENAI_API_KEY` named by `generation.api_key_env` is not set"
    );
}

#[test]
fn the_judge_is_checked_under_its_own_keys() {
    let endpoint = Endpoint::start(None, |_: &Request| rejects(401, "bad key"));
    let url = format!("judge.base_url={}", endpoint.base_url());
    let args = ["--set", "judge.model=tiny", "--set", &url, "--json"];
    let found = checks(&doctor(&Project::new(), &args), "judge endpoint");
    assert_eq!(found[0].0, "failed");
    assert_eq!(found[0].2, "`judge.api_key_env` names the variable with the key");
}

#[test]
fn embeddings_and_rerank_endpoints_get_one_call_each() {
    let endpoint = Endpoint::start(None, knows);
    let vector = json!({"data": [{"index": 0, "embedding": [0.6, 0.8]}]});
    endpoint.answer("/v1/embeddings", ResponseTemplate::new(200).set_body_json(vector));
    let scores = json!({"results": [{"index": 0, "relevance_score": 0.5}]});
    endpoint.answer("/rerank", ResponseTemplate::new(200).set_body_json(scores));
    let dense = format!("retrieval.dense.endpoint={}", endpoint.base_url());
    let rerank = format!("rerank.endpoint={}", endpoint.uri());
    let args = [
        "--set",
        "retrieval.retrievers=[\"dense\"]",
        "--set",
        "retrieval.dense.model=e",
        "--set",
        &dense,
        "--set",
        &rerank,
        "--set",
        "rerank.model=r",
        "--json",
    ];
    let outcome = doctor(&Project::new(), &args);
    let at = |subject| checks(&outcome, subject).remove(0).1.replace(&endpoint.uri(), "URL");
    assert_eq!(at("embeddings endpoint"), "e at URL/v1: 2 dimensions (made 1 call to check it)");
    assert_eq!(at("rerank endpoint"), "URL/: scores passages (made 1 call to check it)");
    assert_eq!(endpoint.requests().len(), 2);
}

#[test]
fn an_external_service_is_reached_but_not_asked() {
    let endpoint = Endpoint::start(None, knows);
    let url = format!("external.url={}/ask", endpoint.uri());
    let args = ["--set", &url, "--set", "external.api_key_env=TEST_KEY", "--json"];
    endpoint.answer_get("/ask", ResponseTemplate::new(405));
    let found = checks(&doctor(&Project::new(), &args), "external service");
    assert_eq!(found[0].0, "ok");
    assert!(endpoint.requests().iter().all(|request| request.method == "GET"));

    let endpoint = Endpoint::start(None, knows);
    let url = format!("external.url={}/ask", endpoint.uri());
    endpoint.answer_get("/ask", rejects(403, "not you"));
    let args = ["--set", &url, "--set", "external.api_key_env=TEST_KEY", "--json"];
    let found = checks(&doctor(&Project::new(), &args), "external service");
    assert!(found[0].1.contains("status 403: not you"), "{}", found[0].1);
}

#[test]
fn model_files_are_opened_and_verified() {
    let project = Project::new();
    let dense = ["--set", "retrieval.retrievers=[\"dense\"]", "--json", "--set"];
    let model = |name: &str| {
        let set = format!("retrieval.dense.model={name}");
        let outcome = doctor(&project, &[&dense[..], &[&set]].concat());
        checks(&outcome, "model files").remove(0)
    };
    let folder = repository("tests/data/tiny-bert").display().to_string();
    let (status, fact, _) = model(&folder);
    assert_eq!(status, "ok");
    assert!(fact.contains("3 files, in "), "{fact}");
    assert_eq!(model("./none").0, "failed");
    assert_eq!(model("some/model").0, "failed");
    // Its hashes are built in, so the first run may download it.
    assert_eq!(model("sentence-transformers/all-MiniLM-L6-v2").0, "note");
}

#[test]
fn a_configuration_or_a_cache_folder_that_cannot_be_used_fails() {
    let project = Project::new();
    let missing = project.call(&["doctor", "none.toml"]);
    assert_eq!((missing.code, missing.stderr.as_str()), (1, ""));
    let start = "  failed  configuration  cannot read";
    assert!(missing.stdout.starts_with(start), "{}", missing.stdout);
    let mut command = project.command(&["doctor", "c.toml", "--json"]);
    let command = command.env("RAGTRIAGE_CACHE", project.path("c.toml"));
    let refused = outcome(&command.output().expect("starts"));
    let found = checks(&refused, "cache folder");
    assert!(found[0].1.contains("cannot be written"), "{}", found[0].1);
    assert!(found[0].2.contains("RAGTRIAGE_CACHE"), "{}", found[0].2);
}

#[test]
fn a_file_of_chunks_is_compared_with_the_documents_to_its_end() {
    let project = Project::new();
    let chunks = [
        json!({"doc_id": "a", "text": "Alpha waits six minutes."}),
        json!({"doc_id": "a", "text": "Alpha waits six minutes."}),
        json!({"doc_id": "a", "text": "Alpha waited five minutes."}),
        json!({"doc_id": "gone", "text": "Nothing has it."}),
    ];
    project.write("chunks.jsonl", chunks.map(|chunk| format!("{chunk}\n")).concat());
    let file = ["--set", "chunking.file=chunks.jsonl", "--set", "chunking.strategy=file"];
    project.refused(&[&["run", "c.toml"][..], &file].concat());
    let outcome = doctor(&project, &[&["--index", "--json"][..], &file].concat());
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    let facts = |subject| checks(&outcome, subject).into_iter().map(|check| check.1);
    let documents: Vec<String> = facts("documents").collect();
    assert_eq!(
        documents,
        ["1 of 2 are not in the index: b", "2 of 2 differ from their text in the index: a, gone"]
    );
    assert!(facts("chunks").any(|fact| fact == "1 of 4 are in the index twice"));
    // Offsets alone.
    let chunk = format!("{}\n", json!({"doc_id": "a", "start": 0, "end": 24}));
    project.write("chunks.jsonl", chunk.repeat(2));
    let outcome = doctor(&project, &[&["--index", "--json"][..], &file].concat());
    let facts = |subject| checks(&outcome, subject).into_iter().map(|check| check.1);
    assert!(facts("documents").any(|fact| fact == "1 of 2 are not in the index: b"));
    assert!(facts("chunks").any(|fact| fact == "1 of 2 are in the index twice"));
}
