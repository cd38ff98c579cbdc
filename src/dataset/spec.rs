//! What to load: the format, where it stands, and how strict to be.

use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DatasetError;
use crate::types::Split;

/// How a data set's files are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// `HotpotQA` (Yang et al. 2018): the official JSON list or the Hugging Face dict form; the paragraphs of all
    /// questions pooled into one corpus by title.
    Hotpotqa,
    /// `SQuAD` 1.1 and 2.0 (Rajpurkar et al. 2016, 2018): one document a paragraph, its id `<article>/<number from 0>`.
    Squad,
    /// A BEIR folder (Thakur et al. 2021): `corpus.jsonl`, `queries.jsonl`, `qrels/<split>.tsv`.
    Beir,
    /// A folder with CISI or Cranfield as the SMART system had them.
    Smart,
    /// One's own `corpus.jsonl` and `questions.jsonl`.
    Jsonl,
    /// One's own folder of files, and `questions.jsonl`.
    Files,
}

impl Format {
    /// Every format, published ones first.
    pub const ALL: [Self; 6] = [Self::Hotpotqa, Self::Squad, Self::Beir, Self::Smart, Self::Jsonl, Self::Files];

    /// The name used in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hotpotqa => "hotpotqa",
            Self::Squad => "squad",
            Self::Beir => "beir",
            Self::Smart => "smart",
            Self::Jsonl => "jsonl",
            Self::Files => "files",
        }
    }

    /// Whether it is for data of one's own: documents apart, and `questions.jsonl`.
    #[must_use]
    pub fn is_own(self) -> bool {
        matches!(self, Self::Jsonl | Self::Files)
    }

    /// What is done about evidence that is not there unless settings say otherwise: one's own data should be mended,
    /// a published set is what it is.
    #[must_use]
    pub fn missing_evidence(self) -> MissingEvidence {
        match self {
            Self::Hotpotqa | Self::Squad | Self::Beir | Self::Smart => MissingEvidence::Keep,
            Self::Jsonl | Self::Files => MissingEvidence::Error,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What to do when evidence or a judgment names what the corpus does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MissingEvidence {
    /// Refuse the data set.
    Error,
    /// Keep the label, so that the loss is counted against the corpus, and note how many there are.
    Keep,
}

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
    /// What is done about evidence that is not there.
    pub(super) fn missing_evidence(&self) -> MissingEvidence {
        self.missing_evidence.unwrap_or(self.format.missing_evidence())
    }

    /// The part of one's own questions that is asked for; fails when the format has no such split.
    pub(super) fn own_split(&self) -> Result<Option<Split>, DatasetError> {
        let Some(split) = self.split.as_deref() else { return Ok(None) };
        match (self.format, split) {
            (Format::Beir, _) => Ok(None), // the name of a qrels file
            (Format::Jsonl | Format::Files, "tune") => Ok(Some(Split::Tune)),
            (Format::Jsonl | Format::Files, "heldout" | "held_out") => Ok(Some(Split::Heldout)),
            (Format::Jsonl | Format::Files, _) => {
                Err(DatasetError::UnknownSplit { split: split.into(), known: "`tune`, `heldout`".into() })
            }
            (Format::Hotpotqa | Format::Squad | Format::Smart, _) => {
                Err(DatasetError::NoSplits { format: self.format, split: split.into() })
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Writes `files` into a folder and lets `act` load it.
    pub(in crate::dataset) fn with_files<T>(
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
        act(&mut LoadSpec { format, path, split: None, missing_evidence: None, globs: Vec::new() })
    }

    /// The same for a data set of one file.
    pub(in crate::dataset) fn with_file<T>(
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
            assert_eq!(serde_json::from_str::<Format>(&text).expect("reads"), format);
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
        assert_eq!(spec(Format::Files, "heldout").own_split().expect("known"), Some(Split::Heldout));
        assert_eq!(spec(Format::Beir, "dev").own_split().expect("a file name"), None);
        assert!(matches!(spec(Format::Jsonl, "train").own_split(), Err(DatasetError::UnknownSplit { .. })));
        assert!(matches!(spec(Format::Squad, "tune").own_split(), Err(DatasetError::NoSplits { .. })));
    }
}
