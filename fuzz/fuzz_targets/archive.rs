//! Archives of data sets, zip and tar.gz: nothing is written outside the folder, no more than is allowed.

#![no_main]

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use libfuzzer_sys::fuzz_target;

/// The bound on what a small archive may hold.
const MOST_BYTES: u64 = 1 << 20;

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, rest)) = bytes.split_first() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (archive, outer) = (folder.path().join("archive"), folder.path().join("outer"));
    let into = outer.join("into");
    fs::create_dir_all(&into).expect("made");
    // A tar archive is also read where no fuzzer guesses the checksum of gzip.
    let content = match kind % 3 {
        0 | 1 => rest.to_vec(),
        _ => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(rest).expect("in memory");
            encoder.finish().expect("in memory")
        }
    };
    fs::write(&archive, content).expect("written");
    let set = ["scifact", "cisi"][usize::from(kind % 3 > 0)];
    let _ = ragtriage_clients::fetch::dataset::unpack_known(set, &archive, &into);
    let entries: Vec<_> = fs::read_dir(&outer).expect("a folder").flatten().collect();
    assert_eq!(entries.len(), 1, "a file next to the folder: {entries:?}");
    assert!(n_bytes(&into) <= MOST_BYTES);
});

/// Bytes of the regular files; anything else fails.
fn n_bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    entries
        .map(|entry| {
            let kind = entry.file_type().expect("there");
            assert!(kind.is_dir() || kind.is_file(), "{entry:?}");
            if kind.is_dir() {
                n_bytes(&entry.path())
            } else {
                entry.metadata().expect("there").len()
            }
        })
        .sum()
}
