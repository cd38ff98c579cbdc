//! Runs one trial on one part of the questions, as an ordinary run folder.
//!
//! A finished run of the same configuration, models, data, questions and versions is scored again instead of repeated; a run that is
//! unfinished, or has a failed question, is repeated. Its embeddings are in the caches.

use std::fs;
use std::path::{Path, PathBuf};

use super::partition::QuestionPart;
use super::trials::Trial;
use super::tune::Sweep;
use crate::Error;
use crate::ask::Done;
use crate::execute::{RunSource, execute};
use crate::index_cache::IndexCache;
use crate::record::RunSink;
use crate::settings::assemble::{self, Assembled};
use crate::settings::record;
use ragtriage_core::types::Trace;
use ragtriage_data::run::{Manifest, RunFolder, SavedRun, deciding};
use ragtriage_eval::tuning::TrialScores;
use ragtriage_eval::{score, shown};

/// The results of a trial.
#[derive(Clone, Debug)]
pub struct TrialResult {
    /// Its scores.
    pub measured: TrialScores,
    /// True if its run was finished before.
    pub is_reused: bool,
    /// Its run's folder.
    pub run: PathBuf,
}

impl Sweep<'_> {
    /// Runs `trial` on the questions of `part`, unless its run is finished, and scores it.
    ///
    /// # Errors
    /// The trial's error, for its row in the ranking; of kind `Setting` if its settings cannot be combined, which no repetition
    /// changes.
    pub(super) async fn run(
        &self,
        part: &QuestionPart,
        stock: &mut IndexCache,
        trial: &Trial,
    ) -> Result<TrialResult, Error> {
        let request = self.request;
        let assembled =
            assemble::assemble(&trial.resolved, request.environment, request.on_download).await;
        request.watch.finish();
        let assembled = assembled?;
        let counts = (self.documents.len(), part.questions.len());
        let data = (&*self.digest, &*self.notes);
        let mut manifest = record::begun(&trial.resolved, data, counts, request.git_commit.clone());
        record::parts(&mut manifest, &assembled);
        let held_out = if part.is_held_out { "-heldout" } else { "" };
        let run = request.folder.runs().join(format!("{}{held_out}", trial.id));
        let finished = finished(&run, &manifest, part);
        let is_reused = finished.is_some();
        let saved = match finished {
            Some(saved) => saved,
            None => Box::pin(self.make(stock, assembled, manifest, &run)).await?,
        };
        let measured = TrialScores {
            scores: score::score(&saved, &self.metrics, self.judge),
            context_tokens: shown::context_tokens(&saved),
            n_truncated: saved.traces.iter().filter(|it| it.gold.is_encoder_truncated()).count(),
        };
        Ok(TrialResult { measured, is_reused, run })
    }

    /// Runs a trial in a new folder, removing what an earlier one left there.
    async fn make(
        &self,
        stock: &mut IndexCache,
        assembled: Assembled,
        mut manifest: Manifest,
        path: &Path,
    ) -> Result<SavedRun, Error> {
        if path.exists() {
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
                .map_err(|error| Error::io("remove", path, &error))?;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let folder = RunFolder::create(&self.request.folder.runs(), &name)?;
        manifest.name = folder.name();
        let Assembled { plan, vector_caches, .. } = assembled;
        let mut sink = RunSink::new(&folder, manifest, Done::default(), vector_caches);
        let source = RunSource::Pipeline { stock, plan };
        let executed = execute(source, &mut sink, self.request.watch).await;
        executed.inspect_err(|_| drop(fs::remove_dir_all(path)))?; // it would be run again
        Ok(SavedRun::load(&folder)?)
    }
}

/// Returns the run at `path` if it is finished, would be made again from `manifest` and the questions of `part`, and no question
/// failed, since that one may succeed when repeated. An unreadable run is repeated.
fn finished(path: &Path, manifest: &Manifest, part: &QuestionPart) -> Option<SavedRun> {
    let folder = RunFolder::existing(path);
    let known = Manifest::load(&folder).ok()?;
    let is_same = known.finished.is_some()
        && (&known.version, &known.versions) == (&manifest.version, &manifest.versions)
        && known.models == manifest.models
        && known.dataset_digest == manifest.dataset_digest
        && deciding(&known.settings) == deciding(&manifest.settings);
    let saved = SavedRun::load(&folder).ok().filter(|_| is_same)?;
    let asked = saved.traces.iter().map(|trace| &trace.question.id);
    let is_whole = asked.eq(part.questions.iter().map(|question| &question.id));
    (is_whole && !saved.traces.iter().any(Trace::failed)).then_some(saved)
}
