//! Errors of a configuration, with file, line and the nearest known key.

use ragtriage_core::hint::Hint;
use std::path::PathBuf;

use ragtriage_core::config::OutOfRange;

/// An error in the configuration.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A file that cannot be read.
    #[error("cannot read settings `{}`: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// TOML that cannot be parsed, or a value of the wrong type.
    #[error("{place}: {message}")]
    Malformed {
        /// File and line, or the override.
        place: String,
        /// The error.
        message: String,
    },
    /// An unknown key.
    #[error("{place}: unknown setting `{key}`")]
    UnknownKey {
        /// File and line, or the override.
        place: String,
        /// The key.
        key: String,
        /// The nearest known key.
        nearest: Option<String>,
        /// All keys of the table.
        known: Vec<String>,
    },
    /// A value that its setting does not accept.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// An override without a key or value.
    #[error("`{given}` is not `key=value`")]
    BadOverride {
        /// The override as given.
        given: String,
    },
    /// An environment variable for a key that is not set.
    #[error("the environment variable `{name}` named by `{key}` is not set")]
    NoKey {
        /// The variable.
        name: String,
        /// The setting that names it.
        key: &'static str,
    },
    /// A service on another machine in offline mode.
    #[error("`{key}`: `{url}` is not on this machine, but offline mode is on")]
    NotLocal {
        /// The setting.
        key: String,
        /// Its address, redacted.
        url: String,
    },
    /// A key that would go to another machine unencrypted.
    #[error("`{key}`: the Qdrant API key would be sent unencrypted to `{url}`")]
    KeyInClear {
        /// The setting.
        key: &'static str,
        /// Its address, redacted.
        url: String,
    },
    /// A run without caches on a Qdrant server.
    #[error(
        "a run without caches needs the embedded store: runs with the same content share a collection on a Qdrant server"
    )]
    KeptByContent,
    /// A file or model named by a setting that cannot be used.
    #[error("{message}")]
    Unusable {
        /// The error, with the setting.
        message: String,
        /// The hint.
        hint: Option<String>,
    },
}

impl Hint for SettingsError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Unreadable { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                Some("give the path of a configuration file".to_owned())
            }
            Self::Unreadable { source, .. }
                if source.kind() == std::io::ErrorKind::InvalidInput =>
            {
                Some("give the path of a TOML file; write piped settings to one first".to_owned())
            }
            Self::Unreadable { .. } => Some("check the permissions of the file".to_owned()),
            Self::Malformed { .. } | Self::OutOfRange { .. } => None,
            Self::UnknownKey { nearest: Some(nearest), .. } => {
                Some(format!("did you mean `{nearest}`?"))
            }
            Self::UnknownKey { known, .. } => Some(format!("known settings: {}", known.join(", "))),
            Self::BadOverride { .. } => Some("write it like `retrieval.k=3`".to_owned()),
            Self::NotLocal { .. } => Some("use a service on this machine".to_owned()),
            Self::KeyInClear { .. } => {
                Some("use `https`; plain `http` with a key is for this machine only".to_owned())
            }
            Self::KeptByContent => {
                Some("use the embedded store: `vector_store.kind = \"embedded\"`".to_owned())
            }
            Self::NoKey { name, .. } => {
                Some(format!("set {name}, or remove the setting for a server without keys"))
            }
            Self::Unusable { hint, .. } => hint.clone(),
        }
    }
}
