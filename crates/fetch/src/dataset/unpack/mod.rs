//! Extracts a set's files, and nothing else, from an untrusted archive.
//!
//! A path that leaves its folder, a link or a device rejects the whole archive. Its growth is bounded by its compressed size,
//! both as declared and as extracted. Permissions and times are ignored.

mod refusal;
mod taken;
mod tar;
mod zip;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;

use super::known::{Archived, KnownSet};
use ragtriage_datasets::globs;
pub(super) use refusal::Refusal;
use taken::Taken;

/// Text typically compresses to a third, at best to a tenth; the bound of deflate is 1,032.
const MOST_GROWTH: u64 = 100;
/// A few empty blocks of a small archive may exceed that ratio.
const ALWAYS_BYTES: u64 = 1 << 20;
/// Larger than every known set.
const MOST_BYTES: u64 = 1 << 30;

/// Extracts the files of `set` from `archive` into the empty folder `into`. A common root folder is stripped.
pub(super) fn unpack(
    packed: Archived,
    archive: &Path,
    set: &KnownSet,
    into: &Path,
) -> Result<(), Refusal> {
    let file = File::open(archive).map_err(Refusal::unreadable)?;
    let n_bytes = file.metadata().map_err(Refusal::unreadable)?.len();
    let most_bytes = n_bytes.saturating_mul(MOST_GROWTH).clamp(ALWAYS_BYTES, MOST_BYTES);
    let wanted = globs::set(set.patterns())?;
    let mut taken = Taken { into, wanted, names: HashSet::new(), most_bytes, n_bytes: 0 };
    match packed {
        Archived::Zip => zip::unpack(file, &mut taken),
        Archived::TarGz => tar::unpack(file, &mut taken),
        Archived::File(_) => Err(Refusal::unreadable("the set is a single file")),
    }
}
