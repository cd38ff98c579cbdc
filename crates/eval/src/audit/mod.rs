//! Audit of the attribution: a person reviews a sample of a run's questions and corrects their failure classes.
//!
//! [`sheet`] draws the sample and writes the data needed to judge each question, `corrections` reads the completed
//! sheet, `rates` computes the error rate and corrected shares.

mod corrections;
mod error;
mod rates;
mod sheet;

#[cfg(test)]
mod tests;

pub use corrections::{AuditedQuestion, Corrections, read};
pub use error::AuditError;
pub use rates::{Audit, CorrectedShare, Mistake, audit};
pub use sheet::{SheetLine, SheetPassage, sheet};
