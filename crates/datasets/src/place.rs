//! The place of a record in its source, for error messages.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

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

impl Place {
    /// Creates a place without a line.
    pub(super) fn file(path: &Path) -> Self {
        Self { path: Arc::from(path), line: None, id: None }
    }

    /// Returns this place with the id of its record.
    pub(super) fn of(&self, id: &str) -> Self {
        Self { id: Some(id.into()), ..self.clone() }
    }
}

impl fmt::Display for Place {
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
