//! A checkpoint's folder: the files that are read, with their digests.

use std::path::{Path, PathBuf};

use super::error::CheckpointError;
use super::file::read;
use super::pin::{FILES, Pin, sha256_of_file};
use super::recipe::{self, Recipe};
use crate::bert::BertConfig;

/// The file of the weights.
pub(super) const WEIGHTS: &str = "model.safetensors";
/// The tokenizer file.
pub(super) const TOKENIZER: &str = "tokenizer.json";
/// The vocabulary file: one word piece per line, its id the line's number from 0.
pub(super) const VOCABULARY: &str = "vocab.txt";
/// The file that says how text is cleaned before it is split into word pieces.
pub(super) const TOKENIZER_CONFIG: &str = "tokenizer_config.json";

/// A checkpoint's folder with the digests of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Path of the folder.
    pub folder: PathBuf,
    /// Name and sha256 in hex of each file that affects the computation: `config.json`, the tokenizer's, then the
    /// weights'.
    pub files: Vec<(String, String)>,
    /// Recipe of a pinned model; otherwise the folder's files decide.
    recipe: Option<Recipe>,
}

impl Checkpoint {
    /// Returns the digests by file name, in one line.
    pub fn digests(&self) -> String {
        self.files
            .iter()
            .map(|(file, digest)| format!("{file}={digest}"))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Returns the model's shape.
    pub fn config(&self) -> Result<BertConfig, CheckpointError> {
        let path = self.file("config.json");
        Ok(BertConfig::read(&read(&path)?, &path)?)
    }

    /// Returns the method of turning texts into vectors that the folder's files give.
    pub fn recipe(&self, config: &BertConfig) -> Result<Recipe, CheckpointError> {
        self.recipe.clone().map_or_else(|| Recipe::read(&self.folder, config), Ok)
    }

    /// Returns the encoder input limit that the folder sets, in word pieces, specials included.
    pub fn max_tokens(&self, config: &BertConfig) -> Result<usize, CheckpointError> {
        self.recipe.as_ref().map_or_else(
            || recipe::max_tokens(&self.folder, config.positions()),
            |recipe| Ok(recipe.max_tokens),
        )
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Checks that the weights as read are the ones that were hashed at opening.
    pub(super) fn check_weights(&self, path: &Path, found: &str) -> Result<(), CheckpointError> {
        let hashed =
            self.files.iter().find(|(file, _)| file == WEIGHTS).map_or("none", |(_, hash)| hash);
        if found == hashed {
            return Ok(());
        }
        let (expected, found) = (hashed.to_owned(), found.to_owned());
        Err(CheckpointError::HashMismatch { path: path.to_owned(), expected, found })
    }

    /// Hashes the folder's files and compares them with the pin, if there is one. Errors: the first file that is
    /// missing or differs.
    pub fn open(folder: &Path, pin: Option<&Pin>) -> Result<Self, CheckpointError> {
        let mut files = Vec::new();
        let names = if pin.is_some() { FILES.to_vec() } else { names(folder)? };
        for (i, file) in names.into_iter().enumerate() {
            let path = folder.join(file);
            let found = sha256_of_file(&path)?;
            if let Some(expected) =
                pin.map(|pin| pin.sha256[i]).filter(|expected| *expected != found)
            {
                return Err(CheckpointError::HashMismatch {
                    path,
                    expected: expected.to_owned(),
                    found,
                });
            }
            files.push((file.to_owned(), found));
        }
        Ok(Self { folder: folder.to_owned(), files, recipe: pin.map(|pin| pin.recipe.clone()) })
    }
}

/// Returns the files of a folder that are read. Errors: a tokenizer or weights in an unsupported form, by its file's
/// name; missing files are reported when they are opened.
fn names(folder: &Path) -> Result<Vec<&'static str>, CheckpointError> {
    let mut names = vec!["config.json"];
    if has(folder, VOCABULARY) && !has(folder, TOKENIZER) {
        names.push(VOCABULARY);
        names.extend(has(folder, TOKENIZER_CONFIG).then_some(TOKENIZER_CONFIG));
    } else {
        names.push(expected_form(
            folder,
            TOKENIZER,
            &["sentencepiece.bpe.model", "spiece.model", "merges.txt", "vocab.json"],
        )?);
    }
    let split = [
        "model.safetensors.index.json",
        "pytorch_model.bin",
        "pytorch_model.bin.index.json",
        "tf_model.h5",
    ];
    names.push(expected_form(folder, WEIGHTS, &split)?);
    Ok(names)
}

fn has(folder: &Path, name: &str) -> bool {
    folder.join(name).is_file()
}

/// Returns `expected`, unless the folder has one of `others` instead.
fn expected_form(
    folder: &Path,
    expected: &'static str,
    others: &[&'static str],
) -> Result<&'static str, CheckpointError> {
    match others.iter().find(|name| has(folder, name)) {
        Some(found) if !has(folder, expected) => Err(CheckpointError::Form {
            folder: folder.to_owned(),
            found: (*found).to_owned(),
            expected,
        }),
        _ => Ok(expected),
    }
}
