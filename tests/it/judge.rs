//! `[judge]`: asked for each answer in both orders, cached, resumed, shown, and without effect on anything else.

use std::fs;

use serde_json::Value;
use wiremock::{Request, ResponseTemplate};

use crate::endpoint::{Endpoint, knows, says, sets, user_message};
use crate::project::{Outcome, Project, full, repository};
use crate::run_files::timeless;

const AT: &str = "/judge/chat/completions";

/// Prefers whatever comes with the gold answer first.
fn biased(request: &Request) -> ResponseTemplate {
    let asked = user_message(request);
    let is_gold_first = asked.find("Reference:") < asked.find("Given answer:");
    says(if is_gold_first { "SAME" } else { "DIFFERENT" })
}

fn endpoint() -> Endpoint {
    let endpoint = Endpoint::start(None, knows);
    endpoint.answer(AT, biased);
    endpoint
}

fn judge_sets(endpoint: &Endpoint) -> Vec<String> {
    let base_url = format!("judge.base_url={}/judge", endpoint.uri());
    let all = ["--set", "judge.kind=endpoint", "--set", "judge.model=j", "--set", &base_url];
    all.map(str::to_owned).to_vec()
}

fn run(project: &Project, endpoint: &Endpoint, more: &[String]) -> Outcome {
    let sets = sets(&endpoint.base_url());
    let mut args = vec!["run", "c.toml", "--out", "runs"];
    args.extend(["--set", "evaluation.arms=[\"retrieved\"]"]);
    args.extend(sets.iter().chain(more).map(String::as_str));
    args.extend(full(&args));
    project.call(&args)
}

fn named(name: &str) -> Vec<String> {
    vec!["--name".to_owned(), name.to_owned()]
}

fn replies(project: &Project, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(project.path(&format!("runs/{name}/judge.jsonl")));
    let lines = text.expect("judge.jsonl");
    let lines = lines.lines();
    lines.map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn n_judged(endpoint: &Endpoint) -> usize {
    let requests = endpoint.requests();
    requests.iter().filter(|request| request.url.path() == AT).count()
}

#[test]
fn a_judge_changes_nothing_but_what_is_said_of_it() {
    let (endpoint, project) = (endpoint(), Project::new());
    let judge = judge_sets(&endpoint);
    assert_eq!(run(&project, &endpoint, &named("plain")).code, 0);
    assert!(!project.path("runs/plain/judge.jsonl").exists());
    let outcome = run(&project, &endpoint, &[named("judged"), judge].concat());
    assert_eq!((outcome.code, outcome.stderr.contains("error")), (0, false));
    // Two questions in two orders.
    assert_eq!((n_judged(&endpoint), replies(&project, "judged").len()), (4, 4));
    assert!(outcome.stdout.contains("the judge is not used: audit at least 50 answers (0 so far)"));
    crate::schema::check_run(&project, "runs/judged");
    let mut judged = project.summary("judged");
    let found = judged["judge"].take();
    assert_eq!(found["n_judged"], 2);
    assert_eq!(
        (&found["order_flips"]["flipped"], &found["position"]["difference"]),
        (&2.into(), &1.0.into())
    );
    judged.as_object_mut().expect("a table").remove("judge");
    let plain = project.summary("plain");
    assert!(plain.get("judge").is_none());
    for key in plain.as_object().expect("a table").keys() {
        if !["cost_usd", "tokens"].contains(&key.as_str()) {
            assert_eq!(timeless(judged.clone())[key], timeless(plain.clone())[key], "{key}");
        }
    }
    assert_eq!(
        judged.as_object().map(serde_json::Map::len),
        plain.as_object().map(serde_json::Map::len)
    );
}

#[test]
fn replies_are_cached_and_a_resumed_run_asks_what_is_missing() {
    let (endpoint, project) = (endpoint(), Project::new());
    let judge = judge_sets(&endpoint);
    assert_eq!(run(&project, &endpoint, &[named("one"), judge.clone()].concat()).code, 0);
    assert_eq!(run(&project, &endpoint, &[named("two"), judge.clone()].concat()).code, 0);
    assert_eq!(n_judged(&endpoint), 4);
    let origins: Vec<Value> =
        replies(&project, "two").iter().map(|line| line["origin"].clone()).collect();
    assert_eq!(origins, ["cached"; 4]);
    // A run without a judge gets one later; its answers are not asked again.
    assert_eq!(run(&project, &endpoint, &named("three")).code, 0);
    let n_before = endpoint.requests().len();
    let resume = ["--resume".to_owned(), "three".to_owned(), "--no-cache".to_owned()];
    assert_eq!(run(&project, &endpoint, &[resume.to_vec(), judge.clone()].concat()).code, 0);
    assert_eq!((endpoint.requests().len(), n_judged(&endpoint)), (n_before + 4, 8));
    let path = project.path("runs/three/judge.jsonl");
    let text = fs::read_to_string(&path).expect("read");
    let kept: Vec<&str> = text.lines().take(3).collect();
    fs::write(&path, kept.join("\n") + "\n").expect("written");
    assert_eq!(run(&project, &endpoint, &[resume.to_vec(), judge].concat()).code, 0);
    assert_eq!((n_judged(&endpoint), replies(&project, "three").len()), (9, 4));
}

#[test]
fn a_judge_that_does_not_answer_leaves_the_run_as_it_is() {
    let (endpoint, project) = (Endpoint::start(None, knows), Project::new());
    let judge = judge_sets(&endpoint);
    let outcome = run(&project, &endpoint, &[named("r"), judge.clone()].concat());
    assert_eq!(outcome.code, 0);
    assert!(
        outcome.stderr.contains("the judge has no verdict on 2 answers; last error: ")
            && outcome.stderr.contains("`ragtriage run --resume r` asks again"),
        "{}",
        outcome.stderr
    );
    assert!(project.summary("r").get("judge").is_none());
    endpoint.answer(AT, biased);
    let resume = ["--resume".to_owned(), "r".to_owned()];
    assert_eq!(run(&project, &endpoint, &[resume.to_vec(), judge].concat()).code, 0);
    assert_eq!(project.summary("r")["judge"]["n_judged"], 2);
}

#[test]
fn a_dry_run_counts_the_judges_calls_and_makes_none() {
    let (endpoint, project) = (endpoint(), Project::new());
    let more = ["--dry-run", "--json", "--set", "judge.repeats=2"].map(str::to_owned);
    let outcome = run(&project, &endpoint, &[more.to_vec(), judge_sets(&endpoint)].concat());
    let found: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!((&found["judge"]["questions"], &found["judge"]["calls"]), (&2.into(), &8.into()));
    let sent = found["sent"].as_array().expect("sent");
    assert!(sent.iter().any(|sending| sending["for"] == "judge"));
    assert_eq!(endpoint.requests().len(), 0);
}

#[test]
fn a_cross_encoder_judges_in_this_process() {
    let (endpoint, project) = (Endpoint::start(None, knows), Project::new());
    let model = repository("tests/data/tiny-models/cross-encoder");
    let model = format!("judge.model='{}'", model.display());
    let judge = ["--set", "judge.kind=cross_encoder", "--set", &model].map(str::to_owned);
    let judged = run(&project, &endpoint, &[named("r"), judge.to_vec()].concat());
    assert_eq!((judged.code, endpoint.requests().len()), (0, 2), "{}", judged.stderr);
    let found = replies(&project, "r");
    assert_eq!(found.len(), 4);
    for line in found {
        let score: f64 = line["raw"].as_str().expect("text").parse().expect("a number");
        let expected = if score >= 0.5 { "same" } else { "different" };
        assert_eq!(line["verdict"], expected);
    }
}
