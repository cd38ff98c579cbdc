//! Reads files as text, lines and JSON, with positions in errors.
//!
//! A byte order mark is dropped; `\r\n` ends a line like `\n`. Lines end at `\n` only: U+2028 and similar characters are
//! part of a JSON string.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use crate::error::DatasetError;
use crate::place::Place;
use ragtriage_runs::open_file;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Reads a whole file.
pub(super) fn text(path: &Path) -> Result<String, DatasetError> {
    let mut bytes = Vec::new();
    open_file(path)
        .and_then(|mut file| file.read_to_end(&mut bytes))
        .map_err(|source| unreadable(path, source))?;
    let mut text = String::from_utf8(bytes).map_err(|broken| DatasetError::Utf8 {
        path: path.to_owned(),
        offset: broken.utf8_error().valid_up_to(),
    })?;
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(text)
}

/// Passes each non-blank line to `each`, without its line end; holds one at a time.
pub(super) fn lines(
    path: &Path,
    mut each: impl FnMut(Place, &str) -> Result<(), DatasetError>,
) -> Result<(), DatasetError> {
    each_line(path, |place, line| each(place, line?))
}

/// Like [`lines`], for callers that continue after a line that is not UTF-8.
pub(super) fn each_line(
    path: &Path,
    mut each: impl FnMut(Place, Result<&str, DatasetError>) -> Result<(), DatasetError>,
) -> Result<(), DatasetError> {
    let file = open_file(path).map_err(|source| unreadable(path, source))?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let shared: Arc<Path> = Arc::from(path);
    let (mut bytes, mut offset) = (Vec::new(), 0);
    for number in 1.. {
        bytes.clear();
        let n_read =
            reader.read_until(b'\n', &mut bytes).map_err(|source| unreadable(path, source))?;
        if n_read == 0 {
            break;
        }
        let line = line(path, number, offset, &bytes);
        offset += n_read;
        if line.as_ref().map_or(true, |line| !line.trim().is_empty()) {
            each(Place { path: Arc::clone(&shared), line: Some(number), id: None }, line)?;
        }
    }
    Ok(())
}

/// Returns the text of the line `number`, which begins at the byte `offset` of the file, without its line end.
pub(super) fn line<'a>(
    path: &Path,
    number: usize,
    offset: usize,
    bytes: &'a [u8],
) -> Result<&'a str, DatasetError> {
    let line = std::str::from_utf8(bytes).map_err(|broken| DatasetError::Utf8 {
        path: path.to_owned(),
        offset: offset + broken.valid_up_to(),
    })?;
    let line = if number == 1 { line.trim_start_matches(BYTE_ORDER_MARK) } else { line };
    Ok(line.trim_end_matches(['\n', '\r']))
}

/// Parses a JSON value that starts at `place` (its first line, or the file's).
pub(super) fn json<'a, T: Deserialize<'a>>(
    place: &Place,
    text: &'a str,
) -> Result<T, DatasetError> {
    serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let at = format!(" at line {} column {}", error.line(), error.column());
        DatasetError::Json {
            place: Place {
                line: Some(place.line.unwrap_or(1) + error.line().saturating_sub(1)),
                ..place.clone()
            },
            column: error.column().max(1),
            message: message.strip_suffix(&at).unwrap_or(&message).to_owned(),
        }
    })
}

/// Returns the file that `path` names: itself, or the only one in the folder whose name ends in one of
/// `extensions`.
pub(super) fn only_file(path: &Path, extensions: &[&str]) -> Result<PathBuf, DatasetError> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let mut found: Vec<PathBuf> = folder(path)?;
    found.retain(|file| {
        file.extension().is_some_and(|end| extensions.iter().any(|known| end == *known))
    });
    match found.len() {
        1 => Ok(found.remove(0)),
        n => Err(DatasetError::Layout {
            path: path.to_owned(),
            expected: format!("single file `*.{}`, it has {n}", extensions.join("` or `*.")),
        }),
    }
}

/// Returns the files and folders of a folder, ascending by name.
pub(super) fn folder(path: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    let entries = std::fs::read_dir(path).map_err(|source| unreadable(path, source))?;
    let names: io::Result<Vec<PathBuf>> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut names = names.map_err(|source| unreadable(path, source))?;
    names.sort();
    Ok(names)
}

/// Returns the error for an unreadable path.
pub(super) fn unreadable(path: &Path, source: io::Error) -> DatasetError {
    match source.kind() {
        io::ErrorKind::NotFound => DatasetError::Missing { path: path.to_owned() },
        _ => DatasetError::read(path)(source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::fs::write(&path, bytes).expect("written");
        (folder, path)
    }

    fn numbered(bytes: &[u8]) -> Result<Vec<(usize, String)>, DatasetError> {
        let (_folder, path) = file(bytes);
        let mut seen = Vec::new();
        lines(&path, |place, line| {
            seen.push((place.line.expect("numbered"), line.to_owned()));
            Ok(())
        })?;
        Ok(seen)
    }

    #[test]
    fn lines_end_at_line_feeds_only_and_blank_ones_are_counted_but_not_given() {
        let seen = numbered("\u{feff}a\r\n\r\nb\u{2028}c\u{85}d\n \ne".as_bytes()).expect("reads");
        assert_eq!(seen, [(1, "a".into()), (3, "b\u{2028}c\u{85}d".into()), (5, "e".into())]);
    }

    #[test]
    fn invalid_utf_8_is_named_by_its_byte_in_the_file() {
        // `ab\n` are bytes 0 to 2, `c` is 3, so 0xff is byte 4; in the whole-file form likewise.
        let offset = |error| match error {
            DatasetError::Utf8 { offset, .. } => offset,
            other => panic!("{other}"),
        };
        assert_eq!(offset(numbered(b"ab\nc\xff").unwrap_err()), 4);
        let (_folder, path) = file(b"ab\nc\xff");
        assert_eq!(offset(text(&path).unwrap_err()), 4);
    }

    #[test]
    fn broken_json_is_named_by_line_and_column_of_the_file() {
        let place = Place { line: Some(7), ..Place::file(Path::new("f")) };
        let error = json::<serde_json::Value>(&place, "{\"a\": 1,\n \"b\" 2}").unwrap_err();
        assert_eq!(error.to_string(), "`f` line 8 column 6: invalid JSON: expected `:`");
    }

    #[test]
    fn a_file_that_is_not_there_is_missing_and_not_unreadable() {
        assert!(matches!(text(Path::new("no/such/file")), Err(DatasetError::Missing { .. })));
    }

    #[test]
    fn a_folder_stands_for_its_only_file_of_the_kind() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        std::fs::write(path.join("dev.json"), "[]").expect("written");
        std::fs::write(path.join("README.md"), "").expect("written");
        assert_eq!(only_file(path, &["json"]).expect("one"), path.join("dev.json"));
        std::fs::write(path.join("train.json"), "[]").expect("written");
        assert!(matches!(only_file(path, &["json"]), Err(DatasetError::Layout { .. })));
    }
}
