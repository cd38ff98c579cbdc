//! The closed set of ways to cut a document.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A way to cut a document's text into chunks.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Windows of `size` tokens, each starting `size - overlap` tokens after the one before.
    Fixed,
    /// Paragraphs separated by blank lines, merged up to `size`; one over size is cut as `recursive` does.
    Paragraph,
    /// The largest of paragraphs, sentences, words and characters that fit; or by `separators`, where they are given.
    #[default]
    Recursive,
    /// As `recursive`, along the headings, blocks and items of Markdown; or by `separators`, where they are given.
    Markdown,
    /// Each document as one chunk, whatever its size: `size` and `overlap` have no effect.
    Document,
}

impl Strategy {
    /// All strategies, in the order of the documentation.
    pub const ALL: [Self; 5] = [
        Self::Fixed,
        Self::Paragraph,
        Self::Recursive,
        Self::Markdown,
        Self::Document,
    ];

    /// Returns the name used in a configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Paragraph => "paragraph",
            Self::Recursive => "recursive",
            Self::Markdown => "markdown",
            Self::Document => "document",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hint::Hint;

    #[test]
    fn a_name_prints_parses_and_serialises_alike() {
        let written = ["fixed", "paragraph", "recursive", "markdown", "document"];
        for (strategy, name) in Strategy::ALL.into_iter().zip(written) {
            assert_eq!(strategy.to_string(), name);
            assert_eq!(
                name.parse::<Strategy>().expect("a name of the set"),
                strategy
            );
            assert_eq!(
                serde_json::to_string(&strategy).expect("serialises"),
                format!("\"{name}\"")
            );
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_ones() {
        let error = "sentences".parse::<Strategy>().expect_err("not in the set");
        assert_eq!(error.to_string(), "unknown chunking strategy `sentences`");
        assert_eq!(
            error.hint().expect("a hint"),
            "use one of `fixed`, `paragraph`, `recursive`, `markdown`, `document`"
        );
    }
}
