//! Reports: a document model, one builder per report, and one renderer per format. Renderers only lay out and return strings.

pub mod ask;
pub mod audit;
pub mod comparison;
pub mod document;
pub mod estimate;
mod external;
mod few_clusters;
pub mod gates;
pub mod html;
mod judge;
pub mod labelling;
pub mod lint;
#[cfg(test)]
mod pinned;
pub mod questions;
pub mod render;
pub mod run;
pub mod scores;
#[cfg(test)]
mod specimen;
#[cfg(test)]
mod tests;
pub mod trec;
pub mod tuning;
pub mod wrap;
