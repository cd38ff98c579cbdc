//! What can be wrong with settings, said with file, line and the nearest right name.

use ragtriage_core::hint::Hint;
use std::path::PathBuf;

use ragtriage_core::config::OutOfRange;
/// Why settings could not be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file cannot be read.
    #[error("cannot read settings `{}`: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// TOML that cannot be parsed, or a value of the wrong type.
    #[error("{place}: {message}")]
    Malformed {
        /// File and line, or the override.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// A key that is none.
    #[error("{place}: unknown setting `{key}`")]
    UnknownKey {
        /// File and line, or the override.
        place: String,
        /// The key.
        key: String,
        /// The nearest key there is.
        nearest: Option<String>,
        /// All keys there.
        known: Vec<String>,
    },
    /// A value that its setting does not accept.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// An override without a key or value.
    #[error("`{given}` is not `key=value`")]
    BadOverride {
        /// What was given.
        given: String,
    },
    /// An environment variable that should hold a key does not.
    #[error("the environment variable `{name}` named by `{key}` is not set")]
    NoKey {
        /// The variable.
        name: String,
        /// The setting that names it.
        key: &'static str,
    },
    /// A service elsewhere, in offline mode.
    #[error("`{key}`: `{url}` is not on this machine, and this is offline mode")]
    NotLocal {
        /// The setting.
        key: String,
        /// Its address, redacted.
        url: String,
    },
    /// A run without caches on a Qdrant server.
    #[error(
        "a run without caches needs the embedded store: collections of a Qdrant server are shared by content"
    )]
    KeptByContent,
    /// Something it names cannot be used.
    #[error("{message}")]
    Unusable {
        /// What its part said, the setting named in it.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
}

impl Hint for SettingsError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Unreadable { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                Some("give the path of a configuration file".to_owned())
            }
            Self::Unreadable { .. } => Some("check the permissions of the file".to_owned()),
            Self::Malformed { .. } | Self::OutOfRange { .. } => None,
            Self::UnknownKey {
                nearest: Some(nearest),
                ..
            } => Some(format!("did you mean `{nearest}`?")),
            Self::UnknownKey { known, .. } => Some(format!("there are: {}", known.join(", "))),
            Self::BadOverride { .. } => Some("write it like `retrieval.k=3`".to_owned()),
            Self::NotLocal { .. } => Some("name a service on this machine".to_owned()),
            Self::KeptByContent => {
                Some("use the embedded store: `vector_store.kind = \"embedded\"`".to_owned())
            }
            Self::NoKey { name, .. } => Some(format!(
                "export {name}=..., or leave the setting out for a server without keys"
            )),
            Self::Unusable { hint, .. } => hint.clone(),
        }
    }
}
