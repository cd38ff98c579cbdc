//! Runs a sweep: every trial on the tuning questions, the best confirmed on the held-out questions.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::sync::watch;

use super::folder::{HeldOutEvaluation, SweepFolder};
use super::partition::{QuestionPart, split};
use super::space;
use super::trial::{TrialError, TrialResult};
use super::trials::{DEFAULT, Trial, TrialList};
use crate::error::SEE_DEFAULTS;
use crate::estimate::EstimateSink;
use crate::execute::{RunSource, execute};
use crate::progress::Progress;
use crate::settings::assemble::recipients::without_services;
use crate::settings::assemble::{self, Environment, most_completion_tokens};
use crate::settings::{Resolved, Settings, record};
use crate::stock::Stock;
use crate::{Error, Kind};
use ragtriage_clients::http::OnDownload;
use ragtriage_core::config::{GeneratorName, check_ranges};
use ragtriage_core::measure::{Aggregate, Cutoff, Family, Measure};
use ragtriage_core::rightness::Judge;
use ragtriage_core::text::hex::hex;
use ragtriage_core::text::numbers::plural;
use ragtriage_core::types::{Dataset, Document, Estimate, Question, Split};
use ragtriage_eval::clusters;
use ragtriage_eval::tuning::{
    Confirmation, ScoredTrial, SweepScores, TrialRanking, TuningPlan, TuningVerdict, Varied,
    held_out, judge, rank,
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
    fn trouble(&self, error: &Error);
    /// Reports the upper bound on the calls and cost of generating answers, before any call.
    fn cost(&self, cost: &SweepCost);
}

/// Upper bound on the calls of generation and their cost. A prompt that several trials share counts for each, though it is
/// asked once.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SweepCost {
    /// Number of trials.
    pub trials: usize,
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

/// The result of a sweep.
#[derive(Serialize)]
pub struct SweepOutcome {
    /// Options for comparing trials.
    #[serde(skip)]
    pub plan: TuningPlan,
    /// The varied parameters.
    #[serde(skip)]
    pub varied: Vec<Varied>,
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

/// A sweep that is ready to run.
pub(super) struct Sweep<'a> {
    pub(super) request: &'a SweepRequest<'a>,
    trials: Vec<Trial>,
    varied: Vec<Varied>,
    plan: TuningPlan,
    /// The measures, without duplicates.
    pub(super) measures: Vec<Measure>,
    /// The rule for right answers.
    pub(super) judge: Judge,
    /// True if trials are ranked by an answer metric, so that all of them generate answers.
    pub(super) answers_choose: bool,
    documents: Arc<[Document]>,
    choosing: QuestionPart,
    confirming: Option<QuestionPart>,
}

/// The results of trials, parallel to them; `None` for those remaining when the sweep was stopped.
type TrialResults = Vec<Option<Result<TrialResult, TrialError>>>;

/// Runs the sweep over `dataset`.
///
/// # Errors
/// Errors of the sweep as a whole; a single trial's failure is recorded in its row.
pub async fn tune(request: &SweepRequest<'_>, dataset: Dataset) -> Result<SweepOutcome, Error> {
    let sweep = Sweep::new(request, dataset)?;
    let (plan, choosing) = (&sweep.plan, &sweep.choosing);
    request.watch.begins(&sweep.trials, choosing.questions.len(), choosing.n_documents);
    let mut stock = sweep.stock(choosing);
    if sweep.answers_choose {
        request.watch.cost(&Box::pin(sweep.cost(&mut stock)).await);
    }
    let mut results = Box::pin(sweep.tried(choosing, &mut stock, &sweep.trials)).await;
    drop(stock); // open collections are locked until then
    let n_tried = results.iter().flatten().count();
    let failed = results.iter().flatten().filter_map(|result| result.as_ref().err());
    let n_failed = failed.filter(|error| !error.is_impossible).count();
    let mut failure = (n_failed > 0)
        .then(|| format!("{n_failed} of {} failed", plural(n_tried, "trial", "trials")));
    let n_left = results.iter().filter(|result| result.is_none()).count();
    // The default is the basis of comparison and cannot be replaced by another trial.
    results[0].get_or_insert_with(|| {
        Err(Error::other("not run: the sweep was interrupted first").into())
    });
    let n_trials = results.len();
    let (trials, results): (Vec<Trial>, Vec<Result<TrialResult, TrialError>>) = sweep
        .trials
        .iter()
        .cloned()
        .zip(results)
        .filter_map(|(trial, result)| Some((trial, result?)))
        .unzip();
    let done = || results.iter().map(|result| result.as_ref().ok());
    let runs = done().map(|trial| Some(trial?.run.clone())).collect();
    let n_reused = done().flatten().filter(|trial| trial.is_reused).count();
    let scores = sweep.scores(&trials, results);
    let ranking = rank(&scores, plan);
    let winner = trials.iter().find(|trial| Some(&trial.name) == ranking.winner.as_ref());
    let winner = winner.filter(|winner| winner.name != DEFAULT && n_left == 0);
    let confirmation = match (&sweep.confirming, winner) {
        (_, None) => None,
        (None, Some(_)) => Some(Confirmation::Holm),
        (Some(part), Some(winner)) => {
            let confirmed = Box::pin(sweep.confirmed(part, [&trials[0], winner])).await;
            confirmed.unwrap_or_else(|error| {
                failure.get_or_insert_with(|| format!("the held-out evaluation failed: {error}"));
                None
            })
        }
    };
    sweep.note_evaluations(&trials);
    let mut verdict = judge(&ranking, confirmation.as_ref(), &scores, plan);
    if let Some(failure) = &failure {
        verdict.text = format!("Incomplete: {failure}. {}", verdict.text);
    }
    if n_left > 0 {
        verdict.text =
            format!("Interrupted after {n_tried} of {n_trials} trials. {}", verdict.text);
    }
    Ok(SweepOutcome {
        trials,
        runs,
        ranking,
        confirmation,
        verdict,
        failure,
        n_choosing: sweep.choosing.questions.len(),
        n_held_out: sweep.confirming.map(|part| part.questions.len()),
        n_reused,
        n_left,
        interrupted: *request.stop.borrow(),
        plan: sweep.plan,
        varied: sweep.varied,
    })
}

/// Estimates the cost of the answers of a sweep over `dataset`; calls no service and scores nothing.
///
/// # Errors
/// As [`tune`].
pub async fn cost_of_all(request: &SweepRequest<'_>, dataset: Dataset) -> Result<SweepCost, Error> {
    let sweep = Sweep::new(request, dataset)?;
    let mut stock = sweep.stock(&sweep.choosing);
    Ok(Box::pin(sweep.cost(&mut stock)).await)
}

impl<'a> Sweep<'a> {
    /// Reads `[sweep]` and `[tune]`, and splits the questions.
    fn new(request: &'a SweepRequest<'a>, dataset: Dataset) -> Result<Self, Error> {
        let settings = &request.base.settings;
        check_ranges("tune", &settings.tune)?;
        let points = space::points(&space::axes(&settings.sweep)?)?;
        let by_answers = settings.tune.measure.filter(|measure| measure.family().scores_answers());
        if let Some(measure) = by_answers
            && settings.generation.generator == GeneratorName::None
        {
            let message = format!(
                "`tune.measure` is {measure}, which scores answers, and `generation.generator` is `none`"
            );
            return Err(Error::setting(message).with_hint("set `generation.generator`"));
        }
        let has_gold =
            |question: &Question| !question.answers.is_empty() || !question.required.is_empty();
        if by_answers.is_some() && !dataset.questions.iter().any(has_gold) {
            return Err(nothing_gold());
        }
        let TrialList { varied, trials } =
            TrialList::new(request.base, &points, by_answers.is_some())?;
        let plan = plan(settings, &varied, &dataset.questions)?;
        let (documents, choosing, confirming) = split(dataset, settings.tune.heldout);
        let mut measures = vec![plan.measure, plan.equal_k, plan.equal_tokens];
        measures.sort_unstable();
        measures.dedup();
        Ok(Self {
            request,
            trials,
            varied,
            plan,
            measures,
            judge: assemble::evaluation(settings).judge,
            answers_choose: by_answers.is_some(),
            documents,
            choosing,
            confirming,
        })
    }

    fn stock(&self, part: &QuestionPart) -> Stock {
        Stock::of_all(Arc::clone(&self.documents), part.questions.clone())
    }

    /// Waits until the sweep is to end early.
    async fn stopped(&self) {
        let mut stop = self.request.stop.clone();
        if stop.wait_for(|stop| *stop).await.is_err() {
            std::future::pending::<()>().await; // no sender is left to stop it
        }
    }

    /// Estimates the cost of the answers of all trials, counted on their exact prompts as far as those can be built without
    /// calling a service; no call is made. For an interrupted sweep, the amount counted until then.
    async fn cost(&self, stock: &mut Stock) -> SweepCost {
        let mut cost = SweepCost { trials: self.trials.len(), ..SweepCost::default() };
        for trial in &self.trials {
            let estimate = tokio::select! {
                estimate = Box::pin(self.estimate(stock, trial)) => estimate,
                () = self.stopped() => break,
            };
            let Some(estimate) = estimate else {
                cost.failed += 1;
                continue;
            };
            cost.calls += estimate.calls;
            cost.prompt_tokens += estimate.prompt_tokens;
            cost.most_completion_tokens += estimate.most_completion_tokens;
            cost.most_usd += estimate.most_cost_usd;
        }
        cost
    }

    async fn estimate(&self, stock: &mut Stock, trial: &Trial) -> Option<Estimate> {
        let SweepRequest { environment, on_download, watch, .. } = *self.request;
        let mut local = trial.resolved.clone();
        local.settings = without_services(&trial.resolved.settings);
        let assembled = assemble::assemble(&local, environment, on_download).await.ok()?;
        let mut sink = EstimateSink::new(most_completion_tokens(&local.settings.generation));
        let source = RunSource::Pipeline { stock, plan: assembled.plan };
        execute(source, &mut sink, watch).await.ok()?;
        Some(sink.estimate(0))
    }

    /// Runs every trial, those that share a chunking consecutively.
    async fn tried(
        &self,
        part: &QuestionPart,
        stock: &mut Stock,
        trials: &[Trial],
    ) -> TrialResults {
        let mut results: TrialResults = trials.iter().map(|_| None).collect();
        for (place, at) in (1..).zip(in_order(trials)) {
            let trial = &trials[at];
            let result = tokio::select! {
                result = Box::pin(self.run(part, stock, trial)) => result,
                () = self.stopped() => break,
            };
            let shown = (trial, part.is_held_out);
            self.request.watch.tried((place, trials.len()), shown, self.plan.measure, &result);
            results[at] = Some(result);
        }
        results
    }

    fn scores(
        &self,
        trials: &[Trial],
        results: Vec<Result<TrialResult, TrialError>>,
    ) -> SweepScores {
        let tried = trials.iter().zip(results).map(|(trial, result)| ScoredTrial {
            name: trial.name.clone(),
            values: trial.values.clone(),
            result: result.map(|trial| trial.measured).map_err(|error| error.message),
        });
        let questions = &self.choosing.questions;
        SweepScores {
            questions: questions.iter().map(|question| question.id.clone()).collect(),
            cluster_of: self.clusters(questions),
            trials: tried.collect(),
        }
    }

    fn clusters(&self, questions: &[Question]) -> Vec<usize> {
        clusters::question_clusters(questions, self.request.base.settings.evaluation.cluster)
    }

    /// Compares the winner with the default on the held-out questions of `part`. The evaluation is recorded before it runs. `None` if
    /// no question was compared or the sweep was stopped.
    ///
    /// # Errors
    /// The failure of one of the two, or of recording the evaluation, which is then not run.
    async fn confirmed(
        &self,
        part: &QuestionPart,
        [default, winner]: [&Trial; 2],
    ) -> Result<Option<Confirmation>, String> {
        let evaluation = self.evaluation(held_out_hash(&part.questions), default, winner);
        let evaluations = self
            .request
            .folder
            .record_evaluations(&[evaluation])
            .inspect_err(|error| self.request.watch.trouble(error))
            .map_err(|error| error.to_string())?;
        let pair = [default.clone(), winner.clone()];
        let results = Box::pin(self.tried(part, &mut self.stock(part), &pair)).await;
        let done: Result<Vec<_>, TrialError> = results.into_iter().flatten().collect();
        let done = done.map_err(|error| error.message)?;
        let columns: Vec<Vec<Option<f64>>> = done
            .iter()
            .filter_map(|trial| trial.measured.scores.column(self.plan.measure))
            .collect();
        let [default, winner] = columns.as_slice() else {
            return Ok(None);
        };
        let clusters = self.clusters(&part.questions);
        let found = held_out(default, winner, &clusters, &self.plan, evaluations);
        Ok((found.n > 0).then_some(Confirmation::HeldOut(found)))
    }

    /// Records an evaluation for each trial if held-out questions are among the tuning questions, since they can then confirm
    /// little.
    fn note_evaluations(&self, trials: &[Trial]) {
        let questions = &self.choosing.questions;
        let is_held_out = |question: &Question| question.split == Some(Split::Heldout);
        if trials.len() < 2 || !questions.iter().any(is_held_out) {
            return;
        }
        let hash = held_out_hash(questions);
        let compared = trials[1..].iter();
        let evaluations: Vec<HeldOutEvaluation> =
            compared.map(|trial| self.evaluation(hash.clone(), &trials[0], trial)).collect();
        if let Err(error) = self.request.folder.record_evaluations(&evaluations) {
            self.request.watch.trouble(&error);
        }
    }

    fn evaluation(&self, questions: String, default: &Trial, trial: &Trial) -> HeldOutEvaluation {
        let (default, trial) = (default.id.clone(), trial.id.clone());
        let measure = self.plan.measure;
        HeldOutEvaluation { at: record::now(), questions, default, trial, measure }
    }
}

/// Chooses the measures that rank trials: the configured measure, else the share of evidence, answers or relevant documents
/// (depending on the questions' labels) within one token budget for all; within each trial's packed passages if packing is
/// varied.
fn plan(
    settings: &Settings,
    varied: &[Varied],
    questions: &[Question],
) -> Result<TuningPlan, Error> {
    let tune = &settings.tune;
    if let Some(measure) =
        tune.measure.filter(|measure| measure.family().aggregate() != Aggregate::Mean)
    {
        let message = format!(
            "`tune.measure` is {measure}, which is aggregated by the median: trials are compared by means"
        );
        return Err(Error::setting(message).with_hint(SEE_DEFAULTS));
    }
    let takes_any = |family: Family| Measure::new(family, Some(Cutoff::Prompt)).is_some();
    let family = match tune.measure.map(Measure::family).filter(|family| takes_any(*family)) {
        Some(family) => family,
        None => usual(questions).ok_or_else(nothing_gold)?,
    };
    let at = |cutoff| Measure::new(family, Some(cutoff)).expect("the family takes every cutoff");
    let equal_tokens = at(Cutoff::Tokens(tune.tokens));
    let packs = varied.iter().any(|varied| PACKING.contains(&varied.key.as_str()));
    let evaluation = assemble::evaluation(settings);
    Ok(TuningPlan {
        measure: tune.measure.unwrap_or(if packs { at(Cutoff::Prompt) } else { equal_tokens }),
        equal_k: at(Cutoff::Top(settings.retrieval.k)),
        equal_tokens,
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

/// Returns the order to run the trials in: the default first, then by chunking and by retrieval, each in order of first
/// occurrence. Shared parts are built once and dropped when no longer needed.
fn in_order(trials: &[Trial]) -> Vec<usize> {
    let mut first = HashMap::new();
    let keys = trials.iter().enumerate().map(|(at, trial)| {
        let settings = &trial.resolved.settings;
        let json = |value: serde_json::Result<String>| value.expect("settings are plain JSON");
        let chunking = json(serde_json::to_string(&settings.chunking));
        let retrieval = json(serde_json::to_string(&settings.retrieval));
        [("chunking", chunking), ("retrieval", retrieval)]
            .map(|key| *first.entry(key).or_insert(at))
    });
    let keys: Vec<[usize; 2]> = keys.collect();
    let mut places: Vec<usize> = (0..trials.len()).collect();
    places.sort_by_key(|&at| keys[at]);
    places
}

/// Returns the hash of the held-out `questions` in any order: their ids and texts.
fn held_out_hash(questions: &[Question]) -> String {
    let held_out = questions.iter().filter(|question| question.split == Some(Split::Heldout));
    let asked: BTreeSet<(&str, &str)> =
        held_out.map(|question| (question.id.as_str(), question.text.as_str())).collect();
    hex(&Sha256::digest(serde_json::json!(asked).to_string())[..8])
}
