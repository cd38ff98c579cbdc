//! Errors of loading or copying a data set, with hints.

use ragtriage_core::hint::Hint;
use std::io;
use std::path::{Path, PathBuf};

use crate::place::Place;
use ragtriage_core::config::Format;
use ragtriage_core::types::{DocId, QuestionId, QuestionKind};

/// An error with the file and the line, id or byte offset of its cause; [`DatasetError::hint`] suggests a
/// fix.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The path does not exist.
    #[error("`{path}` does not exist")]
    Missing {
        /// The file or folder.
        path: PathBuf,
    },
    /// The path cannot be read.
    #[error("cannot read `{path}`")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// The path cannot be written.
    #[error("cannot write `{path}`")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// Another process is adding to the file.
    #[error("another process is writing `{path}`")]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// A folder or file without the layout that the format requires.
    #[error("`{path}` has no {expected}")]
    Layout {
        /// The file or folder.
        path: PathBuf,
        /// The expected contents.
        expected: String,
    },
    /// Bytes that are not UTF-8.
    #[error("`{path}` is not valid UTF-8 at byte {offset}")]
    Utf8 {
        /// The file.
        path: PathBuf,
        /// The first invalid byte, from 0.
        offset: usize,
    },
    /// JSON that cannot be parsed, or does not match the format.
    #[error("{place} column {column}: invalid JSON: {message}")]
    Json {
        /// The file and line.
        place: Place,
        /// The byte of the line, from 1.
        column: usize,
        /// The parser's message.
        message: String,
    },
    /// A line of a judgments or SMART file that cannot be parsed.
    #[error("{place}: expected {expected}")]
    Line {
        /// The file and line.
        place: Place,
        /// The expected contents.
        expected: &'static str,
    },
    /// A missing field of a record, or one of the wrong type.
    #[error("{place}: `{field}` must be {expected}")]
    Field {
        /// The record.
        place: Place,
        /// The field, by its first name.
        field: &'static str,
        /// The expected value.
        expected: &'static str,
    },
    /// An unknown field name, rejected so that a typing error cannot lose labels.
    #[error("{place}: unknown key `{key}`")]
    UnknownKey {
        /// The record.
        place: Place,
        /// The key.
        key: Box<str>,
        /// The nearest known key.
        nearest: Option<&'static str>,
    },
    /// A relevance grade that is not an integer.
    #[error("{place}: grade `{grade}` is not an integer")]
    Grade {
        /// The judgment.
        place: Place,
        /// The given grade.
        grade: Box<str>,
    },
    /// A document over `dataset.max_document_bytes`.
    #[error("{place}: the document has {n_bytes} bytes, more than {max_bytes}")]
    LongDocument {
        /// The document.
        place: Place,
        /// Its length.
        n_bytes: usize,
        /// `dataset.max_document_bytes`.
        max_bytes: usize,
    },
    /// Two documents with one id.
    #[error("{place}: duplicate document `{id}`")]
    DuplicateDocument {
        /// The second one.
        place: Place,
        /// The id.
        id: DocId,
    },
    /// Two questions with one id.
    #[error("{place}: duplicate question `{id}`")]
    DuplicateQuestion {
        /// The second one.
        place: Place,
        /// The id.
        id: QuestionId,
    },
    /// Evidence or a judgment that names a document missing from the corpus.
    #[error("{place}: document `{doc}` is not in the corpus")]
    UnknownDocument {
        /// The question.
        place: Place,
        /// The document it names.
        doc: DocId,
        /// The nearest document id.
        nearest: Option<DocId>,
    },
    /// A judgment for a missing question.
    #[error("{place}: unknown question `{id}`")]
    UnknownQuestion {
        /// The judgment.
        place: Place,
        /// The question it names.
        id: QuestionId,
    },
    /// A quote that does not occur in its document, ignoring white space.
    #[error("{place}: the quote `{quote}` is not in document `{doc}`")]
    QuoteNotFound {
        /// The question.
        place: Place,
        /// The document.
        doc: DocId,
        /// The quote, shortened.
        quote: Box<str>,
        /// The nearest text of the document.
        nearest: Option<Box<str>>,
    },
    /// An invalid evidence range: outside the text, empty, or inside a character.
    #[error(
        "{place}: invalid byte range {start} to {end} of document `{doc}`, which has {length} bytes"
    )]
    Range {
        /// The question.
        place: Place,
        /// The document.
        doc: DocId,
        /// First byte.
        start: usize,
        /// One past the last.
        end: usize,
        /// The document's bytes.
        length: usize,
    },
    /// A supporting sentence missing from its paragraph.
    #[error("{place}: paragraph `{doc}` has no sentence {sentence} (from 0)")]
    Sentence {
        /// The question.
        place: Place,
        /// The paragraph's title.
        doc: DocId,
        /// The given index.
        sentence: i64,
    },
    /// An annotated answer missing from its paragraph.
    #[error("{place}: the answer `{answer}` is not in document `{doc}`")]
    AnswerNotFound {
        /// The question.
        place: Place,
        /// The paragraph.
        doc: DocId,
        /// The answer, shortened.
        answer: Box<str>,
    },
    /// No documents, or none with text.
    #[error("the corpus of `{path}` is empty")]
    EmptyCorpus {
        /// The data set.
        path: PathBuf,
    },
    /// An empty question.
    #[error("{place}: the question is empty")]
    EmptyQuestion {
        /// The question.
        place: Place,
    },
    /// A question with too many ranges of evidence.
    #[error("{place}: the evidence has {n_ranges} ranges, more than {most}")]
    ManyRanges {
        /// The question.
        place: Place,
        /// Their number.
        n_ranges: usize,
        /// The maximum.
        most: usize,
    },
    /// No questions remain.
    #[error("`{path}` has no questions{}", split.as_ref().map(|split| format!(" in split `{split}`")).unwrap_or_default())]
    NoQuestions {
        /// The data set.
        path: PathBuf,
        /// The requested split.
        split: Option<Box<str>>,
    },
    /// A native question whose kind requires an answer for scoring.
    #[error("{place}: a `{kind}` question needs at least one answer")]
    NoAnswers {
        /// The question.
        place: Place,
        /// Its kind.
        kind: QuestionKind,
    },
    /// A split requested of a format that has none.
    #[error("format `{format}` has no splits; `dataset.split = \"{split}\"` does not apply")]
    NoSplits {
        /// The format.
        format: Format,
        /// The requested split.
        split: Box<str>,
    },
    /// A split that does not exist.
    #[error("unknown split `{split}`")]
    UnknownSplit {
        /// The requested split.
        split: Box<str>,
        /// The known splits.
        known: Box<str>,
    },
    /// An invalid file pattern.
    #[error("invalid glob pattern `{glob}`")]
    Glob {
        /// The pattern.
        glob: String,
        /// The parser's error.
        source: globset::Error,
    },
    /// A data set unknown to `dataset fetch`.
    #[error("unknown data set `{name}`")]
    UnknownSet {
        /// The requested name.
        name: Box<str>,
        /// The known names.
        known: Vec<&'static str>,
    },
    /// The target of a new folder already exists.
    #[error("`{path}` already exists")]
    Occupied {
        /// The path.
        path: PathBuf,
    },
    /// An id that a tab-separated table cannot hold.
    #[error("{what} `{id}` cannot be written to a tab-separated file")]
    NoColumn {
        /// The kind of item that has it.
        what: &'static str,
        /// The id.
        id: Box<str>,
    },
    /// A device, pipe or folder in place of a file for questions.
    #[error("`{path}` is not a regular file")]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// A file being appended to that another program changed.
    #[error(
        "`{path}` was replaced, removed or changed by another program; this question was not written"
    )]
    ChangedFile {
        /// The path.
        path: PathBuf,
    },
    /// A layout that does not round-trip the data set.
    #[error("format `{format}` cannot hold this data set unchanged: {what}")]
    NotKept {
        /// The format.
        format: Format,
        /// The difference.
        what: String,
    },
    /// A copy already exists.
    #[error("`{path}` already exists")]
    Exists {
        /// The copy.
        path: PathBuf,
    },
}

impl DatasetError {
    /// Returns a closure for `map_err` that creates the error of reading `path`.
    pub fn read(path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        move |source| Self::Read { path: path.to_owned(), source }
    }

    /// Returns a closure for `map_err` that creates the error of writing `path`.
    pub fn write(path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        move |source| Self::Write { path: path.to_owned(), source }
    }

    /// Returns the record that caused the error, if any.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Json { place, .. }
            | Self::Line { place, .. }
            | Self::Field { place, .. }
            | Self::UnknownKey { place, .. }
            | Self::Grade { place, .. }
            | Self::LongDocument { place, .. }
            | Self::DuplicateDocument { place, .. }
            | Self::DuplicateQuestion { place, .. }
            | Self::UnknownDocument { place, .. }
            | Self::UnknownQuestion { place, .. }
            | Self::QuoteNotFound { place, .. }
            | Self::Range { place, .. }
            | Self::Sentence { place, .. }
            | Self::AnswerNotFound { place, .. }
            | Self::EmptyQuestion { place }
            | Self::ManyRanges { place, .. }
            | Self::NoAnswers { place, .. } => Some(place),
            _ => None,
        }
    }
}

impl Hint for DatasetError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Missing { .. } => {
                "check `dataset.path`".into()
            }
            Self::Read { .. } | Self::Write { .. } => "check the path and its permissions".into(),
            Self::Busy { .. } => "wait until it ends, or write to another file".into(),
            Self::Layout { .. } => "check that `dataset.format` is the format of `dataset.path`".into(),
            Self::Utf8 { .. } => {
                "convert the file to UTF-8, for instance with `iconv`, or leave it out of the corpus".into()
            }
            Self::Json { .. } => "fix that line, or check `dataset.format`".into(),
            Self::Line { .. } | Self::Field { .. } => "fix that record".into(),
            Self::UnknownKey { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Self::UnknownKey { nearest: None, .. } => "remove it, or start its name with `_` to have it ignored".into(),
            Self::Grade { .. } => "write grades as whole numbers: 0 not relevant, 1 and up relevant".into(),
            Self::LongDocument { .. } => {
                "split or exclude it, or raise `dataset.max_document_bytes`".into()
            }
            Self::DuplicateDocument { .. } | Self::DuplicateQuestion { .. } => "give each its own id".into(),
            Self::UnknownDocument { nearest, .. } => match nearest {
                Some(id) => {
                    format!("did you mean `{id}`? or keep and count it with `dataset.missing_evidence = \"keep\"`")
                }
                None => "add the document, or keep and count it with `dataset.missing_evidence = \"keep\"`".into(),
            },
            Self::UnknownQuestion { .. } | Self::Sentence { .. } | Self::AnswerNotFound { .. } => {
                "fix the label, or keep and count it with `dataset.missing_evidence = \"keep\"`".into()
            }
            Self::QuoteNotFound { nearest: Some(text), .. } => format!("the nearest text there is `{text}`"),
            Self::QuoteNotFound { nearest: None, .. } => "copy the quote from the document unchanged".into(),
            Self::Range { .. } => "give half-open byte ranges on character boundaries, or quotes instead".into(),
            Self::EmptyCorpus { .. } => "add documents with text, or check `dataset.path` and `dataset.globs`".into(),
            Self::ManyRanges { .. } => "label what answers the question, adjacent ranges as one".into(),
            Self::EmptyQuestion { .. } => "write the question, or remove the record".into(),
            Self::NoQuestions { split: Some(_), .. } => "check `dataset.split` and the questions' `split`".into(),
            Self::NoQuestions { split: None, .. } => {
                "add questions, one per line".into()
            }
            Self::NoAnswers { .. } => "add `answers`, or set `kind` to `free` or `unanswerable`".into(),
            Self::NoSplits { .. } => "remove `dataset.split`".into(),
            Self::UnknownSplit { known, .. } => format!("known splits: {known}"),
            Self::Glob { .. } => "write patterns such as `*.md` or `guides/**/*.rst`".into(),
            Self::UnknownSet { name, known } => {
                let quoted: Vec<String> = known.iter().map(|known| format!("`{known}`")).collect();
                match super::nearest::word(name, known.iter().copied()) {
                    Some(nearest) => format!("did you mean `{nearest}`? known data sets: {}", quoted.join(", ")),
                    None => format!("known data sets: {}", quoted.join(", ")),
                }
            }
            Self::Occupied { .. } => "choose a new folder; existing files are not overwritten".into(),
            Self::NoColumn { .. } => {
                "remove tabs, line breaks and surrounding white space from the id, or use the format `jsonl`, which allows them".into()
            }
            Self::NotKept { .. } => "fix the record named above; nothing was written".into(),
            Self::ChangedFile { .. } => "start again; questions already in the file are not asked again".into(),
            Self::NoFile { .. } => "give a regular file; it is read first, so that no question is asked twice".into(),
            Self::Exists { .. } => "choose another path".into(),
        })
    }
}
