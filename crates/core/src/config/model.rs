//! How local models and model endpoints are used: numeric precision, pooling, titles, the rerank API.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How exact the numbers of the matrix products are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 24 significant bits, as the checkpoint's own.
    #[default]
    Float32,
    /// 8 significant bits in weights and activations, multiplied exactly and summed in `f32`: faster by far on processors
    /// with matrix tiles (Intel's AMX), no faster than `float32` on others.
    Bfloat16,
}

/// How token vectors become a sentence's vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// The mean over all tokens, `[CLS]` and `[SEP]` included, as sentence-transformers does.
    Mean,
    /// The first token's vector.
    Cls,
}

/// How a title reaches the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Titles {
    /// On a line of its own before the text, as one text.
    Joined,
    /// As the first of a pair, every token of type 0: `[CLS] title [SEP] text [SEP]`. `DPR` was trained so.
    Paired,
}

/// What a server is sent and answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// <https://docs.cohere.com/reference/rerank>.
    #[default]
    Cohere,
    /// <https://jina.ai/reranker>.
    Jina,
    /// <https://huggingface.github.io/text-embeddings-inference>.
    Tei,
}

impl Form {
    /// Every member, in the order of the documentation.
    pub const ALL: [Self; 3] = [Self::Cohere, Self::Jina, Self::Tei];

    /// Its name in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cohere => "cohere",
            Self::Jina => "jina",
            Self::Tei => "tei",
        }
    }
}
