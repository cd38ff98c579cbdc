//! What a command could not do, and what to do about it.

use ragtriage_core::measure::UnknownMeasure;
use ragtriage_core::text::causes::with_causes;
use ragtriage_datasets::DatasetError;
use ragtriage_datasets::label::LabelError;
use ragtriage_eval::compare::CompareError;
use ragtriage_eval::gate::GateError;
use ragtriage_fetch::dataset::FetchError;
use ragtriage_models::cache::CacheError;
use ragtriage_pipeline::PipelineError;
use ragtriage_pipeline::settings::SettingsError;
use ragtriage_pipeline::settings::assemble::AssembleError;
use ragtriage_pipeline::sweep::SweepError;
use ragtriage_runs::StoreError;
use ragtriage_runs::external::ExternalError;

/// A message with a hint; every one ends the program with exit code 2.
#[derive(Debug)]
pub struct Failure {
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl Failure {
    pub(super) fn new(message: impl Into<String>, hint: Option<String>) -> Self {
        Self {
            message: message.into(),
            hint,
        }
    }
}

impl From<CacheError> for Failure {
    fn from(error: CacheError) -> Self {
        Self::new(with_causes(&error), error.hint())
    }
}

impl From<DatasetError> for Failure {
    fn from(error: DatasetError) -> Self {
        Self::new(with_causes(&error), Some(error.hint()))
    }
}

impl From<FetchError> for Failure {
    fn from(error: FetchError) -> Self {
        Self::new(with_causes(&error), error.hint())
    }
}

impl From<ExternalError> for Failure {
    fn from(error: ExternalError) -> Self {
        Self::new(with_causes(&error), Some(error.hint()))
    }
}

impl From<LabelError> for Failure {
    fn from(error: LabelError) -> Self {
        Self::new(with_causes(&error), Some(error.hint()))
    }
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Self {
        Self::new(with_causes(&error), error.hint())
    }
}

impl From<PipelineError> for Failure {
    fn from(error: PipelineError) -> Self {
        Self::new(with_causes(&error), error.hint())
    }
}

impl From<SettingsError> for Failure {
    fn from(error: SettingsError) -> Self {
        Self::new(with_causes(&error), error.hint())
    }
}

impl From<AssembleError> for Failure {
    fn from(error: AssembleError) -> Self {
        Self::new(with_causes(&error), error.hint())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::new(with_causes(&error), error.hint().map(str::to_owned))
    }
}

impl From<UnknownMeasure> for Failure {
    fn from(error: UnknownMeasure) -> Self {
        Self::new(with_causes(&error), Some(error.hint().to_owned()))
    }
}

impl From<CompareError> for Failure {
    fn from(error: CompareError) -> Self {
        Self::new(with_causes(&error), Some(error.hint()))
    }
}

impl From<GateError> for Failure {
    fn from(error: GateError) -> Self {
        Self::new(with_causes(&error), Some(error.hint()))
    }
}
