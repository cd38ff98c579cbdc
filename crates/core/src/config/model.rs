//! Names of the models' settings: numeric precision, pooling, the rerank API.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::closed_set::closed_set;

/// The number format of matrix products in local models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 24 significant bits, as in the checkpoint.
    #[default]
    Float32,
    /// 8 significant bits in weights and activations, multiplied exactly and summed in `f32`. Much faster on processors
    /// with matrix tiles (Intel AMX), no faster than `float32` on others.
    Bfloat16,
}

/// The pooling of token vectors into one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// The mean of all tokens, `[CLS]` and `[SEP]` included, as sentence-transformers does.
    Mean,
    /// The first token's vector.
    Cls,
}

closed_set! {
    /// The rerank API of a server.
    #[derive(Default)]
    RerankApi {
        /// <https://docs.cohere.com/reference/rerank>, which <https://jina.ai/reranker> follows.
        #[default]
        Cohere = "cohere",
        /// <https://huggingface.github.io/text-embeddings-inference>.
        Tei = "tei",
    }
}
