//! Configuration: every setting with its type, default and documentation.

mod addresses;
mod bm25;
mod dataset;
mod evaluation;
mod marks;
mod model;
mod retrieval;
mod settings;
mod tune;
mod vector_store;

pub use bm25::Bm25Variant;
pub use dataset::{Format, MissingEvidence};
pub use evaluation::{GateMode, NoisePosition};
pub use marks::{Marks, marks};
pub use model::{Form, Pooling, Precision, Titles};
pub use retrieval::{
    AnalyzerSettings, Bm25Settings, Bm25Store, DenseSettings, FusionMethod, FusionSettings,
    LateInteractionSettings, RerankSettings, RetrievalSettings, RetrieverName, VectorStoreKind,
    VectorStoreSettings,
};
pub use settings::{
    ArmSetting, CacheSettings, ChunkingSettings, DatasetSettings, EvaluationSettings,
    ExternalSettings, GatesSettings, GenerationSettings, GeneratorName, PriceSettings, Settings,
};
pub use tune::{Search, TuneSettings};
pub use vector_store::{Hnsw, Placement, Quantization, QuantizationKind};

/// A value outside the range of its setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is `{value}`, but has to be {wanted}")]
pub struct OutOfRange {
    /// The setting.
    pub name: &'static str,
    /// The given value.
    pub value: String,
    /// The accepted values.
    pub wanted: &'static str,
}
