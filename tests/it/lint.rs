//! `ragtriage dataset lint`: what is wrong with a data set, by rule and place, and what that makes the exit code.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::project::{CORPUS, Project, QUESTIONS, SETTINGS};

fn project(corpus: &str, questions: &str) -> Project {
    Project::of(&[
        ("c.toml", SETTINGS),
        ("data/corpus.jsonl", corpus),
        ("data/questions.jsonl", questions),
    ])
}

/// `dataset lint c.toml --json`, its exit code and what it says.
fn linted(project: &Project, args: &[&str]) -> (i32, Value) {
    let outcome = project.call(&[&["dataset", "lint", "c.toml", "--json"], args].concat());
    (outcome.code, serde_json::from_str(&outcome.stdout).expect("JSON"))
}

/// How many findings each rule has.
fn rules(lint: &Value) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for finding in lint["findings"].as_array().expect("a list") {
        *counts.entry(finding["rule"].as_str().expect("a name")).or_default() += 1;
    }
    counts
}

#[test]
fn a_sound_set_passes_and_its_report_is_this() {
    let outcome = Project::new().call(&["dataset", "lint", "c.toml"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(outcome.stdout, @r"
    ragtriage: lint of jsonl data
      No errors, no warnings.

      documents  2
      questions  2
    ");
}

#[test]
fn every_slip_is_listed_in_one_go_and_fails() {
    let corpus = format!(
        "{CORPUS}{{\"id\": \"c\"}}\n{{\"id\": \"a\", \"text\": \"again\"}}\n{{\"id\": \"e\", \"text\": \"\"}}\n"
    );
    let questions = [
        r#"{"id": "1", "text": "How long?", "answers": ["6"], "evidence": [{"doc": "a", "quotes": ["waits 7 minutes", "gone"]}]}"#,
        r#"{"id": "2", "text": "How long?", "answer": ["six"], "evidence": [{"doc": "zz"}], "tgas": []}"#,
        r#"{"id": "3", "text": "Why?", "kind": "span"}"#,
        r#"{"id": "4" "text": "Why?"}"#,
        r#"{"id": "1", "text": "Where?"}"#,
        r#"{"id": "5", "text": " "}"#,
        r#"{"id": "6", "text": "When?", "evidence": [{"doc": "a", "ranges": [[0, 900]]}]}"#,
        r#"{"id": "7", "text": "What never waits here?", "answers": ["Alpha"], "evidence": [{"doc": "b", "quotes": ["Beta", "a"]}]}"#,
        r#"{"id": "8", "text": "Which?", "relevant": {"a": 1.5}}"#,
    ];
    let (code, lint) = linted(&project(&corpus, &questions.join("\n")), &[]);
    assert_eq!(code, 1);
    let expected = [
        ("answer-not-in-evidence", 2),
        ("bad-field", 2),
        ("broken-line", 1),
        ("conflicting-questions", 1),
        ("duplicate-id", 2),
        ("empty-document", 1),
        ("empty-question", 1),
        ("no-answers", 1),
        ("quote-not-found", 2),
        ("range-outside", 1),
        ("repeated-quote", 1),
        ("unknown-document", 1),
        ("unknown-key", 1),
    ];
    assert_eq!(rules(&lint), expected.into());
    assert_eq!(
        (&lint["schema"], &lint["errors"], &lint["warnings"]),
        (&1.into(), &15.into(), &2.into())
    );
    let quote = &lint["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|finding| finding["rule"] == "quote-not-found");
    let quote = quote.expect("found");
    assert_eq!(
        (&quote["question"], &quote["document"], &quote["line"]),
        (&"1".into(), &"a".into(), &1.into())
    );
    assert_eq!(quote["file"], "data/questions.jsonl");
    assert_eq!(quote["message"], "the quote `waits 7 minutes` is not in document `a`");
    assert_eq!(quote["hint"], "the nearest text there is `Alpha waits six`");
}

#[test]
fn hostile_text_cannot_reach_the_terminal() {
    let corpus = format!("{CORPUS}{{\"id\": \"\\u001b[31mred\\u202e\", \"text\": \"\"}}\n");
    let outcome = project(&corpus, QUESTIONS).call(&["dataset", "lint", "c.toml"]);
    assert!(outcome.stdout.contains("document `red` has no text"), "{}", outcome.stdout);
    assert!(
        outcome.stdout.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'),
        "{:?}",
        outcome.stdout
    );
}

#[test]
fn the_shipped_runbooks_have_neither_errors_nor_warnings() {
    let outcome = Project::runbooks().call(&["dataset", "lint", "--json"]);
    let lint: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!(rules(&lint), BTreeMap::new(), "{}", outcome.stdout);
    assert_eq!((outcome.code, &lint["errors"], &lint["warnings"]), (0, &0.into(), &0.into()));
}
