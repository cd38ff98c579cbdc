//! `ragtriage compare --cross`: each run's passages through the other's generator.

use serde_json::Value;
use wiremock::{Request, ResponseTemplate};

use crate::compare::two_runs;
use crate::endpoint::{Endpoint, says, user_message};
use crate::project::Project;

fn model(request: &Request) -> String {
    let body: Value = serde_json::from_slice(&request.body).expect("JSON");
    body["model"].as_str().expect("a model").to_owned()
}

/// `good` answers right where the answer is in its prompt; `poor` never knows how long alpha waits.
fn reads(request: &Request) -> ResponseTemplate {
    let prompt = user_message(request);
    let holds = |text: &str| prompt.contains(text);
    says(match () {
        () if holds("How long does alpha wait?") && model(request) == "poor" => "Answer: an hour",
        () if holds("How long does alpha wait?") && holds("six minutes") => "Answer: six minutes",
        () if holds("Who never waits?") && holds("Beta never waits") => "Answer: Beta",
        () if holds("How long do Gamma restarts take?") && holds("nine seconds") => {
            "Answer: nine seconds"
        }
        () => "Answer: unknown to me",
    })
}

/// `a` sees five passages and asks `good`; `b` sees one and asks `poor`. The third question needs the second passage.
fn two_generators(endpoint: &Endpoint) -> Project {
    let project = two_runs(&[]);
    let base_url = format!("generation.base_url={}", endpoint.base_url());
    let sets = [
        "--set",
        "generation.generator=openai",
        "--set",
        &base_url,
        "--set",
        "evaluation.arms=[\"retrieved\"]",
    ];
    project.good("a", &[&sets[..], &["--set", "generation.model=good"]].concat());
    project.good(
        "b",
        &[&sets[..], &["--set", "generation.model=poor", "--set", "retrieval.k=1"]].concat(),
    );
    project
}

/// What `compare runs/a runs/b --cross` gives, with what it said on the way.
fn crossed(project: &Project, args: &[&str]) -> (Value, String) {
    let outcome =
        project.call(&[&["compare", "runs/a", "runs/b", "--cross", "--json"], args].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let comparison: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    (comparison["pairs"][0]["cross"].clone(), outcome.stderr)
}

fn mean(cross: &Value, effect: &str) -> f64 {
    cross[effect]["mean"].as_f64().expect("a number")
}

#[test]
fn a_difference_is_split_into_retrieval_and_generator() {
    let endpoint = Endpoint::start(None, reads);
    let project = two_generators(&endpoint);
    let before = endpoint.requests().len();
    let (cross, said) = crossed(&project, &["--noise-sample", "2"]);
    // A is right on all three. B's one passage loses the third question, its generator the first: B is right on one.
    let close = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    };
    close(mean(&cross, "difference"), -2.0 / 3.0);
    close(mean(&cross, "retrieval"), -1.0 / 3.0);
    close(mean(&cross, "generator"), -1.0 / 3.0);
    close(mean(&cross, "interaction"), 0.0);
    assert_eq!(
        cross["cells"].to_string(),
        "[[1.0,0.6666666666666666],[0.6666666666666666,0.3333333333333333]]"
    );
    // Three passages more for each generator, and two of its own prompts again.
    let asked: Vec<String> = endpoint.requests()[before..].iter().map(model).collect();
    let count = |name: &str| asked.iter().filter(|model| *model == name).count();
    assert_eq!((count("good"), count("poor")), (5, 5));
    assert_eq!(
        (&cross["asked"]["calls"], &cross["noise"][0]["flipped"], &cross["failed"]),
        (&10.into(), &0.into(), &0.into())
    );
    let address = endpoint.base_url();
    let lines = [
        format!(
            "5 calls to {address}: 3 prompts with B's passages to A's generator (0 more are in the cache), 2 of its own prompts once more"
        ),
        format!(
            "5 calls to {address}: 3 prompts with A's passages to B's generator (0 more are in the cache), 2 of its own prompts once more"
        ),
    ];
    assert_eq!(said.lines().collect::<Vec<_>>(), lines);
}

#[test]
fn a_second_crossing_takes_its_replies_from_the_cache() {
    let endpoint = Endpoint::start(None, reads);
    let project = two_generators(&endpoint);
    let (first, _) = crossed(&project, &["--noise-sample", "0"]);
    let before = endpoint.requests().len();
    let (second, said) = crossed(&project, &["--noise-sample", "0"]);
    assert_eq!(endpoint.requests().len(), before, "nothing was asked again");
    assert!(said.contains("0 calls to") && said.contains("(3 more are in the cache)"), "{said}");
    assert_eq!((&second["cells"], &second["asked"]["cached"]), (&first["cells"], &6.into()));
    let (_, said) = crossed(&project, &["--noise-sample", "0", "--no-cache"]);
    assert_eq!(endpoint.requests().len(), before + 6, "{said}");
    // A sample for repeat noise is never served from it.
    crossed(&project, &["--noise-sample", "3"]);
    assert_eq!(endpoint.requests().len(), before + 12);
}

#[test]
fn the_built_in_reader_is_crossed_without_a_call() {
    let project = two_runs(&[]);
    let outcome = project.call(&["compare", "runs/k5", "runs/k1", "--cross", "-m", "AnswerF1"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let from = outcome.stdout.find("Both runs' passages").expect("the cells");
    let to = outcome.stdout.find("\nGain predicted by A's loss budget").expect("the prediction");
    insta::assert_snapshot!(outcome.stdout[from..to], @r"
    Both runs' passages through both generators (mean answer score, 3 questions)
                    A's generator  B's generator
      A's passages          1.000          1.000
      B's passages          0.667          0.667
      - 6 crossed answers were recorded by the runs; asked now: 3 calls, 0 cached responses, 0 failed; 437 tokens
        in, 5 out, 0.0000 US dollars

    Effects of retrieval and generator, A to B (answer score)
                     mean            95% CI      p  repeat noise alone, 95% CI
      retrieval    -0.333  [-1.000, +1.000]  1.000                     +-0.000
      generator    +0.000  [-1.000, +1.000]  1.000                     +-0.000
      both         -0.333  [-1.000, +1.000]  1.000                     +-0.000
      interaction  +0.000  [-2.000, +2.000]  1.000                     +-0.000
      - retrieval and generator: the mean effect of changing it first and changing it last (Shapley values), which
        add up to the whole difference; half of the interaction is in each; p: paired randomisation test over
        clusters, unadjusted; intervals: what this test does not reject
      - the generator answered 3 of its own prompts once more: 0 flipped between right and wrong (0.0% [0.0,
        56.1]), a score changed by 0.000 on average
    ");
    let outcome = project.call(&["compare", "runs/k5", "runs/k1", "--cross", "--md"]);
    assert!(outcome.stdout.contains("| B's passages | 0.667 | 0.667 |\n"), "{}", outcome.stdout);
}

#[test]
fn failed_calls_refuse_the_split_and_what_was_answered_is_kept() {
    let endpoint = Endpoint::start(None, reads);
    let project = two_generators(&endpoint);
    let port = endpoint.port();
    drop(endpoint);
    let fails = |request: &Request| {
        if model(request) == "poor" {
            ResponseTemplate::new(400).set_body_string("no")
        } else {
            reads(request)
        }
    };
    let endpoint = Endpoint::start(Some(port), fails);
    let refused = project.call(&["compare", "runs/a", "runs/b", "--cross", "--noise-sample", "0"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    assert!(
        refused.stderr.contains("\nerror: 3 of 6 crossed calls failed; last error: "),
        "{}",
        refused.stderr
    );
    drop(endpoint);
    let endpoint = Endpoint::start(Some(port), reads);
    crossed(&project, &["--noise-sample", "0"]);
    assert!(
        endpoint.requests().iter().all(|request| model(request) == "poor"),
        "the others were in the cache"
    );
}

#[test]
fn what_cannot_be_crossed_is_refused() {
    let endpoint = Endpoint::start(None, reads);
    let project = two_generators(&endpoint);
    project.refuses_with_some_hint(
        &["compare", "runs/a", "runs/b", "runs/k5", "--cross"],
        "error: --cross needs a baseline and exactly one run",
    );
    project.good("silent", &["--set", "generation.generator=none"]);
    project.refuses_with_some_hint(
        &["compare", "runs/k5", "runs/silent", "--cross"],
        "error: run `silent` has no generator",
    );
    let mut run = project.json("runs/b/run.json");
    run["shortened"] = serde_json::json!(["generation.base_url"]);
    project.write("runs/b/run.json", run.to_string());
    project.refuses_with_some_hint(
        &["compare", "runs/a", "runs/b", "--cross"],
        "error: run `b` records `generation.base_url` without its user info and query, which may hold keys",
    );
    let mut run = project.json("runs/k1/run.json");
    run["external"] = serde_json::json!({"kind": "record", "from": "theirs.jsonl"});
    project.write("runs/k1/run.json", run.to_string());
    project.refuses_with_some_hint(
        &["compare", "runs/k5", "runs/k1", "--cross"],
        "error: the answers of `k1` come from the record `theirs.jsonl`: there is no generator to ask",
    );
    for args in
        [&["--offline"][..], &["--no-cache"], &["--noise-sample", "3"], &["--concurrency", "2"]]
    {
        let outcome = project.call(&[&["compare", "runs/a", "runs/b"], args].concat());
        assert_eq!(outcome.code, 2, "{args:?} belongs to --cross");
    }
}
