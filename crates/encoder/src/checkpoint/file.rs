//! Reading the files of a checkpoint, and their hashes.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::{Error, error};
use ragtriage_core::text::hex::hex;

pub(super) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(error::read(path))
}

pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    serde_json::from_slice(&read(path)?).map_err(|error| error::malformed(path, error))
}

/// Reads a file that may be missing.
pub(super) fn read_json_if_any<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    if path.is_file() { read_json(path).map(Some) } else { Ok(None) }
}

/// Returns the sha256 of `bytes`, in hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Returns the sha256 of the file at `path`, in hex.
pub fn sha256_of_file(path: &Path) -> Result<String, Error> {
    // Every file of a checkpoint is hashed before it is read: reading a FIFO or a device may never end.
    if !path.metadata().map_err(error::read(path))?.is_file() {
        let error = io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
        return Err(error::read(path)(error));
    }
    let mut file = File::open(path).map_err(error::read(path))?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer).map_err(error::read(path))? {
            0 => return Ok(hex(&digest.finalize())),
            n => digest.update(&buffer[..n]),
        }
    }
}
