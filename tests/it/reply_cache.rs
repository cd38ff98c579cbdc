//! Cached responses: asked for once, whoever asks.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use wiremock::{Request, ResponseTemplate};

use crate::endpoint::{Endpoint, knows, knows_and_bills, says, sets, user_message};
use crate::project::{Outcome, Project, outcome};
use crate::run_files::{check, timeless};

const ARMS: [&str; 2] = ["--set", "evaluation.conditions=[\"retrieved\", \"oracle\"]"];
const REPLIES: &str = "cache/replies.sqlite";

fn run(project: &Project, base_url: &str, name: &str, more: &[&str]) -> Outcome {
    let sets = sets(base_url);
    let mut args = vec!["run", "c.toml", "--out", "runs", "--name", name];
    args.extend(ARMS);
    args.extend(sets.iter().map(String::as_str));
    args.extend(more);
    project.call(&args)
}

/// Where each attempt of a run was taken from, in the order of questions and conditions.
fn origins(project: &Project, name: &str) -> Vec<String> {
    let traces = project.traces(name);
    let conditions =
        traces.iter().flat_map(|trace| trace["conditions"].as_array().expect("conditions"));
    let attempts =
        conditions.flat_map(|condition| condition["attempts"].as_array().expect("attempts"));
    attempts.map(|attempt| attempt["origin"].as_str().expect("an origin").to_owned()).collect()
}

/// Cached responses.
fn entries(project: &Project) -> u64 {
    let database = rusqlite::Connection::open(project.path("cache/replies.sqlite")).expect("opens");
    let n = database.query_row("SELECT count(*) FROM replies", [], |row| row.get::<_, i64>(0));
    n.expect("a number") as u64
}

#[test]
fn a_second_run_makes_no_call_and_ends_the_same() {
    let endpoint = Endpoint::start(None, knows_and_bills);
    let project = Project::new();
    let price = ["--set", "generation.price={prompt = 1.0, completion = 2.0}"];
    assert_eq!(run(&project, &endpoint.base_url(), "one", &price).code, 0);
    assert_eq!(
        (endpoint.requests().len(), origins(&project, "one")),
        (4, vec!["called".to_owned(); 4])
    );
    assert_eq!(run(&project, &endpoint.base_url(), "two", &price).code, 0);
    assert_eq!(
        (endpoint.requests().len(), origins(&project, "two")),
        (4, vec!["cached".to_owned(); 4])
    );
    check(&project, "two");
    // 4 calls of 1,000 * $1 / 1e6 + 7 * $2 / 1e6 = $0.001014 each; replies at hand cost nothing.
    let (one, two) = (project.summary("one"), project.summary("two"));
    assert!(
        (one["cost_usd"].as_f64().expect("a number") - 0.004_056).abs() < 1e-12,
        "{}",
        one["cost_usd"]
    );
    assert_eq!(two["cost_usd"], 0.0);
    for key in ["metrics", "classes", "flags", "losses", "verdict"] {
        assert_eq!(timeless(one.clone())[key], timeless(two.clone())[key], "{key}");
    }
}

#[test]
fn without_the_cache_nothing_is_read_and_nothing_written() {
    let endpoint = Endpoint::start(None, knows);
    let project = Project::new();
    assert_eq!(run(&project, &endpoint.base_url(), "a", &["--no-cache"]).code, 0);
    assert!(!project.path(REPLIES).exists());
    assert_eq!(run(&project, &endpoint.base_url(), "b", &[]).code, 0);
    let kept = fs::read(project.path(REPLIES)).expect("written");
    assert_eq!(run(&project, &endpoint.base_url(), "c", &["--no-cache"]).code, 0);
    assert_eq!(endpoint.requests().len(), 12);
    assert_eq!(fs::read(project.path(REPLIES)).expect("there"), kept);
}

#[test]
fn failures_are_not_kept_and_cut_or_filtered_replies_are() {
    let endpoint = Endpoint::start(None, |request: &Request| {
        let asked = user_message(request);
        let (text, finish) = match (asked.contains("How long"), asked.contains("[2]")) {
            (true, true) => return ResponseTemplate::new(400),
            (true, false) => ("Answer: six", "length"),
            (false, _) => ("", "content_filter"),
        };
        ResponseTemplate::new(200).set_body_json(
            json!({"choices": [{"message": {"content": text}, "finish_reason": finish}]}),
        )
    });
    let project = Project::new();
    let finishes = |name: &str| {
        let attempt = |trace: &Value, condition: usize| {
            trace["conditions"][condition]["attempts"][0]["finish"].clone()
        };
        let traces = project.traces(name);
        [(0, 0), (0, 1), (1, 0), (1, 1)]
            .map(|(question, condition)| attempt(&traces[question], condition))
    };
    assert_eq!(run(&project, &endpoint.base_url(), "a", &[]).code, 0);
    assert_eq!(finishes("a"), ["error", "length", "filtered", "filtered"]);
    assert_eq!(run(&project, &endpoint.base_url(), "b", &[]).code, 0);
    assert_eq!(finishes("b"), finishes("a"));
    // The first run asks for all four, the second only for the one that failed.
    assert_eq!((endpoint.requests().len(), entries(&project)), (5, 3));
}

#[test]
fn the_file_is_its_owners_alone_and_holds_neither_prompts_nor_keys() {
    let endpoint = Endpoint::start(None, |_: &Request| says("Answer: quite so"));
    let project = Project::new();
    let base_url =
        endpoint.base_url().replace("http://", "http://user:hush-pass@") + "?key=hush-query";
    let mut args = vec!["run".to_owned(), "c.toml".to_owned(), "--name".to_owned(), "r".to_owned()];
    args.extend(sets(&base_url));
    args.extend(["--set".to_owned(), "generation.api_key_env=TEST_KEY".to_owned()]);
    let mut command = project.command(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let ran = outcome(&command.env("TEST_KEY", "sk-hush-0123456789").output().expect("starts"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(entries(&project), endpoint.requests().len() as u64);
    let mode = fs::metadata(project.path(REPLIES)).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    for (path, bytes) in project.files("cache") {
        let text = String::from_utf8_lossy(&bytes);
        for hidden in ["hush", "Alpha waits six minutes", "How long does alpha wait"] {
            assert!(!text.contains(hidden), "{hidden} in {}", path.display());
        }
    }
    let kept =
        String::from_utf8_lossy(&fs::read(project.path(REPLIES)).expect("there")).into_owned();
    assert!(kept.contains("Answer: quite so"));
}

#[test]
fn a_cache_that_cannot_be_opened_ends_the_run_before_anything_is_asked() {
    let endpoint = Endpoint::start(None, knows);
    let project = Project::new();
    fs::create_dir_all(project.path(REPLIES)).expect("a folder in place of the file");
    let outcome = run(&project, &endpoint.base_url(), "r", &[]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    let lines: Vec<&str> = outcome.stderr.lines().collect();
    assert!(
        lines[0].starts_with("error: cache `")
            && lines[0].contains("`: unable to open database file"),
        "{lines:?}"
    );
    assert!(lines[1].contains("`--no-cache`"), "{lines:?}");
    assert!(endpoint.requests().is_empty() && project.files("runs").is_empty());
    assert_eq!(run(&project, &endpoint.base_url(), "r", &["--no-cache"]).code, 0);
}
