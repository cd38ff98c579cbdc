//! One's own folder of files, walked by globs.

use crate::project::Project;
use crate::run_files;

const SETTINGS: &str =
    "[dataset]\nformat = \"files\"\npath = \"docs\"\n\n[retrieval]\nretrievers = [\"bm25\"]\n";
const QUESTION: &str = r#"{"id": "q1", "text": "How long does the pump run?", "answers": ["nine hours"], "evidence": [[{"doc": "deep/er/pump.rst", "quotes": ["nine hours"]}]]}"#;

fn project() -> Project {
    Project::of(&[
        ("c.toml", SETTINGS),
        ("docs/questions.jsonl", QUESTION),
        ("docs/corpus/a.md", "# A\n\nText.\n"),
        ("docs/corpus/deep/b.txt", "More text.\n"),
        ("docs/corpus/deep/er/pump.rst", "Pump\n====\n\nThe pump runs nine hours.\n"),
        ("docs/corpus/deep/main.rs", "fn main() {}\n"),
        ("docs/corpus/picture.png", "\u{1}\u{2}"),
        ("docs/corpus/.git/hidden.md", "hidden\n"),
    ])
}

#[test]
fn prose_and_source_code_of_all_depths_are_taken() {
    let project = project();
    project.good("r", &[]);
    run_files::check(&project, "r");
    // a.md, deep/b.txt, deep/er/pump.rst, deep/main.rs; neither the picture nor what is hidden.
    assert_eq!(project.json("runs/r/run.json")["n_documents"], 4);
    assert_eq!(project.summary("r")["classes"]["correct"], 1);
}

#[test]
fn a_file_that_is_not_utf_8_is_named_by_its_byte() {
    let project = project();
    project.write("docs/corpus/old.txt", b"caf\xe9");
    project.refuses(
        &crate::project::RUN,
        &[
            "error: `docs/corpus/old.txt` is not valid UTF-8 at byte 3",
            "hint: convert the file to UTF-8, for instance with `iconv`, or leave it out of the corpus",
        ],
    );
}

#[test]
fn globs_that_match_nothing_are_an_empty_corpus() {
    let project = project();
    project.write("docs/questions.jsonl", r#"{"id": "q1", "text": "How long?"}"#);
    project.refuses(
        &crate::project::run_with("dataset.globs=[\"*.adoc\"]"),
        &[
            "error: the corpus of `docs` is empty",
            "hint: add documents with text, or check `dataset.path` and `dataset.globs`",
        ],
    );
}
