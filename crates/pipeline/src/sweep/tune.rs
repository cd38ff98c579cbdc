//! Runs a sweep: every trial on the tuning questions, the best confirmed on the held-out questions.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::error::SweepError;
use super::partition::QuestionPart;
use super::prepared::PreparedSweep;
use super::request::Bill;
use super::request::SweepRequest;
use super::trial::{Bench, SweepWork, TrialError, TrialResult};
use super::trials::{DEFAULT, Trial};
use crate::settings::Resolved;
use crate::settings::assemble;
use crate::stock::Stock;
use ragtriage_core::measure::Measure;
use ragtriage_core::text::numbers::plural;
use ragtriage_core::types::Dataset;
use ragtriage_eval::clusters;
use ragtriage_eval::tuning::{
    Confirmation, ScoredTrial, SweepScores, TrialRanking, TuningPlan, TuningVerdict, Varied, judge,
    rank,
};

/// The result of a sweep.
pub struct SweepOutcome {
    /// Options for comparing trials.
    pub plan: TuningPlan,
    /// The varied parameters.
    pub varied: Vec<Varied>,
    /// The trials that ran, the default first.
    pub trials: Vec<Trial>,
    /// Each trial's run on the tuning questions, if it did not fail; parallel to `trials`.
    pub runs: Vec<Option<PathBuf>>,
    /// The ranking of the trials.
    pub ranking: TrialRanking,
    /// The confirmation of the winner; `None` if it was impossible or unnecessary.
    pub confirmation: Option<Confirmation>,
    /// The verdict.
    pub verdict: TuningVerdict,
    /// The failure that leaves the comparison incomplete, if any: of trials, except those whose settings cannot be combined,
    /// or of the held-out evaluation.
    pub failure: Option<String>,
    /// Number of tuning questions.
    pub n_choosing: usize,
    /// Number of held-out questions; `None` if there are none.
    pub n_held_out: Option<usize>,
    /// Total counts of requested and built parts.
    pub work: SweepWork,
    /// Number of trials omitted because the sweep was interrupted.
    pub n_left: usize,
    /// True if it was interrupted then or later.
    pub interrupted: bool,
}

impl SweepOutcome {
    /// Returns the trial to use: the one that is claimed to be better, else the default. `None` where choosing is shown to be
    /// worse than the default, and where nothing was ranked or something failed that could change the choice.
    #[must_use]
    pub fn chosen(&self) -> Option<&Trial> {
        self.ranking.winner.as_ref()?;
        let name = self.verdict.claimed.as_deref().unwrap_or(DEFAULT);
        let is_decided = !self.interrupted && self.failure.is_none() && !self.verdict.harms;
        let mut trials = self.trials.iter().zip(&self.runs).filter(|_| is_decided);
        let (trial, _) = trials.find(|(trial, run)| trial.name == name && run.is_some())?;
        Some(trial)
    }

    /// Returns the best trial, with its position in `trials`.
    #[must_use]
    pub fn winner(&self) -> Option<(usize, &Trial)> {
        self.trials
            .iter()
            .enumerate()
            .find(|(_, trial)| Some(&trial.name) == self.ranking.winner.as_ref())
    }
}

/// Runs the sweep over `dataset`.
///
/// # Errors
/// Errors of the sweep as a whole; a single trial's failure is recorded in its row.
pub async fn tune(
    request: &SweepRequest<'_>,
    dataset: Dataset,
) -> Result<SweepOutcome, SweepError> {
    let PreparedSweep { mut list, plan, measures, documents, choosing, confirming, answers_choose } =
        PreparedSweep::new(request, dataset)?;
    request.watch.begins(&list.trials, choosing.questions.len(), choosing.n_documents);
    let mut stock = Stock::for_many(Arc::clone(&documents), choosing.questions.clone());
    let bench = request.bench(&choosing, &measures, answers_choose);
    if answers_choose {
        request.watch.bill(&Box::pin(request.bill(&mut stock, &list.trials)).await);
    }
    let (mut results, mut work) =
        Box::pin(request.tried(&bench, &mut stock, &list.trials, plan.measure)).await;
    let n_tried = results.iter().flatten().count();
    let failed = results.iter().flatten().filter_map(|result| result.as_ref().err());
    let n_failed = failed.filter(|error| !error.is_impossible).count();
    let mut failure = (n_failed > 0)
        .then(|| format!("{n_failed} of {} failed", plural(n_tried, "trial", "trials")));
    // The default is the basis of comparison and cannot be replaced by another trial.
    results[0]
        .get_or_insert_with(|| Err("not run: the sweep was interrupted first".to_owned().into()));
    let (n_trials, n_left) =
        (results.len(), results.iter().filter(|result| result.is_none()).count());
    let (trials, results): (Vec<Trial>, Vec<Result<TrialResult, TrialError>>) =
        std::mem::take(&mut list.trials)
            .into_iter()
            .zip(results)
            .filter_map(|(s, result)| Some((s, result?)))
            .unzip();
    let runs =
        results.iter().map(|result| result.as_ref().ok().map(|trial| trial.run.clone())).collect();
    let board = board(request.base, &choosing, &trials, results);
    let ranking = rank(&board, &plan);
    let winner = trials.iter().find(|trial| Some(&trial.name) == ranking.winner.as_ref());
    let winner = winner.filter(|winner| winner.name != DEFAULT && n_left == 0);

    let confirmation = match (&confirming, winner) {
        (_, None) => None,
        (None, Some(_)) => Some(Confirmation::Holm),
        (Some(part), Some(winner)) => {
            stock.forget();
            let bench = request.bench(part, &measures, answers_choose);
            let mut stock = Stock::for_many(documents, part.questions.clone());
            let pair = [&trials[0], winner];
            let confirmed =
                Box::pin(request.confirmed(&bench, &mut stock, pair, &plan, &mut work)).await;
            confirmed.unwrap_or_else(|error| {
                failure.get_or_insert_with(|| format!("the held-out evaluation failed: {error}"));
                None
            })
        }
    };
    request.note_evaluations(&choosing, &trials, &plan);
    let mut verdict = judge(&ranking, confirmation.as_ref(), &board, &plan);
    if let Some(failure) = &failure {
        verdict.text = format!("Incomplete: {failure}. {}", verdict.text);
    }
    if n_left > 0 {
        verdict.text =
            format!("Interrupted after {n_tried} of {n_trials} trials. {}", verdict.text);
    }
    Ok(SweepOutcome {
        plan,
        varied: list.varied,
        trials,
        runs,
        ranking,
        confirmation,
        verdict,
        failure,
        n_choosing: choosing.questions.len(),
        n_held_out: confirming.map(|part| part.questions.len()),
        work,
        n_left,
        interrupted: *request.stop.borrow(),
    })
}

/// Estimates the cost of the answers of a sweep over `dataset`; calls no service and scores nothing.
///
/// # Errors
/// As [`super::tune::tune`].
pub async fn bill_of_all(request: &SweepRequest<'_>, dataset: Dataset) -> Result<Bill, SweepError> {
    let PreparedSweep { list, documents, choosing, .. } = PreparedSweep::new(request, dataset)?;
    let mut stock = Stock::for_many(documents, choosing.questions.clone());
    Ok(Box::pin(request.bill(&mut stock, &list.trials)).await)
}

impl SweepRequest<'_> {
    /// Returns the bench for trials on one part of the questions.
    fn bench<'b>(
        &'b self,
        part: &'b QuestionPart,
        measures: &'b [Measure],
        answers: bool,
    ) -> Bench<'b> {
        Bench {
            part,
            measures,
            answers,
            judge: assemble::evaluation(&self.base.settings).judge,
            environment: self.environment,
            folder: self.folder,
            git_commit: self.git_commit.clone(),
            progress: self.watch,
            on_download: self.on_download,
        }
    }

    /// Waits until the sweep is to end early.
    pub(super) async fn stopped(&self) {
        let mut stop = self.stop.clone();
        if stop.wait_for(|stop| *stop).await.is_err() {
            std::future::pending::<()>().await; // no sender is left to stop it
        }
    }

    /// Runs every trial, those that share a chunking consecutively; parallel to `trials`, `None` for those remaining when
    /// the sweep was stopped. Also returns the counts of requested and built parts.
    pub(super) async fn tried(
        &self,
        bench: &Bench<'_>,
        stock: &mut Stock,
        trials: &[Trial],
        measure: Measure,
    ) -> (Vec<Option<Result<TrialResult, TrialError>>>, SweepWork) {
        let mut results: Vec<Option<Result<TrialResult, TrialError>>> =
            trials.iter().map(|_| None).collect();
        let mut work = SweepWork::default();
        for (place, at) in (1..).zip(in_order(trials)) {
            let trial = &trials[at];
            let result = tokio::select! {
                result = Box::pin(bench.run(stock, trial)) => result,
                () = self.stopped() => break,
            };
            self.watch.tried(
                (place, trials.len()),
                (trial, bench.part.is_held_out),
                measure,
                &result,
            );
            if let Ok(trial) = &result {
                work = work.plus(trial.work);
            }
            results[at] = Some(result);
        }
        (results, work)
    }
}

/// Returns the order to run the trials in: the default first, then by chunking and by retrieval, each in order of first
/// occurrence. Shared parts are built once and dropped when no longer needed.
fn in_order(trials: &[Trial]) -> Vec<usize> {
    let firsts = |of: fn(&Trial) -> String| {
        let mut first: HashMap<String, usize> = HashMap::new();
        let place = |(at, trial)| *first.entry(of(trial)).or_insert(at);
        trials.iter().enumerate().map(place).collect::<Vec<usize>>()
    };
    let (chunkings, retrievals) = (firsts(Trial::chunking), firsts(Trial::retrieval));
    let mut places: Vec<usize> = (0..trials.len()).collect();
    places.sort_by_key(|&at| (chunkings[at], retrievals[at]));
    places
}

fn board(
    base: &Resolved,
    part: &QuestionPart,
    trials: &[Trial],
    results: Vec<Result<TrialResult, TrialError>>,
) -> SweepScores {
    let tried = trials.iter().zip(results).map(|(trial, result)| ScoredTrial {
        name: trial.name.clone(),
        values: trial.values.clone(),
        result: result.map(|trial| trial.measured).map_err(|error| error.message),
    });
    SweepScores {
        questions: part.questions.iter().map(|question| question.id.clone()).collect(),
        cluster_of: clusters::question_clusters(&part.questions, base.settings.evaluation.cluster),
        trials: tried.collect(),
    }
}
