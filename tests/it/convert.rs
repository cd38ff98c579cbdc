//! `dataset convert` there and back: the digest that the program prints stays.

use std::path::Path;

use crate::parity::fetched;
use crate::project::{Project, repository};

/// Converts `from` and gives the digest of what was written.
fn convert(project: &Project, from: &Path, settings: &[&str], folder: &str) -> String {
    let from = from.to_string_lossy().into_owned();
    let outcome = project.call(&[&["dataset", "convert", &from, folder], settings].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let line =
        outcome.stderr.lines().find(|line| line.contains("verified, digest ")).expect("said");
    line.rsplit(' ').next().expect("a digest").to_owned()
}

fn there_and_back(path: &Path) {
    let project = Project::new();
    let keep = ["--set", "dataset.missing_evidence=keep"];
    let before = convert(&project, path, &keep, "first");
    assert_eq!(convert(&project, &project.path("first"), &keep, "second"), before);
    for file in ["corpus.jsonl", "questions.jsonl"] {
        assert_eq!(project.read(&format!("first/{file}")), project.read(&format!("second/{file}")));
    }
}

#[test]
fn the_runbooks_come_back() {
    there_and_back(&repository("datasets/runbooks"));
}

#[test]
#[cfg_attr(
    not(has_data_hotpotqa),
    ignore = "needs datasets/fetched/hotpotqa: ragtriage dataset fetch hotpotqa"
)]
fn hotpotqa_comes_back() {
    there_and_back(&fetched("hotpotqa"));
}

#[test]
#[cfg_attr(
    not(has_data_squad),
    ignore = "needs datasets/fetched/squad: ragtriage dataset fetch squad"
)]
fn squad_comes_back() {
    there_and_back(&fetched("squad"));
}

#[test]
#[cfg_attr(
    not(has_data_squad2),
    ignore = "needs datasets/fetched/squad2: ragtriage dataset fetch squad2"
)]
fn squad2_comes_back() {
    there_and_back(&fetched("squad2"));
}

#[test]
#[cfg_attr(
    not(has_data_scifact),
    ignore = "needs datasets/fetched/scifact: ragtriage dataset fetch scifact"
)]
fn scifact_comes_back() {
    there_and_back(&fetched("scifact"));
}

#[test]
#[cfg_attr(
    not(has_data_cisi),
    ignore = "needs datasets/fetched/cisi: ragtriage dataset fetch cisi"
)]
fn cisi_comes_back() {
    there_and_back(&fetched("cisi"));
}

#[test]
fn labels_of_missing_documents_are_told_and_a_folder_that_exists_is_left_alone() {
    let question = "{\"id\": \"q\", \"text\": \"why?\", \"evidence\": [{\"doc\": \"gone\"}]}\n";
    let project = Project::of(&[
        ("set/corpus.jsonl", "{\"id\": 1, \"text\": \"t\"}"),
        ("set/questions.jsonl", question),
    ]);
    let args = ["dataset", "convert", "set", "out", "--set", "dataset.missing_evidence=keep"];
    let outcome = project.call(&args);
    let told = "2 labels name a missing document: set `dataset.missing_evidence = \"keep\"` to load the data set";
    assert_eq!((outcome.code, outcome.stderr.lines().nth(1)), (0, Some(told)));
    project.refuses(
        &args,
        &[
            "error: `out` already exists",
            "hint: choose a new folder; existing files are not overwritten",
        ],
    );
}
