//! Audit of a run: a person reviews a sample of its questions, judges their answers and corrects their failure classes.
//!
//! [`sheet`] draws the sample and writes the data needed to judge each question, `corrections` reads the completed
//! sheet, `rates` computes the error rate of the classes, `answers` the corrected share of right answers.

pub(crate) mod answer_audit;
mod answers;
mod corrections;
mod error;
mod rates;
mod sheet;

#[cfg(test)]
mod tests;

pub use answer_audit::{AnswerAudit, JudgedCell};
pub use answers::{answer_audit, decisions};
pub use corrections::{AuditedQuestion, Corrections, read};
pub use error::AuditError;
pub use rates::{Audit, Mistake, audit};
pub use sheet::{SheetLine, SheetPassage, sheet};
