//! A folder of files as the corpus, with `questions.jsonl`.
//!
//! The folder contains `questions.jsonl` and either a folder `corpus/` or the files themselves. A document's id is its path
//! from the corpus folder with `/`; its text is the unmodified file without a byte order mark; its title is that of
//! its front matter, else the first heading (Markdown, or an underlined first line as in reStructuredText), else the file's
//! name without extension. Its
//! metadata are `folder`: all its parent folders within the corpus folder, outermost first.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::dataset::draft::Draft;
use crate::dataset::globs::Walked;
use crate::dataset::jsonl::QUESTIONS;
use crate::dataset::{globs, read};
use crate::error::{Error, Place};
use ragtriage_core::config::DatasetSettings;
use ragtriage_core::config::Format;
use ragtriage_core::types::Document;

/// Prose, followed by the source code of common languages.
const EXTENSIONS: &str = "{md,markdown,txt,rst,rs,py,js,jsx,ts,tsx,java,kt,go,c,h,cc,cpp,hpp,cs,rb,php,swift,scala,sh,\
                          sql,lua,r,jl,pl,ex,hs,proto,tf}";

/// Characters that underline headings in Markdown (`~~~` and three backticks begin code there) and in reStructuredText.
const MARKDOWN_UNDERLINES: &str = "=-";
const RST_UNDERLINES: &str = "=-~^\"'`#*+";

/// Reads the documents of the folder `path` into `draft`; an empty `patterns` means [`EXTENSIONS`].
pub(super) fn documents(path: &Path, patterns: &[String], draft: &mut Draft) -> Result<(), Error> {
    let Walked { files, n_links } = matching(path, patterns)?;
    draft.note(n_links, "symbolic [link|links], not followed");
    for (id, file) in files {
        let place = Place::file(&file);
        let read = std::fs::metadata(&file)
            .map_or(Ok(()), |file| Draft::check_length(&place, file.len() as usize))
            .and_then(|()| read::text(&file));
        let Some(text) = draft.check(read) else {
            continue;
        };
        // An empty file is not found by its name.
        let title = if text.trim().is_empty() { String::new() } else { title(&text, &file) };
        let metadata = metadata(&id);
        draft.push_document(&place, Document { id: id.into(), title, text, metadata });
    }
    Ok(())
}

/// Returns true if `file` is one of the documents, through any path; never in formats without a file per document.
///
/// # Errors
/// Errors of reading the folder; a missing `file` is not a document.
pub fn has_document(spec: &DatasetSettings, file: &Path) -> Result<bool, Error> {
    let Ok(file) = file.canonicalize() else {
        return Ok(false);
    };
    if spec.format != Format::Files {
        return Ok(false);
    }
    let documents = matching(&spec.path, &spec.globs)?;
    Ok(documents
        .files
        .iter()
        .any(|(_, document)| document.canonicalize().is_ok_and(|document| document == file)))
}

/// Returns the folder of the documents: `corpus` if it exists, else the data set's folder.
pub(super) fn root(path: &Path) -> PathBuf {
    let corpus = path.join("corpus");
    if corpus.is_dir() { corpus } else { path.to_owned() }
}

/// Returns the files of the folder `path` that are documents, each with its id.
fn matching(path: &Path, patterns: &[String]) -> Result<Walked, Error> {
    let root = root(path);
    let asked = path.join(QUESTIONS);
    let mut patterns: Vec<String> = patterns.iter().map(|it| from_root(it)).collect();
    if patterns.is_empty() {
        patterns.push(unasked());
    }
    let wanted = globs::set(patterns.iter().map(String::as_str))?;
    let mut walked = globs::walk(&root, false)?;
    walked.files.retain(|(id, file)| *file != asked && wanted.is_match(id));
    Ok(walked)
}

/// Extends a pattern without `/` to match in every folder.
fn from_root(pattern: &str) -> String {
    match pattern.strip_prefix("./") {
        Some(anchored) => anchored.to_owned(),
        None if pattern.contains('/') => pattern.to_owned(),
        None => format!("**/{pattern}"),
    }
}

/// Returns the default pattern.
pub(super) fn unasked() -> String {
    format!("**/*.{EXTENSIONS}")
}

/// Returns the folders of `id` from the outermost: `a/b/c.md` is in `a` and `a/b`.
fn metadata(id: &str) -> BTreeMap<String, Value> {
    let folders: Vec<Value> = id.match_indices('/').map(|(at, _)| Value::from(&id[..at])).collect();
    let folders = Some(folders).filter(|folders| !folders.is_empty());
    folders.map(|folders| ("folder".to_owned(), Value::Array(folders))).into_iter().collect()
}

fn title(text: &str, file: &Path) -> String {
    let heading = match ending(file).as_str() {
        "md" | "markdown" | "mdx" => {
            let (front_matter, body) = front_matter(text);
            front_matter_title(front_matter).or_else(|| markdown_heading(body))
        }
        "rst" | "txt" => underlined_heading(text, RST_UNDERLINES),
        _ => None,
    };
    match heading {
        Some(heading) => heading.to_owned(),
        None => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    }
}

/// Returns the extension of a file in lower case, empty if it has none.
pub(super) fn ending(file: &Path) -> String {
    let ending = file.extension().unwrap_or_default();
    ending.to_string_lossy().to_lowercase()
}

/// Splits Markdown into its front matter, YAML between `---` or Hugo's TOML between `+++`, and the rest.
fn front_matter(text: &str) -> (&str, &str) {
    let fence = text.lines().next().map_or("", str::trim_end);
    if !["---", "+++"].contains(&fence) {
        return ("", text);
    }
    let mut end = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if number > 0 && line.trim_end() == fence {
            return (&text[..end], &text[end + line.len()..]);
        }
        end += line.len();
    }
    ("", text)
}

/// Returns the top-level `title: ...` or `title = ...`, without quotes. A text in several lines is none.
fn front_matter_title(front_matter: &str) -> Option<&str> {
    let title = front_matter.lines().find_map(|line| {
        line.strip_prefix("title")?.trim_start().strip_prefix([':', '=']).map(str::trim)
    })?;
    let title = match title.chars().next()? {
        quote @ ('"' | '\'') => title[1..].split_once(quote)?.0,
        '|' | '>' | '[' | '{' => return None,
        _ => title.split_once(" #").map_or(title, |(title, _)| title),
    };
    Some(title.trim()).filter(|title| !title.is_empty())
}

/// Returns the first `# heading` outside fenced code, or an underlined first line.
fn markdown_heading(body: &str) -> Option<&str> {
    let mut is_code = false;
    let mut headings = body.lines().map(str::trim).filter_map(|line| {
        is_code ^= line.starts_with("```") || line.starts_with("~~~");
        let heading = line.trim_start_matches('#');
        let is_heading = !is_code && heading.len() < line.len() && heading.starts_with([' ', '\t']);
        is_heading
            .then(|| heading.trim().trim_end_matches('#').trim_end())
            .filter(|heading| !heading.is_empty())
    });
    underlined_heading(body, MARKDOWN_UNDERLINES).or_else(|| headings.next())
}

/// Returns the first non-blank line if the next line underlines it (a line of the same characters may
/// precede it).
fn underlined_heading<'a>(text: &'a str, underlines: &str) -> Option<&'a str> {
    let mut lines =
        text.lines().map(str::trim).skip_while(|line| line.is_empty() || is_rule(line, underlines));
    let first = lines.next()?;
    is_rule(lines.next()?, underlines).then_some(first)
}

fn is_rule(line: &str, underlines: &str) -> bool {
    line.len() >= 3
        && line.starts_with(|c| underlines.contains(c))
        && line.bytes().all(|b| b == line.as_bytes()[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::lint::finding::Rule;
    use crate::dataset::{load, testing::with_files};
    use crate::error::Kind;
    use ragtriage_core::config::Format;

    const QUESTION: (&str, &str) = ("questions.jsonl", r#"{"id": "q", "text": "why?"}"#);

    fn ids(files: &[(&str, &str)], globs: &[&str]) -> Vec<String> {
        let set = with_files(files, Format::Files, |spec| {
            spec.globs = globs.iter().map(|&glob| glob.to_owned()).collect();
            load(spec)
        });
        set.expect("loads").documents.iter().map(|document| document.id.to_string()).collect()
    }

    #[test]
    fn metadata_are_the_folders() {
        let files = [
            QUESTION,
            ("corpus/a/b/c.md", "---\nteam: search\n---\n# C\n"),
            ("corpus/d.md", "# D"),
        ];
        let set = with_files(&files, Format::Files, |spec| load(spec)).expect("loads");
        let metadata: Vec<String> = set
            .documents
            .iter()
            .map(|document| serde_json::to_string(&document.metadata).expect("JSON"))
            .collect();
        assert_eq!(metadata, [r#"{"folder":["a","a/b"]}"#, "{}"]);
    }

    #[test]
    fn the_corpus_folder_is_the_root_where_there_is_one() {
        let files = [
            ("corpus/b/x.rs", "fn"),
            ("corpus/a.md", "text"),
            ("corpus/.git/y.md", "x"),
            ("README.md", "x"),
            QUESTION,
        ];
        assert_eq!(ids(&files, &[]), ["a.md", "b/x.rs"]);
    }

    #[test]
    fn the_files_may_stand_beside_the_questions() {
        let files = [("a.txt", "text"), ("deep/b.jsonl", "text"), ("c.png", "text"), QUESTION];
        assert_eq!(ids(&files, &[]), ["a.txt"]);
        assert_eq!(ids(&files, &["*.jsonl", "*.png"]), ["c.png", "deep/b.jsonl"]);
        assert_eq!(ids(&files, &["./*.jsonl", "deep/*"]), ["deep/b.jsonl"]);
    }

    #[test]
    fn a_file_is_a_document_by_any_path_that_leads_to_it() {
        let files = [("a.txt", "text"), ("asked.queries", "why?"), ("deep/b.md", "text"), QUESTION];
        with_files(&files, Format::Files, |spec| {
            let has = |name: &str| has_document(spec, &spec.path.join(name)).expect("looked for");
            assert!(has("a.txt") && has("deep/../a.txt") && has("deep/b.md"));
            assert!(!has("asked.queries") && !has("questions.jsonl") && !has("gone.txt"));
            spec.format = Format::Jsonl;
            assert!(!has_document(spec, &spec.path.join("a.txt")).expect("looked for"));
        });
    }

    #[test]
    fn a_title_is_the_first_heading_or_the_files_name() {
        let of = |name: &str, text: &str| title(text, Path::new(name));
        assert_eq!(
            of("a.md", "---\nid: x\n---\n```sh\n# no\n```\n\n## The plan ##\n# Later"),
            "The plan"
        );
        assert_eq!(of("a.md", "Under\r\n=====\r\ntext # no\r\n"), "Under");
        assert_eq!(of("a.md", "#hashtag\n\n---\n"), "a");
        assert_eq!(of("a.md", "```\ncode\n```\n# Real\n"), "Real");
        assert_eq!(of("dir/a.rst", "=====\nOver\n=====\n"), "Over");
        assert_eq!(of("notes.v2.txt", "Just text.\nMore."), "notes.v2");
        assert_eq!(of("run.sh", "# comment"), "run");
    }

    #[test]
    fn a_title_is_that_of_the_front_matter_where_it_has_one() {
        let of = |text: &str| title(text, Path::new("03-rb.md"));
        // Docusaurus and MkDocs, Jekyll, Hugo.
        assert_eq!(
            of("---\ntitle: Rolling back\nsidebar_position: 3\n---\n\n## Duration\n"),
            "Rolling back"
        );
        assert_eq!(
            of("---\r\nlayout: page\r\ntitle: \"It's: a plan\" # new\r\n---\r\n# Other"),
            "It's: a plan"
        );
        assert_eq!(of("+++\ndate = 2024-01-01\ntitle = 'Refunds'\n+++\nText."), "Refunds");
        assert_eq!(of("---\ntitle: C# in depth # draft\n---\n"), "C# in depth");
        for (text, expected) in [
            // No title of the page: nested, another key, in lines, empty, after the front matter, unclosed.
            ("---\nhero:\n  title: x\ntitles: y\n---\n# Real\n", "Real"),
            ("---\ntitle: >\n  two lines\n---\nReal\n====\n", "Real"),
            ("---\ntitle: ''\n---\ntitle: x\n", "03-rb"),
            ("---\n\ntitle: x\n", "03-rb"),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
    }

    #[test]
    fn a_file_that_is_not_utf_8_is_named_with_its_byte() {
        let error = with_files(&[("corpus/a.md", "text"), QUESTION], Format::Files, |spec| {
            std::fs::write(spec.path.join("corpus/b.md"), b"caf\xe9").expect("written");
            load(spec)
        });
        let error = error.expect_err("refused").to_string();
        assert!(error.ends_with("b.md` is not valid UTF-8 at byte 3"), "{error}");
    }

    #[test]
    fn no_file_that_matches_is_an_empty_corpus() {
        let error =
            with_files(&[("corpus/a.png", "x"), QUESTION], Format::Files, |spec| load(spec));
        assert_eq!(error.expect_err("empty").kind, Kind::Data(Rule::EmptyCorpus));
        let error = with_files(&[], Format::Files, |spec| {
            spec.path.push("gone");
            load(spec)
        });
        assert_eq!(error.expect_err("gone").kind, Kind::Missing);
    }
}
