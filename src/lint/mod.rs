//! Floor 5, lint: what is wrong with a data set, or weak in it, before anybody measures with it.

pub mod changed;
pub mod reanchor;
