//! Data that cannot be used: refused with file, line, id or byte, and what to do.

use crate::project::{CORPUS, Project, QUESTIONS, RUN, run_with};

/// A project with one document more, on line 3.
fn with_document(line: impl AsRef<[u8]>) -> Project {
    let project = Project::new();
    project.append("data/corpus.jsonl", line);
    project
}

/// A project with one question more, on line 3.
fn with_question(line: &str) -> Project {
    let project = Project::new();
    project.append("data/questions.jsonl", format!("{line}\n"));
    project
}

#[test]
fn a_data_set_that_is_not_there_is_named() {
    Project::new().refuses(
        &run_with("dataset.path=gone"),
        &[
            "error: `gone/corpus.jsonl` does not exist",
            "hint: check `dataset.path`; `ragtriage dataset fetch NAME` downloads a public data set",
        ],
    );
}

#[test]
fn broken_json_among_the_questions_is_named_by_line() {
    with_question("{\"id\" \"c\"}").refuses(
        &RUN,
        &[
            "error: `data/questions.jsonl` line 3: invalid JSON at column 7: expected `:`",
            "hint: fix that line, or check `dataset.format`",
        ],
    );
}

#[test]
fn missing_evidence_that_is_kept_is_counted_and_lost_in_the_corpus() {
    let project = with_question(
        r#"{"id": "q3", "text": "x?", "answers": ["yttrium"], "evidence": [[{"doc": "gone.md"}]]}"#,
    );
    let outcome = project.good("r", &[]);
    let summary = project.summary("r");
    assert_eq!((&summary["classes"]["corpus"], &summary["n_questions"]), (&1.into(), &3.into()));
    // Of three questions with gold one is lost before the documents.
    assert_eq!(summary["losses"]["stages"][0]["complete"], 2);
    let words = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("evidence whose document is not in the corpus, kept"),
        "{}",
        outcome.stdout
    );
    assert!(
        words.contains("corpus: gold document `gone.md` is not in the corpus, or empty there"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn an_empty_corpus_is_refused() {
    let project = Project::new();
    for corpus in ["", "\n\n", "{\"id\": \"a\", \"text\": \" \\n\"}\n"] {
        project.write("data/corpus.jsonl", corpus);
        project.write("data/questions.jsonl", r#"{"id": "q1", "text": "why?", "answers": ["y"]}"#);
        project.refuses(
            &RUN,
            &[
                "error: the corpus of `data` is empty",
                "hint: add documents with text, or check `dataset.path` and `dataset.globs`",
            ],
        );
    }
}

#[test]
fn no_question_at_all_is_refused() {
    let project = Project::new();
    project.write("data/questions.jsonl", "");
    project.refuses(
        &RUN,
        &[
            "error: `data` has no questions",
            "hint: add questions, one per line, or label real ones with `ragtriage dataset label`",
        ],
    );
}

#[test]
fn invalid_utf_8_is_named_by_file_and_byte() {
    let hint =
        "hint: convert the file to UTF-8, for instance with `iconv`, or leave it out of the corpus";
    // `ab` stands behind the corpus, then the bad byte.
    let error =
        format!("error: `data/corpus.jsonl` is not valid UTF-8 at byte {}", CORPUS.len() + 2);
    with_document(b"ab\xff\n").refuses(&RUN, &[&error, hint]);

    let project = Project::new();
    project.append("data/questions.jsonl", b"\xc3");
    let error =
        format!("error: `data/questions.jsonl` is not valid UTF-8 at byte {}", QUESTIONS.len());
    project.refuses(&RUN, &[&error, hint]);
}

#[test]
fn bad_data_leaves_finished_runs_as_they_were() {
    let project = Project::new();
    project.good("r", &[]);
    project.write("data/corpus.jsonl", "{");
    // `refused` compares every file of every run before and after.
    project.refused(&["run", "c.toml", "--out", "runs", "--name", "other"]);
    project.refused(&["run", "c.toml", "--out", "runs", "--resume", "r"]);
}

#[test]
fn empty_qrels_are_refused() {
    let project = Project::new();
    project.write("e.qrels", "");
    project.write("r.trec", "q Q0 d 1 1.0 r\n");
    project.refuses_with_some_hint(
        &["score", "--run", "r.trec", "--qrels", "e.qrels", "-m", "RR"],
        "error: `e.qrels` is empty: it has no line with data",
    );
}

#[test]
fn a_copy_to_fetch_from_must_exist() {
    Project::new().refuses(
        &["dataset", "fetch", "squad", "--from", "x.zip"],
        &[
            "error: `x.zip` does not exist",
            "hint: name the folder or file of the data set with `--from`",
        ],
    );
}
