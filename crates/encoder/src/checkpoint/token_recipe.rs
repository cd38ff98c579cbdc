//! Settings of a ColBERT folder's token vectors, in colbert-ai's form (`artifact.metadata`, the projection stored with
//! the transformer) or in `PyLate`'s (`modules.json` with a `Dense`, lengths and markers in
//! `config_sentence_transformers.json`).

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::file::{read, read_json, read_json_if_any, sha256_hex};
use super::folder::{Checkpoint, WEIGHTS};
use super::recipe::modules;
use crate::Error;
use crate::bert::{BertConfig, Dense, Tensors};

/// Python's `string.punctuation`.
const PUNCTUATION: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
/// The limit of the `safetensors` crate.
const MAX_HEADER_BYTES: u64 = 100_000_000;
/// The projection's name in either form.
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
    /// True if shorter queries are filled with `[MASK]`.
    pub masks: bool,
    /// True if those masks are attended to.
    pub masks_seen: bool,
    /// Words whose vectors are left out of passages if they are one word piece.
    pub skipped: Vec<String>,
    projection: Option<Projection>,
}

/// Location of the projection.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Projection {
    /// A separate file with its sha256; otherwise it is among the transformer's weights.
    file: Option<(PathBuf, String)>,
    /// Length of a token's vector.
    width: usize,
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

/// `PyLate`'s additions to `config_sentence_transformers.json`; the defaults are those of its `ColBERT` (1.6.0).
#[derive(Deserialize)]
struct PyLate {
    query_prefix: Option<String>,
    document_prefix: Option<String>,
    query_length: Option<usize>,
    document_length: Option<usize>,
    attend_to_expansion_tokens: Option<bool>,
    skiplist_words: Option<Vec<String>>,
    do_query_expansion: Option<bool>,
}

/// A `Dense` module's `config.json`.
#[derive(Deserialize)]
struct DenseConfig {
    in_features: usize,
    out_features: usize,
    #[serde(default = "yes")]
    bias: bool,
    activation_function: Option<String>,
    #[serde(default)]
    use_residual: bool,
}

fn yes() -> bool {
    true
}

impl TokenRecipe {
    /// Reads the checkpoint's folder. A folder of neither form is read with colbert-ai's defaults, projected where its
    /// weights have a projection.
    ///
    /// Errors name what is not supported: another similarity or interaction, a projection with a bias or an activation,
    /// other modules, more masks or tokens than the model has positions.
    pub fn read(checkpoint: &Checkpoint, config: &BertConfig) -> Result<Self, Error> {
        match modules(&checkpoint.folder)? {
            Some(_) => Self::read_pylate(&checkpoint.folder, config),
            None => Self::read_metadata(checkpoint, config),
        }
    }

    /// Returns the length of a token's vector.
    pub fn width(&self, config: &BertConfig) -> usize {
        self.projection.as_ref().map_or(config.hidden_size(), |projection| projection.width)
    }

    /// Returns the projection, from the transformer's tensors or a separate file; `None` if there is none.
    pub fn projection(
        &self,
        tensors: &Tensors<'_>,
        config: &BertConfig,
    ) -> Result<Option<Dense>, Error> {
        let Some(Projection { file, width }) = &self.projection else {
            return Ok(None);
        };
        let hidden = config.hidden_size();
        let Some((path, expected)) = file else {
            return Dense::without_bias(tensors, PROJECTION, hidden, *width).map(Some);
        };
        let bytes = read(path)?;
        let found = sha256_hex(&bytes);
        if found != *expected {
            return Err(Error::hash_mismatch(path, expected, &found));
        }
        let tensors = Tensors::read(&bytes, path)?;
        Dense::without_bias(&tensors, PROJECTION, hidden, *width).map(Some)
    }

    /// Returns everything that vectors depend on, in one line.
    pub fn fingerprint(&self) -> String {
        let mut shown = self.clone();
        // The file's location does not matter.
        if let Some((path, _)) =
            shown.projection.as_mut().and_then(|projection| projection.file.as_mut())
        {
            path.clear();
        }
        format!("{shown:?}")
    }

    fn read_metadata(checkpoint: &Checkpoint, config: &BertConfig) -> Result<Self, Error> {
        let path = checkpoint.file("artifact.metadata");
        let metadata: Metadata = read_json_if_any(&path)?.unwrap_or_default();
        for (setting, value, supported) in [
            ("similarity", metadata.similarity, "cosine"),
            ("interaction", metadata.interaction, "colbert"),
        ] {
            if value != supported {
                return Err(Error::unsupported(&path, setting, &value, supported));
            }
        }
        let width = projected_width(&checkpoint.file(WEIGHTS), config)?;
        Ok(Self {
            query_marker: metadata.query_token_id,
            passage_marker: metadata.doc_token_id,
            query_tokens: metadata.query_maxlen.min(config.positions()),
            passage_tokens: metadata.doc_maxlen.min(config.positions()),
            masks: true,
            masks_seen: metadata.attend_to_mask_tokens,
            skipped: if metadata.mask_punctuation { punctuation() } else { Vec::new() },
            projection: width.map(|width| Projection { file: None, width }),
        })
    }

    fn read_pylate(folder: &Path, config: &BertConfig) -> Result<Self, Error> {
        let path = folder.join("modules.json");
        let mut projection = None;
        for module in modules(folder)?.unwrap_or_default() {
            match module.class() {
                "Transformer" => {}
                "Dense" if projection.is_none() => {
                    projection = Some(read_dense(&folder.join(module.path), config)?);
                }
                _ => {
                    return Err(module.refuse(&path, "Transformer and one Dense for token vectors"));
                }
            }
        }
        let pylate: PyLate = read_json(&folder.join("config_sentence_transformers.json"))?;
        let masks = pylate.do_query_expansion.unwrap_or(true);
        Ok(Self {
            query_marker: pylate.query_prefix.unwrap_or_else(|| "[Q] ".to_owned()),
            passage_marker: pylate.document_prefix.unwrap_or_else(|| "[D] ".to_owned()),
            query_tokens: pylate.query_length.unwrap_or(32).min(config.positions()),
            passage_tokens: pylate.document_length.unwrap_or(180).min(config.positions()),
            masks,
            masks_seen: masks && pylate.attend_to_expansion_tokens.unwrap_or(false),
            skipped: pylate.skiplist_words.unwrap_or_else(punctuation),
            projection,
        })
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
    read_header().map_err(Error::read(path))?;
    let header: Map<String, Value> =
        serde_json::from_slice(&header).map_err(|error| Error::malformed(path, error))?;
    let name = format!("{PROJECTION}.weight");
    let Some(tensor) = header.get(&name) else {
        return Ok(None);
    };
    let sizes = tensor["shape"].as_array().map_or(&[][..], Vec::as_slice);
    match sizes.iter().map(Value::as_u64).collect::<Vec<_>>()[..] {
        [Some(width), Some(hidden)] if hidden == config.hidden_size() as u64 && width > 0 => {
            Ok(Some(width as usize))
        }
        _ => {
            let hidden = config.hidden_size();
            let found = &tensor["shape"];
            let what = format!("tensor `{name}` has shape {found}, expected [any, {hidden}]");
            Err(Error::malformed(path, what))
        }
    }
}

fn read_dense(folder: &Path, config: &BertConfig) -> Result<Projection, Error> {
    let path = folder.join("config.json");
    let dense: DenseConfig = read_json(&path)?;
    let activation = dense.activation_function.filter(|name| !name.ends_with(".Identity"));
    let yes = |is: bool| is.then(|| "true".to_owned());
    for (setting, value, supported) in [
        ("bias", yes(dense.bias), "false"),
        ("use_residual", yes(dense.use_residual), "false"),
        ("activation_function", activation, "Identity"),
    ] {
        if let Some(value) = value {
            return Err(Error::unsupported(&path, setting, &value, supported));
        }
    }
    let hidden = config.hidden_size();
    if dense.in_features != hidden || dense.out_features == 0 {
        let what = format!("`in_features` {} is not the model's {hidden}", dense.in_features);
        return Err(Error::malformed(&path, what));
    }
    let file = folder.join(WEIGHTS);
    if !file.is_file() && folder.join("pytorch_model.bin").is_file() {
        return Err(Error::form(folder, "pytorch_model.bin", WEIGHTS));
    }
    let hash = sha256_hex(&read(&file)?);
    Ok(Projection { file: Some((file, hash)), width: dense.out_features })
}
