//! `[packing]`: the passages of a prompt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Expansion of the retrieved chunks before they are packed (small-to-big retrieval).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Expand {
    /// The chunks as they are.
    #[default]
    None,
    /// Each chunk with the `neighbours` chunks before and after it in its document.
    Neighbours,
    /// Each chunk with the chunks of its section, up to the Markdown headings before and after it, at most `parent_tokens`
    /// around the chunk; in a document without headings of all its chunks.
    Parent,
}

/// `[packing]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PackingSettings {
    /// Expansion of the first k hits before they are packed. Expanded passages that overlap are merged, at the rank of the first.
    pub expand: Expand,
    /// For `neighbours`: number of chunks before and after each hit, at least 1.
    #[schemars(range(min = 1))]
    pub neighbours: usize,
    /// For `parent`: maximum tokens (`cl100k_base`) of the passage around a chunk, at least 1. A larger chunk stays as it is.
    #[schemars(range(min = 1))]
    pub parent_tokens: usize,
}

impl Default for PackingSettings {
    /// Five passages of 600 tokens fill the default prompt of 3,000.
    fn default() -> Self {
        Self {
            expand: Expand::None,
            neighbours: 1,
            parent_tokens: 600,
        }
    }
}
