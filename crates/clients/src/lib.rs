//! Generators, encoders and rerankers, local and behind endpoints, with their caches, and downloads. All fail with [`Error`].
//!
//! [`llm`] answers prompts, [`judge`] compares answers, [`embed`] converts texts to vectors, [`rerank`] scores pairs; [`service`]
//! calls an external RAG. Caches store their results by the hash of the inputs. [`http`] is the one client of all of them,
//! [`fetch`] downloads data sets and checkpoints.

pub mod embed;
pub mod fetch;
pub mod http;
pub mod judge;
pub mod llm;
pub mod rerank;
pub mod service;

mod cache;
mod error;

pub use error::Error;
