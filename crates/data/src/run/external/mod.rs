//! Files and services of external systems: the output of other retrievers and RAGs, read unchanged.
//!
//! [`input`] reads a text from a path, standard input or gzip; [`trec_run`] and [`qrels`] read the two files of `trec_eval`,
//! [`predictions`] the answer files of `HotpotQA` and SQuAD, [`recorded`] an external RAG's record of a question, [`chunks`]
//! external chunks; [`spans`] converts traces to such records, and [`join`] joins records to the data set's questions.
//! Readers of columns borrow from the text, so that ten million lines are held once.
//! Malformed input is rejected with file and line; nothing is scored here.

pub mod chunks;
pub mod input;
pub mod join;
pub mod predictions;
pub mod qrels;
pub mod recorded;
pub mod spans;
pub mod trec_run;

mod columns;
pub(crate) mod unique;

use crate::error::Error;
pub use crate::error::Place;
