//! The error of this crate, with the place of its cause and a hint: of data sets, of a run's files, and of files of other systems.

use std::error::Error as StdError;
use std::fmt::{self, Display};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use crate::dataset::lint::finding::Rule;
use ragtriage_core::hint::Hint;
use ragtriage_core::types::DocId;

/// What a caller can do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The path does not exist.
    Missing,
    /// Nothing can be read or written: another layout, an unknown split, no permission.
    Unusable,
    /// Bytes that are not UTF-8; other files may be read.
    NotText,
    /// A fault of the data, by the rule of [`crate::dataset::lint`]; the other records may be read.
    Data(Rule),
    /// The name of a run is in use.
    Exists,
    /// Traces cannot be read, or none of them is a RAG's.
    NotTraces,
}

/// An error with the file and the line or id of its cause.
#[derive(Debug)]
pub struct Error {
    /// What a caller can do.
    pub kind: Kind,
    /// The record that caused it.
    pub place: Option<Place>,
    /// The document that it is about.
    pub document: Option<Box<str>>,
    message: Box<str>,
    hint: Box<str>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// Creates an error of kind [`Kind::Unusable`].
    pub(crate) fn new(message: impl Into<Box<str>>, hint: impl Into<Box<str>>) -> Self {
        Self {
            kind: Kind::Unusable,
            place: None,
            document: None,
            message: message.into(),
            hint: hint.into(),
            source: None,
        }
    }

    /// Creates the error of a fault in the data.
    pub(crate) fn data(
        rule: Rule,
        message: impl Into<Box<str>>,
        hint: impl Into<Box<str>>,
    ) -> Self {
        Self { kind: Kind::Data(rule), ..Self::new(message, hint) }
    }

    /// Creates the error of a field or line that is not as its format wants it.
    pub(crate) fn record(place: &Place, message: impl Into<Box<str>>) -> Self {
        Self::data(Rule::BadField, message, "fix that line").at(place)
    }

    /// Creates the error of a document that is not in the corpus.
    pub(crate) fn unknown_document(place: &Place, doc: &DocId, nearest: Option<&str>) -> Self {
        let hint = match nearest {
            Some(id) => format!("did you mean `{id}`?"),
            None => "add the document, or correct the label".to_owned(),
        };
        Self::data(Rule::UnknownDocument, format!("document `{doc}` is not in the corpus"), hint)
            .at(place)
            .about(doc)
    }

    /// Creates the error of a data set without questions.
    pub(crate) fn no_questions(path: &Path, split: Option<&str>) -> Self {
        let path = path.display();
        let (message, hint) = match split {
            Some(split) => (
                format!("`{path}` has no questions in split `{split}`"),
                "check `dataset.split` and the questions' `split`",
            ),
            None => (
                format!("`{path}` has no questions"),
                "add questions, one per line, or label real ones with `ragtriage dataset label`",
            ),
        };
        Self::data(Rule::NoQuestions, message, hint)
    }

    /// Creates the error of bytes that are not UTF-8, from `offset` on.
    pub(crate) fn not_text(path: &Path, offset: usize) -> Self {
        let message = format!("`{}` is not valid UTF-8 at byte {offset}", path.display());
        let hint =
            "convert the file to UTF-8, for instance with `iconv`, or leave it out of the corpus";
        Self { kind: Kind::NotText, ..Self::new(message, hint) }
    }

    /// Returns the error of reading `path`.
    pub(crate) fn read(path: &Path, source: io::Error) -> Self {
        if source.kind() == ErrorKind::NotFound {
            return Self::missing(path);
        }
        Self {
            source: Some(Box::new(source)),
            ..Self::new(
                format!("cannot read `{}`", path.display()),
                "check the path and its permissions",
            )
        }
    }

    /// Returns the error of a path that does not exist.
    pub(crate) fn missing(path: &Path) -> Self {
        let hint = "check the path; that of a data set is `dataset.path`, and `ragtriage dataset fetch NAME` downloads a public one";
        let message = format!("`{}` does not exist", path.display());
        Self { kind: Kind::Missing, ..Self::new(message, hint) }
    }

    /// The hint to a record that is none.
    pub(crate) const RECORD: &str = "a line is {\"id\" or \"question\", \"contexts\": [{\"text\", \"doc_id\", \"score\"}] or \"stages\", \"answer\"}; leave out what is not known";

    /// Creates the error of a line.
    pub(crate) fn in_line(place: &Place, message: impl Display, hint: impl Into<Box<str>>) -> Self {
        Self::new(message.to_string(), hint).at(place)
    }

    pub(crate) fn of_kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// Returns a closure that creates the error of a failed `action` on `path`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        move |source| {
            let message = format!("cannot {action} `{}`: {source}", path.display());
            let hint = match source.kind() {
                ErrorKind::StorageFull | ErrorKind::FileTooLarge | ErrorKind::QuotaExceeded => {
                    "free some disk space, and repeat the command; an interrupted run continues with `--resume`"
                }
                ErrorKind::PermissionDenied => {
                    "check the permissions, or choose another folder with `--out`"
                }
                ErrorKind::InvalidInput => "restore the whole folder, or run again",
                _ => "check that the folder exists and is writable, or choose another with `--out`",
            };
            Self::new(message, hint)
        }
    }

    /// Creates the error of a damaged line or file.
    pub(crate) fn damaged(path: &Path, line: usize, source: &serde_json::Error) -> Self {
        Self::new(
            format!("`{}` line {line} is damaged: {source}", path.display()),
            "repair or delete that line, or start a new run; nothing was changed",
        )
    }

    /// Creates the error of a line or file that was changed.
    pub(crate) fn wrong_checksum(path: &Path, line: usize) -> Self {
        let path = path.display();
        Self::new(
            format!("`{path}` line {line} is damaged: its content does not match its checksum"),
            "restore the file, or start a new run; if you edited it, delete `crc32` there",
        )
    }

    /// Creates the error of a line that is not a JSON object.
    pub(crate) fn json(place: &Place, error: &serde_json::Error) -> Self {
        let (column, reason) = (error.column().max(1), reason(error));
        Self::new(
            format!("{place} column {column}: not a JSON object: {reason}"),
            "write one JSON object per line; JSON has no NaN or Infinity: leave such a score out",
        )
    }

    /// Creates the error of a field of a record.
    pub(crate) fn field(place: &Place, field: &str, expected: impl Display) -> Self {
        Self::in_line(place, format_args!("`{field}` must be {expected}"), Self::RECORD)
    }

    /// Returns the error with the record that caused it.
    pub(crate) fn at(self, place: &Place) -> Self {
        Self { place: Some(place.clone()), ..self }
    }

    /// Returns the error with the document that it is about.
    pub(crate) fn about(self, doc: &DocId) -> Self {
        Self { document: Some(doc.as_str().into()), ..self }
    }

    /// Returns the error with its cause.
    pub(crate) fn because(self, source: impl StdError + Send + Sync + 'static) -> Self {
        Self { source: Some(Box::new(source)), ..self }
    }

    /// Returns the message without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_ref().map(|source| &**source as &(dyn StdError + 'static))
    }
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        Some(self.hint.to_string()).filter(|hint| !hint.is_empty())
    }
}

/// Returns the parser's message without its place.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let at = format!(" at line {} column {}", error.line(), error.column());
    message.strip_suffix(&at).unwrap_or(&message).to_owned()
}

/// A file, with the line and record if known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: Arc<Path>,
    /// The line, from 1; `None` in files that are a single JSON value.
    pub line: Option<usize>,
    /// The document's or question's id.
    pub id: Option<Arc<str>>,
}

impl Default for Place {
    fn default() -> Self {
        Self::file(Path::new(""))
    }
}

impl Place {
    /// Creates the place of a line in the input `file`, as it was named.
    #[must_use]
    pub fn new(file: &str, line: Option<usize>) -> Self {
        Self { line, ..Self::file(Path::new(file)) }
    }

    /// Creates a place without a line.
    pub(crate) fn file(path: &Path) -> Self {
        Self { path: Arc::from(path), line: None, id: None }
    }

    /// Returns this place with the id of its record.
    pub(crate) fn of(&self, id: &str) -> Self {
        Self { id: Some(id.into()), ..self.clone() }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, " line {line}")?;
        }
        match &self.id {
            Some(id) => write!(f, " (`{id}`)"),
            None => Ok(()),
        }
    }
}
