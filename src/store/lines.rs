//! JSON lines: appended whole, flushed a line at a time; a torn last line is cut off before going on.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{StoreError, folder};

/// Appends values to a file of JSON lines.
#[derive(Debug)]
pub struct LineWriter {
    file: File,
    path: PathBuf,
    buffer: Vec<u8>,
}

impl LineWriter {
    /// Opens `path` for appending; what a kill left of a last line (no line feed at its end) is cut off first.
    ///
    /// The file stays locked while it is open: two processes do not write one run.
    ///
    /// # Errors
    /// `InUse`, `Io`.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let io = |source| StoreError::Io { action: "open", path: path.to_owned(), source };
        let mut file = folder::append(path).map_err(io)?;
        if let Err(std::fs::TryLockError::WouldBlock) = file.try_lock() {
            return Err(StoreError::InUse { path: path.to_owned() });
        }
        let whole = whole_lines_bytes(&mut file).map_err(io)?;
        file.set_len(whole).map_err(io)?;
        Ok(Self { file, path: path.to_owned(), buffer: Vec::new() })
    }

    /// Appends `values`, a line each, in one write.
    ///
    /// # Errors
    /// `Io`.
    pub fn append<T: Serialize>(&mut self, values: impl IntoIterator<Item = T>) -> Result<(), StoreError> {
        let io = |source| StoreError::Io { action: "write", path: self.path.clone(), source };
        self.buffer.clear();
        for value in values {
            serde_json::to_writer(&mut self.buffer, &value).map_err(|error| io(error.into()))?;
            self.buffer.push(b'\n');
        }
        self.file.write_all(&self.buffer).map_err(io)
    }
}

/// The length of the file up to and with its last line feed.
fn whole_lines_bytes(file: &mut File) -> std::io::Result<u64> {
    const BLOCK: u64 = 64 * 1024;
    let mut end = file.seek(SeekFrom::End(0))?;
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        let mut block = vec![0; (end - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut block)?;
        if let Some(at) = block.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// Reads a file of JSON lines, none where there is no file yet; a last line without a line feed is what a kill left, and is skipped.
///
/// # Errors
/// `Io`; `Damaged` for any other line that cannot be read.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, StoreError> {
    let io = |source| StoreError::Io { action: "read", path: path.to_owned(), source };
    let file = match File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        opened => opened.map_err(io)?,
    };
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let (mut values, mut line, mut number) = (Vec::new(), Vec::new(), 0);
    loop {
        line.clear();
        number += 1;
        if reader.read_until(b'\n', &mut line).map_err(io)? == 0 || line.last() != Some(&b'\n') {
            return Ok(values);
        }
        let damaged = |source| StoreError::Damaged { path: path.to_owned(), line: number, source };
        values.push(serde_json::from_slice(&line).map_err(damaged)?);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_last_line_is_cut_off_before_going_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("traces.jsonl");
        std::fs::write(&path, "1\n2\n{\"to").expect("written");
        assert_eq!(read::<u32>(&path).expect("read"), [1, 2]);
        LineWriter::open(&path).expect("opened").append([3, 4]).expect("appended");
        assert_eq!(read::<u32>(&path).expect("read"), [1, 2, 3, 4]);
    }

    #[test]
    fn a_damaged_line_in_the_middle_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("traces.jsonl");
        std::fs::write(&path, "1\nx\n2\n").expect("written");
        assert!(matches!(read::<u32>(&path), Err(StoreError::Damaged { line: 2, .. })));
    }

    #[test]
    fn a_file_that_is_being_written_is_not_opened_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("traces.jsonl");
        let writer = LineWriter::open(&path).expect("opened");
        assert!(matches!(LineWriter::open(&path), Err(StoreError::InUse { .. })));
        drop(writer);
        LineWriter::open(&path).expect("free again");
    }

    #[test]
    fn a_file_that_is_one_torn_line_becomes_empty() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("traces.jsonl");
        std::fs::write(&path, "{\"torn").expect("written");
        LineWriter::open(&path).expect("opened");
        assert_eq!(std::fs::read(&path).expect("read"), b"");
    }
}
