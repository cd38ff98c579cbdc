//! Floor 3, files and services of other systems: what somebody else's retriever or RAG wrote or says, read as it is.
//!
//! [`input`] gets a text from a path, standard input or gzip; [`trec_run`] and [`qrels`] read the two files of `trec_eval`,
//! [`predictions`] the answer files of `HotpotQA` and SQuAD, [`recorded`] what another RAG did with a question, [`join`] puts
//! that beside the data set's questions, [`service`] asks another RAG over HTTP. Readers of columns borrow from the text, so
//! that ten million lines are held once. What is malformed is refused with file and line; nothing is scored here.

pub mod input;
pub mod join;
pub mod predictions;
pub mod qrels;
pub mod recorded;
pub mod service;
pub mod trec_run;

mod columns;
mod error;

pub use error::{ExternalError, Position};

use async_trait::async_trait;

use crate::types::Question;
use recorded::Recorded;
use service::ServiceError;

/// Somebody else's RAG: its record, or the service itself.
///
/// Contract: a failure concerns the one question; what is transient is tried again by the implementation.
#[async_trait]
pub trait Rag: Send + Sync {
    /// What it did with `question`.
    async fn ask(&self, question: &Question) -> Result<Recorded, ServiceError>;
}
