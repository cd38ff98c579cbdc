//! Metrics: a closed set, each with its name, its facts and its computation.
//!
//! A metric's printed name is its parse form and its key in every file: `nDCG@10`, `EM@prompt`, `AnswerF1`. [`ranked`]
//! scores a ranking of documents, [`spans`] the bytes of passages, [`answer`] an answer; matching of answers in
//! passages (`EM@k`) is in `text::answers`.

pub mod answer;
pub mod ranked;
pub mod spans;

mod family;
mod name;
mod quantity;

pub use family::{Aggregate, Direction, Family};
pub use name::{Cutoff, Metric};
pub use quantity::Quantity;
