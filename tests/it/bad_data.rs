//! Data that cannot be used: refused with file, line, id or byte, and what to do.

use crate::project::{CORPUS, Project, QUESTIONS, RUN};

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
fn missing_evidence_that_is_kept_is_counted_and_lost_in_the_corpus() {
    let project = with_question(
        r#"{"id": "q3", "text": "x?", "answers": ["yttrium"], "evidence": [[{"doc": "gone.md"}]]}"#,
    );
    let outcome = project.good("r", &[]);
    let summary = project.summary("r");
    assert_eq!(
        (&summary["classes"]["not_in_corpus"], &summary["n_questions"]),
        (&1.into(), &3.into())
    );
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
