//! One trial run on one part of the questions, and its scores, stored with the run so that it is never repeated.
//!
//! Stored scores belong to a key: the hash of the settings, the models' files, the data set, the questions and this program's
//! versions. Another key under the same name is another trial, and its run is repeated. An unfinished run has no scores and is
//! repeated too, and so is one with a failed question; its embeddings and paid replies are in the caches.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::error::SweepError;
use super::folder::SweepFolder;
use super::partition::QuestionPart;
use super::trials::Trial;
use crate::ask::Done;
use crate::execute::{RunSource, execute};
use crate::plan::Plan;
use crate::progress::Progress;
use crate::record::RunSink;
use crate::settings::assemble::{self, AssembleError, Assembled, Environment};
use crate::settings::{SettingsError, record};
use crate::stock::{self, Made, Reuse, Stock};
use ragtriage_core::measure::Measure;
use ragtriage_core::rightness::Judge;
use ragtriage_core::text::causes::with_causes;
use ragtriage_core::text::hex::hex;
use ragtriage_core::types::{Origin, Question, QuestionId, Trace};
use ragtriage_eval::score::{self, Scores};
use ragtriage_eval::shown;
use ragtriage_eval::tuning::{TrialScores, TrialTruncation};
use ragtriage_models::embed::CachedEncoder;
use ragtriage_models::llm::Allowance;
use ragtriage_runs::{Manifest, RunFolder, SavedRun, Spent, deciding};

/// The file of a trial's scores.
const FILE: &str = "trial.json";
/// Raised when stored data would be misread, and when the computation of a measure changes: stored scores are compared
/// with new ones.
const SCHEMA: u32 = 2;

/// Inputs shared by all trials of one part of the questions.
pub struct Bench<'a> {
    /// The part of the questions.
    pub part: &'a QuestionPart,
    /// The measures.
    pub measures: &'a [Measure],
    /// True if answers are generated.
    pub answers: bool,
    /// The rule for right answers.
    pub judge: Judge,
    /// The environment of the process.
    pub environment: &'a Environment,
    /// The folder of runs.
    pub folder: &'a SweepFolder,
    /// The commit of the working directory, for the manifest.
    pub git_commit: Option<String>,
    /// Receives progress.
    pub progress: &'a dyn Progress,
    /// Receives download progress.
    pub on_download: ragtriage_http::OnDownload<'a>,
}

/// The results of a trial.
#[derive(Clone, Debug)]
pub struct TrialResult {
    /// Its scores.
    pub measured: TrialScores,
    /// Counts of requested and built parts.
    pub work: SweepWork,
    /// Wall seconds.
    pub seconds: f64,
    /// Its run's folder.
    pub run: PathBuf,
}

/// Counts of requested and built parts of one or all trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepWork {
    /// Trials; those built were not stored before.
    pub trials: Reuse,
    /// Chunkings, indexes and rankings.
    pub made: Made,
    /// Texts to embed.
    pub texts: Reuse,
    /// Replies of the generator.
    pub replies: Reuse,
}

/// The error of a trial, for its row in the ranking.
#[derive(Clone, Debug)]
pub struct TrialError {
    /// The message with its causes.
    pub message: String,
    /// True if its settings cannot be combined: a property of the sweep, which no repetition changes.
    pub is_impossible: bool,
}

impl From<String> for TrialError {
    fn from(message: String) -> Self {
        Self { message, is_impossible: false }
    }
}

impl From<AssembleError> for TrialError {
    fn from(error: AssembleError) -> Self {
        let is_impossible = matches!(
            &error,
            AssembleError::Settings(SettingsError::OutOfRange(_) | SettingsError::Unusable { .. })
        );
        Self { message: with_causes(&error), is_impossible }
    }
}

impl TrialResult {
    /// Returns a measure's mean with its n; `None` if it is undefined.
    #[must_use]
    pub fn mean(&self, measure: Measure) -> Option<(f64, usize)> {
        let values: Vec<f64> =
            self.measured.scores.column(measure)?.into_iter().flatten().collect();
        (!values.is_empty())
            .then(|| (values.iter().sum::<f64>() / values.len() as f64, values.len()))
    }
}

/// The stored result of a trial.
#[derive(Serialize, Deserialize)]
struct SavedTrial {
    schema: u32,
    key: String,
    measures: Vec<Measure>,
    questions: Vec<QuestionId>,
    /// The bits of each score: a decimal may be read one bit off, and a stored trial would differ from a repeated one.
    rows: Vec<Vec<Option<u64>>>,
    context_tokens: Vec<Option<f64>>,
    truncation: Option<TrialTruncation>,
}

impl Bench<'_> {
    /// Runs `trial`, or loads its stored result.
    ///
    /// # Errors
    /// The trial's error, for its row in the ranking.
    pub async fn run(&self, stock: &mut Stock, trial: &Trial) -> Result<TrialResult, TrialError> {
        let clock = Instant::now();
        let assembled =
            assemble::assemble(&trial.resolved, self.environment, self.on_download).await;
        self.progress.finish();
        let assembled = assembled?;
        let mut manifest =
            record::begun(&trial.resolved, self.part.data(), self.git_commit.clone());
        record::parts(&mut manifest, &assembled);
        manifest.notes.extend(self.part.note.clone());
        let key = self.key(&manifest, &assembled.plan);
        let path = self.folder.runs().join(self.name(trial));
        let kept = self.kept(&path, &key).map_err(|error| with_causes(&error))?;
        let (kept, work) = match kept {
            Some(kept) => {
                (kept, SweepWork { trials: Reuse { wanted: 1, made: 0 }, ..SweepWork::default() })
            }
            None => Box::pin(self.make(stock, assembled, manifest, &path, key)).await?,
        };
        let seconds = clock.elapsed().as_secs_f64();
        Ok(TrialResult { seconds, work, run: path, measured: kept.measured() })
    }

    /// Runs a trial without a stored result.
    async fn make(
        &self,
        stock: &mut Stock,
        assembled: Assembled,
        mut manifest: Manifest,
        path: &Path,
        key: String,
    ) -> Result<(SavedTrial, SweepWork), String> {
        let in_words = |error: SweepError| with_causes(&error);
        let before = stock.made();
        let Assembled { plan, vector_caches, allowance, .. } = assembled;
        if let Some(allowance) = &allowance {
            let spent = self.folder.spent().map_err(in_words)?;
            allowance.already(spent.usd, spent.tokens);
        }
        let folder = self.begin(path).map_err(in_words)?;
        manifest.name = folder.name();
        let spending = allowance.map(|allowance| Spending { folder: self.folder, allowance });
        let source = RunSource::Pipeline { stock, plan };
        let mut sink = RunSink::new(&folder, manifest, Done::default(), vector_caches.clone());
        let executed = execute(source, &mut sink, self.progress).await;
        drop(spending);
        executed.map_err(|error| {
            let _ = fs::remove_dir_all(path); // it has no scores, and would be run again
            with_causes(&error)
        })?;
        let saved = SavedRun::load(&folder).map_err(|error| with_causes(&error))?;
        let kept = self.score(&saved, key);
        // A failed question may succeed when repeated, so the trial is run again next time.
        if !saved.traces.iter().any(Trace::failed) {
            keep(&folder, &kept).map_err(in_words)?;
        }
        Ok((kept, work(before, stock.made(), &vector_caches, &saved)))
    }

    /// Returns the name of the trial's run.
    fn name(&self, trial: &Trial) -> String {
        let part = if self.part.is_held_out { "-heldout" } else { "" };
        let answers = if self.answers { "-answered" } else { "" };
        format!("{}{part}{answers}", trial.id)
    }

    /// Creates the folder of a new run, removing earlier contents.
    fn begin(&self, path: &Path) -> Result<RunFolder, SweepError> {
        if path.exists() {
            let io = |source| SweepError::Io { action: "remove", path: path.to_owned(), source };
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
                .map_err(io)?;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(RunFolder::create(&self.folder.runs(), &name)?)
    }

    /// Loads the result stored under `key`, scored by the current measures; `None` if there is
    /// none.
    fn kept(&self, path: &Path, key: &str) -> Result<Option<SavedTrial>, SweepError> {
        let Ok(text) = fs::read(path.join(FILE)) else {
            return Ok(None);
        };
        // An unreadable result is computed again.
        let Ok(kept) = serde_json::from_slice::<SavedTrial>(&text) else {
            return Ok(None);
        };
        if kept.schema != SCHEMA || kept.key != key || !kept.is_whole(&self.part.questions) {
            return Ok(None);
        }
        if self.measures.iter().all(|measure| kept.measures.contains(measure)) {
            return Ok(Some(kept));
        }
        let folder = RunFolder::existing(path);
        let Ok(saved) = SavedRun::load(&folder) else {
            return Ok(None);
        };
        let kept = self.score(&saved, key.to_owned());
        if !kept.is_whole(&self.part.questions) {
            return Ok(None);
        }
        keep(&folder, &kept)?;
        Ok(Some(kept))
    }

    fn score(&self, saved: &SavedRun, key: String) -> SavedTrial {
        let Scores { measures, rows } = score::score(saved, self.measures, self.judge);
        SavedTrial {
            schema: SCHEMA,
            key,
            measures,
            questions: saved.traces.iter().map(|trace| trace.question.id.clone()).collect(),
            rows: rows
                .iter()
                .map(|row| row.iter().map(|score| score.map(f64::to_bits)).collect())
                .collect(),
            context_tokens: shown::context_tokens(saved),
            truncation: TrialTruncation::of(saved),
        }
    }

    /// Returns the hash of everything that determines a trial's traces.
    fn key(&self, manifest: &Manifest, plan: &Plan) -> String {
        let Manifest { versions, version, models, dataset_digest, settings, .. } = manifest;
        let questions: Vec<&QuestionId> =
            self.part.questions.iter().map(|question| &question.id).collect();
        let parts = stock::fingerprint(plan);
        let all = serde_json::json!([
            version,
            versions,
            models,
            parts,
            dataset_digest,
            deciding(settings),
            questions
        ]);
        hex(&Sha256::digest(all.to_string()))
    }
}

/// Saves the cost of calls on drop, however a trial ends: normally, by an error or by an interrupt.
struct Spending<'a> {
    folder: &'a SweepFolder,
    allowance: Arc<Allowance>,
}

impl Drop for Spending<'_> {
    fn drop(&mut self) {
        let (usd, tokens) = self.allowance.spent();
        let _ = self.folder.spend(Spent { usd, tokens }); // a full disk also ends the trial's run, and that is reported
    }
}

impl SavedTrial {
    fn measured(self) -> TrialScores {
        let row =
            |row: &Vec<Option<u64>>| row.iter().map(|score| score.map(f64::from_bits)).collect();
        let rows = self.rows.iter().map(row).collect();
        TrialScores {
            scores: Scores { measures: self.measures, rows },
            context_tokens: self.context_tokens,
            truncation: self.truncation,
        }
    }

    /// Returns true if it has a score of every measure for each of `questions`, in their order.
    fn is_whole(&self, questions: &[Question]) -> bool {
        self.questions.iter().eq(questions.iter().map(|question| &question.id))
            && self.rows.len() == questions.len()
            && self.context_tokens.len() == questions.len()
            && self.rows.iter().all(|row| row.len() == self.measures.len())
    }
}

fn keep(folder: &RunFolder, kept: &SavedTrial) -> Result<(), SweepError> {
    Ok(folder.write(FILE, &serde_json::to_vec(kept).expect("scores are plain JSON"))?)
}

fn work(before: Made, after: Made, caches: &[Arc<CachedEncoder>], saved: &SavedRun) -> SweepWork {
    let hits: u64 = caches.iter().map(|cache| cache.n_hits()).sum();
    let misses: u64 = caches.iter().map(|cache| cache.n_misses()).sum();
    let mut replies = Reuse::default();
    for attempt in
        saved.traces.iter().flat_map(|trace| trace.arms.iter().flat_map(|arm| &arm.attempts))
    {
        replies.wanted += 1;
        replies.made += usize::from(attempt.origin == Origin::Called);
    }
    SweepWork {
        trials: Reuse { wanted: 1, made: 1 },
        made: after.since(before),
        texts: Reuse { wanted: (hits + misses) as usize, made: misses as usize },
        replies,
    }
}

impl SweepWork {
    /// Returns the sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            trials: self.trials.plus(other.trials),
            made: self.made.plus(other.made),
            texts: self.texts.plus(other.texts),
            replies: self.replies.plus(other.replies),
        }
    }

    /// Returns each stage with its counts, in execution order; unused stages are omitted.
    #[must_use]
    pub fn stages(&self) -> Vec<(&'static str, Reuse)> {
        let Self { trials, made: Made { chunkings, indexes, rankings }, texts, replies } = *self;
        let all = [
            ("trials run", trials),
            ("chunkings", chunkings),
            ("texts embedded", texts),
            ("indexes", indexes),
            ("rankings", rankings),
            ("replies", replies),
        ];
        all.into_iter().filter(|(_, share)| share.wanted > 0).collect()
    }
}
