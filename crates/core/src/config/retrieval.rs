//! The settings of retrieval: `[retrieval]` with its tables, `[rerank]` and `[vector_store]`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bm25::Bm25Variant;
use super::model::{Pooling, Precision, RerankApi, Titles};
use super::vector_store::{Hnsw, Quantization};
use crate::fuse::Fusion;
use crate::text::analyse::{Stemmer, StopWords, Words};
use crate::types::{Filter, RetrieverName, Similarity};

/// `[retrieval]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RetrievalSettings {
    /// One or several; several are fused.
    #[schemars(length(min = 1))]
    pub retrievers: Vec<RetrieverName>,
    /// How many hits go to packing, at least 1.
    #[schemars(range(min = 1))]
    pub k: usize,
    /// How many hits each retriever returns, at least `k`.
    pub candidates: usize,
    /// Hits of the final ranking (the reranker's, else fusion's, else the retriever's) with a lower score are dropped before
    /// packing. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1e9, max = 1e9))]
    pub min_score: Option<f64>,
    /// Only documents whose metadata meets these conditions are found: `{ team = "search", year = { gte = 2024 } }`.
    #[serde(skip_serializing_if = "Filter::is_empty")]
    pub filter: Filter,
    /// Text to terms, for BM25 and TF-IDF.
    pub analyzer: AnalyzerSettings,
    /// BM25's formula.
    pub bm25: Bm25Settings,
    /// The encoder of one vector a chunk.
    pub dense: DenseSettings,
    /// The encoder of one vector a token.
    pub late_interaction: LateInteractionSettings,
    /// How several rankings become one.
    pub fusion: Fusion,
}

impl Default for RetrievalSettings {
    fn default() -> Self {
        Self {
            retrievers: vec![RetrieverName::Bm25, RetrieverName::Dense],
            k: 5,
            candidates: 100,
            min_score: None,
            filter: Filter::default(),
            analyzer: AnalyzerSettings::default(),
            bm25: Bm25Settings::default(),
            dense: DenseSettings::default(),
            late_interaction: LateInteractionSettings::default(),
            fusion: Fusion::default(),
        }
    }
}

/// `[retrieval.analyzer]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AnalyzerSettings {
    /// How text is cut.
    pub words: Words,
    /// Whether it is lowered.
    pub lowercase: bool,
    /// What is dropped.
    pub stopwords: StopWords,
    /// How words are stemmed.
    pub stemmer: Stemmer,
}

impl Default for AnalyzerSettings {
    fn default() -> Self {
        Self {
            words: Words::Unicode,
            lowercase: true,
            stopwords: StopWords::English,
            stemmer: Stemmer::English,
        }
    }
}

/// Where BM25's postings are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bm25Store {
    /// In this program's own index.
    #[default]
    Local,
    /// As sparse vectors in Qdrant, for corpora that outgrow one machine; `lucene` only.
    Qdrant,
}

/// `[retrieval.bm25]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bm25Settings {
    /// The formula (Kamphuis et al. 2020).
    pub variant: Bm25Variant,
    /// Term frequency saturation, >= 0.
    #[schemars(range(min = 0.0, max = 1e6))]
    pub k1: f64,
    /// Length normalisation, in 0..=1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub b: f64,
    /// The lower bound of `bm25l` and `bm25plus`. Default: .5 and 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub delta: Option<f64>,
    /// Where the postings are.
    pub store: Bm25Store,
}

impl Default for Bm25Settings {
    fn default() -> Self {
        Self {
            variant: Bm25Variant::Lucene,
            k1: 1.2,
            b: 0.75,
            delta: None,
            store: Bm25Store::Local,
        }
    }
}

/// `[retrieval.dense]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DenseSettings {
    /// A model's name, or the path of its folder; with `endpoint` the name that is asked for there.
    pub model: String,
    /// Where the model's files are, when they are not to be fetched or taken from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_path: Option<PathBuf>,
    /// Another model for questions (`DPR` has two): a name, or the path of its folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_model: Option<String>,
    /// How token vectors become one. Default: as the model's files say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pooling: Option<Pooling>,
    /// Whether vectors are scaled to unit length. Default: as the model's files say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normalize: Option<bool>,
    /// How vectors are compared. Default: as the model's files say, else `cosine`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<Similarity>,
    /// Word pieces read of a text. Default: as the model's files say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// The numbers that matrix products of a local model are made of.
    pub precision: Precision,
    /// How a title goes in. Default: as a pair for `DPR`, else joined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub titles: Option<Titles>,
    /// Put before each question. Default: as the model's files say, else nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_prefix: Option<String>,
    /// Put before each passage. Default: as the model's files say, else nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passage_prefix: Option<String>,
    /// A server's address up to and with `/v1`, which is asked for `/embeddings` instead of running a model here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The environment variable that holds the endpoint's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change", "x-private" = true))]
    pub api_key_env: Option<String>,
    /// The length of vectors to ask the endpoint for. Default: its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<usize>,
    /// Seconds until a call of the endpoint counts as failed, > 0.
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1e-3, max = 86_400.0))]
    pub timeout_s: f64,
    /// Most calls of the endpoint at once, at least 1.
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1))]
    pub concurrency: usize,
    /// A PEM file with a private certificate authority, for the endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change"))]
    pub ca_file: Option<PathBuf>,
}

impl Default for DenseSettings {
    fn default() -> Self {
        Self {
            model: "sentence-transformers/all-MiniLM-L6-v2".to_owned(),
            model_path: None,
            query_model: None,
            pooling: None,
            normalize: None,
            similarity: None,
            max_tokens: None,
            precision: Precision::default(),
            titles: None,
            query_prefix: None,
            passage_prefix: None,
            endpoint: None,
            api_key_env: None,
            dimensions: None,
            timeout_s: 60.0,
            concurrency: 4,
            ca_file: None,
        }
    }
}

/// `[retrieval.late_interaction]`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LateInteractionSettings {
    /// A `ColBERT` checkpoint: the path of its folder, or its name in the model cache. Needed where the retriever is asked for.
    pub model: String,
    /// Word pieces read of a question, masks included. Default: as the model's files say, else 32.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_tokens: Option<usize>,
    /// Word pieces read of a passage. Default: as the model's files say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// The numbers that matrix products are made of.
    pub precision: Precision,
}

/// `[rerank]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RerankSettings {
    /// A cross-encoder: the path of its folder, or its name in the model cache; with `endpoint` the name that is asked for
    /// there. Default: nothing is reranked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// A server's address, `/rerank` left out, which is asked instead of running a model here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Whose form the endpoint speaks.
    pub form: RerankApi,
    /// The environment variable that holds the endpoint's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change", "x-private" = true))]
    pub api_key_env: Option<String>,
    /// How many candidates are reranked, at least `retrieval.k`; the others keep their order below them, or are dropped where
    /// `min_score` is set, for they have no score to judge by. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// Word pieces read of question and passage together. Default: as the model's files say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// The numbers that matrix products of a local model are made of.
    pub precision: Precision,
    /// Seconds until a call of the endpoint counts as failed, > 0.
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1e-3, max = 86_400.0))]
    pub timeout_s: f64,
    /// Most calls of the endpoint at once, at least 1.
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1))]
    pub concurrency: usize,
    /// A PEM file with a private certificate authority, for the endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change"))]
    pub ca_file: Option<PathBuf>,
}

impl Default for RerankSettings {
    fn default() -> Self {
        Self {
            model: None,
            endpoint: None,
            form: RerankApi::default(),
            api_key_env: None,
            depth: None,
            max_tokens: None,
            precision: Precision::default(),
            timeout_s: 60.0,
            concurrency: 4,
            ca_file: None,
        }
    }
}

/// Where Qdrant runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VectorStoreKind {
    /// In this process.
    #[default]
    Embedded,
    /// On a server, by gRPC.
    Server,
}

/// `[vector_store]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VectorStoreSettings {
    /// In this process or on a server.
    pub kind: VectorStoreKind,
    /// The server's gRPC address.
    pub url: String,
    /// The environment variable that holds the server's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change", "x-private" = true))]
    pub api_key_env: Option<String>,
    /// Compare every vector; `false`: by HNSW, where the engine built one, and by exact search beside it, so that what HNSW
    /// loses is known (`ann_miss`).
    pub exact: bool,
    /// The HNSW graph.
    pub hnsw: Hnsw,
    /// Smaller copies of the vectors for approximate search.
    pub quantization: Quantization,
    /// On a server: shards of a collection. Default: the server's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1024))]
    pub shards: Option<u32>,
    /// On a server: copies of each shard. Default: the server's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1024))]
    pub replicas: Option<u32>,
    /// On a server: copies that must confirm a write. Default: the server's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1024))]
    pub write_consistency: Option<u32>,
    /// Seconds until a call of the server counts as failed, > 0.
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1e-3, max = 86_400.0))]
    pub timeout_s: f64,
    /// Seconds that a search waits for the server to build a graph, > 0.
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1e-3, max = 864_000.0))]
    pub indexing_timeout_s: f64,
}

impl Default for VectorStoreSettings {
    fn default() -> Self {
        Self {
            kind: VectorStoreKind::Embedded,
            url: "http://localhost:6334".to_owned(),
            api_key_env: None,
            exact: true,
            hnsw: Hnsw::default(),
            quantization: Quantization::default(),
            shards: None,
            replicas: None,
            write_consistency: None,
            timeout_s: 60.0,
            indexing_timeout_s: 3600.0,
        }
    }
}
