//! Keys of content-addressed caches.

use sha2::{Digest, Sha256};

/// Content hash of a value: see [`key`].
pub type ContentKey = [u8; 32];

/// Hashes everything that a value depends on. Each part is preceded by its length, so that different lists of parts
/// give different bytes.
#[must_use]
pub fn key(parts: &[&str]) -> ContentKey {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.finalize().into()
}
