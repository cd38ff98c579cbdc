//! The BM25 variants by name.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::out_of_range::OutOfRange;

/// Which BM25. The crate `ragtriage-bm25` documents the formulas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bm25Variant {
    /// Lucene's, with exact document lengths: never negative. The default here and in bm25s.
    #[default]
    Lucene,
    /// Robertson and others 1994, negative idf set to 0.
    Robertson,
    /// Trotman and others 2012.
    Atire,
    /// Lv and Zhai, "When documents are very long, BM25 fails!", 2011.
    Bm25l,
    /// Lv and Zhai, "Lower-bounding term frequency normalization", 2011.
    Bm25plus,
    /// `rank_bm25`'s `BM25Okapi`.
    Okapi,
}

impl Bm25Variant {
    /// Every member, in the order of the documentation.
    pub const ALL: [Self; 6] = [
        Self::Lucene,
        Self::Robertson,
        Self::Atire,
        Self::Bm25l,
        Self::Bm25plus,
        Self::Okapi,
    ];

    /// Its name in settings and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lucene => "lucene",
            Self::Robertson => "robertson",
            Self::Atire => "atire",
            Self::Bm25l => "bm25l",
            Self::Bm25plus => "bm25plus",
            Self::Okapi => "okapi",
        }
    }

    /// The usual `delta`: 0.5 for `bm25l`, 1 for `bm25plus` (as in their papers); the others have none.
    #[must_use]
    pub fn default_delta(self) -> f64 {
        match self {
            Self::Bm25l => 0.5,
            Self::Bm25plus => 1.0,
            Self::Lucene | Self::Robertson | Self::Atire | Self::Okapi => 0.0,
        }
    }
}

impl fmt::Display for Bm25Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Bm25Variant {
    type Err = OutOfRange;

    fn from_str(text: &str) -> Result<Self, OutOfRange> {
        Self::ALL
            .into_iter()
            .find(|variant| variant.name() == text)
            .ok_or_else(|| OutOfRange {
                name: "retrieval.bm25.variant".into(),
                value: text.to_owned(),
                problem:
                    "must be one of `lucene`, `robertson`, `atire`, `bm25l`, `bm25plus`, `okapi`"
                        .into(),
            })
    }
}
