//! `dataset convert` there and back: the digest that the program prints stays.

use std::path::{Path, PathBuf};

use crate::parity::fetched;
use crate::project::{Project, repository};

/// Converts `from` and gives the digest of what was written.
fn convert(project: &Project, from: &Path, settings: &[&str], to: &str, folder: &str) -> String {
    let from = from.to_string_lossy().into_owned();
    let outcome =
        project.call(&[&["dataset", "convert", &from, "--to", to, folder], settings].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let line =
        outcome.stderr.lines().find(|line| line.contains("verified, digest ")).expect("said");
    line.rsplit(' ').next().expect("a digest").to_owned()
}

fn there_and_back(path: &Path) {
    let project = Project::new();
    let keep = ["--set", "dataset.missing_evidence=keep"];
    let before = convert(&project, path, &keep, "jsonl", "first");
    for (from, settings, to, folder) in [
        ("first", &keep[..], "beir", "second"),
        ("second", &keep[..], "jsonl", "third"),
        ("second", &[], "beir", "fourth"),
    ] {
        assert_eq!(
            convert(&project, &project.path(from), settings, to, folder),
            before,
            "{from} to {folder}"
        );
    }
    for file in ["corpus.jsonl", "questions.jsonl"] {
        assert_eq!(project.read(&format!("first/{file}")), project.read(&format!("third/{file}")));
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
fn a_tab_in_an_id_goes_to_jsonl_and_not_to_beir() {
    let question = "{\"id\": \"a\\tb\", \"text\": \"why?\", \"split\": \"tune\"}\n{\"id\": \"c\", \"text\": \"who?\"}\n";
    let project = Project::of(&[
        ("set/corpus.jsonl", "{\"id\": 1, \"text\": \"t\"}"),
        ("set/questions.jsonl", question),
    ]);
    project.refuses(
        &["dataset", "convert", "set", "--to", "beir", "out"],
        &[
            "error: question `a b` cannot be written to a tab-separated file",
            "hint: remove tabs, line breaks and surrounding white space from the id, or use the format `jsonl`, which allows them (`--to jsonl`)",
        ],
    );
    let tune: [&str; 2] = ["--set", "dataset.split=tune"];
    convert(&project, &PathBuf::from("set"), &tune, "jsonl", "out");
    assert_eq!(
        project.read("out/questions.jsonl"),
        "{\"id\": \"a\\tb\", \"text\": \"why?\", \"kind\": \"free\", \"split\": \"tune\"}\n"
    );
}

#[test]
fn labels_of_missing_documents_and_unjudged_questions_are_told() {
    let question = "{\"id\": \"q\", \"text\": \"why?\", \"evidence\": [{\"doc\": \"gone\"}]}\n{\"id\": \"u\", \"text\": \"who?\"}\n";
    let project = Project::of(&[
        ("set/corpus.jsonl", "{\"id\": 1, \"text\": \"t\"}"),
        ("set/questions.jsonl", question),
    ]);
    let keep = ["--set", "dataset.missing_evidence=keep"];
    for (to, told) in [
        (
            "jsonl",
            "2 labels name a missing document: set `dataset.missing_evidence = \"keep\"` to load the data set",
        ),
        ("beir", "1 question has no judgment; other readers of BEIR skip them"),
    ] {
        let outcome =
            project.call(&[&["dataset", "convert", "set", "--to", to, to], &keep[..]].concat());
        assert_eq!((outcome.code, outcome.stderr.lines().nth(1)), (0, Some(told)));
    }
}
