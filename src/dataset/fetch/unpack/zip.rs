//! Zip archives.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use zip::ZipArchive;

use super::{Refusal, Taken, inside};

/// The bits of a Unix mode that say what a file is, and two of their values.
const TYPE: u32 = 0o17_0000;
const REGULAR: u32 = 0o10_0000;
const FOLDER: u32 = 0o04_0000;

pub(super) fn unpack(file: File, taken: &mut Taken<'_>) -> Result<(), Refusal> {
    let mut listed = BufReader::new(file.try_clone().map_err(Refusal::unreadable)?);
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(Refusal::unreadable)?;
    let n_listed = n_listed(&mut listed, archive.central_directory_start()).map_err(Refusal::unreadable)?;
    if n_listed != archive.len() {
        return Err(Refusal::Twice("a name".to_owned()));
    }
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(Refusal::unreadable)?;
        let path = entry.name().to_owned();
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

/// How many entries the central directory lists: of two with one name, `ZipArchive` has the last alone.
fn n_listed(file: &mut (impl Read + Seek), start: u64) -> io::Result<usize> {
    const HEAD: usize = 46;
    file.seek(SeekFrom::Start(start))?;
    let mut n_listed = 0;
    let mut head = [0; HEAD];
    while file.read_exact(&mut head[..4]).is_ok() && head.starts_with(b"PK\x01\x02") {
        file.read_exact(&mut head[4..])?;
        // Of the name, of the extra fields, of the comment, which follow.
        let length = |at: usize| i64::from(u16::from_le_bytes([head[at], head[at + 1]]));
        file.seek(SeekFrom::Current(length(28) + length(30) + length(32)))?;
        n_listed += 1;
    }
    Ok(n_listed)
}
