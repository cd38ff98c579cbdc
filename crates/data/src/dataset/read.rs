//! Reads files as text, lines and JSON, with positions in errors.
//!
//! A byte order mark is dropped; `\r\n` ends a line like `\n`. Lines end at `\n` only: U+2028 and similar characters are
//! part of a JSON string.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use serde::Deserialize;
use serde_json::error::Category;

use crate::dataset::draft::Draft;
use crate::dataset::lint::finding::Rule;
use crate::error::{Error, Place, reason};
use crate::run::open_file;
use ragtriage_core::types::Document;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Bytes of a corpus that are in memory at once, beyond the last line's end.
const BLOCK_BYTES: u64 = 4 << 20;
/// Lines that one task parses at least.
const LINES_PER_TASK: usize = 128;

/// Reads a whole file.
pub(super) fn text(path: &Path) -> Result<String, Error> {
    let mut bytes = Vec::new();
    open_file(path)
        .and_then(|mut file| file.read_to_end(&mut bytes))
        .map_err(|source| Error::read(path, source))?;
    let mut text = String::from_utf8(bytes)
        .map_err(|broken| Error::not_text(path, broken.utf8_error().valid_up_to()))?;
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(text)
}

/// Passes each non-blank line to `each`, without its line end; holds one at a time and stops at the first error.
pub(super) fn lines(
    path: &Path,
    mut each: impl FnMut(&Place, &str) -> Result<(), Error>,
) -> Result<(), Error> {
    each_line(path, |place, line| each(&place, line?))
}

/// Like [`lines`], with the errors of lines in `draft`.
pub(super) fn lines_of(
    path: &Path,
    draft: &mut Draft,
    mut each: impl FnMut(&Place, &str, &mut Draft) -> Result<(), Error>,
) -> Result<(), Error> {
    each_line(path, |place, line| {
        let read = line.and_then(|line| each(&place, line, draft));
        draft.check(read);
        Ok(())
    })
}

fn each_line(
    path: &Path,
    mut each: impl FnMut(Place, Result<&str, Error>) -> Result<(), Error>,
) -> Result<(), Error> {
    let unreadable = |source| Error::read(path, source);
    let mut reader = BufReader::with_capacity(1 << 16, open_file(path).map_err(unreadable)?);
    let shared: Arc<Path> = Arc::from(path);
    let (mut bytes, mut offset) = (Vec::new(), 0);
    for number in 1.. {
        bytes.clear();
        let n_read = reader.read_until(b'\n', &mut bytes).map_err(unreadable)?;
        if n_read == 0 {
            break;
        }
        if let Some((place, line)) = line(&shared, number, offset, &bytes) {
            each(place, line)?;
        }
        offset += n_read;
    }
    Ok(())
}

/// Parses each non-blank line of a corpus with `parse` on all cores, a block of the file at a time, and adds the documents to
/// `draft` in the order of the lines.
pub(super) fn corpus(
    path: &Path,
    draft: &mut Draft,
    parse: impl Fn(&Place, &str) -> Result<Document, Error> + Sync,
) -> Result<(), Error> {
    let unreadable = |source| Error::read(path, source);
    let mut reader = BufReader::new(open_file(path).map_err(unreadable)?);
    let shared: Arc<Path> = Arc::from(path);
    let (mut block, mut offset, mut number) = (Vec::new(), 0, 0);
    loop {
        block.clear();
        reader.by_ref().take(BLOCK_BYTES).read_to_end(&mut block).map_err(unreadable)?;
        reader.read_until(b'\n', &mut block).map_err(unreadable)?;
        if block.is_empty() {
            return Ok(());
        }
        let lines: Vec<(usize, usize, &[u8])> = block
            .split_inclusive(|byte| *byte == b'\n')
            .map(|line| {
                let start = offset;
                (number, offset) = (number + 1, offset + line.len());
                (number, start, line)
            })
            .collect();
        let parsed =
            lines.par_iter().with_min_len(LINES_PER_TASK).filter_map(|&(number, at, bytes)| {
                let (place, line) = line(&shared, number, at, bytes)?;
                let document = line.and_then(|line| parse(&place, line));
                Some((place, document))
            });
        for (place, document) in parsed.collect::<Vec<_>>() {
            if let Some(document) = draft.check(document) {
                draft.push_document(&place, document);
            }
        }
    }
}

/// Returns the line `number`, which begins at the byte `offset` of the file, without its line end; `None` if it is blank.
fn line<'a>(
    path: &Arc<Path>,
    number: usize,
    offset: usize,
    bytes: &'a [u8],
) -> Option<(Place, Result<&'a str, Error>)> {
    let line = std::str::from_utf8(bytes)
        .map(|line| if number == 1 { line.trim_start_matches(BYTE_ORDER_MARK) } else { line })
        .map(|line| line.trim_end_matches(['\n', '\r']))
        .map_err(|broken| Error::not_text(path, offset + broken.valid_up_to()));
    if line.as_ref().is_ok_and(|line| line.trim().is_empty()) {
        return None;
    }
    Some((Place { path: Arc::clone(path), line: Some(number), id: None }, line))
}

/// Parses a JSON value that starts at `place` (its first line, or the file's).
pub(super) fn json<'a, T: Deserialize<'a>>(place: &Place, text: &'a str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|_| fault::<T>(place, text))
}

/// Returns the reason that `text` is no `T`: the path of a wrong field, or the column where it is no JSON.
pub(super) fn fault<'a, T: Deserialize<'a>>(place: &Place, text: &'a str) -> Error {
    let mut reader = serde_json::Deserializer::from_str(text);
    let (path, error) = match serde_path_to_error::deserialize::<_, T>(&mut reader) {
        Err(error) => (error.path().to_string(), error.into_inner()),
        Ok(_) => (String::new(), reader.end().expect_err("something follows the value")),
    };
    let (message, column) = (reason(&error), error.column().max(1));
    let line = place.line.unwrap_or(1) + error.line().saturating_sub(1);
    let place = Place { line: Some(line), ..place.clone() };
    if error.classify() == Category::Data {
        let field = if path == "." { String::new() } else { format!("`{path}`: ") };
        return Error::record(&place, field + &message);
    }
    let message = format!("invalid JSON at column {column}: {message}");
    Error::data(Rule::BrokenLine, message, "fix that line, or check `dataset.format`").at(&place)
}

/// Returns the file that `path` names: itself, or the only one in the folder whose name ends in one of
/// `extensions`.
pub(super) fn only_file(path: &Path, extensions: &[&str]) -> Result<PathBuf, Error> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let mut found: Vec<PathBuf> = folder(path)?;
    found.retain(|file| {
        file.extension().is_some_and(|end| extensions.iter().any(|known| end == *known))
    });
    match found.len() {
        1 => Ok(found.remove(0)),
        n => {
            let endings = extensions.join("` or `*.");
            Err(layout(path, &format!("single file `*.{endings}`, it has {n}")))
        }
    }
}

/// Returns the error of a path without what its format requires.
pub(super) fn layout(path: &Path, expected: &str) -> Error {
    let message = format!("`{}` has no {expected}", path.display());
    Error::new(message, "check that `dataset.format` is the format of `dataset.path`")
}

/// Returns the files and folders of a folder, ascending by name.
pub(super) fn folder(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let names: io::Result<Vec<PathBuf>> = std::fs::read_dir(path)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect());
    let mut names = names.map_err(|source| Error::read(path, source))?;
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    fn file(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::fs::write(&path, bytes).expect("written");
        (folder, path)
    }

    fn numbered(bytes: &[u8]) -> Result<Vec<(usize, String)>, Error> {
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
        let is_named = |error: Error| error.to_string().ends_with("is not valid UTF-8 at byte 4");
        assert!(is_named(numbered(b"ab\nc\xff").unwrap_err()));
        let (_folder, path) = file(b"ab\nc\xff");
        assert!(is_named(text(&path).unwrap_err()));
    }

    #[test]
    fn broken_json_is_named_by_line_and_column_of_the_file() {
        let place = Place { line: Some(7), ..Place::file(Path::new("f")) };
        let error = json::<serde_json::Value>(&place, "{\"a\": 1,\n \"b\" 2}").unwrap_err();
        assert_eq!(error.to_string(), "`f` line 8: invalid JSON at column 6: expected `:`");
    }

    #[test]
    fn a_file_that_is_not_there_is_missing_and_not_unreadable() {
        assert_eq!(text(Path::new("no/such/file")).unwrap_err().kind, Kind::Missing);
    }

    #[test]
    fn a_folder_stands_for_its_only_file_of_the_kind() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        std::fs::write(path.join("dev.json"), "[]").expect("written");
        std::fs::write(path.join("README.md"), "").expect("written");
        assert_eq!(only_file(path, &["json"]).expect("one"), path.join("dev.json"));
        std::fs::write(path.join("train.json"), "[]").expect("written");
        assert!(only_file(path, &["json"]).unwrap_err().to_string().ends_with("it has 2"));
    }
}
