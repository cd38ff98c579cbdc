//! The BM25 variants by name.

use crate::closed_set::closed_set;

closed_set! {
    /// A BM25 variant (Kamphuis et al. 2020). The crate `ragtriage-bm25` documents the formulas.
    #[derive(Default)]
    Bm25Variant {
        /// Lucene's, with exact document lengths: never negative. The default here and in bm25s.
        #[default]
        Lucene = "lucene",
        /// Robertson et al. 1994, with negative idf set to 0.
        Robertson = "robertson",
        /// Trotman et al. 2012.
        Atire = "atire",
        /// Lv and Zhai, "When documents are very long, BM25 fails!", 2011.
        Bm25l = "bm25l",
        /// Lv and Zhai, "Lower-bounding term frequency normalization", 2011.
        Bm25plus = "bm25plus",
        /// `BM25Okapi` of `rank_bm25`.
        Okapi = "okapi",
    }
}

impl Bm25Variant {
    /// Returns the usual `delta`: 0.5 for `bm25l`, 1 for `bm25plus` (as in their papers); the others have none.
    #[must_use]
    pub fn default_delta(self) -> f64 {
        match self {
            Self::Bm25l => 0.5,
            Self::Bm25plus => 1.0,
            Self::Lucene | Self::Robertson | Self::Atire | Self::Okapi => 0.0,
        }
    }
}
