//! The questions of an HTML report, as plain data that its script reads.
//!
//! The index is all that the table shows, filters, searches and sorts. Blocks of details and passages are opened with a question.
//! The script computes nothing: classes, reasons, scores, ranks and highlighted ranges come from here. Offsets into texts count
//! UTF-16 units, as a script does; everything else is as in `traces.jsonl`. Without texts, all text of corpus and answers is empty.

mod blocks;
mod columns;
mod counterparts;
mod detail;
mod evaluated;
mod index;
mod marks;
mod page;
mod passages;

pub use blocks::PageBlock;
pub use counterparts::Counterparts;
pub use evaluated::Evaluated;
pub use page::{PageScope, Questions};
