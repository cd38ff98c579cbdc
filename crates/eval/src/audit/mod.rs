//! Audit of a run: a person reviews a sample of its questions, judges their answers and corrects their failure classes.
//!
//! [`sheet`] draws the sample and writes the data needed to judge each question, `corrections` reads the completed
//! sheet, `results` compares it with the run.

mod corrections;
mod results;
mod sheet;
#[cfg(test)]
mod tests;

pub use corrections::{AuditedQuestion, Corrections, read};
pub use results::{AnswerAudit, Audit, JudgedCell, Mistake, answer_audit, audit, decisions};
pub use sheet::sheet;
