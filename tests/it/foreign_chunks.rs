//! Chunks made elsewhere: a run and a sweep take them as our own.

use serde_json::{Value, json};

use super::project::{Project, SETTINGS};

const BY_FILE: &[&str] =
    &["--set", "chunking.strategy=file", "--set", "chunking.file=chunks.jsonl"];

fn run(project: &Project, name: &str, more: &[&str]) -> Value {
    let args = ["run", "c.toml", "--out", "runs", "--name", name];
    let outcome = project.call(&[&args, more].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    project.json(&format!("runs/{name}/summary.json"))
}

/// Documents of four words, with the first two and the last two as chunks, by `fixed` and in a file.
fn halves() -> Project {
    let (mut corpus, mut questions, mut chunks) = (String::new(), String::new(), String::new());
    for n in 0..12 {
        let text = format!("key{n} north south lake{n}");
        let middle = text.find(" south").expect("a word");
        let (first, second) = (&text[..middle], &text[middle + 1..]);
        let line = |lines: &mut String, value: Value| *lines += &(value.to_string() + "\n");
        line(&mut corpus, json!({"id": format!("d{n}"), "text": text}));
        let evidence =
            [[json!({"doc": format!("d{n}"), "quotes": [if n % 2 == 0 { first } else { &text }]})]];
        let question = json!({"id": format!("q{n}"), "text": format!("key{n}?"), "answers": ["north"], "evidence": evidence});
        line(&mut questions, question);
        // The second before the first: chunks are numbered by their place. One of them by its text.
        line(&mut chunks, json!({"doc_id": format!("d{n}"), "text": second}));
        let first = json!({"doc_id": format!("d{n}"), "start": 0, "end": middle, "id": n});
        line(&mut chunks, first);
    }
    let settings = format!(
        "{SETTINGS}k = 2\n[chunking]\nstrategy = \"fixed\"\nsize = 2\noverlap = 0\ntokenizer = \"words\"\n\
         [generation]\ngenerator = \"none\"\n"
    );
    Project::of(&[
        ("c.toml", &settings),
        ("data/corpus.jsonl", &corpus),
        ("data/questions.jsonl", &questions),
        ("chunks.jsonl", &chunks),
    ])
}

#[test]
fn the_same_ranges_from_a_file_give_the_same_results() {
    let project = halves();
    let (own, foreign) = (run(&project, "own", &[]), run(&project, "foreign", BY_FILE));
    for key in ["metrics", "classes", "losses", "verdict"] {
        assert_eq!(own[key], foreign[key], "{key}");
    }
    // Six questions need both halves, and `key?` finds the first alone: a boundary is between them.
    assert_eq!(own["classes"]["split"], 6, "{}", own["classes"]);
    let manifest = project.json("runs/foreign/run.json");
    assert_eq!(manifest["models"][0]["role"], "chunks");
    let ranking = |run: &str| project.read(&format!("runs/{run}/retrieval.trec"));
    assert_eq!(ranking("own").replace(" own\n", " foreign\n"), ranking("foreign"));
}

#[test]
fn a_sweep_compares_them_on_the_same_evidence() {
    let project = halves();
    project.append(
        "c.toml",
        "[sweep]\nchunking = [{ size = 4 }, { strategy = \"file\", file = \"chunks.jsonl\" }]\n",
    );
    let outcome = project.call(&["tune", "c.toml", "--out", "tunes", "--name", "t", "--json"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let tune: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let rows = tune["ranking"]["rows"].as_array().expect("rows");
    let mean = |of: &str| -> f64 {
        let row = rows.iter().find(|row| row["values"].to_string().contains(of));
        row.and_then(|row| row["mean"].as_f64()).unwrap_or_else(|| panic!("{of}: {rows:?}"))
    };
    // A chunk of four words is a document and its evidence; the halves lack half of six questions' evidence.
    assert!(mean("\"4\"") > mean("chunks.jsonl"), "{rows:?}");
}

#[test]
fn context_is_indexed_and_shown_and_a_changed_file_is_not_resumed() {
    let project = Project::new();
    let chunk = |context: &str| {
        let second = r#"{"doc_id": "b", "start": 0, "end": 17}"#;
        format!(
            "{}\n{second}\n",
            json!({"doc_id": "a", "text": "Alpha waits six minutes.", "context": context})
        )
    };
    project.write("chunks.jsonl", chunk("On zebras."));
    project.write(
        "data/questions.jsonl",
        r#"{"id": "q1", "text": "zebras?", "answers": ["six minutes"], "evidence": [[{"doc": "a", "quotes": ["six minutes"]}]]}"#,
    );
    run(&project, "r", BY_FILE);
    let passages = project.read("runs/r/passages.jsonl");
    assert!(passages.contains("\"title\":\"On zebras.\""), "{passages}");
    let trace: Value = serde_json::from_str(&project.read("runs/r/traces.jsonl")).expect("a line");
    assert_eq!(trace["stages"][0]["hits"][0]["id"], "a#0");

    project.write("chunks.jsonl", chunk("On tigers."));
    let args = ["run", "c.toml", "--out", "runs", "--resume", "r"];
    let outcome = project.call(&[&args, BY_FILE].concat());
    assert_eq!(outcome.code, 2, "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("the content of a model or a file of chunks"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_file_that_cannot_be_used_is_named() {
    let project = Project::new();
    project.write("chunks.jsonl", "{\"doc_id\": \"z\", \"text\": \"t\"}");
    let outcome = project.call(&[&["run", "c.toml", "--out", "runs"], BY_FILE].concat());
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    let error = "chunks.jsonl` line 1: the data set has no document `z`\nhint: ";
    assert!(outcome.stderr.contains(error), "{}", outcome.stderr);
    let outcome =
        project.call(&["run", "c.toml", "--out", "runs", "--set", "chunking.strategy=file"]);
    let first = outcome.stderr.lines().next();
    assert_eq!(first, Some("error: `chunking.strategy` is `file`, but `chunking.file` is not set"));
    project.refuses_with_some_hint(
        &["run", "c.toml", "--set", "chunking.file=chunks.jsonl"],
        "error: `chunking.file` is set, but only `chunking.strategy = \"file\"` uses it",
    );
}
