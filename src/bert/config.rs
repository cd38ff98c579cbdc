//! The transformer's shape, as `config.json` gives it.
//!
//! Anything that this crate's forward pass does not compute is refused here by name, before a weight is read.

use std::path::Path;

use serde::Deserialize;

use super::BertError;

/// The transformer's shape, from `config.json`.
#[derive(Clone, Debug, Deserialize)]
pub struct BertConfig {
    model_type: String,
    hidden_act: String,
    #[serde(default)]
    position_embedding_type: Option<String>,
    #[serde(default)]
    is_decoder: bool,
    pub(super) hidden_size: usize,
    pub(super) intermediate_size: usize,
    pub(super) num_hidden_layers: usize,
    pub(super) num_attention_heads: usize,
    pub(super) max_position_embeddings: usize,
    pub(super) type_vocab_size: usize,
    pub(super) vocab_size: usize,
    pub(super) layer_norm_eps: f32,
}

impl BertConfig {
    /// Reads and checks the bytes of the `config.json` at `path` (named in errors only).
    pub fn read(bytes: &[u8], path: &Path) -> Result<Self, BertError> {
        let malformed =
            |error: serde_json::Error| BertError::Malformed { path: path.to_owned(), what: error.to_string() };
        let config: Self = serde_json::from_slice(bytes).map_err(malformed)?;
        let refuse = |setting: &'static str, value: &str, supported: &'static str| {
            Err(BertError::Unsupported { path: path.to_owned(), setting, value: value.to_owned(), supported })
        };
        if config.model_type != "bert" {
            return refuse("model_type", &config.model_type, "bert");
        }
        match config.position_embedding_type.as_deref() {
            None | Some("absolute") => {}
            Some(other) => return refuse("position_embedding_type", other, "absolute"),
        }
        if config.hidden_act != "gelu" {
            return refuse("hidden_act", &config.hidden_act, "gelu");
        }
        if config.is_decoder {
            return refuse("is_decoder", "true", "false");
        }
        if config.type_vocab_size == 0 {
            return refuse("type_vocab_size", "0", "1 or more");
        }
        let heads = config.num_attention_heads;
        if heads == 0 || config.hidden_size == 0 || !config.hidden_size.is_multiple_of(heads) {
            let what =
                format!("`hidden_size` {} is not a multiple of `num_attention_heads` {heads}", config.hidden_size);
            return Err(BertError::Malformed { path: path.to_owned(), what });
        }
        Ok(config)
    }

    /// Numbers of a token's state.
    pub fn hidden_size(&self) -> usize {
        self.hidden_size
    }

    /// The longest sequence.
    pub fn positions(&self) -> usize {
        self.max_position_embeddings
    }

    /// Entries of the vocabulary.
    pub fn vocab_size(&self) -> usize {
        self.vocab_size
    }

    /// Numbers of one attention head.
    pub(super) fn head_width(&self) -> usize {
        self.hidden_size / self.num_attention_heads
    }
}
