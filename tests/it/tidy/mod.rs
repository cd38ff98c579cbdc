//! The house rules that a compiler does not check: imports, crate borders, file sizes, headers, links, words that no commit holds.

mod imports;
mod links;
mod messages;
mod source;
mod words;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use source::Source;

/// The most lines of code in a file, without tests, comments and blank lines.
const MOST_LINES: usize = 800;

/// Files that are longer. The list only shrinks.
const LONG_FILES: &[&str] = &[];

/// Files on a cycle of imports. The list only shrinks.
const CYCLIC_FILES: &[&str] = &[];

/// Crates of the workspace that each crate may depend on.
const BORDERS: [(&str, &[&str]); 12] = [
    ("core", &[]),
    ("encoder", &["core"]),
    ("bm25", &["core"]),
    ("http", &["core", "runs"]),
    ("vectors", &["core"]),
    ("runs", &["core"]),
    ("datasets", &["core", "runs"]),
    ("eval", &["core", "runs"]),
    ("report", &["core", "runs", "eval", "datasets"]),
    ("fetch", &["core", "datasets", "encoder", "http"]),
    ("models", &["core", "encoder", "http", "runs"]),
    (
        "pipeline",
        &[
            "core", "bm25", "datasets", "encoder", "eval", "fetch", "http", "models", "runs",
            "vectors",
        ],
    ),
];

/// Crates that judge and show: they compile without these.
const PURE: [&str; 5] = ["core", "runs", "eval", "report", "datasets"];
const IMPURE: [&str; 5] = ["tokio", "reqwest", "hyper", "qdrant-edge", "qdrant-client"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Lists the Rust files under a folder, sorted.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Lists the source folders: the command line's and each crate's.
fn source_folders() -> Vec<PathBuf> {
    let crates = BORDERS.map(|(name, _)| root().join("crates").join(name).join("src"));
    [root().join("src")].into_iter().chain(crates).collect()
}

fn name(path: &Path) -> String {
    let inside = path.strip_prefix(root()).expect("inside the repository");
    inside.to_string_lossy().into_owned()
}

fn is_test(path: &Path) -> bool {
    ["tests.rs", "contract.rs", "reference.rs", "properties.rs"]
        .iter()
        .any(|file| path.ends_with(file))
        || path.iter().any(|part| part == "contract" || part == "tests")
}

/// Fails unless exactly the listed files break a rule.
fn assert_only(listed: &[&str], found: &BTreeSet<String>, rule: &str) {
    let listed: BTreeSet<String> = listed.iter().map(ToString::to_string).collect();
    let new: Vec<_> = found.difference(&listed).collect();
    assert!(new.is_empty(), "{rule}: {new:#?}");
    let gone: Vec<_> = listed.difference(found).collect();
    assert!(gone.is_empty(), "keep the rule `{rule}` now, take them off the list: {gone:#?}");
}

#[test]
fn no_file_imports_from_one_that_imports_from_it() {
    let knots: Vec<Vec<String>> =
        source_folders().iter().flat_map(|folder| imports::cycles(folder, root())).collect();
    let found = knots.into_iter().flatten().collect();
    assert_only(CYCLIC_FILES, &found, "on a cycle of imports");
}

#[test]
fn crates_depend_on_what_lies_below_them() {
    let folders: BTreeSet<String> = fs::read_dir(root().join("crates"))
        .expect("crates")
        .map(|entry| {
            let name = entry.expect("an entry").file_name();
            name.to_string_lossy().into_owned()
        })
        .collect();
    let listed = BORDERS.map(|(name, _)| name.to_owned());
    assert_eq!(folders, BTreeSet::from(listed));
    for (name, allowed) in BORDERS {
        for other in workspace_dependencies(name) {
            assert!(allowed.contains(&other.as_str()), "crates/{name} depends on {other}");
        }
    }
}

#[test]
fn crates_that_judge_have_no_network_and_no_engine() {
    for name in PURE {
        let mut below = BTreeSet::from([name.to_owned()]);
        let mut waiting = vec![name.to_owned()];
        while let Some(name) = waiting.pop() {
            let new = workspace_dependencies(&name).into_iter();
            waiting.extend(new.filter(|other| below.insert(other.clone())));
        }
        for other in &below {
            for impure in dependencies(other) {
                let pure = !IMPURE.contains(&impure.as_str());
                assert!(pure, "crates/{name} has {impure} through crates/{other}");
            }
        }
    }
}

/// Reads the names in a crate's `[dependencies]`.
fn dependencies(name: &str) -> Vec<String> {
    let path = root().join("crates").join(name).join("Cargo.toml");
    let manifest = fs::read_to_string(path).expect("Cargo.toml");
    manifest
        .lines()
        .skip_while(|line| *line != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty())
        .map(ToOwned::to_owned)
        .collect()
}

fn workspace_dependencies(name: &str) -> Vec<String> {
    let all = dependencies(name);
    let ours = all.iter().filter_map(|dependency| dependency.strip_prefix("ragtriage-"));
    ours.map(ToOwned::to_owned).collect()
}

#[test]
fn files_stay_short() {
    let mut long = BTreeSet::new();
    for path in source_folders().iter().flat_map(|folder| rust_files(folder)) {
        let text = fs::read_to_string(&path).expect("readable");
        let lines = Source::parse(&text).code_lines();
        if !is_test(&path) && lines > MOST_LINES {
            long.insert(name(&path));
        }
    }
    assert_only(LONG_FILES, &long, "too long");
}

#[test]
fn every_file_says_what_it_is() {
    for folder in ["src", "crates", "tests", "benches"] {
        for path in rust_files(&root().join(folder)) {
            let text = fs::read_to_string(&path).expect("readable");
            assert!(text.starts_with("//!"), "{} has no //!", name(&path));
        }
    }
}

#[test]
fn globs_stay_in_tests_and_nothing_is_left_to_do() {
    for path in source_folders().iter().flat_map(|folder| rust_files(folder)) {
        let text = fs::read_to_string(&path).expect("readable");
        for word in [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")] {
            assert!(!text.contains(word), "{} holds {word}", name(&path));
        }
        let source = Source::parse(&text);
        let globs = (2..source.tokens.len())
            .filter(|&end| ["::", "*", ";"] == [end - 2, end - 1, end].map(|at| source.text(at)));
        assert!(is_test(&path) || globs.count() == 0, "{} imports a glob", name(&path));
    }
}

#[test]
fn architecture_fits_its_page() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let lines = text.lines().count();
    assert!(lines <= 150, "ARCHITECTURE.md has {lines} lines");
}

#[test]
fn the_path_of_one_question_names_items_that_exist() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let path = text
        .split("## ")
        .find(|section| section.starts_with("The path of one question"))
        .expect("a section");
    let steps = path.lines().filter(|line| line.starts_with(char::is_numeric));
    let names: Vec<&str> = steps
        .flat_map(|step| step.split('`').skip(1).step_by(2))
        .filter(|name| name.contains("::"))
        .collect();
    assert!(names.len() >= 20, "{names:?}");
    for name in names {
        assert!(exists(name), "ARCHITECTURE.md names `{name}`");
    }
}

/// Returns true if `crate::module::item` is a module, or an item defined in one. Items after the first are not looked into.
fn exists(name: &str) -> bool {
    let mut parts = name.split("::");
    let mut folder = root().join("crates").join(parts.next().expect("a crate")).join("src");
    let mut file = folder.join("lib.rs");
    for part in parts {
        folder.push(part);
        let module = [folder.with_extension("rs"), folder.join("mod.rs")];
        match module.into_iter().find(|path| path.exists()) {
            Some(path) => file = path,
            None => return defines(&file, part),
        }
    }
    true
}

fn defines(file: &Path, item: &str) -> bool {
    let text = fs::read_to_string(file).expect("readable");
    ["fn", "struct", "enum", "trait"].iter().any(|kind| {
        let declaration = format!("{kind} {item}");
        text.split(declaration.as_str())
            .skip(1)
            .filter_map(|rest| rest.chars().next())
            .any(|next| !next.is_alphanumeric() && next != '_')
    })
}

#[test]
fn main_stays_a_door() {
    let text = fs::read_to_string(root().join("src/main.rs")).expect("main.rs");
    let lines = text.lines().filter(|line| !line.starts_with("mod "));
    let lines = lines.count();
    assert!(lines <= 30, "main.rs has {lines} lines, modules aside");
}
