//! Opens input files; a FIFO or a device is refused, since reading it may never end.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Opens `path` for reading. A FIFO is accepted only under `/dev`, where shells put the output of another command.
///
/// # Errors
/// Errors of opening; `InvalidInput` for a FIFO, device or socket.
pub fn open_file(path: &Path) -> io::Result<File> {
    let kind = std::fs::metadata(path)?.file_type();
    let is_readable =
        kind.is_file() || kind.is_dir() || (kind.is_fifo() && path.starts_with("/dev"));
    if is_readable {
        File::open(path)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
    }
}
