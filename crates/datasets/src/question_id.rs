//! Ids of questions that have none.

use sha2::{Digest, Sha256};

use ragtriage_core::text::hex::hex;

/// Number of bytes of a text's hash that form an id: the probability that two of 10,000 questions share one is
/// under 1 in 20,000.
const ID_BYTES: usize = 5;

/// Returns an id that depends only on the text.
pub(super) fn id_of(text: &str) -> String {
    format!("q-{}", hex(&Sha256::digest(text.trim())[..ID_BYTES]))
}
