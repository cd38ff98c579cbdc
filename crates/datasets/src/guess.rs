//! Detects the format of a folder or file by its names and first bytes.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::DatasetError;
use ragtriage_core::config::Format;

/// Bytes read from a JSON file to distinguish `SQuAD` from `HotpotQA`; article titles and the first
/// keys occur within them.
const HEAD: u64 = 64 * 1024;

/// Guesses the format of `path`: by file names (`corpus.jsonl` is BEIR if `queries.jsonl` exists in the same folder,
/// else native; a `.ALL` file is SMART's), a single JSON file by its keys; any other folder holds files.
///
/// # Errors
/// `Missing`, `Read`.
pub fn guess_format(path: &Path) -> Result<Format, DatasetError> {
    if !path.exists() {
        return Err(DatasetError::Missing { path: path.to_owned() });
    }
    if path.is_file() {
        return of_file(path);
    }
    let [corpus, queries, questions] =
        ["corpus.jsonl", "queries.jsonl", "questions.jsonl"].map(|name| path.join(name).is_file());
    if corpus {
        let is_beir = queries && !questions;
        return Ok(if is_beir { Format::Beir } else { Format::Jsonl });
    }
    if questions || path.join("corpus").is_dir() {
        return Ok(Format::Files);
    }
    let entries = std::fs::read_dir(path).map_err(DatasetError::read(path))?;
    let files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    match (with_ending(&files, "all"), with_ending(&files, "json")) {
        (Some(_), _) => Ok(Format::Smart),
        (None, Some(file)) if files.len() == 1 => of_file(file),
        _ => Ok(Format::Files),
    }
}

fn with_ending<'a>(files: &'a [PathBuf], ending: &str) -> Option<&'a PathBuf> {
    files
        .iter()
        .find(|file| file.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending)))
}

fn of_file(path: &Path) -> Result<Format, DatasetError> {
    let mut head = Vec::new();
    let opened = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    opened.map_err(DatasetError::read(path))?;
    let is_squad = String::from_utf8_lossy(&head).contains("\"paragraphs\"");
    Ok(if is_squad { Format::Squad } else { Format::Hotpotqa })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::tests::with_files;

    #[test]
    fn a_format_is_known_by_its_files() {
        let cases: [(&[(&str, &str)], Format); 8] = [
            (&[("corpus.jsonl", ""), ("queries.jsonl", "")], Format::Beir),
            (&[("corpus.jsonl", ""), ("questions.jsonl", "")], Format::Jsonl),
            (&[("corpus.jsonl", "")], Format::Jsonl),
            (&[("corpus/a.md", ""), ("questions.jsonl", "")], Format::Files),
            (&[("a.md", ""), ("x.json", "{}")], Format::Files),
            (&[("CISI.ALL", ""), ("CISI.QRY", "")], Format::Smart),
            (
                &[(
                    "dev.json",
                    r#"{"version": "1.1", "data": [{"title": "T", "paragraphs": []}]}"#,
                )],
                Format::Squad,
            ),
            (&[("dev.json", r#"[{"_id": "5a", "answer": "yes"}]"#)], Format::Hotpotqa),
        ];
        for (files, expected) in cases {
            let seen =
                with_files(files, Format::Files, |spec| guess_format(&spec.path)).expect("seen");
            assert_eq!(seen, expected, "{files:?}");
        }
        assert!(matches!(guess_format(Path::new("no/such")), Err(DatasetError::Missing { .. })));
    }
}
