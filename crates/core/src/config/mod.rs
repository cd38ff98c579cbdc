//! Configuration: every setting with its type, default and documentation.

use std::borrow::Cow;

mod addresses;
mod bm25;
mod dataset;
mod evaluation;
mod marks;
mod model;
mod ranges;
mod retrieval;
mod schema;
mod settings;
mod tune;
mod validate;
mod vector_store;

pub use bm25::Bm25Variant;
pub use dataset::{Format, MissingEvidence};
pub use evaluation::{GateMode, NoisePosition};
pub use marks::{Marks, marks};
pub use model::{Form, Pooling, Precision, Titles};
pub use ranges::check_ranges;
pub use retrieval::{
    AnalyzerSettings, Bm25Settings, Bm25Store, DenseSettings, FusionMethod, FusionSettings,
    LateInteractionSettings, RerankSettings, RetrievalSettings, RetrieverName, VectorStoreKind,
    VectorStoreSettings,
};
pub use settings::{
    ArmSetting, CacheSettings, ChunkingSettings, DatasetSettings, EvaluationSettings,
    ExternalSettings, GatesSettings, GenerationSettings, GeneratorName, MOST_RESAMPLES,
    PriceSettings, Settings,
};
pub use tune::{Search, TuneSettings};
pub use vector_store::{Hnsw, Placement, Quantization, QuantizationKind};

/// A value that its setting does not accept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is {value}, {problem}")]
pub struct OutOfRange {
    /// The setting.
    pub name: Cow<'static, str>,
    /// The given value.
    pub value: String,
    /// What is wrong with it, and what it must be.
    pub problem: Cow<'static, str>,
}
