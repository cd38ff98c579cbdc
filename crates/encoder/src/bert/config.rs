//! The transformer's shape, as given in `config.json`.
//!
//! Configurations that this crate's forward pass does not support are rejected here by name, before any weight is read.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::BertError;

/// `layer_norm_eps` if a config has none: transformers' default for these models, and `DistilBERT`'s constant.
const LAYER_NORM_EPSILON: f32 = 1e-12;
/// Names of the exact, erf-based GELU in transformers.
const GELU_NAMES: [&str; 2] = ["gelu", "gelu_python"];

/// Model family that names the tensors and settings; the arithmetic is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Architecture {
    /// `BERT` (Devlin et al. 2019).
    Bert,
    /// One of the two encoders of `DPR` (Karpukhin et al. 2020).
    Dpr,
    /// `RoBERTa`, `XLM-RoBERTa`, `CamemBERT`: positions begin after the padding's id.
    Roberta,
    /// `DistilBERT`: no token types.
    DistilBert,
    /// The discriminator of `ELECTRA` (Clark et al. 2020): embeddings may be narrower than states.
    Electra,
}

impl Architecture {
    /// The supported `model_type`s.
    const SUPPORTED: &'static str =
        "bert, roberta, xlm-roberta, camembert, distilbert, electra, dpr";

    fn of(model_type: &str) -> Option<Self> {
        match model_type {
            "bert" => Some(Self::Bert),
            "dpr" => Some(Self::Dpr),
            "roberta" | "xlm-roberta" | "camembert" => Some(Self::Roberta),
            "distilbert" => Some(Self::DistilBert),
            "electra" => Some(Self::Electra),
            _ => None,
        }
    }
}

/// The transformer's shape, from `config.json`.
#[derive(Clone, Debug)]
pub struct BertConfig {
    pub(super) family: Architecture,
    /// Width of an embedding; a linear layer widens it where it is not `hidden_size`.
    pub(super) embedding_size: usize,
    pub(super) hidden_size: usize,
    pub(super) intermediate_size: usize,
    pub(super) num_hidden_layers: usize,
    pub(super) num_attention_heads: usize,
    /// Rows of the position table.
    pub(super) max_position_embeddings: usize,
    /// Row of the position table for a first token.
    pub(super) first_position: usize,
    /// Rows of the token type table; 0 if there is none.
    pub(super) type_vocab_size: usize,
    pub(super) vocab_size: usize,
    pub(super) layer_norm_eps: f32,
    /// Number of labels of a classifier on top, if the file names them.
    n_labels: Option<usize>,
}

/// Keys shared by all members of the family.
#[derive(Deserialize)]
struct Shared {
    model_type: String,
    #[serde(alias = "activation")]
    hidden_act: Option<String>,
    position_embedding_type: Option<String>,
    #[serde(default)]
    is_decoder: bool,
    auto_map: Option<serde_json::Map<String, Value>>,
    projection_dim: Option<usize>,
    pad_token_id: Option<usize>,
    type_vocab_size: Option<usize>,
    layer_norm_eps: Option<f32>,
    id2label: Option<serde_json::Map<String, Value>>,
    #[serde(alias = "dim")]
    hidden_size: usize,
    embedding_size: Option<usize>,
    #[serde(alias = "hidden_dim")]
    intermediate_size: usize,
    #[serde(alias = "n_layers")]
    num_hidden_layers: usize,
    #[serde(alias = "n_heads")]
    num_attention_heads: usize,
    max_position_embeddings: usize,
    vocab_size: usize,
}

/// Parsed alone, so that another kind of model is rejected by its type and not for a missing key.
#[derive(Deserialize)]
struct ModelType {
    model_type: String,
}

impl BertConfig {
    /// Reads and checks the bytes of the `config.json` at `path` (named in errors only).
    pub fn read(bytes: &[u8], path: &Path) -> Result<Self, BertError> {
        let kind: ModelType =
            serde_json::from_slice(bytes).map_err(|error| BertError::malformed(path, error))?;
        let Some(family) = Architecture::of(&kind.model_type) else {
            let (setting, supported) = ("model_type", Architecture::SUPPORTED);
            return Err(BertError::Unsupported {
                path: path.to_owned(),
                setting,
                value: kind.model_type,
                supported,
            });
        };
        let shared: Shared =
            serde_json::from_slice(bytes).map_err(|error| BertError::malformed(path, error))?;
        shared.check(path)?;
        let first_position =
            if family == Architecture::Roberta { shared.pad_token_id.unwrap_or(1) + 1 } else { 0 };
        let type_vocab_size = match (family, shared.type_vocab_size) {
            (Architecture::DistilBert, _) => 0,
            (_, Some(n)) => n,
            (_, None) => {
                return Err(BertError::malformed(
                    path,
                    "missing field `type_vocab_size`".to_owned(),
                ));
            }
        };
        let config = Self {
            family,
            embedding_size: shared
                .embedding_size
                .filter(|_| family == Architecture::Electra)
                .unwrap_or(shared.hidden_size),
            hidden_size: shared.hidden_size,
            intermediate_size: shared.intermediate_size,
            num_hidden_layers: shared.num_hidden_layers,
            num_attention_heads: shared.num_attention_heads,
            max_position_embeddings: shared.max_position_embeddings,
            first_position,
            type_vocab_size,
            vocab_size: shared.vocab_size,
            layer_norm_eps: shared.layer_norm_eps.unwrap_or(LAYER_NORM_EPSILON),
            n_labels: shared.id2label.map(|labels| labels.len()),
        };
        config.check().map_err(|what| BertError::malformed(path, what))?;
        Ok(config)
    }

    /// Returns the length of a token's state.
    pub fn hidden_size(&self) -> usize {
        self.hidden_size
    }

    /// Returns the maximum length of a sequence.
    pub fn positions(&self) -> usize {
        self.max_position_embeddings - self.first_position
    }

    /// Returns the number of entries of the vocabulary.
    pub fn vocab_size(&self) -> usize {
        self.vocab_size
    }

    /// Returns the number of labels that the file gives for a classifier on top.
    pub fn n_labels(&self) -> Option<usize> {
        self.n_labels
    }

    /// Returns true if this is one of `DPR`'s encoders, which read a title and a text as a pair and return the first
    /// state.
    pub fn is_dpr(&self) -> bool {
        self.family == Architecture::Dpr
    }

    /// Returns the width of one attention head.
    pub(super) fn head_width(&self) -> usize {
        self.hidden_size / self.num_attention_heads
    }

    /// Checks that the sizes fit each other.
    fn check(&self) -> Result<(), String> {
        let heads = self.num_attention_heads;
        if heads == 0 || self.hidden_size == 0 || !self.hidden_size.is_multiple_of(heads) {
            return Err(format!(
                "`hidden_size` {} is not a multiple of `num_attention_heads` {heads}",
                self.hidden_size
            ));
        }
        if self.embedding_size == 0 {
            return Err("`embedding_size` is 0".to_owned());
        }
        if self.max_position_embeddings <= self.first_position {
            let (rows, first) = (self.max_position_embeddings, self.first_position);
            return Err(format!(
                "`max_position_embeddings` = {rows} leaves no position, since the first is {first}"
            ));
        }
        if self.type_vocab_size == 0 && self.family != Architecture::DistilBert {
            return Err("`type_vocab_size` is 0".to_owned());
        }
        if !(self.layer_norm_eps.is_finite() && self.layer_norm_eps >= 0.0) {
            return Err(format!("`layer_norm_eps` is {}", self.layer_norm_eps));
        }
        Ok(())
    }
}

impl Shared {
    /// Rejects settings that would need another computation.
    fn check(&self, path: &Path) -> Result<(), BertError> {
        // Folders with custom code name it here; their model type may be `bert` and the arithmetic another.
        if let Some(code) = self.auto_map.as_ref().and_then(|map| map.get("AutoModel")) {
            return Err(BertError::unsupported(
                path,
                "auto_map.AutoModel",
                code.to_string(),
                "models without custom code",
            ));
        }
        match self.position_embedding_type.as_deref() {
            None | Some("absolute") => {}
            Some(other) => {
                return Err(BertError::unsupported(
                    path,
                    "position_embedding_type",
                    other,
                    "absolute",
                ));
            }
        }
        match self.hidden_act.as_deref() {
            None => {}
            Some(name) if GELU_NAMES.contains(&name) => {}
            Some(other) => return Err(BertError::unsupported(path, "hidden_act", other, "gelu")),
        }
        if self.is_decoder {
            return Err(BertError::unsupported(path, "is_decoder", "true", "false"));
        }
        match self.projection_dim {
            Some(width) if width > 0 && self.model_type == "dpr" => {
                Err(BertError::unsupported(path, "projection_dim", width.to_string(), "0"))
            }
            _ => Ok(()),
        }
    }
}
