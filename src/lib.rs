//! `ragxray` runs a RAG pipeline over a question set and says which stage lost the answers.
//!
//! The crate is laid out in floors; each imports only what lies below it. Read it from the top:
//!
//! | floor | module | what it is |
//! |---|---|---|
//! | 9 | [`cli`] | one file per command |
//! | 8 | [`sweep`] | many settings, run and scored on the same questions |
//! | 7 | [`settings`] | TOML to typed settings to wired parts |
//! | 6 | [`report`] | one view model, rendered for terminal, HTML, Markdown, TREC |
//! | 5 | [`eval`], [`lint`], [`label`] | a saved run to its summary; a data set's weaknesses; judging what retrievers found |
//! | 4 | [`pipeline`] | the straight line: read [`pipeline::run`] first |
//! | 3 | [`dataset`], [`embed`], [`external`], [`index`], [`llm`], [`rerank`], [`store`] | everything that touches the world |
//! | 3a | [`cache`], [`checkpoint`], [`http`] | values by content hash; models: found, verified, read; JSON over HTTP |
//! | 2 | [`chunk`], [`measure`], [`stats`], [`fuse`], [`attribute`], [`bert`] | pure algorithms |
//! | 1 | [`text`] | pure functions over strings |
//! | 0 | [`types`] | the nouns |
//!
//! The pure floors can be used on their own, offline:
//!
//! ```
//! use ragxray::measure::answer::{Flavour, score};
//! use ragxray::measure::ranked::Graded;
//!
//! // Token F1 as SQuAD's script has it: 2 of 3 tokens shared with a gold of 2, so P 2/3, R 1, F1 0.8.
//! let scores = score("about 18 May", &["18 May".to_owned()], Flavour::Squad2);
//! assert!((scores.f1 - 0.8).abs() < 1e-12);
//!
//! // nDCG@10 with a relevant document at rank 2 of the only one there is: 1 / log2(3).
//! let ranking = Graded::new(vec![None, Some(1), None], [1], 1);
//! assert!((ranking.ndcg(Some(10)) - 1.0 / 3f64.log2()).abs() < 1e-12);
//! ```

pub mod attribute;
pub mod bert;
pub mod cache;
pub mod checkpoint;
pub mod chunk;
pub mod cli;
pub mod dataset;
pub mod embed;
pub mod eval;
pub mod external;
pub mod fuse;
pub mod http;
pub mod index;
pub mod label;
pub mod lint;
pub mod llm;
pub mod measure;
pub mod pipeline;
pub mod report;
pub mod rerank;
pub mod settings;
pub mod stats;
pub mod store;
pub mod sweep;
pub mod text;
pub mod types;
