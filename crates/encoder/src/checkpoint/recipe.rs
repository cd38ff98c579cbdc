//! Settings of a checkpoint folder's sentence-transformers files: pooling of token vectors, similarity of two vectors,
//! text prefixes.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::file::{read_json, read_json_if_any};
use crate::bert::BertConfig;
use crate::{Error, error};
use ragtriage_core::config::Pooling;
use ragtriage_core::types::Similarity;

/// Method of reading a folder's model as an encoder of texts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
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

/// The three files of a checkpoint, the large one last.
pub const FILES: [&str; 3] = ["config.json", "tokenizer.json", "model.safetensors"];

/// A model pinned by the bytes of its files.
#[derive(Deserialize)]
pub struct Pin {
    /// Its name on the Hugging Face hub.
    pub name: &'static str,
    /// sha256 in hex of each of [`FILES`].
    pub sha256: [&'static str; 3],
    /// Method of reading it: its sentence-transformers files are not fetched.
    pub recipe: Recipe,
}

/// All pinned models, with the recipes of their `modules.json`, `1_Pooling/config.json` and `sentence_bert_config.json`.
pub static PINS: LazyLock<Vec<Pin>> =
    LazyLock::new(|| serde_json::from_str(include_str!("pins.json")).expect("a list of pins"));

/// A step of a sentence-transformers model.
#[derive(Deserialize)]
struct Module {
    /// Its folder.
    path: String,
    r#type: String,
}

impl Module {
    /// Returns the class name without its package.
    fn class(&self) -> &str {
        self.r#type.rsplit('.').next().unwrap_or_default()
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
    pub(super) fn read(folder: &Path, config: &BertConfig) -> Result<Self, Error> {
        let (mut pooling, mut normalize) =
            (if config.is_dpr() { Pooling::Cls } else { Pooling::Mean }, false);
        let path = folder.join("modules.json");
        for module in read_json_if_any::<Vec<Module>>(&path)?.unwrap_or_default() {
            match module.class() {
                "Transformer" => {}
                "Pooling" => pooling = read_pooling(&folder.join(module.path).join("config.json"))?,
                "Normalize" => normalize = true,
                _ => {
                    let supported = "Transformer, Pooling, Normalize";
                    return Err(error::unsupported(&path, "type", &module.r#type, supported));
                }
            }
        }
        let path = folder.join("config_sentence_transformers.json");
        let model: ModelConfig = read_json_if_any(&path)?.unwrap_or_default();
        let similarity = match model.similarity_fn_name.as_deref() {
            None if config.is_dpr() => Similarity::Dot,
            None | Some("cosine") => Similarity::Cosine,
            Some("dot" | "dot_product") => Similarity::Dot,
            Some(other) => {
                let setting = "similarity_fn_name";
                return Err(error::unsupported(&path, setting, other, "cosine, dot"));
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

/// Returns the maximum word pieces of an input, as in sentence-transformers: `sentence_bert_config.json`'s
/// `max_seq_length`, else `tokenizer_config.json`'s `model_max_length`, else all positions; never more than those.
pub(super) fn max_tokens(folder: &Path, max_positions: usize) -> Result<usize, Error> {
    let sentence: Option<SentenceConfig> =
        read_json_if_any(&folder.join("sentence_bert_config.json"))?;
    if let Some(max) = sentence.and_then(|config| config.max_seq_length) {
        return Ok(max.min(max_positions));
    }
    let tokenizer: Option<TokenizerConfig> =
        read_json_if_any(&folder.join("tokenizer_config.json"))?;
    let max = tokenizer.and_then(|config| config.model_max_length);
    // For a tokenizer saved without a maximum, it is a number like 1e30.
    let max = max.filter(|max| *max < max_positions as f64);
    Ok(max.map_or(max_positions, |max| max as usize))
}

/// Returns true if `sentence_bert_config.json` has texts lower-cased before the tokenizer sees them.
pub(super) fn lowercases(folder: &Path) -> Result<bool, Error> {
    let path = folder.join("sentence_bert_config.json");
    Ok(read_json_if_any::<SentenceConfig>(&path)?.is_some_and(|config| config.do_lower_case))
}

/// Reads either spelling: `"pooling_mode": "mean"`, or `"pooling_mode_mean_tokens": true` and similar keys.
fn read_pooling(path: &Path) -> Result<Pooling, Error> {
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
        return Err(error::unsupported(path, "include_prompt", "false", "true"));
    }
    let value = match modes.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["mean" | "mean_tokens"] => return Ok(Pooling::Mean),
        ["cls" | "cls_token"] => return Ok(Pooling::Cls),
        [] => "none".to_owned(),
        _ => modes.join(" + "),
    };
    Err(error::unsupported(path, "pooling_mode", &value, "either mean or cls"))
}
