//! The house rules that a compiler does not check: crate borders, headers, file sizes, links, words that no text holds, and the
//! names in ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The most lines of code in a file, without tests, comments and blank lines.
const MOST_LINES: usize = 800;

/// Crates of the workspace that each crate may depend on.
const BORDERS: [(&str, &[&str]); 9] = [
    ("core", &[]),
    ("encoder", &["core"]),
    ("bm25", &["core"]),
    ("vectors", &["core"]),
    ("data", &["core"]),
    ("eval", &["core", "data"]),
    ("report", &["core", "data", "eval"]),
    ("clients", &["core", "data", "encoder"]),
    ("pipeline", &["core", "bm25", "clients", "data", "encoder", "eval", "vectors"]),
];

/// Crates that judge and show: they and the crates below them have none of these.
const PURE: [&str; 4] = ["core", "data", "eval", "report"];
const IMPURE: [&str; 5] = ["tokio", "reqwest", "hyper", "qdrant-edge", "qdrant-client"];

/// Words and phrases of another language than this project's: stilted, personified or replaced by a term of the field.
const FORBIDDEN: [&str; 22] = [
    "a question of its own",
    "anew",
    "beside",
    "flavour",
    "golds",
    "gone on with",
    "in work",
    "kept replies",
    "kept reply",
    "letter for letter",
    "mend",
    "nobody",
    "of one's own",
    "parted",
    "recorded elsewhere",
    "said",
    "so many",
    "somebody",
    "stands",
    "station",
    "stations",
    "told",
];
/// Lists of English words, and quotations from data.
const EXCEPTIONS: [&str; 4] =
    ["says said state", "none nobody hardly", "has not said  after", "before it pages somebody?"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files under a folder of the repository that git tracks or would track, with one of these endings.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let walked = walkdir::WalkDir::new(root().join(folder)).sort_by_file_name();
    let files = walked.into_iter().map(|entry| entry.expect("readable").into_path());
    files.filter(|path| path.extension().is_some_and(|found| found == ending)).collect()
}

/// The Markdown that users and contributors read.
fn pages() -> Vec<PathBuf> {
    let own = ["README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
        .map(|name| root().join(name));
    let of_sets = files("datasets", "md").into_iter().filter(|path| path.ends_with("README.md"));
    let folders = ["docs/src", "evals"].into_iter().flat_map(|folder| files(folder, "md"));
    own.into_iter().chain(folders).chain(of_sets).collect()
}

/// Names of the direct dependencies of each crate of the workspace, without those of tests and build scripts.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let output = cargo.current_dir(root()).output().expect("cargo");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("metadata");
    let packages = found["packages"].as_array().expect("packages").iter();
    let name = |value: &serde_json::Value| value["name"].as_str().expect("a name").to_owned();
    let of = |package: &serde_json::Value| {
        let all = package["dependencies"].as_array().expect("dependencies").iter();
        all.filter(|dependency| dependency["kind"].is_null()).map(name).collect()
    };
    packages.map(|package| (name(package), of(package))).collect()
}

#[test]
fn crates_depend_on_what_lies_below_them_and_those_that_judge_have_no_network_and_no_engine() {
    let dependencies = dependencies();
    let of = |name: &str| &dependencies[&format!("ragtriage-{name}")];
    let crates = dependencies.keys().filter_map(|name| name.strip_prefix("ragtriage-"));
    assert_eq!(crates.collect::<BTreeSet<_>>(), BTreeSet::from(BORDERS.map(|(name, _)| name)));
    for (name, allowed) in BORDERS {
        let ours = of(name).iter().filter_map(|name| name.strip_prefix("ragtriage-"));
        for other in ours {
            assert!(allowed.contains(&other), "crates/{name} depends on {other}");
        }
        // What lies below a pure crate is pure as well.
        if PURE.contains(&name) {
            assert!(allowed.iter().all(|other| PURE.contains(other)), "crates/{name}");
            for impure in IMPURE {
                assert!(!of(name).contains(impure), "crates/{name} has {impure}");
            }
        }
    }
}

#[test]
fn every_file_says_what_it_is_is_not_too_long_and_leaves_nothing_to_do() {
    for folder in ["src", "crates", "tests", "benches"] {
        for path in files(folder, "rs") {
            let (text, name) = (read(&path), path.display());
            assert!(text.starts_with("//!"), "{name} has no //!");
            for word in [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")] {
                assert!(!text.contains(word), "{name} holds {word}");
            }
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let code = code.lines().map(str::trim).filter(|line| !line.is_empty());
            let lines = code.filter(|line| !line.starts_with("//")).count();
            assert!(lines <= MOST_LINES, "{name} has {lines} lines of code");
        }
    }
}

/// Returns the numbered lines outside fenced code blocks, without code spans.
fn prose(text: &str) -> Vec<(usize, String)> {
    let mut is_fenced = false;
    let lines = text.lines().enumerate().filter_map(|(index, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        (!is_fenced && !is_fence).then(|| (index + 1, line.split('`').step_by(2).collect()))
    });
    lines.collect()
}

#[test]
fn no_comment_and_no_page_holds_a_forbidden_word() {
    let mut lines: Vec<(PathBuf, usize, String)> = Vec::new();
    for folder in ["src", "crates"] {
        for path in files(folder, "rs").into_iter().chain(files(folder, "js")) {
            for (index, line) in read(&path).lines().enumerate() {
                if let Some(comment) = line.trim_start().strip_prefix("//") {
                    let text = comment.split('`').step_by(2).collect();
                    lines.push((path.clone(), index + 1, text));
                }
            }
        }
    }
    let help = root().join("tests/it/snapshots/it__help__help.snap");
    for path in pages().into_iter().chain([help]) {
        lines.extend(prose(&read(&path)).into_iter().map(|(at, text)| (path.clone(), at, text)));
    }
    for (path, line, text) in lines {
        let text = EXCEPTIONS
            .iter()
            .fold(text.to_lowercase(), |text, exception| text.replace(exception, ""));
        let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
        for word in FORBIDDEN {
            let is_there = text.match_indices(word).any(|(at, _)| {
                !text[..at].ends_with(is_letter) && !text[at + word.len()..].starts_with(is_letter)
            });
            assert!(!is_there, "{}:{line}: `{word}` in {text}", path.display());
        }
    }
}

/// Returns the anchors of all headings, as GitHub and mdBook derive them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let slug = |heading: &str| {
        let letters = heading.trim_start_matches('#').trim().to_lowercase();
        let letters = letters.replace(' ', "-");
        letters.chars().filter(|it| it.is_alphanumeric() || "-_".contains(*it)).collect()
    };
    headings.map(slug).collect()
}

#[test]
fn every_relative_link_names_a_file_and_a_heading() {
    for page in pages() {
        for (line, text) in prose(&read(&page)) {
            for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                if target.contains("://") || target.starts_with("mailto:") {
                    continue;
                }
                let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
                let file = match path {
                    "" => page.clone(),
                    path => page.parent().expect("a folder").join(path),
                };
                let place = format!("{}:{line}: `{target}`", page.display());
                assert!(file.exists(), "{place} names no file");
                // mdBook copies `docs/src` alone.
                let is_in_book = page.parent().is_some_and(|folder| folder.ends_with("docs/src"));
                assert!(!is_in_book || !path.contains('/'), "{place} leaves the book");
                let has_heading = anchor.is_empty() || anchors(&read(&file)).contains(anchor);
                assert!(has_heading, "{place} names no heading");
            }
        }
    }
}

#[test]
fn the_summary_lists_every_page_of_the_book() {
    let summary = read(&root().join("docs/src/SUMMARY.md"));
    for page in files("docs/src", "md") {
        let name = page.file_name().expect("a name").to_string_lossy();
        assert!(name == "SUMMARY.md" || summary.contains(&format!("({name})")), "{name}");
    }
}

#[test]
fn architecture_fits_its_page_and_names_items_that_exist() {
    let text = read(&root().join("ARCHITECTURE.md"));
    assert!(text.lines().count() <= 120);
    let names = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    let names: Vec<&str> = names.filter(|name| name.contains("::")).collect();
    assert!(names.len() >= 60, "{names:?}");
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
        if let Some(path) = module.into_iter().find(|path| path.exists()) {
            file = path;
        } else {
            let text = read(&file);
            // An enumeration of `closed_set!` has its name alone.
            return text.contains(&format!("\n    {part} {{\n"))
                || ["fn", "struct", "enum", "trait"].iter().any(|kind| {
                    let declaration = format!("{kind} {part}");
                    let mut found = text.split(declaration.as_str()).skip(1);
                    found
                        .any(|rest| !rest.starts_with(|it: char| it.is_alphanumeric() || it == '_'))
                });
        }
    }
    true
}
