//! The files of a model that are read, of all that its repository has.

use std::path::Path;

const CONFIG: &str = "config.json";
const WEIGHTS: &str = "model.safetensors";
const TOKENIZER: &str = "tokenizer.json";

/// The files that are fetched if the repository has them, the large ones last: shape, tokenizer, input length, pooling, prompts
/// (sentence-transformers), the projection of late-interaction models (colbert-ai, `PyLate`).
pub(super) const ALL: [&str; 12] = [
    CONFIG,
    TOKENIZER,
    "tokenizer_config.json",
    "special_tokens_map.json",
    "modules.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "1_Pooling/config.json",
    "artifact.metadata",
    "1_Dense/config.json",
    "1_Dense/model.safetensors",
    WEIGHTS,
];

/// Returns the first needed file for which `has` is false.
pub(super) fn missing(has: impl Fn(&str) -> bool) -> Option<&'static str> {
    if !has(CONFIG) {
        Some(CONFIG)
    } else if !has(TOKENIZER) {
        Some(TOKENIZER)
    } else if !has(WEIGHTS) {
        Some(WEIGHTS)
    } else {
        None
    }
}

/// Returns true if the folder has the files without which no model is read.
pub(super) fn is_complete(folder: &Path) -> bool {
    missing(|name| folder.join(name).is_file()).is_none()
}
