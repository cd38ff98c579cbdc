//! What a sweep is asked to do, and who is told of its progress.

use tokio::sync::watch;

use super::error::SweepError;
use super::folder::SweepFolder;
use super::generate::{Bill, Generate};
use super::trial::TrialResult;
use super::trials::Trial;
use crate::progress::Progress;
use crate::settings::Resolved;
use crate::settings::assemble::Environment;
use ragtriage_core::measure::Measure;
use ragtriage_http::OnDownload;

/// A sweep to run, and its environment.
pub struct SweepRequest<'a> {
    /// The configuration with its `[sweep]`.
    pub base: &'a Resolved,
    /// For which trials answers are generated.
    pub generate: Generate,
    /// Where everything goes.
    pub folder: &'a SweepFolder,
    /// What the machine gives.
    pub environment: &'a Environment,
    /// The commit of the working directory, for the records.
    pub git_commit: Option<String>,
    /// Told of the work.
    pub watch: &'a dyn Watch,
    /// Told of downloads.
    pub on_download: OnDownload<'a>,
    /// Becomes true where the sweep is to end early, with what is known then.
    pub stop: watch::Receiver<bool>,
}

/// Told of a sweep's work.
pub trait Watch: Progress {
    /// Trials are about to run on `n_questions` questions over `n_documents` documents.
    fn begins(&self, trials: &[Trial], n_questions: usize, n_documents: usize);
    /// A trial was tried, as the first of so many, whether on held-out questions: what came of it.
    fn tried(
        &self,
        place: (usize, usize),
        trial: (&Trial, bool),
        measure: Measure,
        result: &Result<TrialResult, String>,
    );
    /// Something went wrong that ends nothing.
    fn trouble(&self, error: &SweepError);
    /// What generating answers would ask and cost at most, before anything is asked.
    fn bill(&self, bill: &Bill);
}
