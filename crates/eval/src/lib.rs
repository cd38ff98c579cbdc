//! Evaluation: computes the [`summary::Summary`] of a saved run. Makes no calls, so a finished run can be scored again.
//!
//! [`score`] computes the metrics of every question, [`diagnose`] its outcome, [`verdict`] the loss budget and the conclusion, and
//! [`losses`] the table of losses that every report prints; [`slices`] breaks these down; [`summary`] combines them. [`clusters`] links questions that share evidence. [`compare`] compares runs with
//! a baseline question by question, [`gate`] applies quality gates.
//! [`audit`] measures how often an auditor agrees with the attribution, [`judge`] how far a judge's verdicts can be trusted. [`tuning`] compares the trials of a sweep.
//! [`labels`] proposes the labels whose judgment may move a verdict. [`what_if`] computes what other settings would deliver, [`cost`] what a question costs.
//! [`files`] scores runs and predictions of other systems, which are not saved runs.

mod answer_scores;
pub mod approximate;
pub mod audit;
pub mod clusters;
pub mod compare;
pub mod conditions;
pub mod cost;
mod counts;
pub mod diagnose;
pub mod files;
pub mod gate;
pub mod judge;
pub mod labels;
pub mod losses;
mod metric_summary;
pub mod outcomes;
pub mod score;
pub mod shown;
pub mod slices;
pub mod summary;
pub mod tuning;
pub mod verdict;
pub mod what_if;

pub use ragtriage_core::Error;

#[cfg(test)]
mod tests;
