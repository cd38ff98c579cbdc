//! Surveys an unknown folder: which files could be documents, their lengths and their apparent languages.

use std::collections::BTreeMap;
use std::path::Path;

use super::draft::Draft;
use crate::error::DatasetError;
use crate::files::{self, ending};
use crate::globs;
use crate::globs::Links;
use ragtriage_core::config::MissingEvidence;
use ragtriage_core::language::detect;
use ragtriage_core::types::Document;

/// Extensions of prose read as plain text; the first four are read by default.
const PROSE: [&str; 10] =
    ["md", "markdown", "txt", "rst", "adoc", "asciidoc", "org", "mdx", "textile", "tex"];
const READ_UNASKED: usize = 4;
/// Extensions of formats whose text has to be extracted first.
const WRAPPED: [&str; 12] =
    ["pdf", "docx", "doc", "html", "htm", "odt", "rtf", "pptx", "xlsx", "ipynb", "epub", "pages"];

/// A summary of a folder of documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    /// Documents that would be read.
    pub n_documents: usize,
    /// Number of words, separated by white space.
    pub n_words: usize,
    /// Median number of words per document.
    pub median_words: usize,
    /// The longest document, with its number of words.
    pub longest: Option<(String, usize)>,
    /// Number of empty documents.
    pub n_empty: usize,
    /// Number of files that are documents but not UTF-8; the data set does not load while they
    /// exist.
    pub n_unreadable: usize,
    /// The patterns to configure; empty: the default.
    pub globs: Vec<String>,
    /// The number of documents by extension.
    pub endings: BTreeMap<String, usize>,
    /// Source code files found next to prose and omitted, by extension.
    pub code: BTreeMap<String, usize>,
    /// Files whose text has to be extracted first, by extension.
    pub wrapped: BTreeMap<String, usize>,
    /// Share of all documents that are Markdown with at least two headings under the title.
    pub share_with_headings: f64,
    /// ISO 639-1 code of the language of the text.
    pub language: String,
}

/// Surveys `folder`.
///
/// # Errors
/// `Missing`, `Read`, `Layout` if `folder` is not a folder, `EmptyCorpus`, `Utf8` if no document is
/// text.
pub fn survey(folder: &Path) -> Result<Survey, DatasetError> {
    if !folder.exists() {
        return Err(DatasetError::Missing { path: folder.to_owned() });
    }
    if !folder.is_dir() {
        return Err(DatasetError::Layout {
            path: folder.to_owned(),
            expected: "folder of documents".to_owned(),
        });
    }
    let mut seen = Survey::default();
    let default = globs::set([files::unasked().as_str()])?;
    for (id, file) in globs::walk(&files::root(folder), Links::Inside)?.files {
        let ending = ending(&file);
        let kind = match ending.as_str() {
            prose if PROSE.contains(&prose) => &mut seen.endings,
            wrapped if WRAPPED.contains(&wrapped) => &mut seen.wrapped,
            _ if default.is_match(&id) => &mut seen.code,
            _ => continue,
        };
        *kind.entry(ending).or_default() += 1;
    }
    if seen.endings.is_empty() {
        seen.endings = std::mem::take(&mut seen.code); // a folder of source code only
    }
    let mut asked = seen.endings.keys().map(String::as_str);
    if !seen.code.is_empty() || asked.any(|ending| PROSE[READ_UNASKED..].contains(&ending)) {
        let endings = seen.endings.keys();
        seen.globs = endings.map(|ending| format!("*.{ending}")).collect();
    }
    let documents = readable(folder, &mut seen)?;
    measure(&mut seen, &documents);
    Ok(seen)
}

/// Summarises documents that are already loaded: their lengths and their language.
#[must_use]
pub fn survey_of(documents: &[Document]) -> Survey {
    let mut seen = Survey::default();
    measure(&mut seen, documents);
    seen
}

/// Returns the UTF-8 documents; others are counted, but not by extension.
fn readable(folder: &Path, seen: &mut Survey) -> Result<Vec<Document>, DatasetError> {
    let mut draft = Draft::lenient(MissingEvidence::Error);
    files::documents(folder, &seen.globs, Links::Inside, &mut draft)?;
    let read = draft.inspected(folder)?;
    let mut no_text = None;
    for slip in read.slips {
        match slip {
            DatasetError::Utf8 { ref path, .. } => {
                seen.n_unreadable += 1;
                if let Some(count) = seen.endings.get_mut(&ending(path)) {
                    *count -= 1;
                }
                no_text = no_text.or(Some(slip));
            }
            // The hint is that of its cause, if there is one.
            DatasetError::EmptyCorpus { .. } => return Err(no_text.unwrap_or(slip)),
            other => return Err(other),
        }
    }
    seen.endings.retain(|_, count| *count > 0);
    Ok(read.documents)
}

fn measure(seen: &mut Survey, documents: &[Document]) {
    let mut lengths: Vec<(usize, &str)> =
        documents.iter().map(|it| (it.text.split_whitespace().count(), it.id.as_str())).collect();
    lengths.sort_unstable();
    seen.n_documents = lengths.len();
    seen.n_words = lengths.iter().map(|(words, _)| words).sum();
    seen.n_empty = lengths.iter().filter(|(words, _)| *words == 0).count();
    seen.median_words = lengths.get(lengths.len() / 2).map_or(0, |(words, _)| *words);
    seen.longest = lengths.last().map(|(words, id)| ((*id).to_owned(), *words));
    let n_with = documents.iter().filter(|it| has_headings(it)).count();
    seen.share_with_headings = n_with as f64 / documents.len().max(1) as f64;
    seen.language = detect(documents.iter().map(|document| &*document.text));
}

/// Returns true for Markdown with at least two headings under the title.
fn has_headings(document: &Document) -> bool {
    let is_markdown = [".md", ".markdown", ".mdx"]
        .iter()
        .any(|ending| document.id.as_str().to_lowercase().ends_with(ending));
    let headings = document.text.lines().filter(|line| line.starts_with("##"));
    is_markdown && headings.count() >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(files: &[(&str, &str)]) -> Result<Survey, DatasetError> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, text).expect("written");
        }
        survey(folder.path())
    }

    #[test]
    fn prose_beside_code_is_taken_alone_and_what_hides_text_is_told() {
        let survey = seen(&[
            ("docs/a.md", "# A\n\n## One\nthe words of it\n\n## Two\nare here\n"),
            ("docs/b.adoc", "= B\nthis is it"),
            ("src/main.rs", "fn main() {}"),
            ("c.pdf", "%PDF"),
            ("d.png", ""),
        ])
        .expect("seen");
        assert_eq!(survey.globs, ["*.adoc", "*.md"]);
        assert_eq!(
            (survey.n_documents, survey.longest.clone()),
            (2, Some(("docs/a.md".to_owned(), 12)))
        );
        assert_eq!((survey.code.len(), survey.wrapped.get("pdf")), (1, Some(&1)));
        assert_eq!(
            (survey.n_words, survey.median_words, survey.share_with_headings),
            (17, 12, 0.5)
        );
        assert_eq!(survey.language, "en");
    }

    #[test]
    fn plain_markdown_needs_no_patterns_and_code_alone_is_the_corpus() {
        assert!(seen(&[("a.md", "text"), ("b.txt", "")]).expect("seen").globs.is_empty());
        let code = seen(&[("a.rs", "fn x() {}"), ("b.py", "x = 1")]).expect("seen");
        assert_eq!((code.n_documents, code.globs.len()), (2, 0));
    }

    #[test]
    fn a_share_is_of_all_documents_whatever_they_are() {
        let headings = "# A\n\n## One\n\n## Two\n";
        let survey =
            seen(&[("a.md", headings), ("b.md", "x"), ("c.txt", headings), ("d.txt", "x")])
                .expect("seen");
        assert_eq!(survey.share_with_headings, 0.25);
    }

    #[test]
    fn a_document_that_is_no_text_is_counted_and_the_others_are_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("b.txt"), b"caf\xe9").expect("written");
        assert!(
            matches!(survey(folder.path()), Err(DatasetError::Utf8 { offset: 3, .. })),
            "there is nothing else"
        );
        std::fs::write(folder.path().join("a.md"), "two words").expect("written");
        let survey = survey(folder.path()).expect("seen");
        assert_eq!((survey.n_unreadable, survey.n_documents, survey.n_words), (1, 1, 2));
        assert_eq!(survey.endings, BTreeMap::from([("md".to_owned(), 1)]));
    }

    #[test]
    fn a_folder_without_documents_is_refused() {
        assert!(matches!(seen(&[("a.png", "x")]), Err(DatasetError::EmptyCorpus { .. })));
        assert!(matches!(survey(Path::new("no/such")), Err(DatasetError::Missing { .. })));
    }
}
