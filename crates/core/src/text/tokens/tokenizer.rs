//! The closed set of token counters by name.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TokenError;

/// What one unit of a chunk's or a prompt's size is.
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
pub enum Tokenizer {
    /// `OpenAI`'s byte pairs of GPT-3.5 and GPT-4.
    #[default]
    Cl100kBase,
    /// `OpenAI`'s byte pairs of GPT-4o and later.
    O200kBase,
    /// Unicode scalar values; neither bytes nor grapheme clusters.
    Chars,
    /// Maximal runs without white space.
    Words,
    /// The encoder's own `tokenizer.json`.
    Model,
}

impl Tokenizer {
    /// All of them, in the order they are listed to people.
    pub const ALL: [Self; 5] = [
        Self::Cl100kBase,
        Self::O200kBase,
        Self::Chars,
        Self::Words,
        Self::Model,
    ];

    /// Its name in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cl100kBase => "cl100k_base",
            Self::O200kBase => "o200k_base",
            Self::Chars => "chars",
            Self::Words => "words",
            Self::Model => "model",
        }
    }
}

impl fmt::Display for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Tokenizer {
    type Err = TokenError;

    fn from_str(name: &str) -> Result<Self, TokenError> {
        let known = Self::ALL
            .into_iter()
            .find(|tokenizer| tokenizer.name() == name);
        known.ok_or_else(|| TokenError::Unknown {
            name: name.to_owned(),
        })
    }
}

/// Every name in backticks, for a hint.
pub(super) fn names() -> String {
    Tokenizer::ALL
        .map(|tokenizer| format!("`{tokenizer}`"))
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hint::Hint;

    #[test]
    fn a_name_prints_parses_and_stands_in_settings_the_same_way() {
        let written = ["cl100k_base", "o200k_base", "chars", "words", "model"];
        for (tokenizer, name) in Tokenizer::ALL.into_iter().zip(written) {
            assert_eq!(tokenizer.to_string(), name);
            assert_eq!(
                name.parse::<Tokenizer>().expect("a name of the set"),
                tokenizer
            );
            assert_eq!(
                serde_json::to_string(&tokenizer).expect("serialises"),
                format!("\"{name}\"")
            );
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_ones() {
        let error = "gpt2".parse::<Tokenizer>().expect_err("not in the set");
        assert_eq!(error.to_string(), "unknown tokenizer `gpt2`");
        assert_eq!(
            error.hint().expect("a hint"),
            "use one of `cl100k_base`, `o200k_base`, `chars`, `words`, `model`"
        );
    }
}
