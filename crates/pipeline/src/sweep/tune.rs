//! The order of a sweep: every setting is run on the questions that choose, the best is confirmed on those that do not, and answers
//! are generated where they are asked for.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::watch;

use super::SweepError;
use super::answers::{Answers, Bill, Generate};
use super::folder::SweepFolder;
use super::partition::Part;
use super::prepared::Prepared;
use super::setting::{DEFAULT, Setting};
use super::trial::{Bench, Trial, Work};
use crate::progress::Progress;
use crate::settings::Resolved;
use crate::settings::assemble::Environment;
use crate::stock::Stock;
use ragtriage_core::measure::Measure;
use ragtriage_core::types::Dataset;
use ragtriage_eval::summary;
use ragtriage_eval::tuning::{
    Board, Confirmation, Ranking, Tried, TuningPlan, TuningVerdict, Varied, cross_fit, judge, rank,
};
use ragtriage_http::OnDownload;

/// What a sweep is asked for, and where.
pub struct Request<'a> {
    /// The settings with their `[sweep]`.
    pub base: &'a Resolved,
    /// For which settings answers are generated.
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
    /// What is to be tried next, on so many questions over so many documents.
    fn begins(&self, settings: &[Setting], n_questions: usize, n_documents: usize);
    /// A setting was tried, as the first of so many, whether on held-out questions: what came of it.
    fn tried(
        &self,
        place: (usize, usize),
        setting: (&Setting, bool),
        measure: Measure,
        result: &Result<Trial, String>,
    );
    /// Something went wrong that ends nothing.
    fn trouble(&self, error: &SweepError);
    /// What generating answers would ask and cost at most, before anything is asked.
    fn bill(&self, bill: &Bill);
}

/// What came of a sweep.
pub struct Outcome {
    /// How its board was read.
    pub plan: TuningPlan,
    /// What was varied.
    pub varied: Vec<Varied>,
    /// Every setting that was tried, the default first.
    pub settings: Vec<Setting>,
    /// Each one's run on the questions that choose, where it did not fail; parallel to `settings`.
    pub runs: Vec<Option<PathBuf>>,
    /// The settings in order.
    pub ranking: Ranking,
    /// How the winner was confirmed; `None` where it could not be, or need not.
    pub confirmation: Option<Confirmation>,
    /// What follows.
    pub verdict: TuningVerdict,
    /// Answers, where they were generated.
    pub answers: Vec<Answers>,
    /// Questions that chose.
    pub n_choosing: usize,
    /// Questions that are held out to confirm; `None` where there are none.
    pub n_held_out: Option<usize>,
    /// What was wanted and made in all.
    pub work: Work,
    /// Settings that were not tried since the sweep was interrupted.
    pub n_left: usize,
    /// Whether it was, then or later.
    pub interrupted: bool,
}

impl Outcome {
    /// The best setting, with its place among those that were tried.
    #[must_use]
    pub fn winner(&self) -> Option<(usize, &Setting)> {
        self.settings
            .iter()
            .enumerate()
            .find(|(_, setting)| Some(&setting.name) == self.ranking.winner.as_ref())
    }
}

/// Runs the sweep over `dataset`.
///
/// # Errors
/// What concerns the sweep as a whole; one setting's failure is its row.
pub async fn tune(request: &Request<'_>, dataset: Dataset) -> Result<Outcome, SweepError> {
    let Prepared {
        mut list,
        plan,
        measures,
        documents,
        choosing,
        confirming,
        answers_choose,
    } = Prepared::new(request, dataset)?;
    request.watch.begins(
        &list.settings,
        choosing.questions.len(),
        choosing.n_documents,
    );
    let mut stock = Stock::for_many(Arc::clone(&documents), choosing.questions.clone());
    let bench = request.bench(&choosing, &measures, answers_choose);
    if answers_choose {
        request
            .watch
            .bill(&Box::pin(request.bill(&mut stock, &list.settings)).await);
    }
    let (mut results, mut work) =
        Box::pin(request.tried(&bench, &mut stock, &list.settings, plan.measure)).await;
    let n_tried = results.iter().flatten().count();
    // Without the default there is nothing to compare with, and no other may stand in its place.
    results[0].get_or_insert_with(|| Err("not tried: the sweep was interrupted before".to_owned()));
    let (n_settings, n_left) = (
        results.len(),
        results.iter().filter(|result| result.is_none()).count(),
    );
    let (settings, results): (Vec<Setting>, Vec<Result<Trial, String>>) =
        std::mem::take(&mut list.settings)
            .into_iter()
            .zip(results)
            .filter_map(|(s, result)| Some((s, result?)))
            .unzip();
    let runs = results
        .iter()
        .map(|result| result.as_ref().ok().map(|trial| trial.run.clone()))
        .collect();
    let answer = |(setting, result)| Answers::new(setting, result, request.folder.path());
    let mut answers: Vec<Answers> = settings
        .iter()
        .zip(&results)
        .filter(|_| answers_choose)
        .map(answer)
        .collect();
    let board = board(request.base, &list.varied, &choosing, &settings, results);
    let ranking = rank(&board, &plan);
    let winner = settings
        .iter()
        .find(|setting| Some(&setting.name) == ranking.winner.as_ref());
    let winner = winner.filter(|winner| winner.name != DEFAULT && n_left == 0);

    let confirmation = match (&confirming, winner) {
        (_, None) => None,
        (None, Some(_)) => cross_fit(&board, &plan).map(Confirmation::CrossFit),
        (Some(part), Some(winner)) => {
            stock.forget();
            let bench = request.bench(part, &measures, answers_choose);
            let mut stock = Stock::for_many(documents, part.questions.clone());
            Box::pin(request.confirmed(
                &bench,
                &mut stock,
                [&settings[0], winner],
                &plan,
                &mut work,
            ))
            .await
        }
    };
    request.note_looks(&choosing, &settings, &plan);
    let mut verdict = judge(&ranking, confirmation.as_ref(), &board, &plan);
    if n_left > 0 {
        verdict.text = format!(
            "Interrupted, {n_tried} of {n_settings} settings tried. {}",
            verdict.text
        );
    }
    if !answers_choose {
        let bench = request.bench(&choosing, &measures, true);
        let generating = request.generating(&settings, &ranking);
        let (answered, more) =
            Box::pin(request.answered(&bench, &mut stock, &generating, plan.measure)).await;
        (answers, work) = (answered, work.plus(more));
    }
    Ok(Outcome {
        plan,
        varied: list.varied,
        settings,
        runs,
        ranking,
        confirmation,
        verdict,
        answers,
        n_choosing: choosing.questions.len(),
        n_held_out: confirming.map(|part| part.questions.len()),
        work,
        n_left,
        interrupted: *request.stop.borrow(),
    })
}

impl Request<'_> {
    /// Where settings are tried on one part of the questions.
    fn bench<'b>(&'b self, part: &'b Part, measures: &'b [Measure], answers: bool) -> Bench<'b> {
        Bench {
            part,
            measures,
            answers,
            flavour: self.base.settings.evaluation.flavour,
            environment: self.environment,
            folder: self.folder,
            git_commit: self.git_commit.clone(),
            progress: self.watch,
            on_download: self.on_download,
        }
    }

    /// Returns when the sweep is to end early.
    pub(super) async fn stopped(&self) {
        let mut stop = self.stop.clone();
        if stop.wait_for(|stop| *stop).await.is_err() {
            std::future::pending::<()>().await; // nobody is left who could stop it
        }
    }

    /// Tries every setting, those that share a chunking one after another; parallel to `settings`, `None` for those that were
    /// left when the sweep was stopped. What it wanted and made stands beside them.
    pub(super) async fn tried(
        &self,
        bench: &Bench<'_>,
        stock: &mut Stock,
        settings: &[Setting],
        measure: Measure,
    ) -> (Vec<Option<Result<Trial, String>>>, Work) {
        let mut results: Vec<Option<Result<Trial, String>>> =
            settings.iter().map(|_| None).collect();
        let mut work = Work::default();
        for (place, at) in (1..).zip(in_order(settings)) {
            let setting = &settings[at];
            let result = tokio::select! {
                result = Box::pin(bench.run(stock, setting)) => result,
                () = self.stopped() => break,
            };
            self.watch.tried(
                (place, settings.len()),
                (setting, bench.part.is_held_out),
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

/// The places of the settings: the default first, then by chunking and by how chunks are found, each as it is first met. What can be
/// shared is made once and kept no longer than needed.
fn in_order(settings: &[Setting]) -> Vec<usize> {
    let firsts = |of: fn(&Setting) -> String| {
        let mut first: HashMap<String, usize> = HashMap::new();
        let place = |(at, setting)| *first.entry(of(setting)).or_insert(at);
        settings
            .iter()
            .enumerate()
            .map(place)
            .collect::<Vec<usize>>()
    };
    let (chunkings, retrievals) = (firsts(Setting::chunking), firsts(Setting::retrieval));
    let mut places: Vec<usize> = (0..settings.len()).collect();
    places.sort_by_key(|&at| (chunkings[at], retrievals[at]));
    places
}

fn board(
    base: &Resolved,
    varied: &[Varied],
    part: &Part,
    settings: &[Setting],
    results: Vec<Result<Trial, String>>,
) -> Board {
    let tried = settings.iter().zip(results).map(|(setting, result)| Tried {
        name: setting.name.clone(),
        values: setting.values.clone(),
        size: setting.chunk_size(),
        group: setting.group(),
        result: result.map(|trial| trial.marks),
    });
    Board {
        varied: varied.to_vec(),
        questions: part
            .questions
            .iter()
            .map(|question| question.id.clone())
            .collect(),
        cluster_of: summary::question_clusters(&part.questions, base.settings.evaluation.cluster),
        settings: tried.collect(),
    }
}
