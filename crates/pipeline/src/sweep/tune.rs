//! Runs a sweep: every trial on the tuning questions, the best confirmed on the held-out questions.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use super::folder::SweepFolder;
use super::partition::{QuestionPart, split};
use super::space;
use super::trial::TrialResult;
use super::trials::{DEFAULT, Trial, trials};
use crate::error::SEE_SCHEMA;
use crate::index_cache::IndexCache;
use crate::progress::Progress;
use crate::settings::assemble::{self, Environment};
use crate::settings::{Resolved, Settings};
use crate::{Error, Kind};
use ragtriage_clients::fetch::OnDownload;
use ragtriage_core::config::check_ranges;
use ragtriage_core::correctness::Judge;
use ragtriage_core::metric::{Aggregate, Cutoff, Family, Metric};
use ragtriage_core::text::numbers::plural;
use ragtriage_core::types::{Dataset, Document, Note, Question};
use ragtriage_eval::clusters;
use ragtriage_eval::tuning::{
    Confirmation, ScoredTrial, SweepScores, TrialRanking, TuningPlan, TuningVerdict, held_out,
    judge, rank,
};

/// Settings that change the amount packed: with one token budget for all trials they would have no
/// effect.
const PACKING: [&str; 2] = ["retrieval.k", "generation.context_tokens"];

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
}

/// Receives the progress of a sweep.
pub trait Watch: Progress {
    /// Reports that trials are about to run.
    fn begins(&self, trials: &[Trial]);
    /// Reports the result of a trial: `place` is its number and the total, `trial` the trial and
    /// true if it ran on held-out questions.
    fn tried(
        &self,
        place: (usize, usize),
        trial: (&Trial, bool),
        result: &Result<TrialResult, Error>,
    );
}

/// The result of a sweep.
#[derive(Serialize)]
pub struct SweepOutcome {
    /// Options for comparing trials.
    #[serde(skip)]
    pub plan: TuningPlan,
    /// The trials that ran, the default first.
    #[serde(skip)]
    pub trials: Vec<Trial>,
    /// Each trial's run on the tuning questions, if it did not fail; parallel to `trials`.
    #[serde(skip)]
    pub runs: Vec<Option<PathBuf>>,
    /// The ranking of the trials.
    pub ranking: TrialRanking,
    /// The confirmation of the winner; `None` if it was impossible or unnecessary.
    pub confirmation: Option<Confirmation>,
    /// The verdict.
    pub verdict: TuningVerdict,
    /// The failure that leaves the comparison incomplete, if any: of trials, except those whose settings cannot be combined,
    /// or of the held-out evaluation.
    #[serde(skip)]
    pub failure: Option<String>,
    /// Number of tuning questions.
    pub n_choosing: usize,
    /// Number of held-out questions; `None` if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_held_out: Option<usize>,
    /// Number of trials whose finished runs were reused.
    pub n_reused: usize,
}

impl SweepOutcome {
    /// Returns the trial to use: the one that is claimed to be better, else the default. `None` where choosing is shown to be
    /// worse than the default, and where nothing was ranked or something failed that could change the choice.
    #[must_use]
    pub fn chosen(&self) -> Option<&Trial> {
        self.ranking.winner.as_ref()?;
        let name = self.verdict.claimed.as_deref().unwrap_or(DEFAULT);
        let is_decided = self.failure.is_none() && !self.verdict.harms;
        let mut trials = self.trials.iter().zip(&self.runs).filter(|_| is_decided);
        let (trial, _) = trials.find(|(trial, run)| trial.name == name && run.is_some())?;
        Some(trial)
    }
}

/// A sweep that is ready to run.
pub(super) struct Sweep<'a> {
    pub(super) request: &'a SweepRequest<'a>,
    trials: Vec<Trial>,
    plan: TuningPlan,
    /// The metrics, without duplicates.
    pub(super) metrics: Vec<Metric>,
    /// The rule for correct answers.
    pub(super) judge: Judge,
    pub(super) documents: Arc<[Document]>,
    /// Hex sha256 of the whole data set.
    pub(super) digest: String,
    /// Notes of the loader.
    pub(super) notes: Vec<Note>,
    choosing: QuestionPart,
    confirming: Option<QuestionPart>,
}

/// Runs the sweep over `dataset`.
///
/// # Errors
/// Errors of the sweep as a whole; a single trial's failure is recorded in its row.
pub async fn tune(request: &SweepRequest<'_>, dataset: Dataset) -> Result<SweepOutcome, Error> {
    let sweep = Sweep::new(request, dataset)?;
    let (plan, choosing, trials) = (&sweep.plan, &sweep.choosing, &sweep.trials);
    request.watch.begins(trials);
    let results = Box::pin(sweep.tried(choosing, trials)).await;
    let failed = results.iter().filter_map(|result| result.as_ref().err());
    let n_failed = failed.filter(|error| error.kind != Kind::Setting).count();
    let mut failure = (n_failed > 0)
        .then(|| format!("{n_failed} of {} failed", plural(results.len(), "trial", "trials")));
    let done = || results.iter().map(|result| result.as_ref().ok());
    let runs = done().map(|trial| Some(trial?.run.clone())).collect();
    let n_reused = done().flatten().filter(|trial| trial.is_reused).count();
    let scores = sweep.scores(results);
    let ranking = rank(&scores, plan);
    let winner = trials.iter().find(|trial| Some(&trial.name) == ranking.winner.as_ref());
    let winner = winner.filter(|winner| winner.name != DEFAULT);
    let confirmation = match (&sweep.confirming, winner) {
        (_, None) => Ok(None),
        (None, Some(_)) => Ok(Some(Confirmation::Holm)),
        (Some(part), Some(winner)) => Box::pin(sweep.confirmed(part, [&trials[0], winner])).await,
    };
    let confirmation = confirmation.unwrap_or_else(|error| {
        failure.get_or_insert_with(|| format!("the held-out evaluation failed: {error}"));
        None
    });
    let mut verdict = judge(&ranking, confirmation.as_ref(), &scores, plan);
    if let Some(failure) = &failure {
        verdict.text = format!("Incomplete: {failure}. {}", verdict.text);
    }
    Ok(SweepOutcome {
        runs,
        ranking,
        confirmation,
        verdict,
        failure,
        n_choosing: sweep.choosing.questions.len(),
        n_held_out: sweep.confirming.map(|part| part.questions.len()),
        n_reused,
        plan: sweep.plan,
        trials: sweep.trials,
    })
}

impl<'a> Sweep<'a> {
    /// Reads `[sweep]` and `[tune]`, and splits the questions.
    fn new(request: &'a SweepRequest<'a>, dataset: Dataset) -> Result<Self, Error> {
        let settings = &request.base.settings;
        check_ranges("tune", &settings.tune)?;
        let points = space::points(&space::axes(&settings.sweep)?)?;
        let trials = trials(request.base, &points)?;
        let plan = plan(settings, &trials[0], &dataset.questions)?;
        let Dataset { documents, questions, notes, digest } = dataset;
        let (choosing, confirming) = split(questions);
        let mut metrics = vec![plan.metric];
        metrics.extend(Metric::new(Family::Seconds, None));
        metrics.sort_unstable();
        metrics.dedup();
        Ok(Self {
            request,
            trials,
            plan,
            metrics,
            judge: assemble::evaluation(settings).judge,
            documents: documents.into(),
            digest,
            notes,
            choosing,
            confirming,
        })
    }

    /// Runs every trial, those that share a chunking consecutively.
    async fn tried(
        &self,
        part: &QuestionPart,
        trials: &[Trial],
    ) -> Vec<Result<TrialResult, Error>> {
        let mut stock = IndexCache::of_all(Arc::clone(&self.documents), part.questions.clone());
        let mut results = Vec::with_capacity(trials.len());
        for (place, at) in (1..).zip(in_order(trials)) {
            let trial = &trials[at];
            let result = Box::pin(self.run(part, &mut stock, trial)).await;
            let shown = (trial, part.is_held_out);
            self.request.watch.tried((place, trials.len()), shown, &result);
            results.push((at, result));
        }
        results.sort_by_key(|(at, _)| *at);
        results.into_iter().map(|(_, result)| result).collect()
    }

    fn scores(&self, results: Vec<Result<TrialResult, Error>>) -> SweepScores {
        let tried = self.trials.iter().zip(results).map(|(trial, result)| ScoredTrial {
            name: trial.name.clone(),
            values: trial.values.clone(),
            result: result.map(|trial| trial.measured).map_err(|error| error.to_string()),
        });
        let questions = &self.choosing.questions;
        SweepScores {
            questions: questions.iter().map(|question| question.id.clone()).collect(),
            cluster_of: clusters::question_clusters(questions),
            trials: tried.collect(),
        }
    }

    /// Compares the winner with the default on the held-out questions of `part`. `None` if no question was compared.
    ///
    /// # Errors
    /// The failure of one of the two.
    async fn confirmed(
        &self,
        part: &QuestionPart,
        [default, winner]: [&Trial; 2],
    ) -> Result<Option<Confirmation>, Error> {
        let pair = [default.clone(), winner.clone()];
        let done: Vec<TrialResult> =
            Box::pin(self.tried(part, &pair)).await.into_iter().collect::<Result<_, _>>()?;
        let columns: Vec<Vec<Option<f64>>> = done
            .iter()
            .filter_map(|trial| trial.measured.scores.column(self.plan.metric))
            .collect();
        let [default, winner] = columns.as_slice() else {
            return Ok(None);
        };
        let clusters = clusters::question_clusters(&part.questions);
        let found = held_out(default, winner, &clusters, &self.plan);
        Ok((found.n > 0).then_some(Confirmation::HeldOut(found)))
    }
}

/// Chooses the metrics that rank trials: the configured metric, else the share of evidence, answers or relevant documents
/// (depending on the questions' labels) within one token budget for all; within each trial's packed passages if packing is
/// varied.
fn plan(settings: &Settings, default: &Trial, questions: &[Question]) -> Result<TuningPlan, Error> {
    let tune = &settings.tune;
    if let Some(metric) = tune.metric {
        let refuse = |why: &str, hint: &str| {
            let message = format!("`tune.metric` is {metric}, which {why}");
            Err(Error::setting(message).with_hint(hint))
        };
        if metric.family().scores_answers() {
            let hint = "run both configurations with a generator, and compare the runs: `ragtriage compare`";
            return refuse("scores answers: a sweep compares retrieval", hint);
        }
        if metric.family().aggregate() != Aggregate::Mean {
            let why = "is no mean over questions: trials are compared by means";
            return refuse(why, SEE_SCHEMA);
        }
    }
    let takes_any = |family: Family| Metric::new(family, Some(Cutoff::Prompt)).is_some();
    let family = match tune.metric.map(Metric::family).filter(|family| takes_any(*family)) {
        Some(family) => family,
        None => usual(questions).ok_or_else(nothing_gold)?,
    };
    let at = |cutoff| Metric::new(family, Some(cutoff)).expect("the family takes every cutoff");
    let packs = default.values.keys().any(|key| PACKING.contains(&key.as_str()));
    let evaluation = assemble::evaluation(settings);
    Ok(TuningPlan {
        metric: tune.metric.unwrap_or(at(if packs {
            Cutoff::Prompt
        } else {
            Cutoff::Tokens(tune.tokens)
        })),
        permutations: evaluation.resamples,
        seed: evaluation.seed,
    })
}

fn usual(questions: &[Question]) -> Option<Family> {
    let any = |has: fn(&Question) -> bool| questions.iter().any(has);
    if any(|question| !question.evidence.is_empty()) {
        Some(Family::EvidenceRecall)
    } else if any(Question::has_spans) {
        Some(Family::Em)
    } else {
        any(|question| question.relevant.values().any(|grade| *grade > 0)).then_some(Family::Recall)
    }
}

fn nothing_gold() -> Error {
    Error::new(Kind::Other, "no question has evidence, an answer or a relevant document to tune by")
        .with_hint("label some questions: `ragtriage dataset label`")
}

/// Returns the order to run the trials in: the default first, then by chunking, in order of first occurrence.
fn in_order(trials: &[Trial]) -> Vec<usize> {
    let mut first = HashMap::new();
    let keys = trials.iter().enumerate().map(|(at, trial)| {
        let chunking = serde_json::to_string(&trial.resolved.settings.chunking);
        *first.entry(chunking.expect("settings are plain JSON")).or_insert(at)
    });
    let keys: Vec<usize> = keys.collect();
    let mut places: Vec<usize> = (0..trials.len()).collect();
    places.sort_by_key(|&at| keys[at]);
    places
}
