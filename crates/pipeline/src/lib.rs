//! The pipeline: from a data set to a run's traces.
//!
//! ```text
//! dataset -> chunk -> index (BM25 + Qdrant) -> retrieve -> fuse -> rerank -> pack prompt -> generate -> traces.jsonl
//! ```
//!
//! Read [`execute`](mod@execute) first: it executes every run. [`run`] is the built-in pipeline, [`recorded`] creates the
//! same traces from an external RAG. [`plan`] holds the parts of the pipeline, assembled in `settings/assemble/`.

pub mod answerer;
pub mod ask;
mod chunk_cache;
mod collection;
mod compute;
mod condition_choice;
pub mod conditions;
mod content_hash;
mod contexts;
mod error;
pub mod estimate;
pub mod execute;
pub mod generate;
mod in_prompt;
mod index;
pub mod index_cache;
pub mod index_check;
pub mod judging;
mod locate;
mod oracle;
pub mod plan;
mod points;
pub mod pool;
pub mod progress;
pub mod prompt;
mod questions;
pub mod record;
pub mod recorded;
pub mod rerank;
pub mod retrieve;
pub mod retriever;
pub mod run;
pub mod settings;
pub mod single;
pub mod sink;
pub mod sparse;
pub mod sweep;
mod truncation;
pub mod vectors;

pub use error::{Error, Kind};
