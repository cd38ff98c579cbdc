//! Settings of a checkpoint folder's sentence-transformers files: pooling of token vectors, similarity of two vectors,
//! text prefixes.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::CheckpointError;
use crate::bert::{BertConfig, BertError};
use ragtriage_core::config::Pooling;
use ragtriage_core::types::Similarity;

/// Method of reading a folder's model as an encoder of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Pooling of token vectors to one vector.
    pub pooling: Pooling,
    /// True if vectors are scaled to unit length.
    pub normalize: bool,
    /// Word pieces read of a text, `[CLS]` and `[SEP]` included.
    pub max_tokens: usize,
    /// Similarity of two vectors.
    pub similarity: Similarity,
    /// Text put before every query.
    pub query_prefix: String,
    /// Text put before every passage.
    pub passage_prefix: String,
}

/// A step of a sentence-transformers model.
#[derive(Deserialize)]
pub(super) struct Module {
    /// Its folder.
    pub(super) path: String,
    r#type: String,
}

impl Module {
    /// Returns the class name without its package.
    pub(super) fn class(&self) -> &str {
        self.r#type.rsplit('.').next().unwrap_or_default()
    }

    /// Creates the error of an unsupported module.
    pub(super) fn refuse(&self, modules: &Path, supported: &'static str) -> CheckpointError {
        BertError::Unsupported {
            path: modules.to_owned(),
            setting: "type",
            value: self.r#type.clone(),
            supported,
        }
        .into()
    }
}

#[derive(Deserialize)]
struct SentenceConfig {
    max_seq_length: Option<usize>,
    #[serde(default)]
    do_lower_case: bool,
}

#[derive(Deserialize)]
struct TokenizerConfig {
    model_max_length: Option<f64>,
}

#[derive(Default, Deserialize)]
struct ModelConfig {
    #[serde(default)]
    prompts: BTreeMap<String, Option<String>>,
    default_prompt_name: Option<String>,
    similarity_fn_name: Option<String>,
}

impl ModelConfig {
    /// Returns the first existing prompt of these names, else the default one.
    fn prompt(&self, names: &[&str]) -> String {
        let default = self.default_prompt_name.as_deref();
        let mut found =
            names.iter().copied().chain(default).filter_map(|name| self.prompts.get(name));
        found.next().cloned().flatten().unwrap_or_default()
    }
}

impl Recipe {
    /// Reads the folder's sentence-transformers files. Without `modules.json` it is mean pooling, not normalised, as in
    /// sentence-transformers; for DPR it is the first state, compared by dot product, as trained.
    pub(super) fn read(folder: &Path, config: &BertConfig) -> Result<Self, CheckpointError> {
        let (mut pooling, mut normalize) =
            (if config.is_dpr() { Pooling::Cls } else { Pooling::Mean }, false);
        let path = folder.join("modules.json");
        for module in modules(folder)?.unwrap_or_default() {
            match module.class() {
                "Transformer" => {}
                "Pooling" => pooling = read_pooling(&folder.join(module.path).join("config.json"))?,
                "Normalize" => normalize = true,
                _ => return Err(module.refuse(&path, "Transformer, Pooling, Normalize")),
            }
        }
        let path = folder.join("config_sentence_transformers.json");
        let model: ModelConfig =
            if path.is_file() { read_json(&path)? } else { ModelConfig::default() };
        let similarity = match model.similarity_fn_name.as_deref() {
            None if config.is_dpr() => Similarity::Dot,
            None | Some("cosine") => Similarity::Cosine,
            Some("dot" | "dot_product") => Similarity::Dot,
            Some(other) => {
                let (setting, value, supported) =
                    ("similarity_fn_name", other.to_owned(), "cosine, dot");
                return Err(BertError::Unsupported { path, setting, value, supported }.into());
            }
        };
        Ok(Self {
            pooling,
            normalize,
            max_tokens: max_tokens(folder, config.positions())?,
            similarity,
            // The names that sentence-transformers' `encode_query` and `encode_document` use.
            query_prefix: model.prompt(&["query"]),
            passage_prefix: model.prompt(&["document", "passage", "corpus"]),
        })
    }
}

/// Returns the steps of a sentence-transformers model; `None` if the folder is not one.
pub(super) fn modules(folder: &Path) -> Result<Option<Vec<Module>>, CheckpointError> {
    let path = folder.join("modules.json");
    if path.is_file() { read_json(&path).map(Some) } else { Ok(None) }
}

/// Returns the maximum word pieces of an input, as in sentence-transformers: `sentence_bert_config.json`'s
/// `max_seq_length`, else `tokenizer_config.json`'s `model_max_length`, else all positions; never more than those.
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
        // For a tokenizer saved without a maximum, it is a number like 1e30.
        return Ok(if max < max_positions as f64 { max as usize } else { max_positions });
    }
    Ok(max_positions)
}

/// Returns true if `sentence_bert_config.json` has texts lower-cased before the tokenizer sees them.
pub(super) fn lowercases(folder: &Path) -> Result<bool, CheckpointError> {
    let path = folder.join("sentence_bert_config.json");
    Ok(path.is_file() && read_json::<SentenceConfig>(&path)?.do_lower_case)
}

/// Reads either spelling: `"pooling_mode": "mean"`, or `"pooling_mode_mean_tokens": true` and similar keys.
fn read_pooling(path: &Path) -> Result<Pooling, CheckpointError> {
    let config: Map<String, Value> = read_json(path)?;
    let modes: Vec<String> = match config.get("pooling_mode") {
        Some(Value::String(mode)) => vec![mode.clone()],
        Some(Value::Array(modes)) => {
            modes.iter().map(|mode| mode.as_str().unwrap_or("?").to_owned()).collect()
        }
        _ => {
            let chosen = config.iter().filter(|(_, value)| **value == true);
            chosen
                .filter_map(|(key, _): (&String, _)| {
                    key.strip_prefix("pooling_mode_").map(str::to_owned)
                })
                .collect()
        }
    };
    if config.get("include_prompt") == Some(&Value::Bool(false)) {
        return Err(
            BertError::unsupported(path, "include_prompt", "false".to_owned(), "true").into()
        );
    }
    match modes.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["mean" | "mean_tokens"] => Ok(Pooling::Mean),
        ["cls" | "cls_token"] => Ok(Pooling::Cls),
        [] => Err(BertError::unsupported(
            path,
            "pooling_mode",
            "none".to_owned(),
            "either mean or cls",
        )
        .into()),
        _ => Err(BertError::unsupported(
            path,
            "pooling_mode",
            modes.join(" + "),
            "either mean or cls",
        )
        .into()),
    }
}

pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, CheckpointError> {
    let bytes = std::fs::read(path)
        .map_err(|source| CheckpointError::Read { path: path.to_owned(), source })?;
    Ok(serde_json::from_slice(&bytes).map_err(|error: serde_json::Error| BertError::Malformed {
        path: path.to_owned(),
        what: error.to_string(),
    })?)
}
