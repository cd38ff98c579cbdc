//! The questions of an HTML report, as plain data that its script reads.
//!
//! The index is all that the table shows, filters, searches and sorts. Blocks of details and passages are opened with a question.
//! The script computes nothing: classes, reasons, scores, ranks and highlighted ranges come from here. Offsets into texts count
//! UTF-16 units, as a script does; everything else is as in `traces.jsonl`. Without texts, all text of corpus and answers is empty.

mod detail;
mod index;
mod marks;
mod page;
mod passages;

use ragtriage_data::run::SavedRun;
use ragtriage_eval::summary::Evaluation;

pub use page::{PageBlock, PageScope, Questions};

/// A run and its evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Evaluated<'a> {
    pub run: &'a SavedRun,
    pub evaluation: &'a Evaluation,
    /// Hits of the final ranking that went to prompt packing.
    pub k: usize,
}
