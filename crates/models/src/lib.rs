//! Models: generators, encoders and rerankers, local and behind endpoints, with their caches.
//!
//! [`llm`] answers prompts, [`embed`] turns texts into vectors, [`rerank`] scores pairs; [`service`] asks an external RAG.
//! [`cache`] stores what they returned by the hash of what they were asked.

pub mod cache;
pub mod embed;
pub mod llm;
pub mod rerank;
pub mod service;

mod remote;
