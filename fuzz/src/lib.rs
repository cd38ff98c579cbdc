//! What the targets share: bytes to files, a data set checked after loading.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ragtriage_core::config::{DatasetSettings, Format};
use ragtriage_core::hint::Hint;
use ragtriage_core::types::{Dataset, Document};
use ragtriage_data::run::Error;

/// The line that parts the files of one input.
const BETWEEN_FILES: &[u8] = b"\n====\n";

/// Writes the parts of `bytes` as files of these names into a folder that the process keeps; a missing part is an empty file.
pub fn files(bytes: &[u8], names: &[&str]) -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().expect("a temporary folder")).path();
    let mut rest = bytes;
    for (n, name) in names.iter().enumerate() {
        let end = rest.windows(BETWEEN_FILES.len()).position(|window| window == BETWEEN_FILES);
        let part = match end {
            Some(end) if n + 1 < names.len() => {
                let part = &rest[..end];
                rest = &rest[end + BETWEEN_FILES.len()..];
                part
            }
            _ => std::mem::take(&mut rest),
        };
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a file stands in a folder")).expect("a folder");
        fs::write(path, part).expect("a file");
    }
    folder
}

/// Returns the file `name` of [`files`] as a document.
pub fn document(folder: &Path, name: &str) -> Document {
    let bytes = fs::read(folder.join(name)).expect("written");
    Document {
        id: name.to_owned().into(),
        title: "Title".to_owned(),
        text: String::from_utf8_lossy(&bytes).into_owned(),
        metadata: BTreeMap::new(),
    }
}

/// The value, or nothing where the error says why.
pub fn said<T>(result: Result<T, Error>) -> Option<T> {
    result.map_err(|error| assert!(!error.to_string().is_empty() && error.hint().is_some())).ok()
}

/// Loads a data set; what loads must be sound, what does not must say why.
pub fn load(format: Format, path: PathBuf) {
    match ragtriage_data::dataset::load(&DatasetSettings::new(format, &path)) {
        Ok(dataset) => check(&dataset),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            let _ = error.hint();
        }
    }
}

/// Ids are unique, and every evidence range is a piece of its document's text.
pub fn check(dataset: &Dataset) {
    let texts: std::collections::BTreeMap<_, _> =
        dataset.documents.iter().map(|document| (&document.id, document.text.as_str())).collect();
    assert_eq!(texts.len(), dataset.documents.len(), "document ids");
    let ids: std::collections::BTreeSet<_> =
        dataset.questions.iter().map(|question| &question.id).collect();
    assert_eq!(ids.len(), dataset.questions.len(), "question ids");
    for question in &dataset.questions {
        assert!(!question.text.is_empty(), "a question without text");
        for member in question.evidence.iter().flatten() {
            let Some(text) = texts.get(&member.doc) else { continue };
            for range in &member.ranges {
                assert!(
                    text.get(range.start..range.end).is_some(),
                    "{range:?} of {:?}",
                    member.doc
                );
            }
        }
    }
}
