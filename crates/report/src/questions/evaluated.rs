//! A run together with its evaluation.

use ragtriage_eval::summary::Evaluation;
use ragtriage_runs::SavedRun;

/// A run and its evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Evaluated<'a> {
    /// Its traces and passages.
    pub run: &'a SavedRun,
    /// Its scores and classes.
    pub evaluation: &'a Evaluation,
    /// Hits of the final ranking that went to prompt packing.
    pub k: usize,
}
