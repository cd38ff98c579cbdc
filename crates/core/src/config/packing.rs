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
        Self { expand: Expand::None, neighbours: 1, parent_tokens: 600 }
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Settings;

    fn refused(text: &str) -> Option<String> {
        let settings: Settings = toml::from_str(text).expect("settings");
        settings.validate().err().map(|error| error.to_string())
    }

    #[test]
    fn a_parent_must_fit_the_prompt() {
        let text = "packing.expand = \"parent\"\npacking.parent_tokens = 3001";
        let expected = "`packing.parent_tokens` is 3001, must be at most `generation.context_tokens`, which is 3000";
        assert_eq!(refused(text).as_deref(), Some(expected));
        assert_eq!(refused("packing.parent_tokens = 3001"), None);
        let zero = "`packing.neighbours` is 0, must be at least 1";
        assert_eq!(refused("packing.neighbours = 0").as_deref(), Some(zero));
    }

    #[test]
    fn settings_of_another_expansion_have_no_effect() {
        let text =
            "packing.expand = \"neighbours\"\npacking.neighbours = 3\npacking.parent_tokens = 9";
        let mut settings: Settings = toml::from_str(text).expect("settings");
        let unused = settings.reset_unused();
        assert!(unused.contains(&"packing.parent_tokens"));
        assert!(!unused.contains(&"packing.neighbours"));
        assert_eq!((settings.packing.neighbours, settings.packing.parent_tokens), (3, 600));
    }
}
