//! JSON lines: appended whole, flushed one line at a time; a torn last line is removed before
//! appending.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Error, checksum, folder, open_file};

/// Appends values to a file of JSON lines.
#[derive(Debug)]
pub struct LineWriter {
    file: File,
    path: PathBuf,
    buffer: Vec<u8>,
}

impl LineWriter {
    /// Opens `path` for appending; a torn last line (without line feed, left by a kill) is removed first.
    ///
    /// The file is locked while it is open, so that two processes cannot write one run.
    ///
    /// # Errors
    /// Another process has it open; I/O errors.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let io = Error::io("open", path);
        let mut file = folder::append(path).map_err(&io)?;
        if let Err(std::fs::TryLockError::WouldBlock) = file.try_lock() {
            let message = format!("`{}` is being written by another process", path.display());
            return Err(Error::new(message, "wait until it ends, or choose another name"));
        }
        let whole = whole_lines_bytes(&mut file).map_err(&io)?;
        file.set_len(whole).map_err(&io)?;
        Ok(Self { file, path: path.to_owned(), buffer: Vec::new() })
    }

    /// Appends `values`, one line each, in one write. Objects get a checksum.
    pub fn append<T: Serialize>(
        &mut self,
        values: impl IntoIterator<Item = T>,
    ) -> Result<(), Error> {
        let io = Error::io("write", &self.path);
        self.buffer.clear();
        for value in values {
            let start = self.buffer.len();
            serde_json::to_writer(&mut self.buffer, &value).map_err(|error| io(error.into()))?;
            checksum::seal(checksum::COMPACT, &mut self.buffer, start);
            self.buffer.push(b'\n');
        }
        self.file.write_all(&self.buffer).map_err(&io)
    }
}

/// Returns the length of the file up to and including its last line feed.
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

/// Number of bytes read and parsed together, on all cores; a longer line is read whole.
const BLOCK_BYTES: u64 = 8 << 20;

/// Reads a file of JSON lines; empty if the file does not exist. A last line without a line feed was cut by a kill and is
/// skipped. `keep` receives each value as soon as it is parsed and returns the part to retain.
///
/// # Errors
/// Any other line that cannot be read, or was changed; I/O errors.
pub(super) fn read<T: DeserializeOwned, U: Send>(
    path: &Path,
    keep: impl Fn(T) -> U + Sync,
) -> Result<Vec<U>, Error> {
    let io = Error::io("read", path);
    let mut reader = match open_file(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        opened => BufReader::new(opened.map_err(&io)?),
    };
    let (mut values, mut block) = (Vec::new(), Vec::new());
    loop {
        block.clear();
        let n_bytes = reader.by_ref().take(BLOCK_BYTES).read_to_end(&mut block).map_err(&io)?;
        reader.read_until(b'\n', &mut block).map_err(&io)?;
        let ends = memchr::memchr_iter(b'\n', &block);
        let lines: Vec<&[u8]> = ends
            .scan(0, |start, end| Some(&block[std::mem::replace(start, end + 1)..=end]))
            .collect();
        let n_before = values.len();
        let parsed: Vec<Result<U, Error>> = lines
            .par_iter()
            .enumerate()
            .map(|(at, line)| parse(path, n_before + at + 1, line).map(&keep))
            .collect();
        values.reserve(parsed.len());
        for value in parsed {
            values.push(value?);
        }
        if (n_bytes as u64) < BLOCK_BYTES {
            return Ok(values);
        }
    }
}

/// Parses line `line` of `path`, which ends with a line feed.
fn parse<T: DeserializeOwned>(path: &Path, line: usize, bytes: &[u8]) -> Result<T, Error> {
    let json = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if !checksum::holds(checksum::COMPACT, json) {
        return Err(Error::wrong_checksum(path, line));
    }
    serde_json::from_slice(json).map_err(|source| Error::damaged(path, line, &source))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Value;

    use super::*;

    fn numbers(path: &Path) -> Result<Vec<u32>, Error> {
        read(path, |number: u32| number)
    }

    #[test]
    fn a_torn_last_line_is_cut_off_before_going_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("traces.jsonl");
        std::fs::write(&path, "1\n2\n{\"to").expect("written");
        assert_eq!(numbers(&path).expect("read"), [1, 2]);
        LineWriter::open(&path).expect("opened").append([3, 4]).expect("appended");
        assert_eq!(numbers(&path).expect("read"), [1, 2, 3, 4]);
    }

    #[test]
    fn a_damaged_line_in_the_middle_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("traces.jsonl");
        std::fs::write(&path, "1\nx\n2\n").expect("written");
        let error = numbers(&path).expect_err("damaged").to_string();
        assert!(error.contains("line 2 is damaged: expected value"), "{error}");
    }

    #[test]
    fn a_changed_digit_is_found_though_the_line_is_still_json() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("traces.jsonl");
        let object = |score: u32| BTreeMap::from([("score", score)]);
        LineWriter::open(&path)
            .expect("opened")
            .append([object(10), object(11)])
            .expect("appended");
        let read = || read(&path, |object: BTreeMap<String, Value>| object["score"].clone());
        assert_eq!(read().expect("read"), [10, 11]);
        let text = std::fs::read_to_string(&path).expect("read");
        std::fs::write(&path, text.replace("11,", "71,")).expect("written");
        let error = read().expect_err("changed").to_string();
        assert!(error.ends_with("line 2 is damaged: its content does not match its checksum"));
    }

    #[test]
    fn lines_of_several_blocks_stay_in_order_and_keep_their_numbers() {
        // A line of 10 bytes: the first block ends inside one.
        let n_lines = BLOCK_BYTES as usize / 10 * 2;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("traces.jsonl");
        let lines = (0..n_lines).map(|number| format!("{number:9}\n")).collect::<Vec<_>>().concat();
        std::fs::write(&path, lines.clone() + "x\n").expect("written");
        let error = numbers(&path).expect_err("damaged").to_string();
        assert!(error.contains(&format!("line {} is damaged", n_lines + 1)), "{error}");
        std::fs::write(&path, lines + "7").expect("written");
        assert!(numbers(&path).expect("read").into_iter().eq(0..n_lines as u32));
    }

    #[test]
    fn a_file_that_is_being_written_is_not_opened_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("traces.jsonl");
        let writer = LineWriter::open(&path).expect("opened");
        let error = LineWriter::open(&path).expect_err("in use").to_string();
        assert!(error.ends_with("is being written by another process"), "{error}");
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
