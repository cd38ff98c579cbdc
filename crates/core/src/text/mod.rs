//! Text: pure functions over strings. Analysis for sparse retrieval, normalisation and answer matching for
//! metrics, token counts for chunking and packing.

pub mod address;
pub mod analyse;
pub mod answer_index;
pub mod answers;
pub(crate) mod border;
pub mod causes;
pub mod citations;
pub mod column;
pub mod content_key;
pub mod error_text;
mod formed;
pub mod hex;
pub mod normalise;
pub mod numbers;
pub mod quote;
pub mod retry_after;
pub mod sanitize;
pub mod script;
pub mod sentences;
pub mod thinking;
pub mod tokens;

/// Returns the regular expression of a constant.
pub(crate) fn pattern(text: &str) -> regex::Regex {
    regex::Regex::new(text).expect("a constant pattern")
}
