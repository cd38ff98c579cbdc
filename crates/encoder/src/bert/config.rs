//! The transformer's shape, as given in `config.json`.
//!
//! Configurations that this crate's forward pass does not support are rejected here by name, before any weight is read.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{Error, error};

/// `layer_norm_eps` if a config has none: transformers' default for these models, and `DistilBERT`'s constant.
const LAYER_NORM_EPSILON: f32 = 1e-12;
/// Names of the exact, erf-based GELU in transformers.
const GELU_NAMES: [&str; 2] = ["gelu", "gelu_python"];

/// Model family that names the tensors and settings; the arithmetic is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Architecture {
    /// `BERT` (Devlin et al. 2019).
    Bert,
    /// One of the two encoders of `DPR` (Karpukhin et al. 2020).
    Dpr,
    /// `RoBERTa`, `XLM-RoBERTa`, `CamemBERT`: positions begin after the padding's id.
    #[serde(alias = "xlm-roberta", alias = "camembert")]
    Roberta,
    /// `DistilBERT`: no token types.
    DistilBert,
}

/// The supported `model_type`s.
const SUPPORTED: [&str; 6] = ["bert", "roberta", "xlm-roberta", "camembert", "distilbert", "dpr"];

/// The transformer's shape, from `config.json`.
#[derive(Clone, Debug, Deserialize)]
pub struct BertConfig {
    #[serde(rename = "model_type")]
    pub(super) family: Architecture,
    #[serde(alias = "dim")]
    pub hidden_size: usize,
    #[serde(alias = "hidden_dim")]
    pub(super) intermediate_size: usize,
    #[serde(alias = "n_layers")]
    pub(super) num_hidden_layers: usize,
    #[serde(alias = "n_heads")]
    pub(super) num_attention_heads: usize,
    /// Rows of the position table.
    pub(super) max_position_embeddings: usize,
    pub vocab_size: usize,
    pad_token_id: Option<usize>,
    type_vocab_size: Option<usize>,
    layer_norm_eps: Option<f32>,
    id2label: Option<Map<String, Value>>,
    // Settings that are only checked.
    #[serde(alias = "activation")]
    hidden_act: Option<String>,
    position_embedding_type: Option<String>,
    #[serde(default)]
    is_decoder: bool,
    auto_map: Option<Map<String, Value>>,
    projection_dim: Option<usize>,
}

/// Parsed alone, so that another kind of model is rejected by its type and not for a missing key.
#[derive(Deserialize)]
struct ModelType {
    model_type: String,
}

impl BertConfig {
    /// Reads and checks the bytes of the `config.json` at `path` (named in errors only).
    pub fn read(bytes: &[u8], path: &Path) -> Result<Self, Error> {
        let malformed = |error| error::malformed(path, error);
        let ModelType { model_type } = serde_json::from_slice(bytes).map_err(malformed)?;
        if !SUPPORTED.contains(&model_type.as_str()) {
            let supported = SUPPORTED.join(", ");
            return Err(error::unsupported(path, "model_type", &model_type, &supported));
        }
        let config: Self = serde_json::from_slice(bytes).map_err(malformed)?;
        config.check_arithmetic(path)?;
        config.check_sizes().map_err(|what| error::malformed(path, what))?;
        Ok(config)
    }

    /// Returns the maximum length of a sequence.
    pub fn positions(&self) -> usize {
        self.max_position_embeddings - self.first_position()
    }

    /// Returns the number of labels of a classifier on top, if the file names them.
    pub fn n_labels(&self) -> Option<usize> {
        self.id2label.as_ref().map(Map::len)
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

    /// Returns the row of the position table for a first token.
    pub(super) fn first_position(&self) -> usize {
        let is_roberta = self.family == Architecture::Roberta;
        if is_roberta { self.pad_token_id.unwrap_or(1) + 1 } else { 0 }
    }

    /// Returns the rows of the token type table; 0 if there is none.
    pub(super) fn n_token_types(&self) -> usize {
        let own = self.type_vocab_size.filter(|_| self.family != Architecture::DistilBert);
        own.unwrap_or(0)
    }

    pub(super) fn layer_norm_eps(&self) -> f32 {
        self.layer_norm_eps.unwrap_or(LAYER_NORM_EPSILON)
    }

    /// Checks that the sizes fit each other.
    fn check_sizes(&self) -> Result<(), String> {
        let heads = self.num_attention_heads;
        if heads == 0 || self.hidden_size == 0 || !self.hidden_size.is_multiple_of(heads) {
            return Err(format!(
                "`hidden_size` {} is not a multiple of `num_attention_heads` {heads}",
                self.hidden_size
            ));
        }
        let (rows, first) = (self.max_position_embeddings, self.first_position());
        if rows <= first {
            return Err(format!(
                "`max_position_embeddings` = {rows} leaves no position, since the first is {first}"
            ));
        }
        if self.n_token_types() == 0 && self.family != Architecture::DistilBert {
            return Err("`type_vocab_size` is missing or 0".to_owned());
        }
        let epsilon = self.layer_norm_eps();
        if !(epsilon.is_finite() && epsilon >= 0.0) {
            return Err(format!("`layer_norm_eps` is {epsilon}"));
        }
        Ok(())
    }

    /// Rejects settings that would need another computation.
    fn check_arithmetic(&self, path: &Path) -> Result<(), Error> {
        // Folders with custom code name it here; their model type may be `bert` and the arithmetic another.
        let code = self.auto_map.as_ref().and_then(|map| map.get("AutoModel"));
        let positions = self.position_embedding_type.as_deref().filter(|kind| *kind != "absolute");
        let activation = self.hidden_act.as_deref().filter(|name| !GELU_NAMES.contains(name));
        let width = self.projection_dim.filter(|width| *width > 0 && self.is_dpr());
        let others = [
            ("auto_map.AutoModel", code.map(Value::to_string), "models without custom code"),
            ("position_embedding_type", positions.map(str::to_owned), "absolute"),
            ("hidden_act", activation.map(str::to_owned), "gelu"),
            ("is_decoder", self.is_decoder.then(|| "true".to_owned()), "false"),
            ("projection_dim", width.map(|width| width.to_string()), "0"),
        ];
        for (setting, value, supported) in others {
            if let Some(value) = value {
                return Err(error::unsupported(path, setting, &value, supported));
            }
        }
        Ok(())
    }
}
