//! Advice that names commands and flags, chosen by the kind of an error.
//!
//! The crates say in a [`Hint`] what to do in terms of configuration and data. Where a command or a flag does it, the
//! error's [`Advice`] says which.

use std::fmt::Display;
use std::io::ErrorKind;

use ragtriage_core::hint::Hint;
use ragtriage_core::measure::{UnknownMeasure, UnknownQuantity};
use ragtriage_datasets::DatasetError;
use ragtriage_datasets::label::LabelError;
use ragtriage_encoder::checkpoint::CheckpointError;
use ragtriage_eval::audit::AuditError;
use ragtriage_eval::baseline::BaselineError;
use ragtriage_eval::compare::CompareError;
use ragtriage_eval::gate::GateError;
use ragtriage_fetch::dataset::FetchError;
use ragtriage_fetch::model::ModelError;
use ragtriage_models::cache::CacheError;
use ragtriage_models::llm::LlmError;
use ragtriage_pipeline::PipelineError;
use ragtriage_pipeline::settings::SettingsError;
use ragtriage_pipeline::settings::assemble::AssembleError;
use ragtriage_pipeline::sweep::SweepError;
use ragtriage_runs::StoreError;
use ragtriage_runs::external::ExternalError;
use ragtriage_vectors::IndexError;

const SEE_DEFAULTS: &str = "`ragtriage config show` shows every key with its default";
const SEE_SCHEMA: &str = "fix the key named above; `ragtriage schema config` documents every key";
/// Hint for a sweep that was not finished.
pub const RERUN: &str = "run the same command again to resume: finished trials are reused";

/// An error with a remedy on the command line.
pub trait Advice: Hint {
    /// The hint, with the commands and flags that carry it out.
    fn advice(&self) -> Option<String> {
        self.hint()
    }
}

impl Advice for CacheError {}
impl Advice for CheckpointError {
    fn advice(&self) -> Option<String> {
        match self {
            Self::ModelMissing { .. } => {
                with(self, "; ", "`ragtriage model fetch NAME` fetches any model of the hub")
            }
            _ => self.hint(),
        }
    }
}

impl Advice for ModelError {
    fn advice(&self) -> Option<String> {
        match self {
            Self::NotAuthorized { .. } | Self::Gated { .. } => {
                with(self, "; ", "the key is read from `HF_TOKEN`")
            }
            Self::Offline { .. } => {
                with(self, "; ", "the caches are those of `HF_HOME` and `cache.dir`")
            }
            Self::Listing { .. } => with(self, "; ", "`HF_ENDPOINT` sets it"),
            Self::Checkpoint(error) => error.advice(),
            _ => self.hint(),
        }
    }
}

impl Advice for IndexError {}

impl Advice for UnknownQuantity {
    fn advice(&self) -> Option<String> {
        with(self, "; ", "`ragtriage score --list` explains the measures")
    }
}

impl Advice for UnknownMeasure {
    fn advice(&self) -> Option<String> {
        with(self, "; ", "`ragtriage score --list` explains them all")
    }
}

impl Advice for AuditError {}
impl Advice for CompareError {}
impl Advice for GateError {}
impl Advice for BaselineError {}

impl Advice for StoreError {
    fn advice(&self) -> Option<String> {
        match self {
            Self::Exists { .. } => {
                advise("choose another `--name`, leave it out, or resume the run with `--resume`")
            }
            Self::BadName { .. } => advise("choose another `--name`, or leave it out"),
            Self::Io { source, .. } => match source.kind() {
                ErrorKind::StorageFull | ErrorKind::FileTooLarge | ErrorKind::QuotaExceeded => {
                    with(self, "; ", "continue with `--resume`")
                }
                ErrorKind::NotFound => {
                    with(self, ", ", "under evals/runs/ unless `--out` named another folder")
                }
                _ => with(self, " ", "with `--out`"),
            },
            _ => self.hint(),
        }
    }
}

impl Advice for ExternalError {
    fn advice(&self) -> Option<String> {
        match self {
            Self::UnknownQuestion { .. } => with(self, "; ", "`--partial` leaves such lines out"),
            Self::MissingQuestions { .. } => {
                with(self, "; ", "`--partial` does so and reports how many")
            }
            Self::NoGold { .. } => {
                with(self, "; ", "`--scorer squad2` scores questions without one")
            }
            _ => self.hint(),
        }
    }
}

impl Advice for DatasetError {
    fn advice(&self) -> Option<String> {
        match self {
            Self::Missing { .. } => {
                with(self, "; ", "`ragtriage dataset fetch NAME` downloads a public data set")
            }
            Self::Busy { .. } => with(self, " ", "with `--out`"),
            Self::NoQuestions { split: None, .. } => {
                with(self, ", or ", "label real ones with `ragtriage dataset label`")
            }
            Self::NoColumn { .. } => with(self, " ", "(`--to jsonl`)"),
            Self::Exists { .. } => with(self, ", or ", "replace it with `--force`"),
            _ => self.hint(),
        }
    }
}

impl Advice for LabelError {
    fn advice(&self) -> Option<String> {
        match self {
            Self::Dataset(error) => error.advice(),
            Self::External(error) => error.advice(),
            Self::NothingShared { .. } => with(self, " ", "(`--queries`)"),
            Self::Annotator(_) => self.hint(),
        }
    }
}

impl Advice for FetchError {
    fn advice(&self) -> Option<String> {
        match self {
            Self::NoPublisher { .. } => advise("name a copy with `--from PATH`"),
            Self::AllFailed { .. } => with(self, ": ", "`--from PATH` takes it"),
            Self::Http(error) if error.is_transient() => {
                with(self, "; or ", "name a mirror with `--url`, a copy with `--from`")
            }
            Self::Http(error) => error.hint().or_else(|| {
                advise("name another address with `--url URL`, or a copy with `--from PATH`")
            }),
            Self::Hash { .. } => with(self, ": ", "`--from PATH` takes a copy"),
            Self::Archive { .. } => with(self, "; ", "`--url URL` takes another address"),
            Self::Disk { .. } => self.hint(),
            Self::Dataset(error) => error.advice(),
        }
    }
}

impl Advice for SettingsError {
    fn advice(&self) -> Option<String> {
        match self {
            Self::Unreadable { source, .. } if source.kind() == ErrorKind::NotFound => with(
                self,
                "; ",
                "`ragtriage demo` runs on sample data, `ragtriage init DIR` writes a configuration for your documents",
            ),
            Self::Malformed { .. } | Self::OutOfRange { .. } => advise(SEE_DEFAULTS),
            Self::BadOverride { .. } => {
                advise("for example `--set retrieval.k=3`, `--set chunking.strategy=fixed`")
            }
            Self::NotLocal { .. } => with(self, ", or ", "leave `--offline` out"),
            Self::KeptByContent => with(self, ", or ", "leave `--no-cache` out"),
            Self::Unusable { .. } => self.hint().or_else(|| advise(SEE_DEFAULTS)),
            _ => self.hint(),
        }
    }
}

impl Advice for AssembleError {
    fn advice(&self) -> Option<String> {
        match self {
            Self::Settings(error) => error.advice(),
            Self::Checkpoint(error) => error.advice().or_else(|| advise(SEE_SCHEMA)),
            Self::Chunks(error) => error.hint().or_else(|| advise(SEE_DEFAULTS)),
            Self::Collection(error) => error.hint().or_else(|| advise(SEE_SCHEMA)),
            Self::Embed(error) => error.hint().or_else(|| advise(SEE_SCHEMA)),
            Self::Rerank(error) => error.hint().or_else(|| advise(SEE_SCHEMA)),
            Self::Llm(error) => error.advice().or_else(|| advise(SEE_DEFAULTS)),
            Self::Service(error) => error.hint().or_else(|| advise(SEE_DEFAULTS)),
            Self::Replies(_) => with(self, "; ", "use `--no-cache` to run without the cache"),
        }
    }
}

impl Advice for LlmError {
    fn advice(&self) -> Option<String> {
        match self {
            Self::Spent { .. } => advise("raise the limit with `--set`, continue with `--resume`"),
            _ => self.hint(),
        }
    }
}

impl Advice for SweepError {
    fn advice(&self) -> Option<String> {
        match self {
            Self::BadSetting(SettingsError::Malformed { .. }) => {
                self.hint().map(|hint| format!("{SEE_DEFAULTS}; {hint}"))
            }
            Self::BadSetting(error) => error.advice(),
            Self::NothingGold => with(self, ": ", "`ragtriage dataset label`"),
            Self::NoMean { .. } | Self::OutOfRange(_) => advise(SEE_DEFAULTS),
            Self::Busy { .. } | Self::OtherConfig { .. } => with(self, " ", "with `--name`"),
            Self::Io { .. } => with(self, " ", "with `--out`"),
            // A sweep has neither `--resume` nor `--no-cache`.
            Self::Store(_) => with(self, "; ", RERUN),
            Self::Assemble(error) => match &**error {
                AssembleError::Replies(_) => self.hint(),
                error => error.advice(),
            },
            _ => self.hint(),
        }
    }
}

impl Advice for PipelineError {
    fn advice(&self) -> Option<String> {
        match self {
            error if error.ends_run() => {
                with(self, "; ", "with `--resume` and the run's name, finished questions are kept")
            }
            Self::Embed(error) => error.hint().or_else(|| advise(SEE_SCHEMA)),
            Self::Index(error) => error.hint().or_else(|| advise(SEE_SCHEMA)),
            Self::Rerank(error) => error.hint().or_else(|| advise(SEE_SCHEMA)),
            Self::Store(error) => error.advice(),
            Self::OnlyFailures { run, .. } => with(
                self,
                ", then ",
                format_args!("continue with `--resume {run}`: finished questions are kept"),
            ),
            Self::Stopped { run, .. } => Some(format!(
                "finished questions are kept (`ragtriage report {run}`); raise the limit with `--set` and continue with \
                 `--resume {run}`"
            )),
            Self::Panicked => with(self, "; ", "continue with `--resume` and the run's name"),
            _ => self.hint(),
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "an arm of a match whose other arms may have none")]
fn advise(advice: &str) -> Option<String> {
    Some(advice.to_owned())
}

/// The hint, where there is one, and what the command line adds.
#[expect(clippy::unnecessary_wraps, reason = "an arm of a match whose other arms may have none")]
fn with(error: &dyn Hint, separator: &str, more: impl Display) -> Option<String> {
    Some(match error.hint() {
        Some(hint) => format!("{hint}{separator}{more}"),
        None => more.to_string(),
    })
}
