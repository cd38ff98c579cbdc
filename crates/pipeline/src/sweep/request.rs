//! The request of a sweep, and the receivers of its progress.

use serde::Serialize;
use tokio::sync::watch;

use super::error::SweepError;
use super::folder::SweepFolder;
use super::trial::{TrialError, TrialResult};
use super::trials::Trial;
use crate::progress::Progress;
use crate::settings::Resolved;
use crate::settings::assemble::Environment;
use ragtriage_core::measure::Measure;
use ragtriage_http::OnDownload;

/// Upper bound on the calls of generation and their cost. A prompt that several trials share counts for each, though it is
/// asked once.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Bill {
    /// Number of trials.
    pub trials: usize,
    /// Number of different chunkings among them.
    pub chunkings: usize,
    /// Number of trials whose prompts could not be built.
    pub failed: usize,
    /// Number of calls without a cached response.
    pub calls: u64,
    /// Tokens of their prompts.
    pub prompt_tokens: u64,
    /// Maximum number of tokens of their answers.
    pub most_completion_tokens: u64,
    /// Maximum cost in US dollars.
    pub most_usd: f64,
}

/// A sweep to run, and its environment.
pub struct SweepRequest<'a> {
    /// The configuration with its `[sweep]`.
    pub base: &'a Resolved,
    /// The folder of all results.
    pub folder: &'a SweepFolder,
    /// The environment of the process.
    pub environment: &'a Environment,
    /// The commit of the working directory, for the manifests.
    pub git_commit: Option<String>,
    /// Receives progress.
    pub watch: &'a dyn Watch,
    /// Receives download progress.
    pub on_download: OnDownload<'a>,
    /// Becomes true to end the sweep early with the results so far.
    pub stop: watch::Receiver<bool>,
}

/// Receives the progress of a sweep.
pub trait Watch: Progress {
    /// Reports that trials are about to run on `n_questions` questions over `n_documents`
    /// documents.
    fn begins(&self, trials: &[Trial], n_questions: usize, n_documents: usize);
    /// Reports the result of a trial: `place` is its number and the total, `trial` the trial and
    /// true if it ran on held-out questions.
    fn tried(
        &self,
        place: (usize, usize),
        trial: (&Trial, bool),
        measure: Measure,
        result: &Result<TrialResult, TrialError>,
    );
    /// Reports an error that does not end the sweep.
    fn trouble(&self, error: &SweepError);
    /// Reports the upper bound on the calls and cost of generating answers, before any call.
    fn bill(&self, bill: &Bill);
}
