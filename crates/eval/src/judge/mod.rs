//! A judge's verdicts: agreement with the rule, stability, and the share of right answers corrected by an audit.
//!
//! A judge changes no failure class, budget, gate or verdict of a run.

pub(crate) mod judge_summary;
mod measure;

#[cfg(test)]
mod tests;

pub use judge_summary::{FlipCount, JudgeAudit, JudgeCell, JudgeSummary, PositionBias};
pub use measure::{LEAST_AUDITED, judge_summary};
