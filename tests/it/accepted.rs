//! Input that is unusual and right: taken, and counted where something was left out.

use crate::project::Project;
use crate::run_files::{self, class};

#[test]
fn an_empty_document_is_counted_and_makes_no_chunk() {
    let project = Project::new();
    project.append("data/corpus.jsonl", "{\"id\": \"c\", \"text\": \" \\n\"}\n");
    let outcome = project.good("r", &[]);
    run_files::check(&project, "r");
    let run = project.json("runs/r/run.json");
    // Three documents; `a` and `b` are one chunk each.
    assert_eq!((&run["n_documents"], &run["n_chunks"]), (&3.into(), &2.into()));
    assert_eq!(project.notes("r"), "1 empty document (no chunk)");
    assert!(outcome.stdout.contains("1 empty document (no chunk)"), "{}", outcome.stdout);
    assert!(!project.read("runs/r/passages.jsonl").contains("\"c#0\""));
}

#[test]
fn an_empty_document_that_is_gold_loses_its_question_in_the_corpus() {
    let project = Project::new();
    project.append("data/corpus.jsonl", "{\"id\": \"c\", \"text\": \"\"}\n");
    project.append(
        "data/questions.jsonl",
        r#"{"id": "q3", "text": "x?", "answers": ["yttrium"], "evidence": [[{"doc": "c"}]]}"#,
    );
    let outcome = project.good("r", &[]);
    run_files::check(&project, "r");
    let summary = project.summary("r");
    // A document without text holds no evidence, and no chunk boundary took it away.
    assert_eq!(
        (class(&summary, "correct"), class(&summary, "not_in_corpus")),
        (2, 1),
        "{}",
        summary["classes"]
    );
    // One of three questions is lost with all of its answer.
    let budget = &summary["losses"]["budget"];
    assert_eq!(
        (&budget["n"], &summary["verdict"]["bottleneck"]),
        (&3.into(), &"not_in_corpus".into()),
        "{}",
        outcome.stdout
    );
    assert!((budget["loss"].as_f64().expect("a number") - 1.0 / 3.0).abs() < 1e-12, "{budget}");
}

#[test]
fn a_question_of_ones_own_without_gold_is_asked_and_attributed_to_nothing() {
    let project = Project::new();
    project.append("data/questions.jsonl", r#"{"id": "q3", "text": "How long does alpha wait?"}"#);
    project.good("r", &[]);
    run_files::check(&project, "r");
    let summary = project.summary("r");
    assert_eq!((class(&summary, "unclear"), class(&summary, "correct")), (1, 2));
}
