//! Zip archives.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use zip::ZipArchive;

use super::refusal::Refusal;
use super::taken::{Taken, inside};

/// The file type bits of a Unix mode, and two of their values.
const TYPE: u32 = 0o17_0000;
const REGULAR: u32 = 0o10_0000;
const FOLDER: u32 = 0o04_0000;

pub(super) fn unpack(file: File, taken: &mut Taken<'_>) -> Result<(), Refusal> {
    let mut listed = BufReader::new(file.try_clone().map_err(Refusal::unreadable)?);
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(Refusal::unreadable)?;
    let listed =
        names(&mut listed, archive.central_directory_start()).map_err(Refusal::unreadable)?;
    let mut seen = HashSet::new();
    if let Some(twice) = listed.iter().find(|name| !seen.insert(name.as_slice())) {
        return Err(Refusal::Twice(String::from_utf8_lossy(twice).into_owned()));
    }
    if listed.len() != archive.len() {
        return Err(Refusal::Directory { n_listed: listed.len(), n_read: archive.len() });
    }
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(Refusal::unreadable)?;
        let path = entry.name().map_err(Refusal::unreadable)?.into_owned();
        inside(&path)?;
        match entry.unix_mode().unwrap_or_default() & TYPE {
            _ if entry.is_dir() => continue,
            0 | REGULAR => {}
            FOLDER => continue,
            _ => return Err(Refusal::Special(path)),
        }
        taken.file(&path, entry.size(), &mut entry)?;
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
