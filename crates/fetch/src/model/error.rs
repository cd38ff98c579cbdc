//! Errors of fetching a model from the hub, by cause, with a separate hint.

use std::path::PathBuf;

use ragtriage_core::hint::Hint;
use ragtriage_encoder::checkpoint::CheckpointError;

/// Error of fetching a model.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// Text that is not a name on the hub.
    #[error("`{name}` is not a model name")]
    BadName {
        /// The text.
        name: String,
    },
    /// Status 401: the hub hides private models from those without a key, and reports missing ones likewise.
    #[error("`{hub}` denies access to `{name}` {}: the model is private, gated or does not exist (status 401)", with_key(*.has_key))]
    NotAuthorized {
        /// The model.
        name: String,
        /// The hub's address.
        hub: String,
        /// True if a key was sent.
        has_key: bool,
    },
    /// Status 403.
    #[error("`{hub}` refuses `{name}` {}: the model is gated (status 403)", with_key(*.has_key))]
    Gated {
        /// The model.
        name: String,
        /// The hub's address.
        hub: String,
        /// True if a key was sent.
        has_key: bool,
    },
    /// Status 404.
    #[error("`{hub}` has no model `{name}` with revision `{revision}` (status 404)")]
    Unknown {
        /// The model.
        name: String,
        /// The revision.
        revision: String,
        /// The hub's address.
        hub: String,
    },
    /// A model that is neither cached nor to be fetched.
    #[error("`{name}` is in no cache, and offline mode is on: {}", .searched.join(", "))]
    Offline {
        /// The model.
        name: String,
        /// The folders searched.
        searched: Vec<String>,
    },
    /// A revision without a file that is needed.
    #[error("`{name}` at revision `{revision}` has no `{file}`")]
    NoFile {
        /// The model.
        name: String,
        /// The commit.
        revision: String,
        /// The file.
        file: &'static str,
    },
    /// A response that does not describe a model.
    #[error("the response of `{url}` does not describe a model: {what}")]
    Listing {
        /// The address.
        url: String,
        /// The defect.
        what: String,
    },
    /// A response that describes another commit than the requested one.
    #[error("`{hub}` describes commit `{found}` of `{name}` instead of `{wanted}`")]
    OtherCommit {
        /// The model.
        name: String,
        /// The hub's address.
        hub: String,
        /// The requested commit.
        wanted: String,
        /// The commit of the response.
        found: String,
    },
    /// A file that cannot be written.
    #[error("cannot write `{}`", .path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The I/O error.
        source: std::io::Error,
    },
    /// The transfer failed.
    #[error(transparent)]
    Http(#[from] ragtriage_http::Error),
    /// The files cannot be read, or are not a supported model.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

fn with_key(has_key: bool) -> &'static str {
    if has_key { "with the given key" } else { "without a key" }
}

impl Hint for ModelError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::BadName { .. } => {
                "write it like `BAAI/bge-small-en-v1.5`, or `NAME@REVISION`".to_owned()
            }
            Self::NotAuthorized { has_key: false, .. } => {
                "check the name; for a private or gated model a key of the hub is needed".to_owned()
            }
            Self::NotAuthorized { .. } => {
                "check the name, and that the key is valid and may read the model".to_owned()
            }
            Self::Gated { .. } => {
                "accept the model's conditions on its page, and use a key of that account"
                    .to_owned()
            }
            Self::Unknown { .. } => {
                "check the name and the revision: a branch, a tag or a commit".to_owned()
            }
            Self::Offline { .. } => {
                "fetch it while connected, or put it into one of these folders".to_owned()
            }
            Self::NoFile { file, .. } => format!(
                "choose a revision or a model that has `{file}`, or convert the model and name its folder"
            ),
            Self::Listing { .. } | Self::OtherCommit { .. } => "check the hub's address".to_owned(),
            Self::Write { .. } => {
                "check the free disk space and the permissions of the folder".to_owned()
            }
            Self::Http(error) => {
                let again = "try again, or use a model that is on this machine";
                return error.hint().or_else(|| Some(again.to_owned()));
            }
            Self::Checkpoint(error) => return error.hint(),
        })
    }
}
