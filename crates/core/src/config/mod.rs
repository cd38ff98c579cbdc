//! Configuration: every setting with its type, default and documentation.

/// Declares a table of settings, in which unknown keys are errors: each field with its default, where it differs from the type's.
macro_rules! table {
    ($(#[$meta:meta])* $name:ident {
        $($(#[$field_meta:meta])* $field:ident: $type:ty $(= $default:expr)?,)*
    }) => {
        $(#[$meta])*
        #[derive(
            Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        #[serde(deny_unknown_fields, default)]
        pub struct $name { $($(#[$field_meta])* pub $field: $type,)* }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: table!(@default $($default)?),)* }
            }
        }
    };
    (@default) => { Default::default() };
    (@default $default:expr) => { $default };
}

mod addresses;
mod bm25;
mod collection;
mod dataset;
mod evaluation;
mod external;
mod http;
mod judge;
mod model;
mod retrieval;
mod schema;
mod settings;
mod tune;
mod validate;

pub use bm25::Bm25Variant;
pub use collection::{CollectionMode, CollectionSettings};
pub use dataset::Format;
pub use evaluation::GateMode;
pub use external::ExternalSettings;
pub use http::HttpSettings;
pub use judge::JudgeSettings;
pub use model::{Pooling, Precision, RerankApi};
pub use retrieval::{
    AnalyzerSettings, Bm25Settings, DenseSettings, LateInteractionSettings, RerankSettings,
    RetrievalSettings, VectorStoreKind, VectorStoreSettings,
};
pub use schema::{OutOfRange, SettingMarks, check_ranges, keys_of, marks, type_of};
pub use settings::{
    AUTO, CacheSettings, ChunkingSettings, DatasetSettings, EvaluationSettings, GatesSettings,
    GenerationSettings, GeneratorName, Price, Settings,
};
pub use tune::TuneSettings;
