//! Floor 6, reports: one view model, and renderers that only lay it out and return strings.

pub mod comparison;
pub mod gates;
pub mod glossary;
pub mod html;
pub mod markdown;
pub mod terminal;
pub mod trec;
pub mod view;
pub mod wrap;
