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
use ragtriage_runs::StoreError;
use ragtriage_runs::external::ExternalError;
use ragtriage_vectors::IndexError;

/// Hint for a sweep that was not finished.
pub const RERUN: &str = "run the same command again to resume: finished trials are reused";
const SEE_REPORT: &str = "`ragtriage report RUN` shows what a run has";

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
impl Advice for ragtriage_pipeline::Error {}

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

impl Advice for AuditError {
    fn advice(&self) -> Option<String> {
        match self {
            Self::Malformed { .. } => with(self, ", or ", "draw it again with `--audit`"),
            _ => self.hint(),
        }
    }
}

impl Advice for CompareError {
    fn advice(&self) -> Option<String> {
        match self {
            Self::OtherQuestions { common, .. } => Some(format!(
                "`--intersect` compares the questions in both ({common}); `ragtriage run --resume NAME` completes an interrupted run"
            )),
            Self::NoValue { .. } => with(self, "; ", SEE_REPORT),
            Self::NothingInCommon { .. } => self.hint(),
        }
    }
}

impl Advice for GateError {
    fn advice(&self) -> Option<String> {
        match self {
            Self::NoBaseline { .. } => with(self, ", or ", "give one with `--baseline RUN`"),
            Self::NoValue { .. } => with(self, "; ", SEE_REPORT),
            Self::Compare(error) => error.advice(),
            Self::NoQuestions { .. } => advise("resume the run with `ragtriage run --resume NAME`"),
            Self::OtherRule { .. } | Self::NotInBaseline { .. } => {
                with(self, "; ", "`ragtriage baseline RUN` writes the file")
            }
            Self::HigherIsBetter { .. } | Self::NotCompared { .. } | Self::OutOfRange { .. } => {
                self.hint()
            }
        }
    }
}

impl Advice for BaselineError {
    fn advice(&self) -> Option<String> {
        match self {
            Self::Foreign { .. } | Self::Damaged { .. } => {
                with(self, "; ", "`ragtriage baseline RUN` writes one")
            }
            Self::Unreadable { .. } | Self::OtherSchema { .. } => self.hint(),
        }
    }
}

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

impl Advice for LlmError {
    fn advice(&self) -> Option<String> {
        match self {
            Self::Spent { .. } => advise("raise the limit with `--set`, continue with `--resume`"),
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
