//! Sources of a loss, and the side of the pipeline each is on.

use ragtriage_core::types::Stage;
use serde::{Deserialize, Serialize};

/// The source that a loss is attributed to, in report order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    pub const ALL: [Self; 7] = [
        Self::Corpus,
        Self::Chunking,
        Self::Retrieval,
        Self::Ranking,
        Self::Packing,
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
            Self::Distraction => "distraction",
            Self::Reader => "reader",
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

    pub(super) fn of_lost(stage: Stage) -> Option<Self> {
        match stage {
            Stage::Corpus => Some(Self::Corpus),
            Stage::Chunking => Some(Self::Chunking),
            Stage::Retrieval => Some(Self::Retrieval),
            Stage::Ranking => Some(Self::Ranking),
            Stage::Packing => Some(Self::Packing),
            Stage::Generation => None,
        }
    }
}
