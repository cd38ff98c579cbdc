//! The house rules that a compiler does not check: file sizes, headers, words that must not stand in a commit.

use std::fs;
use std::path::{Path, PathBuf};

/// No file may be longer; test files and tables are exempt.
const MOST_LINES: usize = 700;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(folder: &str) -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), &mut found);
    found.sort();
    found
}

/// Code without its comments, so that a doc link is no import.
fn code_of(text: &str) -> String {
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_file_says_what_it_is_and_stays_short() {
    for path in rust_files("src")
        .iter()
        .chain(&rust_files("crates"))
        .chain(&rust_files("tests"))
        .chain(&rust_files("benches"))
    {
        let text = fs::read_to_string(path).expect("readable");
        assert!(
            text.starts_with("//!"),
            "{} does not open with //!",
            path.display()
        );
        let is_test =
            path.components().any(|part| part.as_os_str() == "tests") || path.ends_with("tests.rs");
        let lines = text.lines().count();
        assert!(
            is_test || lines <= MOST_LINES,
            "{} has {lines} lines",
            path.display()
        );
    }
}

#[test]
fn globs_stand_in_tests_only_and_nothing_is_left_to_do() {
    for path in rust_files("src").into_iter().chain(rust_files("crates")) {
        let text = fs::read_to_string(&path).expect("readable");
        let code = code_of(&text);
        let before_tests = code.split("#[cfg(test)]").next().unwrap_or_default();
        let is_test = path.ends_with("tests.rs")
            || path.ends_with("contract.rs")
            || path.ends_with("reference.rs");
        assert!(
            is_test || !before_tests.contains("::*;"),
            "{} imports a glob",
            path.display()
        );
        for word in [
            concat!("TO", "DO"),
            concat!("FIX", "ME"),
            concat!("XX", "X"),
        ] {
            assert!(!text.contains(word), "{} holds {word}", path.display());
        }
    }
}

#[test]
fn main_stays_a_door() {
    let lines = fs::read_to_string(root().join("src/main.rs"))
        .expect("main.rs")
        .lines()
        .count();
    assert!(lines <= 30, "main.rs has {lines} lines");
}

#[test]
fn architecture_fits_its_page() {
    let lines = fs::read_to_string(root().join("ARCHITECTURE.md"))
        .expect("ARCHITECTURE.md")
        .lines()
        .count();
    assert!(lines <= 150, "ARCHITECTURE.md has {lines} lines");
}

#[test]
fn the_recorded_engine_version_is_the_pinned_one() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    let pinned = format!("qdrant-edge = \"={}\"", ragtriage_vectors::QDRANT_EDGE);
    assert!(manifest.contains(&pinned), "Cargo.toml has no `{pinned}`");
}
