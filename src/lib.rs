//! ragxray.
pub mod types;
pub mod text;
pub mod chunk;
pub mod dataset;
pub mod embed;
pub mod index;
pub mod llm;
