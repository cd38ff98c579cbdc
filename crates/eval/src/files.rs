//! Scores files of other systems: a TREC run against qrels, predictions against gold answers.
//!
//! Follows the reference tools: `trec_eval -c` by default (a judged query missing from the run scores 0, as does one
//! without relevant documents), and all gold questions for answers. Cases that those tools ignore silently are
//! counted.

use std::borrow::Cow;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;

use super::summary::{self, MetricSummary};
use ragtriage_core::language::Language;
use ragtriage_core::metric::answer::{self, AnswerScores, Scorer};
use ragtriage_core::metric::ranked::Graded;
use ragtriage_core::metric::{Family, Metric};
use ragtriage_core::stats::bootstrap::Bootstrap;
use ragtriage_core::stats::cluster::clusters;
use ragtriage_core::text::normalise;
use ragtriage_data::run::Error;
use ragtriage_data::run::external::predictions::{GoldAnswers, Golds, Predictions};
use ragtriage_data::run::external::qrels::{Qrels, QueryGrades};
use ragtriage_data::run::external::trec_run::TrecRun;

/// Options for scoring files.
#[derive(Clone, Debug, PartialEq)]
pub struct FilePlan {
    /// The metrics, in this order.
    pub metrics: Vec<Metric>,
    /// Omits judged queries missing from a run, or gold questions without a prediction.
    pub only_shared: bool,
    /// The minimum relevant grade.
    pub level: i32,
    /// Number of documents in the corpus, for `Fallout` and `Accuracy`.
    pub n_documents: Option<usize>,
    /// The scorer of answers.
    pub scorer: Scorer,
    /// The language of answers, for `mlqa`.
    pub language: &'static Language,
    /// Bootstrap resamples; 0: no intervals of means.
    pub resamples: usize,
    /// Their seed.
    pub seed: u64,
}

/// The scores of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileScores<'t> {
    /// Ids of the queries or questions: queries ascending by bytes, questions in the order of the
    /// gold file.
    pub ids: Vec<Cow<'t, str>>,
    /// The plan's metrics, each with its values.
    pub columns: Vec<MetricColumn>,
    /// Warnings with their counts, none of them 0.
    pub warnings: Vec<(Warning, usize)>,
    /// Number of clusters resampled together.
    pub n_clusters: usize,
}

/// A metric's values and their summary.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricColumn {
    /// The metric.
    pub metric: Metric,
    /// Parallel to the ids; `None`: undefined.
    pub values: Vec<Option<f64>>,
    /// Their mean, summed in the order of the ids, or their median; the interval is the cluster bootstrap's.
    pub summary: MetricSummary,
}

/// A case that a reference tool ignores silently or that may be unexpected. Keys of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// Queries of the run without a judgment, omitted.
    QueriesWithoutJudgments,
    /// Judged queries missing from the run.
    QueriesMissing,
    /// Judged queries without relevant documents.
    QueriesWithoutRelevant,
    /// Ranked queries none of whose documents is judged: most likely ids in a different format.
    NoJudgedDocument,
    /// Gold questions without a prediction.
    PredictionsMissing,
    /// Predictions that are `null`.
    PredictionsNull,
    /// Predictions of unknown ids, omitted.
    PredictionsOfUnknownIds,
    /// Ids with several predictions; the last counts.
    RepeatedPredictions,
}

/// Scores a run.
///
/// # Errors
/// A duplicate document in a judged query's ranking.
pub fn score_run<'t>(
    run: &TrecRun<'_>,
    qrels: &Qrels<'t>,
    plan: &FilePlan,
) -> Result<FileScores<'t>, Error> {
    let judged: Vec<(&str, &QueryGrades)> = qrels.queries().collect();
    let rows: Vec<_> =
        judged.par_iter().map(|(query, judged)| score_query(run, query, judged, plan)).collect();
    let (mut ids, mut values) = (Vec::new(), Vec::new());
    let (mut n_missing, mut n_judged_retrieved, mut n_without_relevant) = (0, 0, 0);
    for ((query, _), row) in judged.iter().zip(rows) {
        let row = row?;
        n_missing += usize::from(row.is_missing);
        n_judged_retrieved += row.n_judged_retrieved;
        if !(row.is_missing && plan.only_shared) {
            ids.push(Cow::Borrowed(*query));
            values.push(row.values);
            n_without_relevant += usize::from(!row.has_relevant);
        }
    }
    let n_shared = judged.len() - n_missing;
    let warnings = [
        (Warning::QueriesWithoutJudgments, run.queries().len() - n_shared),
        (Warning::QueriesMissing, n_missing),
        (Warning::QueriesWithoutRelevant, n_without_relevant),
        (Warning::NoJudgedDocument, if n_judged_retrieved == 0 { n_shared } else { 0 }),
    ];
    let each_its_own = (0..ids.len()).collect();
    Ok(summarised(ids, &values, each_its_own, &warnings, plan))
}

struct QueryRow {
    values: Vec<Option<f64>>,
    has_relevant: bool,
    n_judged_retrieved: usize,
    is_missing: bool,
}

fn score_query(
    run: &TrecRun,
    query: &str,
    judged: &QueryGrades,
    plan: &FilePlan,
) -> Result<QueryRow, Error> {
    let ranking = run.ranking(query)?;
    let is_missing = ranking.is_none();
    let hits = ranking.unwrap_or_default();
    let grades: Vec<Option<i32>> =
        hits.iter().map(|hit| judged.get(hit.document).copied()).collect();
    let n_judged_retrieved = grades.iter().flatten().count();
    let graded = Graded::new(grades, judged.values().copied(), plan.level);
    let has_relevant = graded.n_relevant() > 0;
    let values =
        plan.metrics.iter().map(|metric| graded.value(*metric, plan.n_documents)).collect();
    Ok(QueryRow { values, has_relevant, n_judged_retrieved, is_missing })
}

/// Scores predictions. A question without one, or with `null`, scores 0.
#[must_use]
pub fn score_predictions<'t>(
    predictions: &Predictions<'_>,
    golds: &Golds<'t>,
    plan: &FilePlan,
) -> FileScores<'t> {
    let (mut n_known, mut n_answered) = (0, 0);
    let mut asked: Vec<(&GoldAnswers<'t>, Option<&str>)> = Vec::new();
    for gold in &golds.questions {
        let found = predictions.answers.get(gold.id.as_ref());
        let answer = found.and_then(Option::as_deref);
        n_known += usize::from(found.is_some());
        n_answered += usize::from(answer.is_some());
        if !plan.only_shared || answer.is_some() {
            asked.push((gold, answer));
        }
    }
    let values: Vec<_> =
        asked.par_iter().map(|(gold, answer)| score_answer(*answer, gold, plan)).collect();
    let warnings = [
        (Warning::PredictionsMissing, golds.questions.len() - n_known),
        (Warning::PredictionsNull, n_known - n_answered),
        (Warning::PredictionsOfUnknownIds, predictions.answers.len() - n_known),
        (Warning::RepeatedPredictions, predictions.n_repeated),
    ];
    let ids = asked.iter().map(|(gold, _)| gold.id.clone()).collect();
    let cluster_of = clusters(asked.iter().map(|(gold, _)| &gold.documents));
    summarised(ids, &values, cluster_of, &warnings, plan)
}

fn score_answer(answer: Option<&str>, gold: &GoldAnswers, plan: &FilePlan) -> Vec<Option<f64>> {
    let scores = answer.map_or(AnswerScores::default(), |answer| {
        answer::score(answer, &golds_of(gold, plan.scorer), plan.scorer, plan.language)
    });
    let answerable = !gold.answers.is_empty();
    plan.metrics
        .iter()
        .map(|metric: &Metric| match metric.family() {
            Family::AnswerEm => Some(scores.em),
            Family::AnswerF1 => Some(scores.f1),
            Family::AnswerPrecision => Some(scores.precision),
            Family::AnswerRecall => Some(scores.recall),
            Family::AnswerEmHasAns => answerable.then_some(scores.em),
            Family::AnswerF1HasAns => answerable.then_some(scores.f1),
            Family::AnswerEmNoAns => (!answerable).then_some(scores.em),
            Family::AnswerF1NoAns => (!answerable).then_some(scores.f1),
            Family::AnswerContains => {
                let contains = answer::contains(answer.unwrap_or_default(), &gold.answers);
                contains.map(|contains| f64::from(u8::from(contains && answer.is_some())))
            }
            _ => None,
        })
        .collect()
}

/// Returns the gold answers that a script compares with: `evaluate-v2.0.py` drops those that normalise to nothing,
/// and if none remains the correct answer is the empty one.
fn golds_of<'a>(gold: &'a GoldAnswers<'_>, scorer: Scorer) -> Cow<'a, [String]> {
    if scorer != Scorer::Squad2 {
        return Cow::Borrowed(&gold.answers);
    }
    let mut golds = gold.answers.clone();
    golds.retain(|answer| !normalise::official(answer).is_empty());
    Cow::Owned(if golds.is_empty() { vec![String::new()] } else { golds })
}

/// Returns true if a metric can be computed from a run and qrels alone, or from predictions and
/// gold answers alone.
#[must_use]
pub fn is_measured_in_files(metric: Metric, answers: bool) -> bool {
    match metric.family() {
        // They need facts of the question, its kind, or the passages.
        Family::AnswerCorrect
        | Family::FactRecall
        | Family::ForbiddenFacts
        | Family::Groundedness
        | Family::UnsupportedValues
        | Family::CitationPrecision
        | Family::CitationRecall
        | Family::UncitedValues => false,
        family if answers || family.scores_answers() => answers && family.scores_answers(),
        // A corpus of a size that every metric accepts.
        _ => Graded::new(vec![None], [1], 1).value(metric, Some(usize::MAX)).is_some(),
    }
}

fn summarised<'t>(
    ids: Vec<Cow<'t, str>>,
    rows: &[Vec<Option<f64>>],
    cluster_of: Vec<usize>,
    warnings: &[(Warning, usize)],
    plan: &FilePlan,
) -> FileScores<'t> {
    let bootstrap = Bootstrap::new(cluster_of, plan.resamples, plan.seed);
    let columns: Vec<Vec<Option<f64>>> =
        (0..plan.metrics.len()).map(|c| rows.iter().map(|row| row[c]).collect()).collect();
    let summaries = summary::summarised(&plan.metrics, &columns, &bootstrap);
    let columns = plan.metrics.iter().zip(columns).zip(summaries);
    let columns =
        columns.map(|((&metric, values), summary)| MetricColumn { metric, values, summary });
    FileScores {
        ids,
        columns: columns.collect(),
        warnings: warnings.iter().copied().filter(|(_, n)| *n > 0).collect(),
        n_clusters: bootstrap.n_clusters(),
    }
}
