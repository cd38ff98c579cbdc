//! Models pinned by sha256 of each file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::CheckpointError;
use super::recipe::Recipe;
use ragtriage_core::config::Pooling;
use ragtriage_core::text::hex::hex;
use ragtriage_core::types::Similarity;

/// The three files of a checkpoint, the large one last.
pub const FILES: [&str; 3] = ["config.json", "tokenizer.json", "model.safetensors"];

/// A model pinned by the bytes of its files.
pub struct Pin {
    /// Its name on the Hugging Face hub.
    pub name: &'static str,
    /// sha256 in hex of each of [`FILES`].
    pub sha256: [&'static str; 3],
    /// Method of reading it: its sentence-transformers files are not fetched.
    pub recipe: Recipe,
}

/// All pinned models.
pub static PINS: [Pin; 1] = [Pin {
    name: "sentence-transformers/all-MiniLM-L6-v2",
    sha256: [
        "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ],
    // From the model's modules.json, 1_Pooling/config.json and sentence_bert_config.json.
    recipe: Recipe {
        pooling: Pooling::Mean,
        normalize: true,
        max_tokens: 256,
        similarity: Similarity::Cosine,
        query_prefix: String::new(),
        passage_prefix: String::new(),
    },
}];

/// Returns the sha256 of `bytes`, in hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Returns the sha256 of the file at `path`, in hex.
pub fn sha256_of_file(path: &Path) -> Result<String, CheckpointError> {
    let unreadable = |source| CheckpointError::unreadable(path, source);
    // Every file of a checkpoint is hashed before it is read: reading a FIFO or a device may never end.
    if !path.metadata().map_err(unreadable)?.is_file() {
        return Err(unreadable(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")));
    }
    let mut file = File::open(path).map_err(unreadable)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer).map_err(unreadable)? {
            0 => return Ok(hex(&digest.finalize())),
            n => digest.update(&buffer[..n]),
        }
    }
}
