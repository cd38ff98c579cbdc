//! Retrievers by name.

use crate::closed_set::closed_set;

closed_set! {
    /// Name of a retriever.
    RetrieverName {
        /// TF-IDF with cosine similarity.
        Tfidf = "tfidf",
        /// BM25.
        Bm25 = "bm25",
        /// Dense retrieval: one vector per chunk, in Qdrant.
        Dense = "dense",
        /// Late interaction (`ColBERT`): one vector per token, in Qdrant.
        LateInteraction = "late_interaction",
        /// An existing Qdrant collection.
        Collection = "collection",
    }
}
