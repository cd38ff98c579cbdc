//! Sources of a loss, and the side of the pipeline each is on.

use ragtriage_core::types::FailureClass;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The source that a loss is attributed to, in report order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Not in the corpus.
    Corpus,
    /// Split by a chunk boundary.
    Chunking,
    /// Not among the candidates.
    Retrieval,
    /// Not in the top k.
    Ranking,
    /// Not in the prompt.
    Packing,
    /// Not in the prompt; a record does not show which of the three stages before lost it.
    Undelivered,
    /// In the prompt, lost among the other passages.
    Distraction,
    /// Lost with the gold passages alone: the generator, or the label.
    Reader,
}

/// A side of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Everything before the prompt.
    Retriever,
    /// The generator.
    Generator,
}

impl Source {
    /// Every source, in report order.
    pub const ALL: [Self; 8] = [
        Self::Corpus,
        Self::Chunking,
        Self::Retrieval,
        Self::Ranking,
        Self::Packing,
        Self::Undelivered,
        Self::Distraction,
        Self::Reader,
    ];

    /// Returns its name in files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Corpus => "corpus",
            Self::Chunking => "chunking",
            Self::Retrieval => "retrieval",
            Self::Ranking => "ranking",
            Self::Packing => "packing",
            Self::Undelivered => "undelivered",
            Self::Distraction => "distraction",
            Self::Reader => "reader",
        }
    }

    /// Returns the failure class of the questions that it loses.
    #[must_use]
    pub fn class(self) -> FailureClass {
        match self {
            Self::Corpus => FailureClass::Corpus,
            Self::Chunking => FailureClass::Chunking,
            Self::Retrieval => FailureClass::Retrieval,
            Self::Ranking => FailureClass::Ranking,
            Self::Packing => FailureClass::Packing,
            Self::Undelivered => FailureClass::Undelivered,
            Self::Distraction | Self::Reader => FailureClass::Generation,
        }
    }

    /// Returns the side that the source belongs to.
    #[must_use]
    pub fn side(self) -> Side {
        match self {
            Self::Distraction | Self::Reader => Side::Generator,
            _ => Side::Retriever,
        }
    }

    /// Returns the source of a loss before the prompt; `None` for other classes.
    pub(super) fn of_class(class: FailureClass) -> Option<Self> {
        let mut sources = Self::ALL.into_iter().filter(|source| source.side() == Side::Retriever);
        sources.find(|source| source.class() == class)
    }
}
