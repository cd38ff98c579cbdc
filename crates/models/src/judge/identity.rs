//! The identity of a judge, by which a run tells its verdicts from those of another.

use crate::cache::key;
use ragtriage_core::text::hex::hex;

/// Hexadecimal digits of the hash.
const DIGITS: usize = 16;

/// Returns the name of a model, and a hash of `parts`: all that its replies depend on besides the texts.
pub(super) fn identity(model: &str, parts: &[&str]) -> String {
    format!("{model} {}", &hex(&key(parts))[..DIGITS])
}
