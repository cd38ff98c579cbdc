//! `ragtriage ask`: any question, its ranking explained.

use serde_json::Value;

use crate::project::{Outcome, Project, tiny_bert};

/// A question that the data set does not have.
const UNKNOWN: &str = "Which greek letter never waits?";

fn ask(project: &Project, question: &str, more: &[&str]) -> Outcome {
    let outcome = project.call(&[&["ask", question, "c.toml"], more].concat());
    assert_eq!(outcome.code, 0, "{}{}", outcome.stdout, outcome.stderr);
    outcome
}

fn json(project: &Project, question: &str, more: &[&str]) -> Value {
    let outcome = ask(project, question, &[&["--json"], more].concat());
    serde_json::from_str(&outcome.stdout).expect("JSON")
}

fn near(value: &Value, expected: f64) {
    let found = value.as_f64().expect("a number");
    assert!((found - expected).abs() < 1e-6, "{found}, not {expected}");
}

#[test]
fn a_score_is_explained_term_by_term_as_worked_by_hand() {
    let project = Project::new();
    let view = json(&project, UNKNOWN, &[]);
    // Indexed are `A\nAlpha waits six minutes.` and `B\nBeta never waits.`: alpha wait six minut (`a` is a stop word), and b beta
    // never wait. Both have the mean length 4, so a term that occurs once has the saturation 1 / (1 + 1.2). Of two documents
    // `never` is in one: idf = ln(1 + 1.5 / 1.5) = ln 2; `wait` is in both: idf = ln(1 + 0.5 / 2.5) = ln 1.2.
    let [never, wait] = [2_f64.ln() / 2.2, 1.2_f64.ln() / 2.2];
    let hits = view["trace"]["stages"][0]["hits"].as_array().expect("hits");
    let ids: Vec<&Value> = hits.iter().map(|hit| &hit["id"]).collect();
    assert_eq!(ids, ["b#0", "a#0"]);
    assert_eq!(view["trace"]["stages"][0]["stage"], "bm25");
    near(&hits[0]["score"], never + wait);
    near(&hits[0]["parts"]["never"], never);
    near(&hits[0]["parts"]["wait"], wait);
    assert_eq!(hits[0]["parts"].as_object().expect("parts").len(), 2);
    near(&hits[1]["score"], wait);
    let passage = &view["passages"][0];
    assert_eq!((&passage["id"], &passage["text"]), (&"b#0".into(), &"Beta never waits.".into()));
}

#[test]
fn the_text_shows_passages_prompt_and_answer() {
    let project = Project::new();
    let outcome = ask(&project, UNKNOWN, &[]);
    // As worked above: 0.31507 and 0.08287.
    for line in [
        "Passages (top 2)",
        "  - rank 1: b#0 \"B\", bytes 0 to 17",
        "      bm25  rank 1, score 0.3979 = never 0.3151 + wait 0.0829",
        "      text  Beta never waits.",
        "  - rank 2: a#0 \"A\", bytes 0 to 24",
        "      bm25  rank 2, score 0.0829 = wait 0.0829",
        "Answer",
    ] {
        assert!(
            outcome.stdout.lines().any(|found| found == line),
            "no line `{line}` in {}",
            outcome.stdout
        );
    }
    assert_eq!(outcome.stderr, "");
    assert!(!project.path("runs").exists() && !project.path("evals").exists());
}

#[test]
fn json_holds_the_prompt_and_the_answer() {
    let project = Project::new();
    let reader = project.reader_sets();
    let reader: Vec<&str> = reader.iter().map(String::as_str).collect();
    let view = json(&project, "Who never waits?", &reader);
    assert_eq!(view["trace"]["question"]["text"], "Who never waits?");
    assert_eq!(view["trace"]["conditions"][0]["attempts"][0]["extracted"], "Beta");
    let user = view["prompt"]["user"].as_str().expect("a message");
    assert!(user.contains("Beta never waits.") && user.contains("Who never waits?"), "{user}");
    assert!(view["prompt"]["n_tokens"].as_u64().expect("a count") > 10);
}

#[test]
fn without_a_generator_there_is_no_answer() {
    let project = Project::new();
    let none = ["--set", "generation.generator=none"];
    assert_eq!(json(&project, UNKNOWN, &none)["generator"], Value::Null);
    let text = ask(&project, UNKNOWN, &none).stdout;
    assert!(text.ends_with("\nAnswer\n  No generator is configured.\n"), "{text}");
}

#[test]
fn a_question_of_the_data_set_is_ranked_as_in_a_run() {
    let project = Project::new();
    let bert = tiny_bert();
    let sets = ["--set", &bert[0], "--set", &bert[1]];
    project.good("r", &sets);
    for trace in project.traces("r") {
        let question = trace["question"]["text"].as_str().expect("a text");
        let view = json(&project, question, &sets);
        let hits = |trace: &Value| {
            let stages = trace["stages"].as_array().expect("stages").iter();
            stages.map(|stage| (stage["stage"].clone(), stage["hits"].clone())).collect::<Vec<_>>()
        };
        assert_eq!(hits(&view["trace"]), hits(&trace));
    }
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let project = Project::new();
    project.refuses(
        &["ask", "why?", "c.toml", "--set", "external.url=http://127.0.0.1:9/"],
        &[
            "error: the configuration evaluates an external RAG service",
            "hint: remove `external.url`: `ask` explains the built-in pipeline",
        ],
    );
    let outcome = project.call(&["ask", "", "c.toml"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
}

#[test]
fn a_generator_that_fails_ends_in_an_error_after_the_passages() {
    let project = Project::new();
    let outcome = project.call(&[
        "ask",
        UNKNOWN,
        "c.toml",
        "--set",
        "generation.generator=openai",
        "--set",
        "generation.base_url=http://127.0.0.1:9/v1",
        "--set",
        "generation.model=m",
        "--set",
        "http.timeout_s=0.5",
    ]);
    assert_eq!(outcome.code, 2, "{}{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains("rank 1: b#0"), "{}", outcome.stdout);
    assert!(outcome.stderr.starts_with("error: no answer: "), "{}", outcome.stderr);
}
