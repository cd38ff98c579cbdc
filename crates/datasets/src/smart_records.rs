//! The SMART system's record files: `.I` starts a record, `.T` `.A` `.B` `.W` ... start its fields.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::DatasetError;
use crate::place::Place;
use crate::read;

/// One record: its number as written and its fields in the order of the file.
pub(super) struct SmartRecord {
    /// The place of its `.I`.
    pub(super) place: Place,
    /// The text after `.I`.
    pub(super) number: String,
    fields: Vec<(char, String)>,
}

impl SmartRecord {
    /// Returns the fields of those letters, in that order, trimmed and joined by line feeds; empty ones are
    /// skipped.
    pub(super) fn text(&self, letters: &str) -> String {
        let texts: Vec<&str> = letters
            .chars()
            .flat_map(|letter| self.fields.iter().filter(move |(name, _)| *name == letter))
            .map(|(_, text)| text.trim())
            .filter(|text| !text.is_empty())
            .collect();
        texts.join("\n")
    }
}

/// Reads the records of a file.
pub(super) fn records(path: &Path) -> Result<Vec<SmartRecord>, DatasetError> {
    let shared: Arc<Path> = Arc::from(path);
    let mut records: Vec<SmartRecord> = Vec::new();
    for (index, line) in read::text(path)?.split('\n').enumerate() {
        let line = line.trim_end();
        let place = Place { path: Arc::clone(&shared), line: Some(index + 1), id: None };
        if let Some(number) = line.strip_prefix(".I ") {
            let number = number.trim().to_owned();
            records.push(SmartRecord { place, number, fields: Vec::new() });
            continue;
        }
        match (records.last_mut(), field_name(line)) {
            (Some(record), Some(letter)) => record.fields.push((letter, String::new())),
            (Some(SmartRecord { fields, .. }), None) if !fields.is_empty() => {
                let text = &mut fields.last_mut().expect("not empty by the guard").1;
                text.push_str(line);
                text.push('\n');
            }
            _ if line.is_empty() => {}
            _ => {
                return Err(DatasetError::Line {
                    place,
                    expected: "a record's `.I` and a field's letter first",
                });
            }
        }
    }
    Ok(records)
}

/// Returns the file of a folder with this name, ignoring case.
pub(super) fn named(folder: &[PathBuf], name: &str) -> Option<PathBuf> {
    let found = folder
        .iter()
        .find(|path| path.file_name().is_some_and(|own| own.eq_ignore_ascii_case(name)));
    found.cloned()
}

/// `.T` followed by nothing (white space is already trimmed) is a header. A body may contain lines such as `.5
/// mach`.
fn field_name(line: &str) -> Option<char> {
    match line.as_bytes() {
        [b'.', letter] if letter.is_ascii_uppercase() => Some(char::from(*letter)),
        _ => None,
    }
}
