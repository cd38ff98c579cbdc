//! Models: generators, encoders and rerankers, local and behind endpoints, with their caches.
//!
//! [`llm`] answers prompts, [`judge`] compares answers, [`embed`] converts texts to vectors, [`rerank`] scores pairs; [`service`] calls an external
//! RAG. Caches store their results by the hash of the inputs. All fail with [`Error`].

pub mod embed;
pub mod judge;
pub mod llm;
pub mod rerank;
pub mod service;
pub mod services;

mod cache;
mod calls;
mod error;
mod remote;
mod sse;

pub use error::Error;
