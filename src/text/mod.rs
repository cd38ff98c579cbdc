//! Floor 1, text: pure functions over strings.

pub mod tokens;
