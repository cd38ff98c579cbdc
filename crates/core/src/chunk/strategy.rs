//! The closed set of ways to cut a document.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ChunkError, document, fixed, mend, paragraph, semantic, separators};

/// How a document's text is cut into chunks.
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
    /// Paragraphs parted by blank lines, merged up to `size`; one over size is cut as `recursive` does.
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
    /// All of them, in the order they are listed to people.
    pub const ALL: [Self; 5] = [
        Self::Fixed,
        Self::Paragraph,
        Self::Recursive,
        Self::Markdown,
        Self::Document,
    ];

    /// Its name in settings.
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

    /// Part of every cache key that depends on chunks: the versions of all the code that a strategy runs through,
    /// so that no change to a shared part leaves an old key valid.
    #[must_use]
    pub fn version(self) -> String {
        let versions: &[u32] = match self {
            Self::Fixed => &[fixed::VERSION],
            Self::Paragraph => &[
                paragraph::VERSION,
                semantic::VERSION,
                separators::VERSION,
                mend::VERSION,
                fixed::VERSION,
            ],
            Self::Recursive | Self::Markdown => &[
                semantic::VERSION,
                separators::VERSION,
                mend::VERSION,
                fixed::VERSION,
            ],
            Self::Document => &[document::VERSION],
        };
        versions
            .iter()
            .map(u32::to_string)
            .collect::<Vec<_>>()
            .join(".")
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Strategy {
    type Err = ChunkError;

    fn from_str(name: &str) -> Result<Self, ChunkError> {
        let known = Self::ALL
            .into_iter()
            .find(|strategy| strategy.name() == name);
        known.ok_or_else(|| ChunkError::UnknownStrategy {
            name: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hint::Hint;

    #[test]
    fn a_name_prints_parses_and_stands_in_settings_the_same_way() {
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
