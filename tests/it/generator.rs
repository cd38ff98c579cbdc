//! A language model behind an endpoint: what it is sent, what is taken from it, and what happens when it fails.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use wiremock::{Request, ResponseTemplate};

use crate::endpoint::{Endpoint, knows, knows_and_bills, says, sets, user_message};
use crate::project::{Outcome, Project, full, outcome};
use crate::run_files::{check, class};

const KEY: &str = "sk-hush-0123456789abcdef";

/// `run` with these further arguments and a key in the environment.
fn run(project: &Project, args: &[String]) -> Outcome {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut command =
        project.command(&[&["run", "c.toml", "--out", "runs"], full(&args), &args[..]].concat());
    outcome(&command.env("TEST_KEY", KEY).output().expect("starts"))
}

fn with(base_url: &str, more: &[&str]) -> Vec<String> {
    let more = more.iter().map(|argument| (*argument).to_owned());
    sets(base_url).into_iter().chain(more).collect()
}

/// One prompt a question.
const ONE_ARM: [&str; 2] = ["--set", "evaluation.conditions=[\"retrieved\"]"];

#[test]
fn answers_are_taken_and_prompts_hold_the_passages() {
    let endpoint = Endpoint::start(None, knows);
    let project = Project::new();
    let outcome = run(&project, &with(&endpoint.base_url(), &["--name", "r"]));
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, "run folder: runs/r\n"));
    check(&project, "r");
    assert_eq!(class(&project.summary("r"), "correct"), 2);
    let traces = project.traces("r");
    assert_eq!(traces[0]["conditions"][0]["attempts"][0]["extracted"], "six minutes");
    assert_eq!(
        traces[0]["conditions"][0]["attempts"][0]["raw"],
        "The first passage says so.\nAnswer: six minutes"
    );

    // Each question is asked over what was retrieved (both documents), over its gold document alone, and without context; what
    // was retrieved holds the gold, so that prompt is the one with gold in noise too.
    let requests = endpoint.requests();
    let prompts: Vec<String> = requests.iter().map(user_message).collect();
    assert_eq!(prompts.len(), 6);
    let count = |passage: &str| prompts.iter().filter(|prompt| prompt.contains(passage)).count();
    assert_eq!((count("Alpha waits six minutes."), count("Beta never waits.")), (3, 3));
    let body: Value = serde_json::from_slice(&requests[0].body).expect("JSON");
    assert_eq!(
        (&body["model"], &body["temperature"], &body["max_tokens"]),
        (&"tiny".into(), &0.0.into(), &1_024.into())
    );
    assert_eq!(body["messages"][0]["role"], "system");
    assert!(outcome.stdout.contains(&endpoint.base_url()), "{}", outcome.stdout);
}

#[test]
fn billed_tokens_and_prices_are_added_up() {
    let endpoint = Endpoint::start(None, knows_and_bills);
    let project = Project::new();
    let price = "generation.price={prompt = 2.0, completion = 10.0}";
    let outcome = run(&project, &with(&endpoint.base_url(), &["--name", "r", "--set", price]));
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let summary = project.summary("r");
    // Six calls, two a condition: 6 x 1000 and 6 x 7 tokens; 6000 x 2 / 10^6 + 42 x 10 / 10^6 = 0.01242 US dollars.
    let tokens = &summary["tokens"];
    let oracle = &tokens["oracle"];
    assert_eq!(
        (&oracle["calls"], &oracle["prompt"], &oracle["completion"]),
        (&2.into(), &2000.into(), &14.into())
    );
    let in_noise = &tokens["gold_with_distractors"];
    assert_eq!(
        (&in_noise["calls"], &in_noise["same_prompt"], &in_noise["prompt"]),
        (&0.into(), &2.into(), &0.into())
    );
    assert!(
        (summary["cost_usd"].as_f64().expect("a cost") - 0.01242).abs() < 1e-12,
        "{}",
        summary["cost_usd"]
    );
}

#[test]
fn the_key_goes_to_the_server_and_nowhere_else() {
    // A server that answers and complains by repeating what it was sent, the key included.
    let endpoint = Endpoint::start(None, |request: &Request| {
        let key = request
            .headers
            .get("authorization")
            .and_then(|value| value.to_str().ok())
            .unwrap_or("none");
        if user_message(request).contains("alpha") {
            let text = format!("Sent: {key}, sk-hush-012...\nAnswer: six minutes");
            return says(&text).insert_header("x-echo", key);
        }
        ResponseTemplate::new(400)
            .set_body_json(json!({"error": {"message": format!("bad call with {key}")}}))
    });
    let project = Project::new();
    let outcome = run(
        &project,
        &with(&endpoint.base_url(), &["--name", "r", "--set", "generation.api_key_env=TEST_KEY"]),
    );
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    for request in endpoint.requests() {
        assert_eq!(
            request.headers.get("authorization").map(wiremock::http::HeaderValue::as_bytes),
            Some(format!("Bearer {KEY}").as_bytes())
        );
    }
    assert!(project.read("runs/r/traces.jsonl").contains("bad call with"), "the complaint is kept");
    assert_eq!(
        project.traces("r")[0]["conditions"][0]["attempts"][0]["raw"],
        "Sent: Bearer ***, ***...\nAnswer: six minutes"
    );
    let beginning = &KEY.as_bytes()[..8];
    let talk = (outcome.stdout + &outcome.stderr).into_bytes();
    for (path, bytes) in project.files(".").into_iter().chain([("stdout and stderr".into(), talk)])
    {
        assert!(
            !bytes.windows(8).any(|window| window == beginning),
            "the key is in {}",
            path.display()
        );
    }
}

#[test]
fn a_password_in_the_endpoints_address_is_shown_nowhere() {
    let endpoint = Endpoint::start(None, knows);
    let project = Project::new();
    let address = endpoint.base_url().replace("http://", "http://me:hush-hush-1@");
    let outcome = run(&project, &with(&address, &["--name", "r"]));
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let talk = (outcome.stdout + &outcome.stderr).into_bytes();
    for (path, bytes) in
        project.files("runs").into_iter().chain([("stdout and stderr".into(), talk)])
    {
        assert!(
            !String::from_utf8_lossy(&bytes).contains("hush-hush-1"),
            "the password is in {}",
            path.display()
        );
    }
    let set = format!("generation.base_url={address}?token=hush-hush-1");
    let shown = project.call(&["config", "show", "c.toml", "--set", &set]);
    assert!(
        shown.stdout.contains(&endpoint.base_url()) && !shown.stdout.contains("hush"),
        "{}",
        shown.stdout
    );
}

#[test]
fn one_failing_question_fails_alone_and_resume_asks_only_it() {
    let mended = Arc::new(AtomicBool::new(false));
    let now = Arc::clone(&mended);
    let endpoint = Endpoint::start(None, move |request: &Request| {
        let asked = user_message(request);
        if asked.contains("Who never waits?") && !now.load(Ordering::SeqCst) {
            return ResponseTemplate::new(500).set_body_string("out of memory");
        }
        knows(request)
    });
    let project = Project::new();
    let args = with(&endpoint.base_url(), &ONE_ARM);
    let first = run(&project, &[&args[..], &["--name".to_owned(), "r".to_owned()]].concat());
    assert_eq!(first.code, 0, "{}", first.stderr);
    check(&project, "r");
    let summary = project.summary("r");
    assert_eq!((class(&summary, "failed"), class(&summary, "correct")), (1, 1));
    // A failed question is no wrong answer: one answer was given, and it was correct.
    assert_eq!(summary["metrics"]["AnswerF1"]["n"], 1);
    assert_eq!(summary["metrics"]["AnswerF1"]["mean"], 1.0);
    let reason = project.traces("r")[1]["reason"].as_str().expect("a sentence").to_owned();
    assert!(reason.contains("status 500") && reason.contains("out of memory"), "{reason}");
    assert!(first.stdout.contains("--resume r"), "{}", first.stdout);

    mended.store(true, Ordering::SeqCst);
    let n_before = endpoint.requests().len();
    let second = run(&project, &[&args[..], &["--resume".to_owned(), "r".to_owned()]].concat());
    assert_eq!(second.code, 0, "{}", second.stderr);
    check(&project, "r");
    let prompts: Vec<String> = endpoint.requests()[n_before..].iter().map(user_message).collect();
    assert!(prompts.len() == 1 && prompts[0].contains("Who never waits?"), "{prompts:?}");
    assert_eq!(class(&project.summary("r"), "correct"), 2);
}

#[test]
fn an_endpoint_that_went_away_costs_nothing_that_was_finished() {
    let endpoint = Endpoint::start(None, |request: &Request| {
        if user_message(request).contains("alpha") {
            knows(request)
        } else {
            ResponseTemplate::new(400)
        }
    });
    let (port, url) = (endpoint.port(), endpoint.base_url());
    let project = Project::new();
    let args = with(&url, &ONE_ARM);
    let first = run(&project, &[&args[..], &["--name".to_owned(), "r".to_owned()]].concat());
    assert_eq!(first.code, 0, "{}", first.stderr);
    let finished = project.traces("r").remove(0);
    drop(endpoint);

    unreachable(
        &run(&project, &[&args[..], &["--resume".to_owned(), "r".to_owned()]].concat()),
        &url,
    );
    assert_eq!(project.traces("r")[0], finished);

    let endpoint = Endpoint::start(Some(port), knows);
    let last = run(&project, &[&args[..], &["--resume".to_owned(), "r".to_owned()]].concat());
    assert_eq!(last.code, 0, "{}", last.stderr);
    check(&project, "r");
    assert_eq!((class(&project.summary("r"), "correct"), endpoint.requests().len()), (2, 1));
    assert_eq!(project.traces("r")[0], finished);
}

/// Exit 2 with the URL, why, and what to start.
fn unreachable(outcome: &Outcome, base_url: &str) {
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{}", outcome.stderr);
    let lines: Vec<&str> = outcome.since_start().lines().collect();
    assert!(
        lines[0].starts_with("error: ")
            && lines[0].contains(&format!("`{base_url}/chat/completions`")),
        "{}",
        outcome.stderr
    );
    assert!(lines[0].to_lowercase().contains("connection refused"), "{}", outcome.stderr);
    assert!(lines[1].starts_with("hint: start the server "), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("--resume r"), "{}", outcome.stderr);
}

#[test]
fn replies_that_end_at_the_token_limit_are_counted_as_truncated() {
    let endpoint = Endpoint::start(None, |_: &Request| {
        ResponseTemplate::new(200).set_body_json(json!({
            "choices": [{"message": {"content": "Passage 1 says that"}, "finish_reason": "length"}],
        }))
    });
    let project = Project::new();
    let args = with(&endpoint.base_url(), &["--set", "generation.max_tokens=16", "--name", "r"]);
    let outcome = run(&project, &args);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let summary = project.summary("r");
    assert_eq!(class(&summary, "failed"), 2);
    assert_eq!(summary["flags"]["label_suspect"], 0);
    assert!(
        outcome.stdout.contains("2 of 2 answerable questions (100.0%) have no usable answer")
            && outcome.stdout.contains("raise the limit of completion tokens, such as"),
        "{}",
        outcome.stdout
    );
}
