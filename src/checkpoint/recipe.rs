//! What a checkpoint folder's sentence-transformers files say: how token vectors become one vector.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::CheckpointError;
use crate::bert::BertError;

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

#[derive(Deserialize)]
struct Module {
    path: String,
    r#type: String,
}

#[derive(Deserialize)]
struct SentenceConfig {
    max_seq_length: Option<usize>,
}

#[derive(Deserialize)]
struct TokenizerConfig {
    model_max_length: Option<f64>,
}

impl Recipe {
    /// What the folder's sentence-transformers files say; without them mean pooling, not normalised, as
    /// sentence-transformers has it, and all the positions that the model has.
    pub(super) fn read(folder: &Path, max_positions: usize) -> Result<Self, CheckpointError> {
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
                        let value = module.r#type;
                        return Err(BertError::Unsupported { path: modules, setting: "type", value, supported }.into());
                    }
                }
            }
        }
        recipe.max_tokens = max_tokens(folder, max_positions)?;
        Ok(recipe)
    }
}

/// Word pieces read at most, as sentence-transformers has it: `sentence_bert_config.json`'s `max_seq_length`, else
/// `tokenizer_config.json`'s `model_max_length`, else all positions; never more than those.
pub(super) fn max_tokens(folder: &Path, max_positions: usize) -> Result<usize, CheckpointError> {
    let sentence = folder.join("sentence_bert_config.json");
    if sentence.is_file()
        && let Some(max) = read_json::<SentenceConfig>(&sentence)?.max_seq_length
    {
        return Ok(max.min(max_positions));
    }
    let tokenizer = folder.join("tokenizer_config.json");
    if tokenizer.is_file()
        && let Some(max) = read_json::<TokenizerConfig>(&tokenizer)?.model_max_length
    {
        // Saved without a maximum, it is a number like 1e30.
        return Ok(if max < max_positions as f64 { max as usize } else { max_positions });
    }
    Ok(max_positions)
}

fn read_pooling(path: &Path) -> Result<Pooling, CheckpointError> {
    let config: serde_json::Map<String, serde_json::Value> = read_json(path)?;
    let mut modes = config.iter().filter(|(key, value)| key.starts_with("pooling_mode_") && **value == true);
    match (modes.next().map(|(key, _)| key.as_str()), modes.next()) {
        (Some("pooling_mode_mean_tokens"), None) => Ok(Pooling::Mean),
        (Some("pooling_mode_cls_token"), None) => Ok(Pooling::Cls),
        (first, second) => Err(BertError::Unsupported {
            path: path.to_owned(),
            setting: "pooling_mode",
            value: match (first, second) {
                (Some(first), Some((second, _))) => format!("{first} + {second}"),
                (first, _) => first.unwrap_or("none").to_owned(),
            },
            supported: "mean_tokens or cls_token, one of them",
        }
        .into()),
    }
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, CheckpointError> {
    let bytes = std::fs::read(path).map_err(|source| CheckpointError::Read { path: path.to_owned(), source })?;
    let malformed = |error: serde_json::Error| BertError::Malformed { path: path.to_owned(), what: error.to_string() };
    Ok(serde_json::from_slice(&bytes).map_err(malformed)?)
}
