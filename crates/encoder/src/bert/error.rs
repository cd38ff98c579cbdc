//! Errors of unsupported or malformed checkpoints.

use std::path::{Path, PathBuf};

/// Error of an unsupported or malformed checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum BertError {
    /// A file of the wrong format.
    #[error("`{path}` cannot be used: {what}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The defect, in its parser's words.
        what: String,
    },
    /// A checkpoint that this crate does not support.
    #[error(
        "`{path}` has `{setting}` = `{value}`, which is not supported (supported: {supported})"
    )]
    Unsupported {
        /// The file with the setting.
        path: PathBuf,
        /// Its key.
        setting: &'static str,
        /// Its value.
        value: String,
        /// Supported values.
        supported: &'static str,
    },
    /// A maximum length without room for a text.
    #[error("`max_tokens` = {max_tokens} leaves no room for text; it must be at least {fewest}")]
    TooShort {
        /// The requested maximum.
        max_tokens: usize,
        /// The minimum.
        fewest: usize,
    },
    /// A maximum length beyond the model's positions.
    #[error("`max_tokens` = {max_tokens} exceeds the model's {positions} positions")]
    TooLong {
        /// The requested maximum.
        max_tokens: usize,
        /// Positions of the model.
        positions: usize,
    },
    /// The tokenizer rejected a text.
    #[error("cannot tokenize text: {0}")]
    Tokenize(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl BertError {
    #[allow(
        clippy::needless_pass_by_value,
        reason = "callers pass an error or a text that they just made"
    )]
    pub(crate) fn malformed(path: &Path, what: impl ToString) -> Self {
        Self::Malformed { path: path.to_owned(), what: what.to_string() }
    }

    #[allow(
        clippy::needless_pass_by_value,
        reason = "callers pass an error or a text that they just made"
    )]
    pub(crate) fn unsupported(
        path: &Path,
        setting: &'static str,
        value: impl ToString,
        supported: &'static str,
    ) -> Self {
        Self::Unsupported { path: path.to_owned(), setting, value: value.to_string(), supported }
    }
}
