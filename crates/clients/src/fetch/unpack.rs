//! Extracts a set's files, and nothing else, from an untrusted archive.
//!
//! A path that leaves its folder, a link or a device rejects the whole archive. Its growth is bounded by its compressed size,
//! both as declared and as extracted. Permissions and times are ignored.

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::error::Error as StdError;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use globset::GlobSet;
use tar::{Archive, EntryType};
use zip::ZipArchive;

use crate::fetch::dataset::{Archived, KnownSet};
use crate::fetch::error::Error;
use ragtriage_data::dataset::globs;

/// Text typically compresses to a third, at best to a tenth; the bound of deflate is 1,032.
const MOST_GROWTH: u64 = 100;
/// A few empty blocks of a small archive may exceed that ratio.
const ALWAYS_BYTES: u64 = 1 << 20;
/// Larger than every known set.
const MOST_BYTES: u64 = 1 << 30;

/// The file type bits of a Unix mode, and two of their values.
const TYPE: u32 = 0o17_0000;
const REGULAR: u32 = 0o10_0000;
const FOLDER: u32 = 0o04_0000;

/// Extracts the files of `set` from `archive` into the empty folder `into`. A common root folder is stripped.
pub(crate) fn unpack(
    packed: Archived,
    archive: &Path,
    set: &KnownSet,
    into: &Path,
) -> Result<(), Error> {
    let file = File::open(archive).map_err(damaged)?;
    let n_bytes = file.metadata().map_err(damaged)?.len();
    let most_bytes = n_bytes.saturating_mul(MOST_GROWTH).clamp(ALWAYS_BYTES, MOST_BYTES);
    let wanted = globs::set(set.patterns()).map_err(|error| Error::of(&error))?;
    let mut extracted = Extracted { into, wanted, names: HashSet::new(), most_bytes, n_bytes: 0 };
    match packed {
        Archived::Zip => unpack_zip(file, &mut extracted),
        Archived::TarGz => unpack_tar_gz(file, &mut extracted),
        Archived::File(_) => Err(damaged("the set is a single file")),
    }
}

fn refusal(message: impl Into<String>) -> Error {
    Error::new(message, "nothing was unpacked")
}

fn damaged(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
    refusal(format!("not an archive, or damaged: {}", error.into()))
}

fn grows(most_bytes: u64) -> Error {
    refusal(format!("it grows to more than {} MiB", most_bytes >> 20))
}

fn duplicate(name: &str) -> Error {
    refusal(format!("duplicate entry `{name}`"))
}

fn special(path: &str) -> Error {
    refusal(format!("entry `{path}` is neither a file nor a folder"))
}

fn unpack_tar_gz(file: File, extracted: &mut Extracted<'_>) -> Result<(), Error> {
    let most_bytes = extracted.most_bytes;
    let bytes =
        Bounded { inner: MultiGzDecoder::new(BufReader::new(file)), left: most_bytes, most_bytes };
    let mut archive = Archive::new(bytes);
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        match entry.header().entry_type() {
            EntryType::XGlobalHeader => continue, // git's commit id
            EntryType::Regular => {}
            EntryType::Directory => {
                inside(&path)?;
                continue;
            }
            _ => return Err(special(&path)),
        }
        inside(&path)?;
        extracted.file(&path, entry.size(), &mut entry)?;
    }
    // Tar ends before gzip does, whose checksum comes last.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(damaged)?;
    Ok(())
}

/// Fails when more bytes are read than allowed: skipped entries are decompressed too.
struct Bounded<R> {
    inner: R,
    left: u64,
    most_bytes: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.left = self
            .left
            .checked_sub(n as u64)
            .ok_or_else(|| io::Error::other(grows(self.most_bytes)))?;
        Ok(n)
    }
}

fn unpack_zip(file: File, extracted: &mut Extracted<'_>) -> Result<(), Error> {
    let mut listed = BufReader::new(file.try_clone().map_err(damaged)?);
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
    let listed = names(&mut listed, archive.central_directory_start()).map_err(damaged)?;
    let mut seen = HashSet::new();
    if let Some(twice) = listed.iter().find(|name| !seen.insert(name.as_slice())) {
        return Err(duplicate(&String::from_utf8_lossy(twice)));
    }
    if listed.len() != archive.len() {
        return Err(refusal(format!(
            "the directory lists {} entries, but {} can be read",
            listed.len(),
            archive.len()
        )));
    }
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(damaged)?;
        let path = entry.name().map_err(damaged)?.into_owned();
        inside(&path)?;
        match entry.unix_mode().unwrap_or_default() & TYPE {
            _ if entry.is_dir() => continue,
            0 | REGULAR => {}
            FOLDER => continue,
            _ => return Err(special(&path)),
        }
        extracted.file(&path, entry.size(), &mut entry)?;
    }
    Ok(())
}

/// Returns the names in the central directory: of two equal ones, `ZipArchive` has only the last.
fn names(file: &mut (impl Read + Seek), start: u64) -> io::Result<Vec<Vec<u8>>> {
    const HEAD: usize = 46;
    file.seek(SeekFrom::Start(start))?;
    let mut names = Vec::new();
    let mut head = [0; HEAD];
    while file.read_exact(&mut head[..4]).is_ok() && head.starts_with(b"PK\x01\x02") {
        file.read_exact(&mut head[4..])?;
        let [n_name, n_extra, n_comment] =
            [28, 30, 32].map(|at| u16::from_le_bytes([head[at], head[at + 1]]));
        let mut name = vec![0; usize::from(n_name)];
        file.read_exact(&mut name)?;
        file.seek(SeekFrom::Current(i64::from(n_extra) + i64::from(n_comment)))?;
        names.push(name);
    }
    Ok(names)
}

/// The files extracted from an archive so far.
struct Extracted<'a> {
    into: &'a Path,
    wanted: GlobSet,
    /// In lower case: some file systems ignore case.
    names: HashSet<String>,
    most_bytes: u64,
    n_bytes: u64,
}

impl Extracted<'_> {
    /// Extracts the file `path` of the archive, if it is wanted; `declared` is its declared size.
    fn file(&mut self, path: &str, declared: u64, bytes: &mut impl Read) -> Result<(), Error> {
        let Some(name) = self.wanted_name(path)? else {
            return Ok(());
        };
        if !self.names.insert(name.to_lowercase()) {
            return Err(duplicate(&name));
        }
        self.n_bytes = self.n_bytes.saturating_add(declared);
        if self.n_bytes > self.most_bytes {
            return Err(grows(self.most_bytes));
        }
        let target = self.into.join(&name);
        let unwritable = Error::disk(&target);
        fs::create_dir_all(target.parent().unwrap_or(self.into)).map_err(unwritable)?;
        let mut file = File::create_new(&target).map_err(unwritable)?;
        let mut bytes = bytes.take(declared.saturating_add(1));
        let (mut found, mut buffer) = (0, vec![0; 1 << 16]);
        loop {
            match bytes.read(&mut buffer).map_err(damaged)? {
                0 => break,
                n => {
                    file.write_all(&buffer[..n]).map_err(unwritable)?;
                    found += n as u64;
                }
            }
        }
        if found == declared {
            return Ok(());
        }
        Err(refusal(format!("entry `{name}` has {found} bytes or more, but declares {declared}")))
    }

    /// Returns the name within the set of the entry at `path`: as it is, or without the common root
    /// folder.
    fn wanted_name(&self, path: &str) -> Result<Option<String>, Error> {
        let parts = inside(path)?;
        let names = [parts.join("/"), parts.get(1..).unwrap_or_default().join("/")];
        Ok(names.into_iter().find(|name| self.wanted.is_match(name)))
    }
}

/// Returns the components of a path that stays inside its folder on any system.
fn inside(path: &str) -> Result<Vec<&str>, Error> {
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    let leads_out = path.starts_with('/') || path.split('/').any(|part| part == "..");
    if path.is_empty() || has_drive || leads_out || path.contains(['\\', '\0']) {
        return Err(refusal(format!("entry `{path}` leads out of the folder")));
    }
    Ok(path.split('/').filter(|part| !matches!(*part, "" | ".")).collect())
}
