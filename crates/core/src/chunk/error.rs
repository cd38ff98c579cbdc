//! Errors of a chunking request. Chunking itself cannot fail.

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
}

impl Hint for ChunkError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::ZeroSize { .. } => "set `chunking.size`; 200 suits most encoders".to_owned(),
            Self::OverlapNotSmaller { size, .. } => {
                format!("set `chunking.overlap` below {size}; a fifth of the size is usual")
            }
        })
    }
}
