//! What can be wrong with settings, said with file, line and the nearest right name.

use ragtriage_core::hint::Hint;
use std::path::PathBuf;

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
        /// File and line, or the flag.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// A key that is none.
    #[error("{place}: unknown setting `{key}`")]
    UnknownKey {
        /// File and line, or the flag.
        place: String,
        /// The key.
        key: String,
        /// The nearest key there is.
        nearest: Option<String>,
        /// All keys there.
        known: Vec<String>,
    },
    /// A value outside its range.
    #[error("`{key}` is {value}: {why}")]
    OutOfRange {
        /// The setting.
        key: &'static str,
        /// Its value.
        value: String,
        /// What it must be.
        why: String,
    },
    /// `--set` without a key or value.
    #[error("`--set {given}` is not `key=value`")]
    BadFlag {
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
            Self::Unreadable { source, .. } if source.kind() == std::io::ErrorKind::NotFound => Some(
                "give the path of a settings file: `ragtriage run path/to/config.toml`; the repository has some in config/".to_owned(),
            ),
            Self::Unreadable { .. } => Some("see that the file can be read".to_owned()),
            Self::Malformed { .. } | Self::OutOfRange { .. } => {
                Some("`ragtriage config show` prints every setting with its default".to_owned())
            }
            Self::UnknownKey { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
            Self::UnknownKey { known, .. } => Some(format!("there are: {}", known.join(", "))),
            Self::BadFlag { .. } => Some("for example `--set retrieval.k=3`, `--set chunking.strategy=fixed`".to_owned()),
            Self::NoKey { name, .. } => Some(format!("export {name}=..., or leave the setting out for a server without keys")),
            Self::Unusable { hint, .. } => hint.clone(),
        }
    }
}
