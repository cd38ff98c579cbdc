//! Layouts of data sets on disk.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    pub const ALL: [Self; 6] = [
        Self::Hotpotqa,
        Self::Squad,
        Self::Beir,
        Self::Smart,
        Self::Jsonl,
        Self::Files,
    ];

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
