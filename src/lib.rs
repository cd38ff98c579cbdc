//! ragxray.
pub mod types;
pub mod text;
pub mod chunk;
pub mod measure;
pub mod stats;
pub mod fuse;
pub mod attribute;
pub mod dataset;
pub mod embed;
pub mod index;
pub mod llm;
