//! Configuration: every setting with its type, default and documentation.

mod addresses;
mod bm25;
mod collection;
mod collection_rules;
mod dataset;
mod endpoint;
mod evaluation;
mod external;
mod judge;
mod marks;
mod model;
mod out_of_range;
mod paths;
mod price;
mod ranges;
mod retrieval;
mod schema;
mod settings;
mod tune;
mod unused;
mod validate;
mod vector_store;
mod vector_store_ranges;

pub use bm25::Bm25Variant;
pub use collection::{CollectionFusion, CollectionMode, CollectionSettings};
pub use dataset::{Format, MissingEvidence};
pub use endpoint::Endpoint;
pub use evaluation::{GateMode, NoisePosition};
pub use external::ExternalSettings;
pub use judge::{JudgeKind, JudgeSettings};
pub use marks::{SettingMarks, marks};
pub use model::{Pooling, Precision, RerankApi, Titles};

pub use out_of_range::OutOfRange;
pub use price::Price;
pub use ranges::check_ranges;
pub use retrieval::{
    AnalyzerSettings, Bm25Settings, DenseSettings, LateInteractionSettings, RerankSettings,
    RetrievalSettings, VectorStoreKind, VectorStoreSettings,
};
pub use schema::keys_of;
pub use settings::{
    AUTO, CacheSettings, ChunkingSettings, DatasetSettings, EvaluationSettings, GatesSettings,
    GenerationSettings, GeneratorName, MAX_DOCUMENT_BYTES, MOST_RESAMPLES, Settings,
};
pub use tune::TuneSettings;
pub use vector_store::{Hnsw, Placement, Quantization, QuantizationKind};
