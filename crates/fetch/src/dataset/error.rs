//! Errors of fetching a data set from its publisher, with hints.

use ragtriage_core::hint::Hint;
use std::path::PathBuf;

use ragtriage_core::text::causes::with_causes;
use ragtriage_datasets::DatasetError;

/// An error by cause; [`FetchError::hint`] suggests a fix.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// A set that can only be installed from a copy.
    #[error("no download address of `{name}` is known")]
    NoPublisher {
        /// The set.
        name: &'static str,
    },
    /// The transfer failed.
    #[error(transparent)]
    Http(#[from] ragtriage_http::Error),
    /// No source had the file.
    #[error("`{name}` could not be fetched from any source: {}", tried(.causes))]
    AllFailed {
        /// The set.
        name: &'static str,
        /// The address and the cause of each failure, in the order tried.
        causes: Vec<(String, Box<Self>)>,
    },
    /// The file's hash differs from the published one.
    #[error("the response of `{url}` has {kind} {found}, expected {expected}")]
    Hash {
        /// The address.
        url: String,
        /// The kind of hash.
        kind: &'static str,
        /// The published hash, in hex.
        expected: &'static str,
        /// The file's hash, in hex.
        found: String,
    },
    /// A file that is not an archive, or is unsafe to unpack.
    #[error("cannot unpack the archive of `{url}`: {what}")]
    Archive {
        /// The address.
        url: String,
        /// The problem.
        what: String,
    },
    /// A file could not be read or written.
    #[error("cannot read or write `{path}`")]
    Disk {
        /// The file.
        path: PathBuf,
        /// The I/O error.
        source: std::io::Error,
    },
    /// An error of the set or its location.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}

impl Hint for FetchError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::NoPublisher { .. } => Some("use a local copy".to_owned()),
            Self::AllFailed { causes, .. } => {
                let is_transient = |(_, cause): &(String, Box<Self>)| matches!(&**cause, Self::Http(error) if error.is_transient());
                let again = causes.iter().any(is_transient);
                let copy = "use a local copy of the data set";
                Some(if again { format!("try again later, or {copy}") } else { copy.to_owned() })
            }
            Self::Http(error) if error.is_transient() => {
                Some("try again: the download continues where it stopped".into())
            }
            Self::Http(error) => error.hint(),
            Self::Hash { .. } => Some(
                "try again; if the hash still differs, the publisher has changed the file".into(),
            ),
            Self::Archive { .. } => Some("use another address; nothing was unpacked".to_owned()),
            Self::Disk { .. } => {
                Some("check the free disk space and the permissions of the folder".to_owned())
            }
            Self::Dataset(error) => error.hint(),
        }
    }
}

/// Lists sources with their causes; a cause that names its address is not repeated.
fn tried(causes: &[(String, Box<FetchError>)]) -> String {
    let each = causes.iter().map(|(url, cause)| {
        let cause = with_causes(cause.as_ref());
        if cause.contains(url) { cause } else { format!("`{url}`: {cause}") }
    });
    each.collect::<Vec<_>>().join("; ")
}
