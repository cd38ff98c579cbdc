//! The pure part of `ragtriage`: data types, text analysis, chunking, metrics, statistics, rank fusion, evidence
//! support, failure classes and configuration. Nothing here reads a file, a clock or the network.
//!
//! ```
//! use ragtriage_core::language::Language;
//! use ragtriage_core::metric::answer::{Scorer, score};
//! use ragtriage_core::metric::ranked::Graded;
//!
//! // Token F1 as in SQuAD's script: 2 of 3 tokens shared with a gold answer of 2, so P 2/3, R 1, F1 0.8.
//! let scores = score("about 18 May", &["18 May".to_owned()], Scorer::Squad2, Language::english());
//! assert!((scores.f1 - 0.8).abs() < 1e-12);
//!
//! // nDCG@10 with the only relevant document at rank 2: 1 / log2(3).
//! let ranking = Graded::new(vec![None, Some(1), None], [1], 1);
//! assert!((ranking.ndcg(Some(10)) - 1.0 / 3f64.log2()).abs() < 1e-12);
//! ```

mod closed_set;
mod error;

pub mod attribute;
pub mod batches;
pub mod chunk;
pub mod config;
pub mod correctness;
pub mod fuse;
pub mod hint;
pub mod language;
pub mod metric;
pub mod notices;
pub mod prompt;
pub mod sample;
pub mod stats;
pub mod text;
pub mod types;

pub use error::{Error, ErrorOf};
