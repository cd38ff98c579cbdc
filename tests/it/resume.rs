//! Going on with a run: what is there is kept, what is missing is asked.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::project::{Outcome, Project, tiny_bert};
use crate::run_files::{check, timeless};

const ARGS: [&str; 3] = ["run", "--out", "runs"];

fn call(project: &Project, args: &[&str]) -> Outcome {
    project.call(&[&ARGS[..], args].concat())
}

/// The runbooks with a finished run `whole` and its copy `torn`.
fn with_copy() -> Project {
    let project = Project::runbooks();
    let outcome = call(&project, &["--name", "whole"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    crate::project::copy_folder(&project.path("runs/whole"), &project.path("runs/torn"));
    project
}

/// Leaves of `torn` what a kill would: no derived file, a `run.json` that does not say when it ended, `n_lines` traces
/// and half of the next.
fn tear(project: &Project, n_lines: usize) {
    for file in ["summary.json", "outcomes.jsonl", "retrieval.trec", "qrels.trec", "report.html"] {
        fs::remove_file(project.path(&format!("runs/torn/{file}"))).expect("there");
    }
    let mut run = project.json("runs/torn/run.json");
    run["finished"] = Value::Null;
    project.write("runs/torn/run.json", run.to_string());
    let traces = project.read("runs/torn/traces.jsonl");
    let whole: usize = traces.split_inclusive('\n').take(n_lines).map(str::len).sum();
    project.write("runs/torn/traces.jsonl", &traces.as_bytes()[..whole + 400]);
}

fn resumes_to_the_same(project: &Project) {
    let outcome = call(project, &["--resume", "torn"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, "run folder: runs/torn\n"));
    check(project, "torn");
    assert_eq!(timeless(project.summary("torn")), timeless(project.summary("whole")));
    let lines = project.read("runs/torn/traces.jsonl");
    assert_eq!(lines.lines().count(), 300, "no question was asked twice");
}

#[test]
fn a_run_torn_in_the_middle_of_a_line_ends_like_an_undisturbed_one() {
    let project = with_copy();
    tear(&project, 10);
    let kept: Vec<String> =
        project.read("runs/torn/traces.jsonl").lines().take(10).map(str::to_owned).collect();
    resumes_to_the_same(&project);
    let after = project.read("runs/torn/traces.jsonl");
    assert!(
        after.lines().take(10).eq(kept.iter().map(String::as_str)),
        "what was finished is not touched"
    );
}

#[test]
fn passages_torn_in_the_middle_of_a_line_are_written_again() {
    let project = with_copy();
    tear(&project, 0);
    project.write("runs/torn/traces.jsonl", "");
    let passages = project.read("runs/torn/passages.jsonl");
    project.write("runs/torn/passages.jsonl", &passages.as_bytes()[..passages.len() / 2]);
    resumes_to_the_same(&project);
}

#[test]
fn a_run_killed_before_its_first_question_resumes() {
    // While documents are embedded, run.json is all there is.
    let project = with_copy();
    tear(&project, 0);
    fs::remove_file(project.path("runs/torn/traces.jsonl")).expect("there");
    fs::remove_file(project.path("runs/torn/passages.jsonl")).expect("there");
    resumes_to_the_same(&project);
}

#[test]
fn a_run_killed_before_it_wrote_its_record_begins() {
    // The folder is made first; the record is written under another name and then renamed.
    for half in [None, Some("{\"schema\": 1, \"na")] {
        let project = with_copy();
        fs::remove_dir_all(project.path("runs/torn")).expect("there");
        fs::create_dir(project.path("runs/torn")).expect("made");
        if let Some(half) = half {
            project.write("runs/torn/run.json.partial", half);
            fs::set_permissions(
                project.path("runs/torn/run.json.partial"),
                fs::Permissions::from_mode(0o600),
            )
            .expect("set");
        }
        let refused = project.refused(&[&ARGS[..], &["--resume", "torn"]].concat());
        assert_eq!(
            refused.stderr,
            "error: the run was killed before it wrote its manifest\n\
             hint: pass the configuration file and the overrides again\n"
        );
        let outcome = project.call(&["run", "ragtriage.toml", "--out", "runs", "--resume", "torn"]);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, "run folder: runs/torn\n"));
        check(&project, "torn");
        assert_eq!(timeless(project.summary("torn")), timeless(project.summary("whole")));
        assert_eq!(project.json("runs/torn/run.json")["name"], "torn");
    }
}

#[test]
fn a_folder_with_traces_and_no_record_is_no_run_to_begin() {
    let project = with_copy();
    fs::remove_file(project.path("runs/torn/run.json")).expect("there");
    let refused = project.refused(&["run", "ragtriage.toml", "--out", "runs", "--resume", "torn"]);
    assert!(refused.stderr.starts_with("error: `runs/torn` is not a run"), "{}", refused.stderr);
}

#[test]
fn a_finished_run_resumes_without_asking_anything() {
    let project = with_copy();
    let before = project.read("runs/torn/traces.jsonl");
    resumes_to_the_same(&project);
    assert_eq!(project.read("runs/torn/traces.jsonl"), before);
}

#[test]
fn resume_with_other_settings_is_refused_with_the_difference() {
    let project = with_copy();
    let sets = ["--set", "retrieval.k=3", "--set", "chunking.size=100"];
    let outcome = project.refused(&[&ARGS[..], &["--resume", "torn"], &sets].concat());
    assert_eq!(
        outcome.stderr,
        "error: run `torn` was made with another configuration: `chunking.size`: 200 -> 100; `retrieval.k`: 5 -> 3\n\
         hint: pass the same configuration, or start a new run\n"
    );
}

#[test]
fn resume_over_changed_data_is_refused() {
    let project = with_copy();
    project.append("datasets/runbooks/corpus/cdn-purge.md", "One line more.\n");
    let outcome = project.refused(&[&ARGS[..], &["--resume", "torn"]].concat());
    assert_eq!(
        outcome.stderr,
        "error: run `torn` was made with another configuration: the data set's content\n\
         hint: pass the same configuration, or start a new run\n"
    );
}

#[test]
fn a_damaged_line_in_the_middle_is_named_and_nothing_is_lost() {
    let project = with_copy();
    let traces = project
        .read("runs/torn/traces.jsonl")
        .replacen("{\"index\"", "{index\"", 2)
        .replacen("{index\"", "{\"index\"", 1);
    project.write("runs/torn/traces.jsonl", traces);
    let outcome = project.refused(&[&ARGS[..], &["--resume", "torn"]].concat());
    let lines: Vec<&str> = outcome.stderr.lines().collect();
    assert!(
        lines[0].starts_with("error: `runs/torn/traces.jsonl` line 2 is damaged: "),
        "{}",
        outcome.stderr
    );
    assert!(lines.len() == 2 && lines[1].starts_with("hint: "), "{}", outcome.stderr);
}

#[test]
fn a_run_of_another_schema_is_refused() {
    let project = with_copy();
    let mut run = project.json("runs/torn/run.json");
    run["schema"] = 99.into();
    project.write("runs/torn/run.json", run.to_string());
    for args in [&["report", "runs/torn"][..], &["run", "--out", "runs", "--resume", "torn"]] {
        let outcome = project.refused(args);
        let expected = "error: `runs/torn/run.json` was written by another version of ragtriage: its schema is 99, expected 3\nhint: run again with this version\n";
        assert_eq!(outcome.stderr, expected);
    }
}

#[test]
fn a_resume_that_cannot_start_leaves_the_finished_run_as_it_was() {
    let project = Project::new();
    let bert = tiny_bert();
    let sets = ["--set", &bert[0], "--set", &bert[1]];
    project.good("r", &sets);
    fs::remove_dir_all(project.path("cache/collections")).expect("there");
    project.write("cache/collections", "a file where a folder should be");
    // `refused` compares every byte of the run's folder before and after.
    project.refused(&[&["run", "c.toml", "--out", "runs", "--resume", "r"], &sets[..]].concat());
}

#[test]
fn resume_alone_takes_the_settings_of_the_runs_record() {
    let project = Project::runbooks();
    let none = "generation.generator=none";
    let set = ["--set", "retrieval.k=3", "--set", none, "--limit", "7"];
    assert_eq!(
        project.call(&[&["run", "--out", "runs", "--name", "r"][..], &set].concat()).code,
        0
    );
    let whole = project.summary("r");
    let traces = project.read("runs/r/traces.jsonl");
    let kept: String = traces.split_inclusive('\n').take(4).collect();
    project.write("runs/r/traces.jsonl", kept);
    let resumed = project.call(&["run", "--out", "runs", "--resume", "r"]);
    assert_eq!((resumed.code, resumed.stderr.as_str()), (0, "run folder: runs/r\n"));
    assert_eq!(timeless(project.summary("r")), timeless(whole));
    assert_eq!(project.read("runs/r/traces.jsonl").lines().count(), 7);
}
