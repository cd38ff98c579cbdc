//! The version of a strategy's code, for cache keys.

use super::strategy::Strategy;
use super::{fixed, foreign, piece, repair, semantic};

impl Strategy {
    /// Joins the versions of all the code that a strategy runs through. It is part of every cache key that depends on
    /// chunks, so that no change to a shared part leaves an old key valid.
    #[must_use]
    pub fn version(self) -> String {
        let versions: &[u32] = match self {
            Self::Fixed => &[fixed::VERSION],
            Self::Recursive | Self::Markdown => {
                &[semantic::VERSION, repair::VERSION, fixed::VERSION]
            }
            Self::Document => &[piece::VERSION],
            Self::File => &[foreign::VERSION],
        };
        versions.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
    }
}
