//! External RAG services, asked over HTTP question by question.

use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use crate::project::{Outcome, Project};
use crate::run_files::{self, class, metric};

/// A RAG on loopback; gone at the end.
pub struct Rag {
    server: MockServer,
    runtime: Runtime,
}

impl Rag {
    pub fn start(respond: impl Respond + 'static) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let server = runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            let server = MockServer::builder().listener(listener).start().await;
            Mock::given(method("POST"))
                .and(path("/ask"))
                .respond_with(respond)
                .mount(&server)
                .await;
            server
        });
        Self { server, runtime }
    }

    pub fn set(&self) -> String {
        format!("external.url={}/ask", self.server.uri())
    }

    pub fn requests(&self) -> Vec<Request> {
        self.runtime.block_on(self.server.received_requests()).expect("recorded")
    }
}

pub fn asked(request: &Request) -> Value {
    serde_json::from_slice(&request.body).expect("JSON")
}

/// Both questions correct, each from its own document.
fn knows(request: &Request) -> ResponseTemplate {
    let question = asked(request);
    let (text, answer) = match question["question"].as_str().expect("a question") {
        "How long does alpha wait?" => ("Alpha waits six minutes.", "six minutes"),
        _ => ("Beta never waits.", "Beta"),
    };
    ResponseTemplate::new(200)
        .set_body_json(json!({ "id": question["id"], "contexts": [text], "answer": answer }))
}

fn run(project: &Project, rag: &Rag, args: &[&str]) -> Outcome {
    let set = rag.set();
    project.run(&[&["--set", &set], args].concat())
}

#[test]
fn a_service_is_asked_once_a_question_and_classified() {
    let project = Project::new();
    let rag = Rag::start(knows);
    let outcome = run(&project, &rag, &["--name", "r", "--offline"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    run_files::check(&project, "r");
    let summary = project.summary("r");
    assert_eq!((class(&summary, "correct"), metric(&summary, "EM@1")), (2, (1.0, 2)));
    let mut bodies: Vec<Value> = rag.requests().iter().map(asked).collect();
    bodies.sort_by_key(|body| body["id"].to_string());
    let expected = [
        json!({ "id": "q1", "question": "How long does alpha wait?" }),
        json!({ "id": "q2", "question": "Who never waits?" }),
    ];
    assert_eq!(bodies, expected);
    assert_eq!(project.json("runs/r/run.json")["external"]["kind"], "service");
}

#[test]
fn a_question_that_fails_is_a_row_and_is_asked_again_on_resume() {
    let project = Project::new();
    let n_calls = AtomicUsize::new(0);
    let rag = Rag::start(move |request: &Request| {
        let is_second = asked(request)["id"] == "q2";
        if is_second && n_calls.fetch_add(1, Ordering::SeqCst) == 0 {
            return ResponseTemplate::new(400).set_body_string("out of memory");
        }
        knows(request)
    });
    let outcome = run(&project, &rag, &["--name", "r"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let summary = project.summary("r");
    assert_eq!((class(&summary, "failed"), class(&summary, "correct")), (1, 1));
    let reason = project.traces("r")[1]["reason"].as_str().expect("a reason").to_owned();
    assert!(reason.ends_with("/ask` answered with status 400: out of memory"), "{reason}");
    let outcome = run(&project, &rag, &["--resume", "r"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(class(&project.summary("r"), "correct"), 2);
    assert_eq!(rag.requests().len(), 3, "what was finished is not asked again");
}

#[test]
fn a_service_that_answers_otherwise_is_told_what_was_expected() {
    for (body, reason) in [
        (json!({ "answer": "x" }), "neither `contexts` nor `stages`; it has `answer`"),
        (json!({ "id": "q7", "contexts": ["a"], "answer": "x" }), "answered `q7`"),
        (json!({ "error": "no index" }), "the recorded pipeline failed: no index"),
        (json!([1]), "not a JSON object"),
    ] {
        let project = Project::new();
        let rag = Rag::start(ResponseTemplate::new(200).set_body_json(body));
        let outcome = run(&project, &rag, &["--name", "r"]);
        assert_eq!(outcome.code, 2, "{}", outcome.stdout);
        assert!(
            outcome.since_start().starts_with("error: aborted after 2 consecutive failures"),
            "{}",
            outcome.stderr
        );
        assert!(outcome.stderr.contains(reason), "{}", outcome.stderr);
    }
}

#[test]
fn a_service_that_only_retrieves_needs_no_answers() {
    let project = Project::new();
    let rag = Rag::start(|request: &Request| {
        let id = asked(request)["id"].clone();
        ResponseTemplate::new(200)
            .set_body_json(json!({ "id": id, "contexts": ["Beta never waits."] }))
    });
    let outcome = run(&project, &rag, &["--name", "r"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let summary = project.summary("r");
    assert_eq!((class(&summary, "delivered"), class(&summary, "not_in_prompt")), (1, 1));
}

#[test]
fn addresses_and_keys_that_cannot_be_used_are_refused_before_anything_is_asked() {
    let project = Project::new();
    let refused = |args: &[&str]| {
        let outcome =
            project.refused(&[&["run", "c.toml", "--out", "runs", "--name", "r"], args].concat());
        outcome.stderr
    };
    let elsewhere = "external.url=http://user:pass@example.com/ask?key=k";
    let stderr = refused(&["--set", elsewhere, "--offline"]);
    assert!(
        stderr.contains("`http://example.com/ask` is not on this machine")
            && !stderr.contains("pass"),
        "{stderr}"
    );
    let stderr = refused(&["--set", elsewhere]);
    assert!(
        stderr.starts_with("error: the key would be sent unencrypted to `example.com`\nhint: "),
        "{stderr}"
    );
    let stderr = refused(&["--set", "external.url=nonsense"]);
    assert!(stderr.starts_with("error: `external.url` is not a URL"), "{stderr}");
    let keyed =
        ["--set", "external.url=http://127.0.0.1:9/ask", "--set", "external.api_key_env=NOT_SET"];
    assert!(refused(&keyed).contains("`NOT_SET` named by `external.api_key_env` is not set"));
}

#[test]
fn what_stood_in_the_prompt_is_found_whatever_our_own_k_is() {
    let project = Project::new();
    let rag = Rag::start(|request: &Request| {
        let id = asked(request)["id"].clone();
        let contexts = ["Gamma.", "Delta.", "Alpha waits six minutes.", "Beta never waits."];
        let answer = if id == "q1" { "six minutes" } else { "Beta" };
        ResponseTemplate::new(200)
            .set_body_json(json!({ "id": id, "contexts": contexts, "answer": answer }))
    });
    let outcome = run(&project, &rag, &["--name", "r", "--set", "retrieval.k=1"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let table = &project.summary("r")["two_by_two"];
    assert_eq!(
        (&table["k"], &table["hit_correct"]["n"], &table["n"]),
        (&json!(4), &json!(2), &json!(2))
    );
}

#[test]
fn bytes_and_keys_that_would_be_read_in_part_are_errors() {
    let whole = r#""contexts": ["Beta never waits."], "answer": "Beta""#;
    for (body, error) in [
        (format!("{{{whole}, \"answer\": \"Alpha\"}}").into_bytes(), "duplicate key `answer`"),
        ([b"{\"x\": \"\xff\", ", whole.as_bytes(), b"}"].concat(), "invalid utf-8"),
    ] {
        let project = Project::new();
        let rag = Rag::start(move |request: &Request| {
            // The second call of a question gives the contexts.
            let is_condition = !asked(request)["contexts"].is_null();
            let fine = format!("{{{whole}}}").into_bytes();
            ResponseTemplate::new(200).set_body_bytes(if is_condition {
                body.clone()
            } else {
                fine
            })
        });
        let outcome =
            run(&project, &rag, &["--name", "r", "--set", "external.answers_contexts=true"]);
        let traces = project.files("runs").into_values().collect::<Vec<_>>();
        let told = String::from_utf8_lossy(&traces.concat()).into_owned() + &outcome.stderr;
        assert!(told.contains(error), "{error}: {told}");
    }
}

/// Fails at `q2` once; no context is in a document.
fn forgets(request: &Request, n_calls: &AtomicUsize) -> ResponseTemplate {
    let id = asked(request)["id"].clone();
    if id == "q2" && n_calls.fetch_add(1, Ordering::SeqCst) == 0 {
        let error = format!("401: Bearer sk-very-secret {}", "x".repeat(1000));
        return ResponseTemplate::new(200).set_body_json(json!({ "error": error }));
    }
    ResponseTemplate::new(200)
        .set_body_json(json!({ "id": id, "contexts": ["Gamma."], "answer": "Gamma" }))
}

#[test]
fn on_resume_counts_go_on_and_what_the_service_says_holds_no_key() {
    let project = Project::new();
    let n_calls = AtomicUsize::new(0);
    let rag = Rag::start(move |request: &Request| forgets(request, &n_calls));
    let set = rag.set();
    let call = |args: &[&str]| {
        let all = [
            "run",
            "c.toml",
            "--out",
            "runs",
            "--set",
            &set,
            "--set",
            "external.api_key_env=RAG_KEY",
        ];
        let output = project
            .command(&[&all, args].concat())
            .env("RAG_KEY", "sk-very-secret")
            .output()
            .expect("starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        project.notes("r")
    };
    let notes = call(&["--name", "r"]);
    assert!(notes.contains("1 context that is in no document:"), "{notes}");
    let reason = project.traces("r")[1]["reason"].as_str().expect("a reason").to_owned();
    assert!(reason.contains("401: Bearer *** xxx") && reason.len() < 400, "{reason}");
    let notes = call(&["--resume", "r"]);
    assert!(notes.contains("2 contexts that are in no document:"), "{notes}");
    for (path, bytes) in project.files("runs") {
        assert!(!String::from_utf8_lossy(&bytes).contains("sk-very-secret"), "{}", path.display());
    }
}
