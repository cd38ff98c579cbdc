//! Errors of a chunking request, and of external chunks. Other chunking cannot fail.

use crate::hint::Hint;

/// Error of an invalid [`super::ChunkSpec`] or strategy name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChunkError {
    /// The size leaves no room for text.
    #[error(
        "`chunking.size` is {size} (with `chunking.overlap` = {overlap}); a chunk needs at least 1 token"
    )]
    ZeroSize {
        /// Configured value, in tokens.
        size: usize,
        /// Configured value, in tokens.
        overlap: usize,
    },
    /// Overlap is not smaller than size, so chunks would never advance.
    #[error("`chunking.overlap` = {overlap} is not smaller than `chunking.size` = {size}")]
    OverlapNotSmaller {
        /// Configured value, in tokens.
        size: usize,
        /// Configured value, in tokens.
        overlap: usize,
    },
    /// The strategy `file` without a file.
    #[error("`chunking.strategy` is `file`, but `chunking.file` is not set")]
    NoFile,
    /// An external chunk that has no place in its document.
    #[error("`{file}` line {line}: {}", problem.of(document))]
    Foreign {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The document it names.
        document: String,
        /// The reason.
        problem: ForeignProblem,
    },
}

/// The reason why an external chunk has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForeignProblem {
    /// Its document is not in the data set.
    NoDocument,
    /// Its offsets, in bytes, are not a range of the document.
    Outside {
        /// First byte.
        start: usize,
        /// End, exclusive.
        end: usize,
        /// Bytes of the document.
        length: usize,
    },
    /// The document has another text at its offsets, counted in bytes or code points.
    OtherText {
        /// Start.
        start: usize,
        /// End, exclusive.
        end: usize,
    },
    /// The document does not contain its text.
    NotFound,
    /// It is white space only, or has neither offsets nor text.
    Blank,
    /// An earlier line has the same range.
    Duplicate {
        /// That line.
        first: usize,
    },
}

impl ForeignProblem {
    fn of(&self, document: &str) -> String {
        match self {
            Self::NoDocument => format!("the data set has no document `{document}`"),
            Self::Outside { start, end, length } => format!(
                "bytes {start} to {end} are not a range of document `{document}` ({length} bytes)"
            ),
            Self::OtherText { start, end } => {
                format!("document `{document}` has another text from {start} to {end}")
            }
            Self::NotFound => format!("document `{document}` does not contain the chunk's text"),
            Self::Blank => format!("the chunk of document `{document}` is blank"),
            Self::Duplicate { first } => {
                format!("duplicate chunk of document `{document}` (first on line {first})")
            }
        }
    }

    fn hint(&self) -> &'static str {
        match self {
            Self::NoDocument => "use the ids of the data set's documents; for files, their paths",
            Self::Outside { .. } => {
                "give byte offsets, or add the chunk's `text` so that code points are recognised"
            }
            Self::OtherText { .. } => {
                "chunk the same version of the documents, or leave out `start` and `end`"
            }
            Self::NotFound => {
                "put text that the chunker added into `context`, and only the document's own into `text`"
            }
            Self::Blank => "leave out chunks without text",
            Self::Duplicate { .. } => "leave out the second line",
        }
    }
}

impl Hint for ChunkError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::ZeroSize { .. } => "set `chunking.size`; 200 suits most encoders".to_owned(),
            Self::OverlapNotSmaller { size, .. } => {
                format!("set `chunking.overlap` below {size}; a fifth of the size is usual")
            }
            Self::NoFile => "name a JSON Lines file of chunks".to_owned(),
            Self::Foreign { problem, .. } => problem.hint().to_owned(),
        })
    }
}
