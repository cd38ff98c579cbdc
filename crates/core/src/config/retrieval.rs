//! The settings of retrieval: `[retrieval]` with its tables, `[rerank]` and `[vector_store]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bm25::Bm25Variant;
use super::collection::CollectionSettings;
use super::model::{Pooling, Precision, RerankApi};
use crate::fuse::Fusion;
use crate::text::analyse::{Stemmer, StopWords, Words};
use crate::types::{Filter, RetrieverName, Similarity};

table! {
    /// `[retrieval]`
    RetrievalSettings {
        /// Retrievers; the rankings of several are fused.
        #[schemars(length(min = 1))]
        retrievers: Vec<RetrieverName> = vec![RetrieverName::Bm25, RetrieverName::Dense],
        /// Have the generator rewrite a question with `history` as one that needs no turn before it, and search for that.
        rewrite: bool,
        /// Number of hits that are packed into the prompt, at least 1.
        #[schemars(range(min = 1))]
        k: usize = 5,
        /// Number of hits per retriever, at least `k`.
        candidates: usize = 100,
        /// Minimum score of a hit in the final ranking (of the reranker, else of fusion, else of the retriever). Default: none.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = -1e9, max = 1e9))]
        min_score: Option<f64>,
        /// Metadata filter: only matching documents are retrieved: `{ team = "search", year = { gte = 2024 } }`.
        #[serde(skip_serializing_if = "Filter::is_empty")]
        filter: Filter,
        /// Text analysis for BM25 and TF-IDF.
        analyzer: AnalyzerSettings,
        /// BM25.
        bm25: Bm25Settings,
        /// Dense retrieval: one vector per chunk.
        dense: DenseSettings,
        /// Late interaction: one vector per token.
        late_interaction: LateInteractionSettings,
        /// An existing Qdrant collection.
        collection: CollectionSettings,
        /// Fusion of several rankings.
        fusion: Fusion,
    }
}

table! {
    /// `[retrieval.analyzer]`
    AnalyzerSettings {
        /// Splitting of text into words.
        words: Words = Words::Unicode,
        /// Convert words to lower case.
        lowercase: bool = true,
        /// Stop words to remove.
        stopwords: StopWords = StopWords::Auto,
        /// Stemming of words.
        stemmer: Stemmer = Stemmer::Auto,
    }
}

table! {
    /// `[retrieval.bm25]`
    Bm25Settings {
        /// The variant (Kamphuis et al. 2020).
        variant: Bm25Variant = Bm25Variant::Lucene,
        /// Term frequency saturation, at least 0.
        #[schemars(range(min = 0.0, max = 1e6))]
        k1: f64 = 1.2,
        /// Length normalisation, in 0..=1.
        #[schemars(range(min = 0.0, max = 1.0))]
        b: f64 = 0.75,
        /// Lower bound of `bm25l` and `bm25plus`. Default: 0.5 and 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.0, max = 1e6))]
        delta: Option<f64>,
    }
}

table! {
    /// `[retrieval.dense]`
    DenseSettings {
        /// Model name or folder; with `endpoint`, the model name at the endpoint.
        model: String = "sentence-transformers/all-MiniLM-L6-v2".to_owned(),
        /// Separate model for questions (DPR has two): a name or folder.
        #[serde(skip_serializing_if = "Option::is_none")]
        query_model: Option<String>,
        /// Pooling of token vectors. Default: that of the model's files.
        #[serde(skip_serializing_if = "Option::is_none")]
        pooling: Option<Pooling>,
        /// Similarity of vectors. Default: that of the model's files, else `cosine`.
        #[serde(skip_serializing_if = "Option::is_none")]
        similarity: Option<Similarity>,
        /// Encoder input limit in word pieces. Default: that of the model's files.
        #[serde(skip_serializing_if = "Option::is_none")]
        max_tokens: Option<usize>,
        /// Number format of matrix products in a local model.
        precision: Precision,
        /// Text before each question. Default: that of the model's files, else empty.
        #[serde(skip_serializing_if = "Option::is_none")]
        query_prefix: Option<String>,
        /// Text before each passage. Default: that of the model's files, else empty.
        #[serde(skip_serializing_if = "Option::is_none")]
        passage_prefix: Option<String>,
        /// Base URL of an embeddings endpoint, up to and including `/v1`; `/embeddings` is appended. Default: a local model.
        #[serde(skip_serializing_if = "Option::is_none")]
        endpoint: Option<String>,
        /// Environment variable with the API key.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-resume" = "may change", "x-private" = true))]
        api_key_env: Option<String>,
        /// Vector length to request from the endpoint. Default: the endpoint's.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1))]
        dimensions: Option<usize>,
    }
}

table! {
    /// `[retrieval.late_interaction]`
    LateInteractionSettings {
        /// `ColBERT` checkpoint: a folder or a name in the model cache. Required by the retriever `late_interaction`.
        model: String,
    }
}

table! {
    /// `[rerank]`
    RerankSettings {
        /// Cross-encoder: a folder or a name in the model cache; with `endpoint`, the model name at the endpoint. Default: no
        /// reranking.
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// Base URL of a rerank endpoint; `/rerank` is appended. Default: a local model.
        #[serde(skip_serializing_if = "Option::is_none")]
        endpoint: Option<String>,
        /// Rerank API of the endpoint.
        form: RerankApi,
        /// Environment variable with the API key.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-resume" = "may change", "x-private" = true))]
        api_key_env: Option<String>,
        /// Number of candidates to rerank, at least `retrieval.k`. The others keep their order below them, or are dropped if
        /// `min_score` is set, because they have no score. Default: all.
        #[serde(skip_serializing_if = "Option::is_none")]
        depth: Option<usize>,
        /// Input limit for question and passage together, in word pieces. Default: that of the model's files.
        #[serde(skip_serializing_if = "Option::is_none")]
        max_tokens: Option<usize>,
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

table! {
    /// `[vector_store]`
    VectorStoreSettings {
        /// In this process or on a server.
        kind: VectorStoreKind = VectorStoreKind::Embedded,
        /// gRPC address of the server.
        url: String = "http://localhost:6334".to_owned(),
        /// Environment variable with the API key.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-resume" = "may change", "x-private" = true))]
        api_key_env: Option<String>,
    }
}
