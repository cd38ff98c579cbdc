//! What a run may cost: it stops before it could cost more, keeps what is done, and is gone on with.

use serde_json::json;
use wiremock::{Request, ResponseTemplate};

use crate::endpoint::{Endpoint, sets, user_message};
use crate::project::{Project, run_with};
use crate::run_files::{check, class};

/// 1,000 tokens of a prompt and 10 of an answer are billed for every call.
fn bills(request: &Request) -> ResponseTemplate {
    let text = if user_message(request).contains("alpha wait?") {
        "Answer: six minutes"
    } else {
        "Answer: Beta"
    };
    ResponseTemplate::new(200).set_body_json(json!({
        "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 10}
    }))
}

const ONE_ARM: [&str; 2] = ["--set", "evaluation.conditions=[\"retrieved\"]"];

/// The most tokens of one reply, which every limit of these tests is compared with.
const REPLY: &str = "generation.max_tokens=256";

fn stops_and_goes_on(limit: &str, price: &str, error: &str, more: &str) {
    let endpoint = Endpoint::start(None, bills);
    let project = Project::new();
    let sets = sets(&endpoint.base_url());
    let sets: Vec<&str> = sets.iter().map(String::as_str).chain(ONE_ARM).collect();
    let limits = ["--set", REPLY, "--set", price, "--set", limit, "--name", "r"];
    let stopped = project.run(&[&sets[..], &limits].concat());
    assert_eq!((stopped.code, stopped.stdout.as_str()), (2, ""), "{}", stopped.stderr);
    let lines: Vec<&str> = stopped.since_start().lines().collect();
    assert!(lines[0].starts_with(error), "{}", stopped.stderr);
    assert!(
        lines[1].starts_with("hint: ") && lines[1].contains("--resume r"),
        "{}",
        stopped.stderr
    );
    let kept = project.traces("r");
    assert_eq!((kept.len(), endpoint.requests().len()), (1, 1));

    // What is spent stays spent.
    let again = project.call(&["run", "--out", "runs", "--resume", "r"]);
    assert_eq!(again.code, 2, "{}", again.stdout);
    assert_eq!(endpoint.requests().len(), 1);

    let resumed = project.call(&["run", "--out", "runs", "--resume", "r", "--set", more]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    check(&project, "r");
    assert_eq!((class(&project.summary("r"), "correct"), endpoint.requests().len()), (2, 2));
    let mut same =
        project.traces("r")[kept[0]["index"].as_u64().expect("an index") as usize].clone();
    let fields = same.as_object_mut().expect("an object");
    for judged in ["class", "fault", "reason", "flags"] {
        assert!(kept[0].get(judged).is_none(), "an aborted run is not evaluated");
        fields.remove(judged);
    }
    assert_eq!(same, kept[0]);
}

#[test]
fn dollars_that_are_spent_stop_a_run_until_there_are_more() {
    // A call is billed 1000 x 10 + 10 x 100 = 11,000 millionths of 30,000, and the next may take more than the 19,000 left: its
    // answer alone 256 x 100.
    stops_and_goes_on(
        "generation.max_usd=0.03",
        "generation.price={ prompt = 10.0, completion = 100.0 }",
        "error: stopped with 1 questions left: `generation.max_usd` = 0.03 does not cover the next call: 0.011000 USD used so far, up to 0.0",
        "generation.max_usd=1.0",
    );
}

#[test]
fn a_limit_below_the_first_call_makes_none_and_the_run_can_be_gone_on_with() {
    let endpoint = Endpoint::start(None, bills);
    let project = Project::new();
    let sets = sets(&endpoint.base_url());
    let sets: Vec<&str> = sets.iter().map(String::as_str).chain(ONE_ARM).collect();
    let stopped = project.run(
        &[
            &sets[..],
            &["--set", REPLY],
            &["--set", "generation.price={ prompt = 10.0, completion = 100.0 }"],
            &["--set", "generation.max_usd=0.02", "--name", "r"],
        ]
        .concat(),
    );
    assert_eq!((stopped.code, endpoint.requests().len()), (2, 0), "{}", stopped.stderr);
    assert!(
        stopped.since_start().starts_with("error: stopped with 2 questions left: "),
        "{}",
        stopped.stderr
    );
    let more = "generation.max_usd=1.0";
    let resumed = project.call(&["run", "--out", "runs", "--resume", "r", "--set", more]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    assert_eq!(class(&project.summary("r"), "correct"), 2);
}

#[test]
fn a_limit_that_could_never_stop_a_run_is_refused() {
    let project = Project::new();
    let sets =
        ["generation.model=m", "generation.max_usd=1.0"].iter().flat_map(|set| ["--set", set]);
    let args: Vec<&str> = run_with("generation.generator=openai").into_iter().chain(sets).collect();
    let error = "error: `generation.max_usd` is 1, but no call has a price: set `generation.price`";
    project.refuses_with_some_hint(&args, error);
}

#[test]
fn settings_that_change_no_answer_may_change_on_resume() {
    let endpoint = Endpoint::start(None, bills);
    let project = Project::new();
    let all = sets(&endpoint.base_url());
    let all: Vec<&str> = all.iter().map(String::as_str).chain(ONE_ARM).collect();
    project.good("r", &all);
    let changed = [
        "http.concurrency=2",
        "http.timeout_s=9.0",
        "generation.max_usd=1.0",
        "generation.price={ prompt = 1.0, completion = 1.0 }",
        "gates.min={ RR = 0.5 }",
    ];
    let changed: Vec<&str> = changed.iter().flat_map(|set| ["--set", set]).collect();
    let outcome =
        project.call(&[&["run", "--out", "runs", "--resume", "r"], &changed[..]].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let refused = project.refused(&[
        "run",
        "--out",
        "runs",
        "--resume",
        "r",
        "--set",
        "generation.temperature=0.5",
    ]);
    assert!(refused.stderr.contains("`generation.temperature`: 0.0 -> 0.5"), "{}", refused.stderr);
}
