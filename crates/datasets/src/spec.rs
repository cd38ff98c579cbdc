//! What to load: the format, where it stands, and how strict to be.

use std::path::{Path, PathBuf};

use crate::error::DatasetError;
use ragtriage_core::config::{Format, MissingEvidence};
use ragtriage_core::types::Split;

/// What [`super::load`] reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadSpec {
    /// The layout.
    pub format: Format,
    /// A file (`hotpotqa`, `squad`; a folder that holds just one will do) or a folder (all others).
    pub path: PathBuf,
    /// `beir`: the name of the qrels file, `test` when not given. `jsonl`, `files`: `tune` or `heldout`, questions
    /// outside it are left out. The other formats have no splits.
    pub split: Option<String>,
    /// [`Format::missing_evidence`] when not given.
    pub missing_evidence: Option<MissingEvidence>,
    /// `files` only: which files make the corpus, relative to its folder with `/`; one without `/` matches in every
    /// folder; none given: Markdown, text, reStructuredText and common source code.
    pub globs: Vec<String>,
}

impl LoadSpec {
    /// Creates the specification of the whole of `path`, with the defaults of its format.
    #[must_use]
    pub fn new(format: Format, path: &Path) -> Self {
        Self {
            format,
            path: path.to_owned(),
            split: None,
            missing_evidence: None,
            globs: Vec::new(),
        }
    }

    /// What is done about evidence that is not there.
    pub(super) fn missing_evidence(&self) -> MissingEvidence {
        self.missing_evidence
            .unwrap_or(self.format.missing_evidence())
    }

    /// The part of one's own questions that is asked for; fails when the format has no such split.
    pub(super) fn own_split(&self) -> Result<Option<Split>, DatasetError> {
        let Some(split) = self.split.as_deref() else {
            return Ok(None);
        };
        match (self.format, split) {
            (Format::Beir, _) => Ok(None), // the name of a qrels file
            (Format::Jsonl | Format::Files, "tune") => Ok(Some(Split::Tune)),
            (Format::Jsonl | Format::Files, "heldout" | "held_out") => Ok(Some(Split::Heldout)),
            (Format::Jsonl | Format::Files, _) => Err(DatasetError::UnknownSplit {
                split: split.into(),
                known: "`tune`, `heldout`".into(),
            }),
            (Format::Hotpotqa | Format::Squad | Format::Smart, _) => Err(DatasetError::NoSplits {
                format: self.format,
                split: split.into(),
            }),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Writes `files` into a folder and lets `act` load it.
    pub(crate) fn with_files<T>(
        files: &[(&str, &str)],
        format: Format,
        act: impl FnOnce(&mut LoadSpec) -> T,
    ) -> T {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, text).expect("written");
        }
        let path = folder.path().to_owned();
        act(&mut LoadSpec {
            format,
            path,
            split: None,
            missing_evidence: None,
            globs: Vec::new(),
        })
    }

    /// The same for a data set of one file.
    pub(crate) fn with_file<T>(
        name: &str,
        text: &str,
        format: Format,
        act: impl FnOnce(&mut LoadSpec) -> T,
    ) -> T {
        with_files(&[(name, text)], format, |spec| {
            spec.path.push(name);
            act(spec)
        })
    }

    #[test]
    fn every_format_is_written_as_it_prints_and_reads_back() {
        for format in Format::ALL {
            let text = serde_json::to_string(&format).expect("serialises");
            assert_eq!(text, format!("\"{format}\""));
            assert_eq!(
                serde_json::from_str::<Format>(&text).expect("reads"),
                format
            );
        }
    }

    #[test]
    fn a_split_is_refused_where_the_format_has_none_of_that_name() {
        let spec = |format, split: &str| LoadSpec {
            format,
            path: PathBuf::new(),
            split: Some(split.into()),
            missing_evidence: None,
            globs: Vec::new(),
        };
        assert_eq!(
            spec(Format::Files, "heldout").own_split().expect("known"),
            Some(Split::Heldout)
        );
        assert_eq!(
            spec(Format::Beir, "dev").own_split().expect("a file name"),
            None
        );
        assert!(matches!(
            spec(Format::Jsonl, "train").own_split(),
            Err(DatasetError::UnknownSplit { .. })
        ));
        assert!(matches!(
            spec(Format::Squad, "tune").own_split(),
            Err(DatasetError::NoSplits { .. })
        ));
    }
}
