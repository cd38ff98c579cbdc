//! What a checkpoint folder says about itself: the transformer's shape, and how token vectors become one vector.
//!
//! Anything that this crate's forward pass does not compute is refused here by name, before a weight is read.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::EmbedError;

/// How token vectors become a sentence's vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// The mean over all tokens, `[CLS]` and `[SEP]` included, as sentence-transformers does.
    Mean,
    /// The first token's vector.
    Cls,
}

/// How a folder's model is read as an encoder of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// How token vectors become one.
    pub pooling: Pooling,
    /// Whether vectors are scaled to unit length.
    pub normalize: bool,
    /// Word pieces read of a text, `[CLS]` and `[SEP]` included.
    pub max_tokens: usize,
}

/// The transformer's shape, from `config.json`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct BertConfig {
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
    /// Reads and checks `config.json`.
    pub(super) fn read(path: &Path) -> Result<Self, EmbedError> {
        let config: Self = read_json(path)?;
        let refuse = |setting: &'static str, value: &str, supported: &'static str| {
            Err(EmbedError::Unsupported { path: path.to_owned(), setting, value: value.to_owned(), supported })
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
        let heads = config.num_attention_heads;
        if heads == 0 || config.hidden_size == 0 || !config.hidden_size.is_multiple_of(heads) {
            let what =
                format!("`hidden_size` {} is not a multiple of `num_attention_heads` {heads}", config.hidden_size);
            return Err(EmbedError::Malformed { path: path.to_owned(), what });
        }
        Ok(config)
    }

    /// Numbers of one attention head.
    pub(super) fn head_width(&self) -> usize {
        self.hidden_size / self.num_attention_heads
    }
}

#[derive(Deserialize)]
struct Module {
    path: String,
    r#type: String,
}

#[derive(Deserialize)]
struct SentenceConfig {
    max_seq_length: Option<usize>,
}

impl Recipe {
    /// What the folder's sentence-transformers files say; without them mean pooling, not normalised, as
    /// sentence-transformers has it, and all the positions that the model has.
    pub(super) fn read(folder: &Path, max_positions: usize) -> Result<Self, EmbedError> {
        let mut recipe = Self { pooling: Pooling::Mean, normalize: false, max_tokens: max_positions };
        let modules = folder.join("modules.json");
        if modules.is_file() {
            for module in read_json::<Vec<Module>>(&modules)? {
                match module.r#type.rsplit('.').next().unwrap_or_default() {
                    "Transformer" => {}
                    "Pooling" => recipe.pooling = read_pooling(&folder.join(module.path).join("config.json"))?,
                    "Normalize" => recipe.normalize = true,
                    _ => {
                        let supported = "Transformer, Pooling, Normalize";
                        return Err(EmbedError::Unsupported {
                            path: modules,
                            setting: "type",
                            value: module.r#type,
                            supported,
                        });
                    }
                }
            }
        }
        let sentence = folder.join("sentence_bert_config.json");
        if sentence.is_file()
            && let Some(max) = read_json::<SentenceConfig>(&sentence)?.max_seq_length
        {
            recipe.max_tokens = max.min(max_positions);
        }
        Ok(recipe)
    }
}

fn read_pooling(path: &Path) -> Result<Pooling, EmbedError> {
    let config: serde_json::Map<String, serde_json::Value> = read_json(path)?;
    let mut modes = config.iter().filter(|(key, value)| key.starts_with("pooling_mode_") && **value == true);
    match (modes.next().map(|(key, _)| key.as_str()), modes.next()) {
        (Some("pooling_mode_mean_tokens"), None) => Ok(Pooling::Mean),
        (Some("pooling_mode_cls_token"), None) => Ok(Pooling::Cls),
        (first, second) => Err(EmbedError::Unsupported {
            path: path.to_owned(),
            setting: "pooling_mode",
            value: match (first, second) {
                (Some(first), Some((second, _))) => format!("{first} + {second}"),
                (first, _) => first.unwrap_or("none").to_owned(),
            },
            supported: "mean_tokens or cls_token, one of them",
        }),
    }
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, EmbedError> {
    let bytes = std::fs::read(path).map_err(|source| EmbedError::Read { path: path.to_owned(), source })?;
    serde_json::from_slice(&bytes)
        .map_err(|error| EmbedError::Malformed { path: path.to_owned(), what: error.to_string() })
}
