//! Taking a set's files, and nothing else, out of an archive that anybody may have made.
//!
//! One path that leads out of its folder, one link or device, and none of the archive is used. How much it may grow is bounded
//! by its own size, in what it declares and in what it holds. Its permissions and times mean nothing.

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

/// Text shrinks to a third, at best to a tenth; deflate's bound is 1,032.
const MOST_GROWTH: u64 = 100;
/// A few empty blocks of a small archive grow by more.
const ALWAYS_BYTES: u64 = 1 << 20;
/// No known set is as large.
const MOST_BYTES: u64 = 1 << 30;

/// Takes the files of `set` out of `archive` into the empty folder `into`. A folder around all of them is left out.
pub(super) fn unpack(
    packed: Archived,
    archive: &Path,
    set: &KnownSet,
    into: &Path,
) -> Result<(), Refusal> {
    let file = File::open(archive).map_err(Refusal::unreadable)?;
    let n_bytes = file.metadata().map_err(Refusal::unreadable)?.len();
    let most_bytes = n_bytes
        .saturating_mul(MOST_GROWTH)
        .clamp(ALWAYS_BYTES, MOST_BYTES);
    let wanted = globs::set(set.patterns())?;
    let mut taken = Taken {
        into,
        wanted,
        names: HashSet::new(),
        most_bytes,
        n_bytes: 0,
    };
    match packed {
        Archived::Zip => zip::unpack(file, &mut taken),
        Archived::TarGz => tar::unpack(file, &mut taken),
        Archived::File(_) => Err(Refusal::unreadable("the set is a single file")),
    }
}
