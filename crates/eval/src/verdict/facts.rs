//! Inputs of the verdict.

use super::budget::BudgetOf;
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::attribute::known::TopK;
use ragtriage_core::types::Trace;

/// Inputs of the verdict.
pub struct VerdictFacts<'a> {
    /// The traces.
    pub traces: &'a [Trace],
    /// Parallel to the traces.
    pub outcomes: &'a [Outcome],
    /// The score of the budget.
    pub of: BudgetOf,
    /// True if a generator answered.
    pub is_answered: bool,
    /// Number of packed hits.
    pub k: usize,
    /// The record's knowledge of the hits that packing takes.
    pub top: TopK,
    /// Packed passages of an external RAG that are in no document, with the number of packed passages.
    pub unlocated: (usize, usize),
    /// Answers that `auto` and containment judge differently, with the number of answers that both decide.
    pub rule_disagreement: (usize, usize),
}
