//! Whether the attribution is to be trusted: a person looks at a sample of a run's questions and corrects their classes.
//!
//! [`sheet`] draws the sample and writes all that a person needs to judge a question, `corrections` reads back what was
//! filled in, `rates` makes an error rate and corrected shares of it.

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
