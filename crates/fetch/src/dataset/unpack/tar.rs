//! Tar archives under gzip.

use std::fs::File;
use std::io::{self, BufReader, Read};

use flate2::read::MultiGzDecoder;
use tar::{Archive, EntryType};

use super::refusal::Refusal;
use super::taken::{Taken, inside};

pub(super) fn unpack(file: File, taken: &mut Taken<'_>) -> Result<(), Refusal> {
    let most_bytes = taken.most_bytes;
    let bytes =
        Bounded { inner: MultiGzDecoder::new(BufReader::new(file)), left: most_bytes, most_bytes };
    let mut archive = Archive::new(bytes);
    for entry in archive.entries().map_err(Refusal::unreadable)? {
        let mut entry = entry.map_err(Refusal::unreadable)?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        match entry.header().entry_type() {
            EntryType::XGlobalHeader => continue, // git's commit id
            EntryType::Regular => {}
            EntryType::Directory => {
                inside(&path)?;
                continue;
            }
            _ => return Err(Refusal::Special(path)),
        }
        inside(&path)?;
        taken.file(&path, entry.size(), &mut entry)?;
    }
    // Tar ends before gzip does, whose checksum comes last.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(Refusal::unreadable)?;
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
            .ok_or_else(|| io::Error::other(Refusal::Grows(self.most_bytes)))?;
        Ok(n)
    }
}
