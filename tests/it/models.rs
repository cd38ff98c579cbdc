//! `model fetch` with a hub on loopback that serves the tiny BERT, its weights by a redirect to another host.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use crate::project::{Outcome, Project, copy_folder, outcome, repository};
use crate::socket::{Sent, Socket, answer};

const NAME: &str = "acme/tiny-bert";
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const KEY: &str = "hf_very_secret";
const WEIGHTS: &str = "model.safetensors";
const FILES: [&str; 6] = [
    "config.json",
    "tokenizer.json",
    "modules.json",
    "sentence_bert_config.json",
    "1_Pooling/config.json",
    WEIGHTS,
];

fn bytes(file: &str) -> Vec<u8> {
    fs::read(repository("tests/data/tiny-bert").join(file)).expect("in the repository")
}

fn sends(status: &str, headers: &str, length: usize, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

/// The store of large files: the first transfer breaks in the middle.
fn store() -> Socket {
    let n_calls = AtomicUsize::new(0);
    Socket::start(move |_| {
        let body = bytes(WEIGHTS);
        let is_first = n_calls.fetch_add(1, Ordering::SeqCst) == 0;
        let n_sent = if is_first { body.len() / 2 } else { body.len() };
        Sent::Bytes(sends("200 OK", "", body.len(), &body[..n_sent]))
    })
}

/// The hub: a description, small files from itself, the weights from `store`.
fn hub(store: &Socket) -> Socket {
    let port = store.port();
    Socket::start(move |request| {
        let path = request.split(' ').nth(1).unwrap_or_default();
        if path.starts_with(&format!("/api/models/{NAME}/revision/")) {
            let siblings: Vec<_> = FILES
                .iter()
                .chain(&["README.md", "onnx/model.onnx"])
                .map(|file| json!({"rfilename": file}))
                .collect();
            let body = json!({"sha": COMMIT, "siblings": siblings}).to_string();
            return Sent::Bytes(answer("200 OK", &[], &body));
        }
        let prefix = format!("/{NAME}/resolve/{COMMIT}/");
        match path.strip_prefix(&prefix) {
            Some(WEIGHTS) => {
                let location = format!("location: http://127.0.0.1:{port}/blob?signature=x");
                Sent::Bytes(answer("302 Found", &[&location], ""))
            }
            Some(file) if FILES.contains(&file) => {
                let body = bytes(file);
                Sent::Bytes(sends("200 OK", "", body.len(), &body))
            }
            _ => Sent::Bytes(answer("404 Not Found", &[], "")),
        }
    })
}

fn refusing(status: &'static str) -> Socket {
    Socket::start(move |_| Sent::Bytes(answer(status, &[], "no")))
}

fn call(project: &Project, hub: &Socket, args: &[&str]) -> Outcome {
    let mut command = project.command(args);
    command.env("HF_ENDPOINT", format!("http://127.0.0.1:{}", hub.port())).env("HF_TOKEN", KEY);
    outcome(&command.output().expect("starts"))
}

const FETCH: [&str; 3] = ["model", "fetch", NAME];

/// The folder of the fetched model.
fn folder(project: &Project) -> PathBuf {
    project.path(&format!("cache/models/models--acme--tiny-bert/snapshots/{COMMIT}"))
}

/// A project with the fetched model.
fn fetched() -> (Project, Socket, Socket) {
    let project = Project::new();
    let store = store();
    let hub = hub(&store);
    let outcome = call(&project, &hub, &FETCH);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(outcome.stdout, format!("{}\n", folder(&project).display()));
    (project, hub, store)
}

/// The project's run, offline, with chunks counted by the tokenizer of that model.
fn run(project: &Project, name: &str, model: &str) -> Outcome {
    project.run(&[
        "--offline",
        "--name",
        name,
        "--set",
        "retrieval.retrievers=[\"bm25\"]",
        "--set",
        "chunking.tokenizer=\"model\"",
        "--set",
        &format!("retrieval.dense.model=\"{model}\""),
    ])
}

#[test]
fn a_model_is_fetched_with_its_pooling_and_the_key_stays_with_the_hub() {
    let (project, hub, store) = fetched();
    for file in FILES {
        assert_eq!(fs::read(folder(&project).join(file)).expect("fetched"), bytes(file), "{file}");
    }
    assert!(!folder(&project).join("README.md").exists());
    // 1 description, 6 files; the weights twice, since the first transfer broke.
    let (asked, stored) = (hub.requests(), store.requests());
    assert_eq!((asked.len(), stored.len()), (8, 2));
    let has_key = |request: &String| request.contains(KEY);
    assert!(asked.iter().all(has_key), "{asked:?}");
    assert!(!stored.iter().any(has_key), "{stored:?}");
}

#[test]
fn a_fetched_model_is_fetched_once_and_used_offline() {
    let (project, hub, _store) = fetched();
    let again = call(&project, &hub, &FETCH);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert!(again.stderr.contains("already on this machine"), "{}", again.stderr);
    assert_eq!(hub.requests().len(), 8);
    for (name, model) in [("r", NAME.to_owned()), ("s", format!("{NAME}@{COMMIT}"))] {
        let outcome = run(&project, name, &model);
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    }
    let other = run(&project, "other", &format!("{NAME}@{}", "f".repeat(40)));
    assert!(other.stderr.contains("no pinned hash"), "{}", other.stderr);
}

#[test]
fn another_commit_than_the_requested_one_is_refused_by_name() {
    let project = Project::new();
    let hub = hub(&store());
    let wanted = "f".repeat(40);
    let name = format!("{NAME}@{wanted}");
    let outcome = call(&project, &hub, &["model", "fetch", &name]);
    assert_eq!(outcome.code, 2);
    let named = format!("describes commit `{COMMIT}` of `{NAME}` instead of `{wanted}`");
    assert!(outcome.stderr.contains(&named), "{}", outcome.stderr);
    assert_eq!(hub.requests().len(), 1, "no file is fetched");
}

#[test]
fn a_refusal_is_named_by_its_cause() {
    let project = Project::new();
    for status in ["401 Unauthorized", "403 Forbidden", "404 Not Found"] {
        let hub = refusing(status);
        let outcome = call(&project, &hub, &FETCH);
        assert_eq!(outcome.code, 2, "{status}");
        let error = format!(
            "has no model `acme/tiny-bert` with revision `main`, or denies access with the given key (status {})",
            &status[..3]
        );
        assert!(outcome.stderr.contains(&error), "{error}: {}", outcome.stderr);
        assert!(outcome.stderr.contains("`HF_TOKEN`"), "{}", outcome.stderr);
        assert!(!outcome.stderr.contains(KEY));
        assert_eq!(hub.requests().len(), 1, "a refusal is not asked for again");
    }
    project
        .refuses_with_some_hint(&["model", "fetch", "../x"], "error: `../x` is not a model name");
}

#[test]
fn a_model_in_the_users_hub_cache_is_used_without_the_network() {
    let project = Project::new();
    let model = project.path("hf/hub/models--acme--tiny-bert");
    let snapshot = model.join("snapshots").join(COMMIT);
    copy_folder(&repository("tests/data/tiny-bert"), &snapshot);
    fs::create_dir_all(model.join("refs")).expect("made");
    fs::write(model.join("refs/main"), COMMIT).expect("written");
    let home = project.path("hf");
    let call = |args: &[&str]| {
        let mut command = project.command(args);
        outcome(&command.env("HF_HOME", &home).output().expect("starts"))
    };
    let missing = call(&["model", "fetch", "acme/other", "--offline"]);
    assert_eq!(missing.code, 2);
    assert!(
        missing.stderr.starts_with("error: `acme/other` is in no cache, and offline mode is on"),
        "{}",
        missing.stderr
    );
    let outcome = call(&["model", "fetch", NAME, "--offline"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(outcome.stdout, format!("{}\n", snapshot.display()));
    assert!(!project.path("cache/models").exists(), "nothing is copied");
}

#[test]
fn a_model_without_safetensors_is_refused_before_a_file_is_fetched() {
    let project = Project::new();
    let listing = json!({"sha": COMMIT, "siblings": [{"rfilename": "config.json"}, {"rfilename": "tokenizer.json"}, {"rfilename": "pytorch_model.bin"}]});
    let listing = listing.to_string();
    let hub = Socket::start(move |_| Sent::Bytes(answer("200 OK", &[], &listing)));
    let outcome = call(&project, &hub, &FETCH);
    let error = format!("error: `{NAME}` at revision `{COMMIT}` has no `model.safetensors`");
    assert!(outcome.stderr.starts_with(&error), "{}", outcome.stderr);
    assert_eq!(hub.requests().len(), 1);
}
