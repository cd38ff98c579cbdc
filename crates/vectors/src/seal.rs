//! The seal of an embedded collection: the checksums of its files, compared before the engine reads any of them.
//!
//! The engine maps its files and trusts them: a damaged vector gives another ranking, an emptied file a panic. It changes
//! no file of a collection that is opened, searched or closed, only when points or indexes are added. A seal therefore
//! covers every file, the log included.
//!
//! Holes of sparse files are not read. So that a hole and zeros have equal checksums, blocks of zeros are left out; a block
//! that becomes zero is found all the same, because each block is preceded by its position.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use walkdir::WalkDir;

/// Bytes read at a time.
const BLOCK: usize = 1 << 16;

/// Checksums of the engine's files, with what they hold.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Seal {
    /// The layout, in the form of the collection's spec.
    pub(crate) layout: String,
    /// True if all points are stored and graph, copies and postings are built.
    pub(crate) is_complete: bool,
    files: BTreeMap<String, Checksum>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Checksum {
    bytes: u64,
    crc32: u32,
}

impl Seal {
    /// Computes the checksums of all files below `engine`, and makes them readable by their owner only.
    pub(crate) fn of(engine: &Path, layout: &str, is_complete: bool) -> io::Result<Self> {
        make_private(engine);
        Ok(Self { layout: layout.to_owned(), is_complete, files: checksums(engine)? })
    }

    /// Reads a seal; `None` if it is missing or damaged.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let text = fs::read_to_string(path).ok()?;
        let (crc32, json) = text.split_once(' ')?;
        let is_intact = crc32 == hex(json.as_bytes());
        serde_json::from_str(json).ok().filter(|_| is_intact)
    }

    /// Returns the seal as [`Seal::read`] reads it.
    pub(crate) fn to_text(&self) -> String {
        let json = serde_json::to_string(self).expect("texts and numbers serialise");
        format!("{} {json}", hex(json.as_bytes()))
    }

    /// Compares the files below `engine` with their checksums; returns the first fault, in words.
    pub(crate) fn fault(&self, engine: &Path) -> Option<String> {
        let found = match checksums(engine) {
            Ok(found) => found,
            Err(error) => return Some(format!("its files cannot be read ({error})")),
        };
        let differs =
            |(name, checksum): &(&String, &Checksum)| self.files.get(*name) != Some(*checksum);
        if let Some(name) = self.files.keys().find(|name| !found.contains_key(*name)) {
            return Some(format!("its file `{name}` is missing"));
        }
        let (name, _) = found.iter().find(differs)?;
        Some(format!("its file `{name}` is damaged"))
    }
}

fn hex(bytes: &[u8]) -> String {
    format!("{:08x}", crc32fast::hash(bytes))
}

fn checksums(engine: &Path) -> io::Result<BTreeMap<String, Checksum>> {
    let mut found = BTreeMap::new();
    for entry in WalkDir::new(engine) {
        let entry = entry?;
        if !entry.file_type().is_dir() {
            let name = entry.path().strip_prefix(engine).unwrap_or(entry.path());
            let name = name.to_string_lossy().into_owned();
            found.insert(name, Checksum::of(&File::open(entry.path())?)?);
        }
    }
    Ok(found)
}

impl Checksum {
    fn of(file: &File) -> io::Result<Self> {
        let (mut block, mut hash, zeros) =
            (vec![0; BLOCK], crc32fast::Hasher::new(), vec![0; BLOCK]);
        let bytes = file.metadata()?.len();
        let mut at = 0;
        while at < bytes {
            at = data_from(file, at, bytes) / BLOCK as u64 * BLOCK as u64;
            let n = read(file, &mut block, at)?;
            if block[..n] != zeros[..n] {
                hash.update(&at.to_le_bytes());
                hash.update(&block[..n]);
            }
            at += BLOCK as u64;
        }
        let crc32 = hash.finalize();
        Ok(Self { bytes, crc32 })
    }
}

/// Returns the position of the first data at `at` or later; `end` if a hole is all that follows.
fn data_from(file: &File, at: u64, end: u64) -> u64 {
    match seek(file, SeekFrom::Data(at)) {
        Ok(data) => data,
        Err(Errno::NXIO) => end,
        Err(_) => at,
    }
}

/// Fills `block` from the position `at`, up to the end of the file; returns the number of bytes read.
fn read(file: &File, block: &mut [u8], at: u64) -> io::Result<usize> {
    let mut n = 0;
    while n < block.len() {
        match file.read_at(&mut block[n..], at + n as u64) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(n)
}

/// Gives folders the mode 0700 and files 0600: the engine creates them with the process's default. File systems without
/// modes leave them as they are.
pub(crate) fn make_private(folder: &Path) {
    for entry in WalkDir::new(folder).into_iter().flatten() {
        let mode = if entry.file_type().is_dir() { 0o700 } else { 0o600 };
        let _ = fs::set_permissions(entry.path(), Permissions::from_mode(mode));
    }
}

/// Replaces the file `path` atomically, by way of `new`, readable by its owner only.
pub(crate) fn replace(path: &Path, new: &Path, text: &str) -> io::Result<()> {
    let mut file = File::options().write(true).create(true).truncate(true).mode(0o600).open(new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(new, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a folder with a file of data, a sparse one and an empty one, and its seal.
    fn sealed() -> (tempfile::TempDir, Seal) {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("segments")).expect("made");
        let data: Vec<u8> = (0..200_000_u32).map(|i| (i % 251) as u8).collect();
        fs::write(folder.path().join("segments/vectors"), data).expect("written");
        let sparse = File::create(folder.path().join("segments/sparse")).expect("made");
        sparse.set_len(1 << 20).expect("a hole");
        fs::write(folder.path().join("empty"), "").expect("written");
        let seal = Seal::of(folder.path(), "layout", true).expect("sealed");
        (folder, seal)
    }

    #[test]
    fn a_seal_is_read_as_it_was_written_and_a_damaged_one_not_at_all() {
        let (folder, seal) = sealed();
        let path = folder.path().join("state");
        let text = seal.to_text();
        fs::write(&path, &text).expect("written");
        assert_eq!(Seal::read(&path), Some(seal));
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            fs::write(&path, bytes).expect("written");
            assert_eq!(Seal::read(&path), None, "byte {at}");
            fs::write(&path, &text[..at]).expect("written");
            assert_eq!(Seal::read(&path), None, "cut at {at}");
        }
    }

    #[test]
    fn each_change_of_a_file_is_found_and_named() {
        let (folder, seal) = sealed();
        assert_eq!(seal.fault(folder.path()), None);
        let path = folder.path().join("segments/vectors");
        let intact = fs::read(&path).expect("read");
        let zeroed = [&intact[..4_096], &[0; 4_096][..], &intact[8_192..]].concat();
        let mut flipped = intact.clone();
        flipped[150_000] ^= 16;
        let swapped = [&intact[BLOCK..2 * BLOCK], &intact[..BLOCK], &intact[2 * BLOCK..]].concat();
        for changed in [&zeroed, &flipped, &swapped, &intact[..199_999].to_vec(), &Vec::new()] {
            fs::write(&path, changed).expect("written");
            let fault = seal.fault(folder.path());
            assert_eq!(fault.as_deref(), Some("its file `segments/vectors` is damaged"));
        }
        fs::remove_file(&path).expect("removed");
        let fault = seal.fault(folder.path());
        assert_eq!(fault.as_deref(), Some("its file `segments/vectors` is missing"));
        fs::write(&path, &intact).expect("written");
        assert_eq!(seal.fault(folder.path()), None);
        fs::write(folder.path().join("more"), "x").expect("written");
        let fault = seal.fault(folder.path());
        assert_eq!(fault.as_deref(), Some("its file `more` is damaged"));
    }

    #[test]
    fn zeros_may_become_a_hole_and_a_hole_zeros() {
        let (folder, seal) = sealed();
        fs::write(folder.path().join("segments/sparse"), vec![0; 1 << 20]).expect("written");
        assert_eq!(seal.fault(folder.path()), None);
    }

    #[test]
    fn a_byte_in_a_hole_and_a_longer_hole_are_found() {
        let (folder, seal) = sealed();
        let path = folder.path().join("segments/sparse");
        let mut holes = vec![0; 1 << 20];
        holes[1 << 19] = 1;
        for changed in [holes, vec![0; (1 << 20) + 1], vec![0; 1 << 19]] {
            fs::write(&path, changed).expect("written");
            let fault = seal.fault(folder.path());
            assert_eq!(fault.as_deref(), Some("its file `segments/sparse` is damaged"));
        }
    }

    #[test]
    fn sealed_files_are_their_owners_alone() {
        let (folder, _) = sealed();
        let mode = |path: &str| {
            let found = fs::metadata(folder.path().join(path)).expect("a file");
            found.permissions().mode() & 0o777
        };
        assert_eq!((mode("segments"), mode("segments/vectors")), (0o700, 0o600));
    }
}
