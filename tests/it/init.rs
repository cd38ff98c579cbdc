//! `ragtriage init`: from a folder of documents to a first run.

use crate::project::{Project, outcome};

const PUMP: &str = "# Pump\n\n## Running\n\nThe pump runs for nine hours and then it rests.\n\n## Stopping\n\nPress the red button.\n";

#[test]
fn a_folder_of_documents_becomes_a_run_by_the_commands_it_names() {
    let project = Project::of(&[
        ("my docs/a/pump.md", PUMP),
        ("my docs/old.pdf", "%PDF"),
        ("my docs/tool.py", "x = 1"),
    ]);
    let outcome = project.call(&["init", "my docs"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    insta::assert_snapshot!(outcome.stderr, @"
    1 document (1 md).
    skipped 1 file not read as text: `python -m ragtriage.documents 'my docs' OUT` writes PDF, DOCX, PPTX, HTML and EPUB as Markdown to OUT
    skipped 1 file of source code: add its endings to `dataset.globs` to include it
    wrote ragtriage.toml, my docs/questions.jsonl (empty)
    next: write real questions to asked.queries, one per line; then label, check and run:
    ");
    insta::assert_snapshot!(outcome.stdout, @"
    ragtriage dataset label --queries asked.queries
    ragtriage dataset lint
    ragtriage run
    ");
    assert_eq!(project.read("my docs/questions.jsonl"), "");

    let unasked = project.call(&["run"]);
    assert_eq!(unasked.code, 2);
    assert!(
        unasked.stderr.contains("has no questions")
            && unasked.stderr.contains("ragtriage dataset label"),
        "{}",
        unasked.stderr
    );

    let question = r#"{"id": "q", "text": "How long does the pump run?", "answers": ["nine hours"], "evidence": [{"doc": "a/pump.md", "quotes": ["runs for nine hours"]}]}"#;
    project.write("my docs/questions.jsonl", question);
    // As it was written it runs without a network and a model.
    let outcome = project.call(&["run", "--out", "runs", "--name", "r", "--offline"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(project.json("runs/r/run.json")["n_documents"], 1);
    assert_eq!(project.json("runs/r/run.json")["settings"]["chunking"]["strategy"], "markdown");
}

#[test]
fn questions_beside_the_documents_are_labelled_and_are_no_document() {
    let project = Project::of(&[("pump.md", PUMP)]);
    assert_eq!(project.call(&["init"]).code, 0);
    project.write("asked.queries", "How long does the pump run?\n");
    let args = ["dataset", "label", "--queries", "asked.queries", "--depth", "1"];
    let labelled =
        outcome(&project.command(&args).write_stdin("y\n\nyes\n").output().expect("starts"));
    assert_eq!(labelled.code, 0, "{}", labelled.stderr);
    assert!(labelled.stderr.contains("\npump.md · Pump"), "{}", labelled.stderr);
    assert!(project.read("questions.jsonl").contains(r#""evidence":[[{"doc":"pump.md"}]]"#));
}

#[test]
fn nothing_that_is_there_is_written_over() {
    let project = Project::of(&[
        ("pump.md", PUMP),
        ("questions.jsonl", "{\"id\": \"q\", \"text\": \"?\"}\n"),
    ]);
    let outcome = project.call(&["init"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(
        outcome.stderr.ends_with(
            "wrote ragtriage.toml\nnext: check the questions in questions.jsonl, then run:\n"
        ),
        "{}",
        outcome.stderr
    );
    assert_eq!(project.read("questions.jsonl"), "{\"id\": \"q\", \"text\": \"?\"}\n");
    project.write("ragtriage.toml", "# mine\n");
    let again = project.call(&["init", "."]);
    assert_eq!((again.code, again.stdout.as_str()), (2, ""));
    assert!(
        again.stderr.starts_with("error: `ragtriage.toml` already exists\nhint: "),
        "{}",
        again.stderr
    );
    assert_eq!(project.read("ragtriage.toml"), "# mine\n");
}

#[test]
fn a_folder_without_documents_is_told_what_documents_are() {
    let project = Project::of(&[("scans/a.pdf", "%PDF")]);
    for folder in ["scans", "nowhere"] {
        let outcome = project.call(&["init", folder]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("hint: "), "{}", outcome.stderr);
    }
    assert_eq!(
        std::fs::read_dir(project.path("scans")).expect("a folder").count(),
        1,
        "nothing was written"
    );
}
