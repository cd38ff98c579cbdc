//! Files that a user names: only regular ones are read, since reading a FIFO or a device may never end, and each is written whole
//! or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use ragtriage_core::text::numbers;
use tempfile::TempPath;

/// Maximum size of a file that a setting names: a million recorded responses of 250 bytes.
const MOST_BYTES: u64 = 250_000_000;
/// Maximum size of a file of data, plain or decompressed; what is read is held in memory.
pub(crate) const MOST_DATA_BYTES: u64 = 8_000_000_000;

/// The mode of a file that others may read, as far as the process's mask allows.
pub const SHARED: u32 = 0o666;
/// The mode of a file with corpus text and answers.
pub const PRIVATE: u32 = 0o600;

/// A reader that fails after its limit: a file of the system may have more bytes than its size says.
#[derive(Debug)]
pub struct Limited<R> {
    reader: io::Take<R>,
    most_bytes: u64,
}

impl<R: Read> Limited<R> {
    pub(crate) fn new(reader: R, most_bytes: u64) -> Self {
        Self { reader: reader.take(most_bytes + 1), most_bytes }
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        if self.reader.limit() == 0 { Err(too_large(self.most_bytes)) } else { Ok(n) }
    }
}

fn opened(path: &Path, most_bytes: u64) -> io::Result<Limited<File>> {
    let file = File::open(path)?;
    if file.metadata()?.len() > most_bytes {
        return Err(too_large(most_bytes));
    }
    Ok(Limited::new(file, most_bytes))
}

fn too_large(most_bytes: u64) -> io::Error {
    let reason = format!("larger than {}", numbers::bytes(most_bytes));
    io::Error::new(io::ErrorKind::FileTooLarge, reason)
}

/// Opens a file of data for reading. A FIFO is accepted only under `/dev`, where shells put the output of another command.
///
/// # Errors
/// Errors of opening; `InvalidInput` for a FIFO, device or socket; here and when it is read, `FileTooLarge` for more than 8 GB.
pub fn open_file(path: &Path) -> io::Result<Limited<File>> {
    let kind = fs::metadata(path)?.file_type();
    let is_readable =
        kind.is_file() || kind.is_dir() || (kind.is_fifo() && path.starts_with("/dev"));
    if is_readable { opened(path, MOST_DATA_BYTES) } else { Err(not_regular()) }
}

/// Reads a file that a setting names.
///
/// # Errors
/// Errors of reading; `InvalidInput` for all but a regular file, `FileTooLarge` for more than 250 MB.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(not_regular());
    }
    let mut content = Vec::new();
    opened(path, MOST_BYTES)?.read_to_end(&mut content)?;
    Ok(content)
}

/// Reads a text file that a setting names.
///
/// # Errors
/// As [`read_file`]; `InvalidData` for bytes that are not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_file(path)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

/// Writes a file whole or not at all: under a temporary name first, then renamed. Links are followed; a device or a pipe is written
/// into.
///
/// # Errors
/// Errors of the operating system and of `write`; the file is then as before.
pub fn write_file(
    path: &Path,
    mode: u32,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if target.metadata().is_ok_and(|found| !found.is_file()) {
        let mut file = BufWriter::new(OpenOptions::new().write(true).open(&target)?);
        return write(&mut file).and_then(|()| file.flush());
    }
    let partial = target.with_added_extension("partial");
    let file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(&partial)?;
    // Removed unless it gets its name: half a file is useless.
    let partial = TempPath::try_from_path(partial)?;
    let mut file = BufWriter::new(file);
    write(&mut file).and_then(|()| file.flush())?;
    file.get_ref().sync_data()?;
    partial.persist(&target).map_err(|error| error.error)
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_have_no_end_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let (fifo, large) = (folder.path().join("fifo"), folder.path().join("large"));
        let made = std::process::Command::new("mkfifo").arg(&fifo).status();
        assert!(made.expect("mkfifo").success());
        // Without blocks on disk: reading it would take a TiB of memory.
        File::create(&large).and_then(|file| file.set_len(1 << 40)).expect("made");
        let failed = |path: &Path| read_file(path).expect_err("refused").to_string();
        for path in [&fifo, Path::new("/dev/zero"), folder.path()] {
            assert_eq!(failed(path), "not a regular file");
        }
        assert_eq!(failed(&large), "larger than 250.0 MB");
        assert_eq!(open_file(&large).expect_err("too large").to_string(), "larger than 8.0 GB");
        let mut limited = Limited::new(io::repeat(b'x'), 1 << 20);
        let error = io::copy(&mut limited, &mut io::sink()).expect_err("no end").to_string();
        assert_eq!(error, "larger than 1.0 MB");
        let mut exact = Limited::new(&b"text"[..], 4);
        assert_eq!(io::read_to_string(&mut exact).expect("not larger"), "text");
        fs::write(&large, "text").expect("written");
        assert_eq!(read_text(&large).expect("a small file"), "text");
    }

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.json");
        let content = || fs::read_to_string(&path).ok();
        let half = |file: &mut BufWriter<File>| {
            file.write_all(&vec![b'x'; 1 << 20])?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        };
        write_file(&path, SHARED, half).expect_err("a full disk");
        assert_eq!(content(), None);
        write_file(&path, SHARED, |file| file.write_all(b"old")).expect("written");
        write_file(&path, SHARED, half).expect_err("a full disk");
        assert_eq!(content().as_deref(), Some("old"));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "no partial file");
    }

    #[test]
    fn a_link_is_followed_and_a_device_is_written_into() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").expect("written");
        std::os::unix::fs::symlink(&file, &link).expect("linked");
        write_file(&link, PRIVATE, |file| file.write_all(b"new")).expect("written");
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).expect("there"), "new");
        let full = write_file(Path::new("/dev/full"), SHARED, |file| file.write_all(b"x"));
        assert_eq!(full.expect_err("full").kind(), io::ErrorKind::StorageFull);
        assert!(!Path::new("/dev/full.partial").exists());
    }
}
