//! What can go wrong between the program and a language model's server: no question is lost by it, none is counted as wrong that was not
//! answered, and the message names the cause.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::json;

use crate::endpoint::sets;
use crate::project::{Outcome, Project, outcome};
use crate::run_files::{check, class, metric};
use crate::socket::{Sent, Socket, answer};

/// `run c.toml --out runs` with the endpoint at `base_url`, one condition, and `more`.
fn run(project: &Project, base_url: &str, more: &[&str]) -> Outcome {
    let sets = sets(base_url);
    let args: Vec<&str> = sets
        .iter()
        .map(String::as_str)
        .chain(["--set", "evaluation.conditions=[\"retrieved\"]"])
        .collect();
    let outcome = project.run(&[&args[..], more].concat());
    assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
    outcome
}

/// A completion that says `text`.
fn completion(text: &str) -> String {
    json!({"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}).to_string()
}

/// The correct answer to either question of the project.
fn correct(request: &str) -> Sent {
    Sent::Bytes(ok(&completion(correct_text(request))))
}

fn correct_text(request: &str) -> &'static str {
    if request.contains("How long does alpha wait?") {
        "Answer: six minutes"
    } else {
        "Answer: Beta"
    }
}

fn ok(body: &str) -> Vec<u8> {
    answer("200 OK", &["content-type: application/json", "connection: close"], body)
}

fn status(status: &str, headers: &[&str], body: &str) -> Sent {
    Sent::Bytes(answer(status, &[headers, &["connection: close"]].concat(), body))
}

const PAGE: &str = "<!DOCTYPE html><html><title>Bad gateway</title></html>";

/// The second question meets `fault` until it is mended; the first is answered. Then the run is gone on with.
fn fails_alone_and_is_asked_again(
    fault: impl Fn() -> Sent + Send + Sync + 'static,
    more: &[&str],
    cause: &str,
) {
    let is_mended = Arc::new(AtomicBool::new(false));
    let now = Arc::clone(&is_mended);
    let server = Socket::start(move |request| {
        let meets_it = request.contains("Who never waits?") && !now.load(Ordering::SeqCst);
        if meets_it { fault() } else { correct(request) }
    });
    let project = Project::new();
    let first = run(&project, &server.base_url(), &[&["--name", "r"], more].concat());
    assert_eq!(first.code, 0, "{cause}: {}", first.stderr);
    check(&project, "r");
    let summary = project.summary("r");
    assert_eq!((class(&summary, "failed"), class(&summary, "correct")), (1, 1), "{cause}");
    assert_eq!(
        metric(&summary, "AnswerF1"),
        (1.0, 1),
        "{cause}: what was not answered is in no mean"
    );
    let reason = project.traces("r")[1]["reason"].as_str().expect("a sentence").to_owned();
    assert!(reason.contains(cause), "{cause}: {reason}");

    is_mended.store(true, Ordering::SeqCst);
    let second = run(&project, &server.base_url(), &[&["--resume", "r"], more].concat());
    assert_eq!(second.code, 0, "{cause}: {}", second.stderr);
    check(&project, "r");
    assert_eq!(class(&project.summary("r"), "correct"), 2, "{cause}");
}

#[test]
fn what_lasts_fails_its_question_alone_and_names_the_cause() {
    let busy = || {
        status("503 Service Unavailable", &["retry-after: 0"], "{\"error\": \"loading the model\"}")
    };
    fails_alone_and_is_asked_again(busy, &[], "after 4 tries: ");
    let wait = || {
        status(
            "429 Too Many Requests",
            &["retry-after: 3600"],
            "{\"error\": {\"message\": \"a day's quota\"}}",
        )
    };
    fails_alone_and_is_asked_again(wait, &[], "status 429: a day's quota");
    fails_alone_and_is_asked_again(|| status("200 OK", &[], "hello"), &[], "not a chat completion");
    fails_alone_and_is_asked_again(
        || status("200 OK", &[], PAGE),
        &[],
        "a web page, not a chat completion",
    );
    fails_alone_and_is_asked_again(
        || status("200 OK", &[], "{\"choices\": []}"),
        &[],
        "it has no choices",
    );
    let null = || status("200 OK", &[], "{\"choices\": [{\"message\": null}]}");
    fails_alone_and_is_asked_again(null, &[], "its choice has no message");
    let cut =
        || status("200 OK", &[], "data: {\"choices\": [{\"delta\": {\"content\": \"Be\"}}]}\n\n");
    fails_alone_and_is_asked_again(cut, &[], "not a chat completion");
    let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let flood =
        || Sent::Endless(head.to_vec(), [&b"2000\r\n"[..], &[b' '; 0x2000], b"\r\n"].concat());
    fails_alone_and_is_asked_again(flood, &[], "larger than 64 MiB");
}

#[test]
fn a_connection_that_was_kept_open_and_is_dead_costs_no_answer() {
    let n_before = AtomicUsize::new(0);
    let server = Socket::start(move |request| match n_before.fetch_add(1, Ordering::SeqCst) {
        0 => Sent::KeptOpen(answer("200 OK", &[], &completion(correct_text(request)))),
        1 => Sent::Reset,
        _ => correct(request),
    });
    let project = Project::new();
    let one = ["--set", "http.concurrency=1", "--name", "r"];
    let outcome = run(&project, &server.base_url(), &one);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!((class(&project.summary("r"), "correct"), server.requests().len()), (2, 3));
}

#[test]
fn azure_is_called_with_its_path_its_query_and_its_header() {
    let server = Socket::start(correct);
    let base_url = format!(
        "http://127.0.0.1:{}/openai/deployments/tiny?api-version=2024-10-21",
        server.port()
    );
    let project = Project::new();
    let header = ["--set", "generation.headers_env={ \"api-key\" = \"AZURE_KEY\" }"];
    let args = [&header[..], &["--name", "r"]].concat();
    let sets = sets(&base_url);
    let all: Vec<&str> = ["run", "c.toml", "--out", "runs"]
        .into_iter()
        .chain(sets.iter().map(String::as_str))
        .collect();
    let all = [&all[..], &args].concat();
    let refused = project.refused(&all);
    assert_eq!(
        refused.stderr,
        "error: the environment variable `AZURE_KEY` named by `generation.headers_env` is not set\n\
         hint: set AZURE_KEY, or remove the setting for a server without keys\n"
    );
    let good = outcome(
        &project.command(&all).env("AZURE_KEY", "hush-azure-0123").output().expect("starts"),
    );
    assert_eq!(good.code, 0, "{}", good.stderr);
    for request in server.requests() {
        let first =
            "POST /openai/deployments/tiny/chat/completions?api-version=2024-10-21 HTTP/1.1\r\n";
        assert!(
            request.starts_with(first) && request.contains("\r\napi-key: hush-azure-0123\r\n"),
            "{request}"
        );
        assert!(!request.contains("authorization"), "{request}");
    }
    let talk = (good.stdout + &good.stderr).into_bytes();
    for (path, bytes) in project.files(".").into_iter().chain([("stdout and stderr".into(), talk)])
    {
        let text = String::from_utf8_lossy(&bytes);
        assert!(
            !text.contains("hush-azure") && !text.contains("2024-10-21"),
            "a secret is in {}",
            path.display()
        );
    }
}
