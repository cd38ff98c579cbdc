//! Errors of a sweep as a whole. The failure of a single trial is a row of its ranking.

use ragtriage_core::hint::Hint;
use std::path::PathBuf;

use crate::settings::SettingsError;
use crate::settings::assemble::AssembleError;
use ragtriage_core::config::OutOfRange;
use ragtriage_core::measure::Measure;

/// An error of a sweep.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// An empty `[sweep]`.
    #[error("`[sweep]` varies nothing")]
    NothingToVary,
    /// A setting that cannot be varied.
    #[error("`{key}` cannot be varied in a sweep")]
    NotVaried {
        /// The setting.
        key: String,
    },
    /// A value where a list is expected.
    #[error("`sweep.{key}` is {value}, not a list of values")]
    NoList {
        /// The setting.
        key: String,
        /// The value found.
        value: String,
    },
    /// Two axes that set one setting.
    #[error("`{key}` is varied twice in `[sweep]`")]
    TwiceVaried {
        /// The setting.
        key: String,
    },
    /// A grid with too many trials.
    #[error("the grid has more than {most} trials")]
    TooMany {
        /// The maximum number of trials.
        most: usize,
    },
    /// A value of `[tune]` outside its range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// An unknown setting of the sweep, or a value of the wrong type.
    #[error("`[sweep]`: {0}")]
    BadSetting(#[source] SettingsError),
    /// Questions without labels to score retrieval by.
    #[error("no question has evidence, an answer or a relevant document to tune by")]
    NothingGold,
    /// A measure without a mean.
    #[error(
        "`tune.measure` is {measure}, which is aggregated by the median: trials are compared by means"
    )]
    NoMean {
        /// The measure.
        measure: Measure,
    },
    /// A measure of answers without a generator.
    #[error(
        "`tune.measure` is {measure}, which scores answers, and `generation.generator` is `none`"
    )]
    NoGenerator {
        /// The measure.
        measure: Measure,
    },
    /// The folder is used by another process.
    #[error("another sweep is running in `{}`", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// A folder that belongs to the sweeps of another settings file.
    #[error("the sweep `{name}` belongs to `{config}`")]
    OtherConfig {
        /// The sweep.
        name: String,
        /// Its settings file.
        config: String,
    },
    /// A file of the sweep's folder.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// The attempted operation.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// A corrupted file of the sweep's folder.
    #[error("`{}` is damaged: {message}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The reason.
        message: String,
    },
    /// A run's files.
    #[error(transparent)]
    Store(#[from] ragtriage_runs::Error),
    /// The default's components.
    #[error(transparent)]
    Assemble(Box<AssembleError>),
}

impl From<AssembleError> for SweepError {
    fn from(error: AssembleError) -> Self {
        Self::Assemble(Box::new(error))
    }
}

impl Hint for SweepError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NothingToVary => {
                "give lists of values, for example `[sweep]` with `chunking.size = [64, 128, 256]`; config/tune.toml has more"
            }
            Self::NotVaried { .. } => {
                "all trials of a sweep share questions and scoring: set it outside `[sweep]`"
            }
            Self::NoList { .. } => {
                "write a list: `chunking.size = [64, 128]`; a setting that is a list itself needs a list of lists"
            }
            Self::TwiceVaried { .. } => {
                "set it once: with other settings in the list of tables, or separately"
            }
            Self::TooMany { .. } => "vary less",
            Self::BadSetting(error) => {
                return match error {
                    SettingsError::Malformed { .. } => Some("a setting that is a list itself needs a list of lists: `retrieval.retrievers = [[\"bm25\"], [\"bm25\", \"dense\"]]`".to_owned()),
                    _ => error.hint(),
                };
            }
            Self::NothingGold => "label some questions",
            Self::NoMean { .. } | Self::OutOfRange(_) => return None,
            Self::NoGenerator { .. } => {
                "set `generation.generator` to `openai`, or use `--llm ollama:NAME`"
            }
            Self::Busy { .. } => "wait until it ends, or give this sweep another name",
            Self::OtherConfig { .. } => "give this sweep another name",
            Self::Io { .. } => "check that the folder is writable, or choose another",
            Self::Damaged { .. } => "delete it: it is rebuilt",
            Self::Store(error) => return error.hint(),
            Self::Assemble(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }
}
