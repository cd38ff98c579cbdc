//! Destinations of question results: the folder of a run, or an estimate.

use super::PipelineError;
use super::ask::{QuestionResult, RunFacts};
use super::generate::Caller;
use super::plan::Plan;

/// Receives the results of an execution.
///
/// Contract: `begin` comes first, then `caller` where the built-in pipeline is executed, then `take` once per finished
/// question in the order they finish, then `finish` unless the execution was aborted.
pub trait Sink: Send {
    /// The run's name.
    fn name(&self) -> String;

    /// Prepares for results, before anything is indexed or asked.
    ///
    /// # Errors
    /// The disk.
    fn begin(&mut self) -> Result<(), PipelineError>;

    /// Returns what makes the generator's calls; `None` where `plan` has no generator.
    ///
    /// # Errors
    /// The disk.
    fn caller(&mut self, plan: &Plan) -> Result<Option<Box<dyn Caller>>, PipelineError>;

    /// Takes the result of one question.
    ///
    /// # Errors
    /// The disk.
    fn take(&mut self, asked: QuestionResult) -> Result<(), PipelineError>;

    /// Returns true if execution continues regardless of the number of failed questions.
    fn tolerates_failures(&self) -> bool;

    /// Completes the results; `failed`: whether any question did.
    ///
    /// # Errors
    /// The disk.
    fn finish(&mut self, facts: RunFacts, failed: bool) -> Result<(), PipelineError>;
}
