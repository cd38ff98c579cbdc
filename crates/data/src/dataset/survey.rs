//! Surveys an unknown folder: which files could be documents, and their apparent language.

use std::collections::BTreeMap;
use std::path::Path;

use crate::dataset::draft::Draft;
use crate::dataset::files::{self, ending};
use crate::dataset::globs;
use crate::dataset::lint::finding::Rule;
use crate::dataset::read;
use crate::error::{Error, Kind};
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
/// A path that is no folder; an empty corpus; a corpus without a document that is text.
pub fn survey(folder: &Path) -> Result<Survey, Error> {
    if folder.is_file() {
        return Err(read::layout(folder, "folder of documents"));
    }
    let (mut prose, mut code, mut wrapped) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let default = globs::set([files::unasked().as_str()])?;
    for (id, file) in globs::walk(&files::root(folder), false)?.files {
        let ending = ending(&file);
        let kind = match ending.as_str() {
            it if PROSE.contains(&it) => &mut prose,
            it if WRAPPED.contains(&it) => &mut wrapped,
            _ if default.is_match(&id) => &mut code,
            _ => continue,
        };
        *kind.entry(ending).or_default() += 1;
    }
    if prose.is_empty() {
        (prose, code) = (code, BTreeMap::new()); // a folder of source code only
    }
    let mut asked = prose.keys().map(String::as_str);
    let is_default =
        code.is_empty() && !asked.any(|ending| PROSE[READ_UNASKED..].contains(&ending));
    let globs: Vec<String> = if is_default {
        Vec::new()
    } else {
        prose.keys().map(|ending| format!("*.{ending}")).collect()
    };
    let mut draft = Draft::default();
    files::documents(folder, &globs, &mut draft)?;
    let read = draft.finish(folder);
    let n_unreadable = read.errors.iter().filter(|error| error.kind == Kind::NotText).count();
    // Where no document is text, the first of them says why the corpus is empty.
    let is_empty = read.errors.iter().any(|it| it.kind == Kind::Data(Rule::EmptyCorpus));
    let fatal = |error: &Error| is_empty || error.kind != Kind::NotText;
    if let Some(error) = read.errors.into_iter().find(fatal) {
        return Err(error);
    }
    let mut endings = BTreeMap::new();
    for document in &read.documents {
        *endings.entry(ending(Path::new(document.id.as_str()))).or_default() += 1;
    }
    let documents = &read.documents;
    let n_with = documents.iter().filter(|it| has_headings(it)).count();
    Ok(Survey {
        n_documents: documents.len(),
        n_unreadable,
        globs,
        endings,
        code,
        wrapped,
        share_with_headings: n_with as f64 / documents.len().max(1) as f64,
        language: detect(documents.iter().map(|document| &*document.text)),
    })
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

    fn seen(files: &[(&str, &str)]) -> Result<Survey, Error> {
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
        assert_eq!((survey.code.len(), survey.wrapped.get("pdf")), (1, Some(&1)));
        assert_eq!((survey.n_documents, survey.share_with_headings), (2, 0.5));
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
        let error = survey(folder.path()).expect_err("there is nothing else");
        assert_eq!(error.kind, Kind::NotText);
        std::fs::write(folder.path().join("a.md"), "two words").expect("written");
        let survey = survey(folder.path()).expect("seen");
        assert_eq!((survey.n_unreadable, survey.n_documents), (1, 1));
        assert_eq!(survey.endings, BTreeMap::from([("md".to_owned(), 1)]));
    }

    #[test]
    fn a_folder_without_documents_is_refused() {
        let kind = |seen: Result<Survey, Error>| seen.expect_err("refused").kind;
        assert_eq!(kind(seen(&[("a.png", "x")])), Kind::Data(Rule::EmptyCorpus));
        assert_eq!(kind(survey(Path::new("no/such"))), Kind::Missing);
    }
}
