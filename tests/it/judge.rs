//! `[judge]`: asked about unsure answers and a sample of the others, cached, resumed; what it decides counts everywhere.

use std::fs;

use serde_json::{Value, json};
use wiremock::{Request, ResponseTemplate};

use crate::endpoint::{Endpoint, says, sets, user_message};
use crate::project::{Outcome, Project, full};

const AT: &str = "/judge/chat/completions";

/// Answers one question correct, and the other one at such length that the rule does not read it.
fn rambles(request: &Request) -> ResponseTemplate {
    if user_message(request).contains("How long does alpha wait?") {
        says("Answer: six minutes")
    } else {
        says(&format!("Answer: Beta {}", "word ".repeat(5_000)))
    }
}

fn agrees(_: &Request) -> ResponseTemplate {
    says("SAME")
}

fn endpoint() -> Endpoint {
    let endpoint = Endpoint::start(None, rambles);
    endpoint.answer(AT, agrees);
    endpoint
}

fn judge_sets(endpoint: &Endpoint) -> Vec<String> {
    let base_url = format!("judge.base_url={}/judge", endpoint.uri());
    let all = ["--set", "judge.model=j", "--set", &base_url];
    all.map(str::to_owned).to_vec()
}

fn run(project: &Project, endpoint: &Endpoint, more: &[String]) -> Outcome {
    let sets = sets(&endpoint.base_url());
    let mut args = vec!["run", "c.toml", "--out", "runs"];
    args.extend(["--set", "evaluation.conditions=[\"retrieved\"]"]);
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
fn a_judge_settles_what_the_rule_leaves_open() {
    let (endpoint, project) = (endpoint(), Project::new());
    let judge = judge_sets(&endpoint);
    assert_eq!(run(&project, &endpoint, &named("plain")).code, 0);
    assert!(!project.path("runs/plain/judge.jsonl").exists());
    let plain = project.summary("plain");
    assert_eq!((&plain["classes"]["unsure"], plain.get("judge")), (&1.into(), None));
    let outcome = run(&project, &endpoint, &[named("judged"), judge].concat());
    assert_eq!((outcome.code, outcome.stderr.contains("error")), (0, false));
    // The unsure answer, then the other one as the sample.
    let asked = replies(&project, "judged");
    let mut asked: Vec<(&str, bool)> = asked
        .iter()
        .map(|line| (line["question"].as_str().expect("an id"), line["is_sample"] == true))
        .collect();
    asked.sort_unstable();
    assert_eq!(asked, [("q1", true), ("q2", false)]);
    let line = "1 by the rule, 1 by the judge (which agrees with the rule on 1 of 1 correct and 0 of 0 wrong ones), 0 unsure";
    let shown = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains(line), "{shown}");
    crate::schema::check_run(&project, "runs/judged");
    let judged = project.summary("judged");
    assert_eq!(
        judged["decided"],
        json!({"rule": 1, "judge": 1, "person": 0, "unsure": 0, "open": 0})
    );
    assert_eq!(
        (&judged["classes"]["unsure"], &judged["judge"]["n_replies"]),
        (&0.into(), &2.into())
    );
    // Every command reads the decision.
    let check = |name| {
        let run = format!("runs/{name}");
        let gate = ["check", &run, "--min", "AnswerCorrect=1", "--gate", "mean"];
        project.call(&gate).code
    };
    assert_eq!([check("plain"), check("judged")], [1, 0]);
    let outcomes = fs::read_to_string(project.path("runs/judged/outcomes.jsonl")).expect("written");
    assert!(outcomes.contains("by the judge (rule: unsure"), "{outcomes}");
}

#[test]
fn a_person_overrides_the_judge_in_every_report() {
    let (endpoint, project) = (endpoint(), Project::new());
    let outcome = run(&project, &endpoint, &[named("r"), judge_sets(&endpoint)].concat());
    assert_eq!(outcome.code, 0);
    let sheet = project.call(&["report", "runs/r", "--audit", "9"]).stdout;
    project.write("audit.jsonl", sheet.replace(r#""answer_is":"""#, r#""answer_is":"wrong""#));
    assert_eq!(project.call(&["report", "runs/r", "--audited", "audit.jsonl"]).code, 0);
    let report = project.call(&["report", "runs/r", "--format", "terminal"]).stdout;
    assert!(report.contains("0 by the rule, 0 by the judge") && report.contains("2 by a person"));
    // A second audit starts from the results without the first one.
    assert_eq!(project.call(&["report", "runs/r", "--audit", "9"]).stdout, sheet);
}

#[test]
fn replies_are_cached_and_a_resumed_run_asks_what_is_missing() {
    let (endpoint, project) = (endpoint(), Project::new());
    let judge = judge_sets(&endpoint);
    assert_eq!(run(&project, &endpoint, &[named("one"), judge.clone()].concat()).code, 0);
    assert_eq!(run(&project, &endpoint, &[named("two"), judge.clone()].concat()).code, 0);
    assert_eq!(n_judged(&endpoint), 2);
    let origins: Vec<Value> =
        replies(&project, "two").iter().map(|line| line["origin"].clone()).collect();
    assert_eq!(origins, ["cached"; 2]);
    // A run without a judge gets one later; its answers are not asked again.
    assert_eq!(run(&project, &endpoint, &named("three")).code, 0);
    let n_before = endpoint.requests().len();
    let resume = ["--resume".to_owned(), "three".to_owned(), "--no-cache".to_owned()];
    assert_eq!(run(&project, &endpoint, &[resume.to_vec(), judge.clone()].concat()).code, 0);
    assert_eq!((endpoint.requests().len(), n_judged(&endpoint)), (n_before + 2, 4));
    let path = project.path("runs/three/judge.jsonl");
    let text = fs::read_to_string(&path).expect("read");
    let kept: Vec<&str> = text.lines().take(1).collect();
    fs::write(&path, kept.join("\n") + "\n").expect("written");
    assert_eq!(run(&project, &endpoint, &[resume.to_vec(), judge].concat()).code, 0);
    assert_eq!((n_judged(&endpoint), replies(&project, "three").len()), (5, 2));
}

/// One answer is open; the sample has the other one.
#[test]
fn a_judge_without_a_readable_verdict_is_reported_before_the_verdict() {
    let (endpoint, project) = (Endpoint::start(None, rambles), Project::new());
    endpoint.answer(AT, |_: &Request| says("It depends."));
    let outcome = run(&project, &endpoint, &[named("r"), judge_sets(&endpoint)].concat());
    let report = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let warning = "the judge has no verdict on 1 answer that the rule leaves open, so the rule decides; unreadable replies: 2";
    let (warned, verdict) = (report.find(warning), report.find("Is retrieval the bottleneck?"));
    assert!(warned.is_some() && warned < verdict, "{report}");
    assert_eq!(project.summary("r")["decided"]["open"], 1);
}

/// Two questions under one condition.
#[test]
fn a_dry_run_bounds_the_calls_and_the_cost_of_the_judge() {
    let (endpoint, project) = (endpoint(), Project::new());
    let priced = ["--set", "judge.price={ prompt = 0.0, completion = 1e6 }"].map(str::to_owned);
    let dry = ["--dry-run", "--json"].map(str::to_owned);
    let sets = [judge_sets(&endpoint), priced.to_vec()].concat();
    let estimate = run(&project, &endpoint, &[sets.clone(), dry.to_vec()].concat()).stdout;
    let estimate: Value = serde_json::from_str(&estimate).expect("JSON");
    // Replies of 256 tokens at a dollar each.
    assert_eq!(
        (&estimate["most_judge_calls"], &estimate["most_judge_cost_usd"]),
        (&2.into(), &512.0.into())
    );
    assert!(endpoint.requests().is_empty());
    assert_eq!(run(&project, &endpoint, &[sets, named("r")].concat()).code, 0);
    assert_eq!(n_judged(&endpoint), 2);
}

#[test]
fn a_judge_that_does_not_answer_leaves_the_run_as_it_is() {
    let (endpoint, project) = (Endpoint::start(None, rambles), Project::new());
    let judge = judge_sets(&endpoint);
    let outcome = run(&project, &endpoint, &[named("r"), judge.clone()].concat());
    assert_eq!(outcome.code, 0);
    assert!(
        outcome.stderr.contains("the judge has no verdict on 2 answers; last error: ")
            && outcome.stderr.contains("`ragtriage run --resume r` asks again"),
        "{}",
        outcome.stderr
    );
    let summary = project.summary("r");
    assert_eq!((summary.get("judge"), &summary["decided"]["open"]), (None, &1.into()));
    endpoint.answer(AT, agrees);
    let resume = ["--resume".to_owned(), "r".to_owned()];
    assert_eq!(run(&project, &endpoint, &[resume.to_vec(), judge].concat()).code, 0);
    assert_eq!(project.summary("r")["decided"]["judge"], 1);
}
