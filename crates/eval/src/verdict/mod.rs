//! Loss budget and verdict: what each stage loses, and whether retrieval is the bottleneck.
//!
//! `budget` attributes the loss of every question to its sources, `decide` compares the retriever's side with the
//! generator's, `estimate` replaces a missing oracle, `cautions` lists what limits the verdict, and `text` writes its sentences.

mod budget;
mod cautions;
mod decide;
mod estimate;
mod facts;
mod source;
mod text;
mod unrecorded;
mod unusable;

pub use budget::{BudgetOf, ESTIMATED, LOSS_DIGITS, LossBudget, SUPPORT, Term, loss_budget};
pub use cautions::{OracleCheck, oracle_check};
pub use decide::judge;
pub use estimate::estimated_budget;
pub use facts::{Answered, Conclusion, LossVerdict, SideLoss, VerdictFacts};
pub use source::{Side, Source};
pub use text::rule_of_thumb;

pub(super) use budget::{answer_terms, loss_columns, lost_at};

#[cfg(test)]
mod tests;
