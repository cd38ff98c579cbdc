//! Files that something else damaged, replaced or made to harm: refused with one message, or read as what they are.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

use serde_json::Value;

use crate::project::{Outcome, Project};

const RECORD: &str = r#"{"id": "q1", "contexts": ["Alpha waits six minutes."], "answer": "six minutes"}
{"id": "q2", "contexts": ["Beta never waits."], "answer": "Beta"}
"#;

fn fifo(project: &Project, path: &str) {
    let _ = fs::remove_file(project.path(path)); // there is none in most cases
    let made = Command::new("mkfifo").arg(project.path(path)).status();
    assert!(made.expect("mkfifo").success());
}

/// The outcome is this error, and nothing else.
fn assert_refused(outcome: &Outcome, error: &str) {
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{error}");
    let first = outcome.stderr.lines().next();
    assert_eq!(first, Some(format!("error: {error}").as_str()));
    assert!(outcome.stderr.contains("\nhint: "), "{}", outcome.stderr);
}

fn import(project: &Project, file: &str) -> Outcome {
    project.call(&["import", file, "c.toml", "--out", "runs"])
}

fn with_run() -> Project {
    let project = Project::new();
    let outcome = project.call(&["run", "c.toml", "--out", "runs", "--name", "r"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    project
}

#[test]
fn a_fifo_or_a_device_is_refused_wherever_a_file_is_read() {
    let project = with_run();
    fifo(&project, "fifo");
    for file in ["fifo", "/dev/zero"] {
        let error = format!("`{file}` is not a regular file");
        assert_refused(&import(&project, file), &error);
        assert_refused(&project.call(&["score", "--run", file, "--qrels", file]), &error);
        let label = ["dataset", "label", "c.toml", "--queries", file];
        assert_refused(&project.call(&label), &format!("cannot read `{file}`: not a regular file"));
    }
    for name in ["traces.jsonl", "passages.jsonl", "run.json"] {
        let path = format!("runs/r/{name}");
        fifo(&project, &path);
        let error = format!("cannot read `{path}`: not a regular file");
        assert_refused(&project.call(&["report", "runs/r"]), &error);
        fs::remove_file(project.path(&path)).expect("there");
        symlink("/dev/zero", project.path(&path)).expect("linked");
        assert_refused(&project.call(&["report", "runs/r"]), &error);
    }
}

#[test]
fn a_settings_file_that_is_a_device_or_a_fifo_is_refused() {
    let project = Project::new();
    fifo(&project, "fifo.toml");
    fs::create_dir(project.path("folder.toml")).expect("made");
    for file in ["/dev/null", "fifo.toml", "folder.toml"] {
        let error = format!("cannot read settings `{file}`: not a regular file");
        assert_refused(&project.call(&["run", file]), &error);
    }
}

#[test]
fn a_fifo_or_a_device_is_refused_wherever_a_setting_names_a_file() {
    let project = Project::new();
    fifo(&project, "fifo");
    let server = ["generation.generator=openai", "generation.base_url=https://localhost:9/v1"];
    let remote =
        ["retrieval.retrievers=[\"dense\"]", "retrieval.dense.endpoint=https://localhost:9"];
    let model = ["generation.model=m", "retrieval.dense.model=m"];
    for file in ["fifo", "/dev/zero"] {
        for (sets, setting, error) in [
            (
                &["generation.generator=recorded"][..],
                "generation.responses",
                "the recorded responses",
            ),
            (&[], "generation.prompt", "the prompt template"),
            (&[server[0], server[1], model[0]], "http.ca_file", "the CA file"),
            (&[remote[0], remote[1], model[1]], "http.ca_file", "the CA file"),
        ] {
            let set = format!("{setting}={file}");
            let sets = sets.iter().copied().chain([set.as_str()]).flat_map(|set| ["--set", set]);
            let args: Vec<&str> =
                ["run", "c.toml", "--out", "runs"].into_iter().chain(sets).collect();
            let outcome = project.call(&args);
            assert_refused(&outcome, &format!("cannot read {error} `{file}`: not a regular file"));
        }
    }
}

#[test]
fn a_record_that_says_a_thing_twice_is_refused() {
    let project = Project::new();
    let (first, second) = RECORD.split_once('\n').expect("two lines");
    let open = first.strip_suffix('}').expect("an object");
    for (line, error) in [
        (
            format!("{open}, \"answer\": \"a year\"}}"),
            "column 98: not a JSON object: duplicate key `answer`",
        ),
        (
            format!("{open}, \"response\": \"a year\"}}"),
            "`answer` and `response` differ, and either may be the answer",
        ),
    ] {
        project.write("r.jsonl", format!("{line}\n{second}"));
        let outcome = import(&project, "r.jsonl");
        assert_eq!(outcome.code, 2, "{error}");
        let told = error.split_once("object: ").map_or(error, |(_, told)| told);
        assert!(
            outcome.stderr.starts_with("error: `r.jsonl` line 1") && outcome.stderr.contains(told),
            "{}",
            outcome.stderr
        );
        assert!(!project.path("runs").exists());
    }
}

#[test]
fn compressed_text_that_grows_beyond_measure_is_refused() {
    let project = Project::new();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..64 {
        encoder.write_all(&vec![b' '; 1 << 20]).expect("in memory");
    }
    project.write("bomb", encoder.finish().expect("in memory"));
    assert_refused(&import(&project, "bomb"), "cannot read `bomb`: larger than 16.8 MB");
}

#[test]
fn a_finished_run_without_some_of_its_questions_is_refused_until_it_is_resumed() {
    let project = with_run();
    let traces = project.read("runs/r/traces.jsonl");
    let first = traces.find('\n').expect("a line") + 1;
    for left in [&traces[..first], &traces[..traces.len() - 1], ""] {
        project.write("runs/r/traces.jsonl", left);
        let n_missing = 2 - left.matches('\n').count();
        let error =
            format!("`runs/r/traces.jsonl` lacks {n_missing} of the 2 questions of a finished run");
        for args in [&["report", "runs/r"][..], &["compare", "runs/r", "runs/r"]] {
            assert_refused(&project.call(args), &error);
        }
    }
    let outcome = project.call(&["run", "c.toml", "--out", "runs", "--resume", "r"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(project.call(&["report", "runs/r"]).code, 0);
}

#[test]
fn a_passage_with_two_texts_is_refused() {
    let project = with_run();
    let passages = project.read("runs/r/passages.jsonl");
    let twice = passages.clone() + &passages;
    project.write("runs/r/passages.jsonl", &twice);
    assert_eq!(project.call(&["report", "runs/r"]).code, 0, "only repeated");
    // Lines are in the order in which the questions finished.
    let at = passages.lines().position(|line| line.contains("six minutes")).expect("a passage");
    let mut lines: Vec<String> = passages.lines().map(str::to_owned).collect();
    lines[at] = lines[at].replacen("six minutes", "ten minutes", 1);
    project.write("runs/r/passages.jsonl", lines.join("\n") + "\n");
    assert_refused(
        &project.call(&["report", "runs/r"]),
        &format!(
            "`runs/r/passages.jsonl` line {} is damaged: its content does not match its checksum",
            at + 1
        ),
    );
    // A line edited by hand has no checksum.
    let mut edited: Value = serde_json::from_str(&lines[at]).expect("JSON");
    edited.as_object_mut().expect("an object").remove("crc32");
    lines[at] = edited.to_string();
    project.write("runs/r/passages.jsonl", lines.join("\n") + "\n" + &passages);
    assert_refused(
        &project.call(&["report", "runs/r"]),
        "`runs/r/passages.jsonl` has two passages `a#0` with different contents",
    );
}
