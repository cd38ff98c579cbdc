//! A checkpoint's folder: the files that are read, with their digests.

use std::path::{Path, PathBuf};

use super::file::{read, sha256_of_file};
use super::recipe::{self, FILES, Pin, Recipe};
use crate::bert::BertConfig;
use crate::{Error, error};

/// The file of the weights.
pub(super) const WEIGHTS: &str = "model.safetensors";
/// The tokenizer file.
pub(super) const TOKENIZER: &str = "tokenizer.json";
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
    pub fn config(&self) -> Result<BertConfig, Error> {
        let path = self.file("config.json");
        BertConfig::read(&read(&path)?, &path)
    }

    /// Returns the method of turning texts into vectors that the folder's files give.
    pub fn recipe(&self, config: &BertConfig) -> Result<Recipe, Error> {
        self.recipe.clone().map_or_else(|| Recipe::read(&self.folder, config), Ok)
    }

    /// Returns the encoder input limit that the folder sets, in word pieces, specials included.
    pub fn max_tokens(&self, config: &BertConfig) -> Result<usize, Error> {
        self.recipe.as_ref().map_or_else(
            || recipe::max_tokens(&self.folder, config.positions()),
            |recipe| Ok(recipe.max_tokens),
        )
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Checks that the weights as read are the ones that were hashed at opening.
    pub(super) fn check_weights(&self, path: &Path, found: &str) -> Result<(), Error> {
        let hashed =
            self.files.iter().find(|(file, _)| file == WEIGHTS).map_or("none", |(_, hash)| hash);
        if found == hashed {
            return Ok(());
        }
        Err(error::hash_mismatch(path, hashed, found))
    }

    /// Hashes the folder's files and compares them with the pin, if there is one. Errors: the first file that is
    /// missing or differs.
    pub fn open(folder: &Path, pin: Option<&Pin>) -> Result<Self, Error> {
        let mut files = Vec::new();
        for (i, file) in FILES.into_iter().enumerate() {
            let path = folder.join(file);
            let found = sha256_of_file(&path)?;
            if let Some(expected) =
                pin.map(|pin| pin.sha256[i]).filter(|expected| *expected != found)
            {
                return Err(error::hash_mismatch(&path, expected, &found));
            }
            files.push((file.to_owned(), found));
        }
        Ok(Self { folder: folder.to_owned(), files, recipe: pin.map(|pin| pin.recipe.clone()) })
    }
}
