//! The settings of an existing Qdrant collection: `[retrieval.collection]`.

use crate::closed_set::closed_set;
use crate::types::Filter;

closed_set! {
    /// Query to an existing collection.
    #[derive(Default)]
    CollectionMode {
        /// Nearest dense vectors.
        #[default]
        Dense = "dense",
        /// Sparse vectors, with the question encoded by the server.
        Sparse = "sparse",
        /// Both, fused by Qdrant's reciprocal rank fusion.
        Hybrid = "hybrid",
    }
}

impl CollectionMode {
    /// Returns true if questions are encoded as dense vectors.
    #[must_use]
    pub fn is_dense(self) -> bool {
        self != Self::Sparse
    }

    /// Returns true if questions are sent as text for a sparse vector.
    #[must_use]
    pub fn is_sparse(self) -> bool {
        self != Self::Dense
    }
}

table! {
    /// `[retrieval.collection]`
    CollectionSettings {
        /// gRPC address of the server.
        url: String = "http://localhost:6334".to_owned(),
        /// Environment variable with the API key; a read-only key is enough.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-resume" = "may change", "x-private" = true))]
        api_key_env: Option<String>,
        /// Name of the collection or of an alias. Required by the retriever `collection`.
        name: String,
        /// Query: dense vectors, sparse vectors, or both.
        mode: CollectionMode = CollectionMode::Dense,
        /// Name of the dense vector; empty for a collection with one unnamed vector. Questions are encoded by `retrieval.dense`.
        using: String,
        /// Name of the sparse vector.
        sparse_using: String,
        /// Model with which the server encodes questions as sparse vectors.
        sparse_model: String = "qdrant/bm25".to_owned(),
        /// Filter of the points by payload field: `{ "metadata.team" = "search" }`.
        #[serde(skip_serializing_if = "Filter::is_empty")]
        filter: Filter,
        /// Payload field with the passage's text, as a dotted path; empty if points have offsets only.
        text: String = "text".to_owned(),
        /// Payload field with the id of the passage's document. Default: documents are found by the text.
        #[serde(skip_serializing_if = "Option::is_none")]
        document: Option<String>,
        /// Payload field with the passage's start in the document: bytes, or code points where only these agree with the text.
        #[serde(skip_serializing_if = "Option::is_none")]
        start: Option<String>,
        /// Payload field with the passage's end, exclusive.
        #[serde(skip_serializing_if = "Option::is_none")]
        end: Option<String>,
    }
}
