//! Floor 3, files and services of other systems: what somebody else's retriever or RAG wrote or says, read as it is.
//!
//! [`input`] gets a text from a path, standard input or gzip; [`trec_run`] and [`qrels`] read the two files of `trec_eval`,
//! [`predictions`] the answer files of `HotpotQA` and SQuAD, [`recorded`] what another RAG did with a question, [`join`] puts
//! that beside the data set's questions. Readers of columns borrow from the text, so
//! that ten million lines are held once. What is malformed is refused with file and line; nothing is scored here.

pub mod input;
pub mod join;
pub mod predictions;
pub mod qrels;
pub mod recorded;
pub mod trec_run;

mod columns;
mod error;

pub use error::{ExternalError, Position};
