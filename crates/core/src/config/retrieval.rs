//! The settings of retrieval: `[retrieval]` with its tables, `[rerank]` and `[vector_store]`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bm25::Bm25Variant;
use super::collection::CollectionSettings;
use super::model::{Pooling, Precision, RerankApi, Titles};
use super::vector_store::{Hnsw, Quantization};
use crate::fuse::Fusion;
use crate::text::analyse::{Stemmer, StopWords, Words};
use crate::types::{Filter, RetrieverName, Similarity};

/// `[retrieval]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RetrievalSettings {
    /// Retrievers; the rankings of several are fused.
    #[schemars(length(min = 1))]
    pub retrievers: Vec<RetrieverName>,
    /// Number of hits that are packed into the prompt, at least 1.
    #[schemars(range(min = 1))]
    pub k: usize,
    /// Number of hits per retriever, at least `k`.
    pub candidates: usize,
    /// Minimum score of a hit in the final ranking (of the reranker, else of fusion, else of the retriever). Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1e9, max = 1e9))]
    pub min_score: Option<f64>,
    /// Metadata filter: only matching documents are retrieved: `{ team = "search", year = { gte = 2024 } }`.
    #[serde(skip_serializing_if = "Filter::is_empty")]
    pub filter: Filter,
    /// Text analysis for BM25 and TF-IDF.
    pub analyzer: AnalyzerSettings,
    /// BM25.
    pub bm25: Bm25Settings,
    /// Dense retrieval: one vector per chunk.
    pub dense: DenseSettings,
    /// Late interaction: one vector per token.
    pub late_interaction: LateInteractionSettings,
    /// An existing Qdrant collection.
    pub collection: CollectionSettings,
    /// Fusion of several rankings.
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
            collection: CollectionSettings::default(),
            fusion: Fusion::default(),
        }
    }
}

/// `[retrieval.analyzer]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AnalyzerSettings {
    /// Splitting of text into words.
    pub words: Words,
    /// Convert words to lower case.
    pub lowercase: bool,
    /// Stop words to remove.
    pub stopwords: StopWords,
    /// Stemming of words.
    pub stemmer: Stemmer,
}

impl Default for AnalyzerSettings {
    fn default() -> Self {
        Self {
            words: Words::Unicode,
            lowercase: true,
            stopwords: StopWords::Auto,
            stemmer: Stemmer::Auto,
        }
    }
}

/// `[retrieval.bm25]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bm25Settings {
    /// The variant (Kamphuis et al. 2020).
    pub variant: Bm25Variant,
    /// Term frequency saturation, at least 0.
    #[schemars(range(min = 0.0, max = 1e6))]
    pub k1: f64,
    /// Length normalisation, in 0..=1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub b: f64,
    /// Lower bound of `bm25l` and `bm25plus`. Default: 0.5 and 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub delta: Option<f64>,
}

impl Default for Bm25Settings {
    fn default() -> Self {
        Self { variant: Bm25Variant::Lucene, k1: 1.2, b: 0.75, delta: None }
    }
}

/// `[retrieval.dense]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DenseSettings {
    /// Model name or folder; with `endpoint`, the model name at the endpoint.
    pub model: String,
    /// Folder of the model's files. Default: downloaded, or taken from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_path: Option<PathBuf>,
    /// Separate model for questions (DPR has two): a name or folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_model: Option<String>,
    /// Pooling of token vectors. Default: that of the model's files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pooling: Option<Pooling>,
    /// Scale vectors to unit length. Default: that of the model's files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normalize: Option<bool>,
    /// Similarity of vectors. Default: that of the model's files, else `cosine`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<Similarity>,
    /// Encoder input limit in word pieces. Default: that of the model's files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// Number format of matrix products in a local model.
    pub precision: Precision,
    /// Place of the title in the input. Default: a pair for DPR, else joined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub titles: Option<Titles>,
    /// Text before each question. Default: that of the model's files, else empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_prefix: Option<String>,
    /// Text before each passage. Default: that of the model's files, else empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passage_prefix: Option<String>,
    /// Base URL of an embeddings endpoint, up to and including `/v1`; `/embeddings` is appended. Default: a local model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Environment variable with the API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change", "x-private" = true))]
    pub api_key_env: Option<String>,
    /// Vector length to request from the endpoint. Default: the endpoint's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<usize>,
    /// Timeout of a call in seconds, above 0.
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1e-3, max = 86_400.0))]
    pub timeout_s: f64,
    /// Maximum number of concurrent calls, at least 1.
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1))]
    pub concurrency: usize,
    /// PEM file of a private certificate authority.
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
    /// `ColBERT` checkpoint: a folder or a name in the model cache. Required by the retriever `late_interaction`.
    pub model: String,
    /// Encoder input limit for a question, masks included. Default: that of the model's files, else 32.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_tokens: Option<usize>,
    /// Encoder input limit for a passage. Default: that of the model's files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// Number format of matrix products.
    pub precision: Precision,
}

/// `[rerank]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RerankSettings {
    /// Cross-encoder: a folder or a name in the model cache; with `endpoint`, the model name at the endpoint. Default: no
    /// reranking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Base URL of a rerank endpoint; `/rerank` is appended. Default: a local model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Rerank API of the endpoint.
    pub form: RerankApi,
    /// Environment variable with the API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change", "x-private" = true))]
    pub api_key_env: Option<String>,
    /// Number of candidates to rerank, at least `retrieval.k`. The others keep their order below them, or are dropped if
    /// `min_score` is set, because they have no score. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// Input limit for question and passage together, in word pieces. Default: that of the model's files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// Number format of matrix products in a local model.
    pub precision: Precision,
    /// Timeout of a call in seconds, above 0.
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1e-3, max = 86_400.0))]
    pub timeout_s: f64,
    /// Maximum number of concurrent calls, at least 1.
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1))]
    pub concurrency: usize,
    /// PEM file of a private certificate authority.
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

/// The location of Qdrant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VectorStoreKind {
    /// In this process.
    #[default]
    Embedded,
    /// On a server, over gRPC.
    Server,
}

/// `[vector_store]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VectorStoreSettings {
    /// In this process or on a server.
    pub kind: VectorStoreKind,
    /// gRPC address of the server.
    pub url: String,
    /// Environment variable with the API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change", "x-private" = true))]
    pub api_key_env: Option<String>,
    /// Compare every vector. `false`: search with HNSW where the engine built a graph; exact search runs too, to report what
    /// HNSW misses.
    pub exact: bool,
    /// Number of questions for which exact search runs next to approximate search, as a seeded sample; 0: none.
    pub exact_sample: usize,
    /// The HNSW graph.
    pub hnsw: Hnsw,
    /// Compressed vectors for approximate search.
    pub quantization: Quantization,
    /// Shards per collection on a server. Default: the server's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1024))]
    pub shards: Option<u32>,
    /// Replicas per shard on a server. Default: the server's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1024))]
    pub replicas: Option<u32>,
    /// Replicas that must confirm a write on a server. Default: the server's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1024))]
    pub write_consistency: Option<u32>,
    /// Timeout of a call in seconds, above 0.
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1e-3, max = 86_400.0))]
    pub timeout_s: f64,
    /// Time limit in seconds for the server to build a graph before a search, above 0.
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
            exact_sample: 100,
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
