//! Floor 6, reports: one view model, and renderers that only lay it out and return strings.

pub mod agreement;
pub mod anchors;
mod arms;
pub mod ask;
pub mod audit;
pub mod cache;
pub mod chart;
pub mod comparison;
pub mod csv;
mod diagnosis;
pub mod document;
pub mod estimate;
pub mod external;
pub mod gates;
pub mod glossary;
mod head;
pub mod html;
pub mod labelling;
pub mod lint;
pub mod markdown;
pub mod pictures;
#[cfg(test)]
mod pinned;
pub mod questions;
pub mod record;
pub mod render;
pub mod scores;
pub mod section;
#[cfg(test)]
mod specimen;
pub mod terminal;
#[cfg(test)]
mod tests;
pub mod trec;
pub mod trec_eval;
pub mod tuning;
pub mod view;
pub mod wrap;
