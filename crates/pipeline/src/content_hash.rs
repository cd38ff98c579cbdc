//! Content addresses: hashes of everything that determines a cached file.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use sha2::{Digest, Sha256};

use ragtriage_core::text::hex::hex;

/// Numbers whose parts one task hashes. Part of every key that [`ContentHash::parts`] goes into.
const GROUP: usize = 4096;

/// Hashes the parts of a content address, each preceded by its length.
#[derive(Default)]
pub(crate) struct ContentHash(Sha256);

impl ContentHash {
    pub(crate) fn part(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Adds the parts that `each` adds for every number below `n`: hashed in groups on rayon's current pool, then the hashes of
    /// the groups.
    pub(crate) fn parts(&mut self, n: usize, each: impl Fn(usize, &mut Self) + Sync) {
        let groups = (0..n.div_ceil(GROUP)).into_par_iter().map(|group| {
            let mut hash = Self::default();
            for number in group * GROUP..n.min((group + 1) * GROUP) {
                each(number, &mut hash);
            }
            hash.0.finalize()
        });
        for hash in groups.collect::<Vec<_>>() {
            self.part(&hash);
        }
    }

    /// Returns the first 16 bytes in hexadecimal.
    pub(crate) fn name(self) -> String {
        hex(&self.0.finalize()[..16])
    }
}
