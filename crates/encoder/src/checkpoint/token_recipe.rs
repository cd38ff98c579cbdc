//! Settings of a ColBERT folder's token vectors, in colbert-ai's form: `artifact.metadata`, and the projection stored with the
//! transformer.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::file::read_json_if_any;
use super::folder::{Checkpoint, WEIGHTS};
use crate::bert::{BertConfig, Dense, Tensors};
use crate::{Error, error};

/// Python's `string.punctuation`.
const PUNCTUATION: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
/// The limit of the `safetensors` crate.
const MAX_HEADER_BYTES: u64 = 100_000_000;
/// The projection's name.
const PROJECTION: &str = "linear";

/// Method of reading a folder's model as an encoder of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRecipe {
    /// The word piece after `[CLS]` in queries; empty for none.
    pub query_marker: String,
    /// The word piece after `[CLS]` in passages; empty for none.
    pub passage_marker: String,
    /// Tokens of every query, all specials and masks included.
    pub query_tokens: usize,
    /// Tokens read of a passage, specials included.
    pub passage_tokens: usize,
    /// True if the `[MASK]`s that fill shorter queries are attended to.
    pub masks_seen: bool,
    /// Words whose vectors are left out of passages if they are one word piece.
    pub skipped: Vec<String>,
    /// Length of a token's vector; `None` without a projection.
    projected: Option<usize>,
}

/// colbert-ai's `artifact.metadata`; the defaults are those of its `ColBERTConfig` (0.2.22).
#[derive(Deserialize)]
#[serde(default)]
struct Metadata {
    query_token_id: String,
    doc_token_id: String,
    query_maxlen: usize,
    doc_maxlen: usize,
    mask_punctuation: bool,
    attend_to_mask_tokens: bool,
    similarity: String,
    interaction: String,
}

impl Default for Metadata {
    fn default() -> Self {
        Self {
            query_token_id: "[unused0]".to_owned(),
            doc_token_id: "[unused1]".to_owned(),
            query_maxlen: 32,
            doc_maxlen: 220,
            mask_punctuation: true,
            attend_to_mask_tokens: false,
            similarity: "cosine".to_owned(),
            interaction: "colbert".to_owned(),
        }
    }
}

impl TokenRecipe {
    /// Reads the checkpoint's folder, without `artifact.metadata` with colbert-ai's defaults; projected where its weights have a
    /// projection.
    ///
    /// Errors name what is not supported: another similarity or interaction, a projection in a file of its own.
    pub fn read(checkpoint: &Checkpoint, config: &BertConfig) -> Result<Self, Error> {
        let path = checkpoint.file("artifact.metadata");
        let metadata: Metadata = read_json_if_any(&path)?.unwrap_or_default();
        for (setting, value, supported) in [
            ("similarity", metadata.similarity, "cosine"),
            ("interaction", metadata.interaction, "colbert"),
        ] {
            if value != supported {
                return Err(error::unsupported(&path, setting, &value, supported));
            }
        }
        let projected = projected_width(&checkpoint.file(WEIGHTS), config)?;
        let modules = checkpoint.file("modules.json");
        if projected.is_none() && modules.is_file() {
            let what = "a ColBERT checkpoint in PyLate's form is not supported; save it in colbert-ai's, with the projection among the weights";
            return Err(error::malformed(&modules, what));
        }
        Ok(Self {
            query_marker: metadata.query_token_id,
            passage_marker: metadata.doc_token_id,
            query_tokens: metadata.query_maxlen.min(config.positions()),
            passage_tokens: metadata.doc_maxlen.min(config.positions()),
            masks_seen: metadata.attend_to_mask_tokens,
            skipped: if metadata.mask_punctuation { punctuation() } else { Vec::new() },
            projected,
        })
    }

    /// Returns the length of a token's vector.
    pub fn width(&self, config: &BertConfig) -> usize {
        self.projected.unwrap_or(config.hidden_size)
    }

    /// Returns the projection, from the transformer's tensors; `None` if there is none.
    pub fn projection(
        &self,
        tensors: &Tensors<'_>,
        config: &BertConfig,
    ) -> Result<Option<Dense>, Error> {
        let read = |width| Dense::without_bias(tensors, PROJECTION, config.hidden_size, width);
        self.projected.map(read).transpose()
    }
}

fn punctuation() -> Vec<String> {
    PUNCTUATION.chars().map(String::from).collect()
}

/// Returns the projection's width, if the weights have one. Reads the file's header only: the weights are many
/// megabytes.
fn projected_width(path: &Path, config: &BertConfig) -> Result<Option<usize>, Error> {
    let mut header = Vec::new();
    let mut read_header = || {
        let mut file = File::open(path)?;
        let mut length = [0; 8];
        file.read_exact(&mut length)?;
        file.take(u64::from_le_bytes(length).min(MAX_HEADER_BYTES)).read_to_end(&mut header)
    };
    read_header().map_err(error::read(path))?;
    let header: Map<String, Value> =
        serde_json::from_slice(&header).map_err(|error| error::malformed(path, error))?;
    let name = format!("{PROJECTION}.weight");
    let Some(tensor) = header.get(&name) else {
        return Ok(None);
    };
    let sizes = tensor["shape"].as_array().map_or(&[][..], Vec::as_slice);
    match sizes.iter().map(Value::as_u64).collect::<Vec<_>>()[..] {
        [Some(width), Some(hidden)] if hidden == config.hidden_size as u64 && width > 0 => {
            Ok(Some(width as usize))
        }
        _ => {
            let hidden = config.hidden_size;
            let found = &tensor["shape"];
            let what = format!("tensor `{name}` has shape {found}, expected [any, {hidden}]");
            Err(error::malformed(path, what))
        }
    }
}
