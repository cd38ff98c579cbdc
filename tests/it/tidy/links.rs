//! Links in the documentation: every relative link names a file of the repository, every anchor a heading of that file.
//!
//! Fenced code blocks and code spans are skipped. Links to other sites are not followed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::{name, root};

/// Checked files.
const FILES: [&str; 3] = ["README.md", "CHANGELOG.md", "ARCHITECTURE.md"];

/// Folders whose Markdown files are checked, without the folders in them.
const FOLDERS: [&str; 3] = ["docs/src", "evals", "evals/baselines"];

/// Table of contents of the book.
const SUMMARY: &str = "docs/src/SUMMARY.md";

/// A link in a Markdown file.
#[derive(Debug, PartialEq, Eq)]
struct Link {
    /// Line number, from 1.
    line: usize,
    target: String,
}

/// Lists the checked files, sorted.
pub fn checked_files() -> Vec<PathBuf> {
    let in_folders = FOLDERS
        .iter()
        .flat_map(|folder| entries(&root().join(folder)))
        .filter(|path| is_markdown(path));
    let of_datasets = entries(&root().join("datasets"))
        .into_iter()
        .map(|folder| folder.join("README.md"))
        .filter(|path| path.is_file());
    let mut found: Vec<PathBuf> = FILES.iter().map(|file| root().join(file)).collect();
    found.extend(in_folders.chain(of_datasets));
    found.sort();
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

/// Returns the numbered lines outside fenced code blocks.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut fence = None;
    for (index, line) in text.lines().enumerate() {
        let start = line.trim_start();
        let marker = ["```", "~~~"].into_iter().find(|marker| start.starts_with(marker));
        match (fence, marker) {
            (None, None) => found.push((index + 1, line)),
            (None, Some(marker)) => fence = Some(marker),
            (Some(open), Some(marker)) if open == marker => fence = None,
            (Some(_), _) => {}
        }
    }
    found
}

/// Removes the code spans of a line.
pub fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

fn links(text: &str) -> Vec<Link> {
    prose(text)
        .into_iter()
        .flat_map(|(line, text)| {
            let targets = targets(&without_code(text));
            targets.into_iter().map(move |target| Link { line, target })
        })
        .collect()
}

/// Returns the targets of inline links, images and reference definitions.
fn targets(line: &str) -> Vec<String> {
    let inline = line.match_indices("](").filter(|(at, _)| !line[..*at].ends_with('\\')).map(
        |(at, open)| {
            let rest = &line[at + open.len()..];
            rest[..closing(rest)].to_owned()
        },
    );
    let defined = line
        .starts_with('[')
        .then(|| line.split_once("]: "))
        .flatten()
        .map(|(_, target)| target.to_owned());
    inline
        .chain(defined)
        .map(|target| {
            let address = target.split_whitespace().next().unwrap_or_default();
            address.trim_matches(['<', '>']).to_owned()
        })
        .collect()
}

/// Returns the position of the parenthesis that closes a link, or the end of the line.
fn closing(rest: &str) -> usize {
    let mut depth = 0_usize;
    for (at, character) in rest.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return at,
            ')' => depth -= 1,
            _ => {}
        }
    }
    rest.len()
}

/// Returns the anchors of all headings, as GitHub and mdBook derive them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for (_, line) in prose(text) {
        let Some(heading) = heading(line) else {
            continue;
        };
        let anchor = slug(heading);
        let n = uses.entry(anchor.clone()).or_default();
        found.insert(match *n {
            0 => anchor,
            n => format!("{anchor}-{n}"),
        });
        *n += 1;
    }
    found
}

fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    (1..=6).contains(&level).then(|| text.strip_prefix(' ')).flatten().map(str::trim)
}

fn slug(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter(|character| character.is_alphanumeric() || [' ', '-', '_'].contains(character))
        .map(|character| if character == ' ' { '-' } else { character })
        .collect()
}

fn is_external(target: &str) -> bool {
    ["https://", "http://", "mailto:"].iter().any(|scheme| target.starts_with(scheme))
}

/// Returns the reason why a link of `page` does not resolve.
fn problem(page: &Path, target: &str) -> Option<&'static str> {
    if is_external(target) {
        return None;
    }
    if target.is_empty() || target.starts_with('/') {
        return Some("is not a relative link");
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file =
        if path.is_empty() { page.to_owned() } else { page.parent().expect("a folder").join(path) };
    let Ok(file) = file.canonicalize() else {
        return Some("names no file");
    };
    if !file.starts_with(root().canonicalize().expect("the repository")) {
        return Some("leaves the repository");
    }
    if anchor.is_empty() {
        return None;
    }
    let has_heading = is_markdown(&file)
        && anchors(&fs::read_to_string(&file).expect("readable")).contains(anchor);
    (!has_heading).then_some("names no heading")
}

#[test]
fn every_relative_link_resolves() {
    let mut broken = Vec::new();
    for page in checked_files() {
        let text = fs::read_to_string(&page).expect("readable");
        for Link { line, target } in links(&text) {
            if let Some(problem) = problem(&page, &target) {
                broken.push(format!("{}:{line}: `{target}` {problem}", name(&page)));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn the_summary_lists_every_page_of_the_book_once() {
    let text = fs::read_to_string(root().join(SUMMARY)).expect(SUMMARY);
    let mut listed: Vec<String> = links(&text).into_iter().map(|link| link.target).collect();
    listed.sort();
    let folder = root().join(SUMMARY).with_file_name("");
    let mut pages: Vec<String> = entries(&folder)
        .iter()
        .filter_map(|path| path.file_name()?.to_str())
        .filter(|file| *file != "SUMMARY.md")
        .map(ToOwned::to_owned)
        .collect();
    pages.sort();
    assert_eq!(listed, pages);
}

#[test]
fn links_are_read_outside_code() {
    let text = "See [a](a.md#b-c) and ![b](<b.md>).\n`[no](no.md)` \\[no\\](no.md)\n```\n[no](no.md)\n```\n[x]: x.md \"title\"\n(see [p](p_(q).md))\n";
    let found: Vec<(usize, String)> =
        links(text).into_iter().map(|link| (link.line, link.target)).collect();
    let expected = [(1, "a.md#b-c"), (1, "b.md"), (6, "x.md"), (7, "p_(q).md")];
    assert_eq!(found, expected.map(|(line, target)| (line, target.to_owned())));
}

#[test]
fn anchors_follow_the_headings() {
    let text = "# `score --list`: 2 x 2\n## Limits\n```\n# no heading\n```\n#hash\n## Limits\n";
    let expected = ["score---list-2-x-2", "limits", "limits-1"];
    assert_eq!(anchors(text), BTreeSet::from(expected.map(ToOwned::to_owned)));
}

#[test]
fn a_link_that_does_not_resolve_is_explained() {
    let page = root().join("README.md");
    for (target, expected) in [
        ("https://example.com/x#y", None),
        ("ARCHITECTURE.md", None),
        ("ARCHITECTURE.md#crates", None),
        ("ARCHITECTURE.md#no-such-heading", Some("names no heading")),
        ("Cargo.toml#crates", Some("names no heading")),
        ("no-such-file.md", Some("names no file")),
        ("/ARCHITECTURE.md", Some("is not a relative link")),
        ("..", Some("leaves the repository")),
        ("", Some("is not a relative link")),
    ] {
        assert_eq!(problem(&page, target), expected, "{target}");
    }
}
