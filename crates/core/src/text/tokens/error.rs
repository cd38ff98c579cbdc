//! Errors of token counters.

use crate::hint::Hint;

/// The error of creating a token counter.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// `model` is configured without an encoder.
    #[error("the tokenizer `model` needs a dense encoder, but none is configured")]
    NoModel,
    /// The bytes are not a tokenizer.
    #[error("the encoder's `tokenizer.json` cannot be read")]
    BadModel {
        /// The parser's error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A tokenizer that rejects characters outside its vocabulary.
    #[error("the encoder's `tokenizer.json` has no token for unknown characters such as `{probe}`")]
    NoUnknownToken {
        /// The rejected text.
        probe: String,
        /// The tokenizer's error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Hint for TokenError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoModel => "use `cl100k_base`, or set a dense retriever's model".to_owned(),
            Self::BadModel { .. } => "fetch the model again, or use `cl100k_base`".to_owned(),
            Self::NoUnknownToken { .. } => {
                "name the unknown token in the model, or use `cl100k_base`".to_owned()
            }
        })
    }
}
