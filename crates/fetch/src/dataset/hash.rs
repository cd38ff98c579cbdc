//! The hash of a published file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use md5::Md5;
use sha2::{Digest, Sha256};

use ragtriage_core::text::hex::hex;

/// A digest in lower-case hex, as published by the publisher or by projects that pin the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hash {
    Sha256(&'static str),
    /// Detects transfer errors; no protection against deliberate manipulation.
    Md5(&'static str),
}

impl Hash {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sha256(_) => "sha256",
            Self::Md5(_) => "md5",
        }
    }

    pub(super) fn expected(self) -> &'static str {
        match self {
            Self::Sha256(hash) | Self::Md5(hash) => hash,
        }
    }

    /// Returns the digest of the file at `path`.
    pub(super) fn of(self, path: &Path) -> io::Result<String> {
        match self {
            Self::Sha256(_) => sha256(path),
            Self::Md5(_) => of_file::<Md5>(path),
        }
    }
}

/// Returns the sha256 of the file at `path`.
pub(super) fn sha256(path: &Path) -> io::Result<String> {
    of_file::<Sha256>(path)
}

fn of_file<D: Digest>(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let (mut digest, mut buffer) = (D::new(), vec![0; 1 << 18]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&digest.finalize())),
            n => digest.update(&buffer[..n]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_hashed_as_md5sum_and_sha256sum_do() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "abc").expect("written");
        // printf abc | md5sum; printf abc | sha256sum
        assert_eq!(
            Hash::Md5("").of(file.path()).expect("read"),
            "900150983cd24fb0d6963f7d28e17f72"
        );
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Hash::Sha256("").of(file.path()).expect("read"), sha256);
    }
}
