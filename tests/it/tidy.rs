//! The house rules that a compiler does not check: floors, file sizes, headers, words that must not stand in a commit.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// No file may be longer; test files and tables are exempt.
const MOST_LINES: usize = 600;

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

/// Module name -> floor and its part (`3a` lies under `3b`, both under `3`), from the table in ARCHITECTURE.md.
fn floors() -> BTreeMap<String, (u32, char)> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let mut floors = BTreeMap::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let Some(name) = cells.get(1).and_then(|cell| cell.split(' ').next()) else { continue };
        let Ok(number) = name.trim_end_matches(['a', 'b']).parse() else { continue };
        let floor = (number, name.chars().last().filter(char::is_ascii_lowercase).unwrap_or('z'));
        for name in cells[2].split('`').skip(1).step_by(2) {
            floors.insert(name.trim_end_matches('/').trim_end_matches(".rs").to_owned(), floor);
        }
    }
    floors
}

/// The top-level module that a file belongs to.
fn module(path: &Path) -> String {
    let inside = path.strip_prefix(root().join("src")).expect("under src");
    let first = inside.components().next().expect("a name").as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

/// Top-level modules named behind `crate::`, braces (`crate::{a, b::c}`) included.
fn imports(code: &str) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut found = Vec::new();
    for (at, lead) in code.match_indices("crate::") {
        let rest = &code[at + lead.len()..];
        match rest.strip_prefix('{') {
            None => found.push(word(rest)),
            Some(group) => {
                let mut depth = 0;
                let mut start = true;
                for (i, c) in group.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => start = true,
                        c if start && !c.is_whitespace() => {
                            found.push(word(&group[i..]));
                            start = false;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    found
}

/// Code without its comments, so that a doc link is no import.
fn code_of(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn no_file_imports_a_floor_above_or_a_neighbour() {
    let floors = floors();
    let mut wrong = Vec::new();
    for path in rust_files("src") {
        let own = module(&path);
        if own == "lib" {
            continue;
        }
        let floor = *floors.get(&own).unwrap_or_else(|| panic!("`{own}` stands on no floor of ARCHITECTURE.md"));
        for target in imports(&code_of(&fs::read_to_string(&path).expect("readable"))) {
            let Some(&below) = floors.get(&target) else { continue };
            if target != own && below >= floor {
                wrong.push(format!("{}: floor {floor:?} imports `{target}` of floor {below:?}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_folder_of_the_floor_table_exists() {
    let floors = floors();
    assert!(floors.len() >= 16, "the table was not read: {floors:?}");
    for name in floors.keys() {
        let src = root().join("src");
        assert!(src.join(name).is_dir() || src.join(format!("{name}.rs")).is_file(), "src has no `{name}`");
    }
}

#[test]
fn the_import_reader_sees_groups_and_paths() {
    let code = "use crate::types::{A, B};\nuse crate::{text::C, stats, chunk::{D, E}};\nlet x = crate::fuse::f();";
    assert_eq!(imports(code), ["types", "text", "stats", "chunk", "fuse"]);
}

#[test]
fn every_file_says_what_it_is_and_stays_short() {
    for path in rust_files("src").iter().chain(&rust_files("tests")).chain(&rust_files("benches")) {
        let text = fs::read_to_string(path).expect("readable");
        assert!(text.starts_with("//!"), "{} does not open with //!", path.display());
        let is_test = path.components().any(|part| part.as_os_str() == "tests") || path.ends_with("tests.rs");
        let lines = text.lines().count();
        assert!(is_test || lines <= MOST_LINES, "{} has {lines} lines", path.display());
    }
}

#[test]
fn globs_stand_in_tests_only_and_nothing_is_left_to_do() {
    for path in rust_files("src") {
        let text = fs::read_to_string(&path).expect("readable");
        let code = code_of(&text);
        let before_tests = code.split("#[cfg(test)]").next().unwrap_or_default();
        let is_test = path.ends_with("tests.rs") || path.ends_with("contract.rs") || path.ends_with("reference.rs");
        assert!(is_test || !before_tests.contains("::*;"), "{} imports a glob", path.display());
        for word in [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")] {
            assert!(!text.contains(word), "{} holds {word}", path.display());
        }
    }
}

#[test]
fn main_stays_a_door() {
    let lines = fs::read_to_string(root().join("src/main.rs")).expect("main.rs").lines().count();
    assert!(lines <= 30, "main.rs has {lines} lines");
}

#[test]
fn architecture_fits_its_page() {
    let lines = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md").lines().count();
    assert!(lines <= 150, "ARCHITECTURE.md has {lines} lines");
}

#[test]
fn the_recorded_engine_version_is_the_pinned_one() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    let pinned = format!("qdrant-edge = \"={}\"", ragxray::index::QDRANT_EDGE);
    assert!(manifest.contains(&pinned), "Cargo.toml has no `{pinned}`");
}
