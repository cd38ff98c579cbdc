//! The rule's decision on an answer.

use serde::{Deserialize, Serialize};

/// The rule's decision on an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Correctness {
    /// Right.
    Right,
    /// Wrong.
    Wrong,
    /// The rule cannot decide.
    Unsure,
}
