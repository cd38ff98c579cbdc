//! Destinations of question results: the folder of a run, or an estimate.

use super::ask::{QuestionResult, RunFacts};
use super::generate::Calls;
use crate::Error;

/// Receives the results of an execution.
///
/// Contract: `begin` is called first, then `calls` if prompts are answered, then `take` once per finished question in completion
/// order, then `finish` unless the execution was aborted.
pub trait Sink: Send {
    /// Returns the name of a run that can be resumed; empty for another.
    fn name(&self) -> String;

    /// Prepares for results, before anything is indexed or asked.
    ///
    /// # Errors
    /// I/O errors.
    fn begin(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Prepares the calls of the run's conditions.
    ///
    /// # Errors
    /// I/O errors.
    fn calls(&mut self, _calls: &mut Calls) -> Result<(), Error> {
        Ok(())
    }

    /// Takes the result of one question.
    ///
    /// # Errors
    /// I/O errors.
    fn take(&mut self, asked: QuestionResult) -> Result<(), Error>;

    /// Returns true if execution continues regardless of the number of failed questions.
    fn tolerates_failures(&self) -> bool {
        true
    }

    /// Completes the results; `failed` is true if any question failed.
    ///
    /// # Errors
    /// I/O errors.
    fn finish(&mut self, facts: RunFacts, failed: bool) -> Result<(), Error>;
}
