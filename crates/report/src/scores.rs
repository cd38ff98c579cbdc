//! Scores of files from other tools: a table with a column per file, tables with a row per query, JSON.

use serde::{Serialize, Serializer};

use super::few_clusters::FEW_CLUSTERS;
use crate::document::{Report, Table};
use ragtriage_core::measure::answer::Scorer;
use ragtriage_core::text::sanitize::shortened;
use ragtriage_eval::files::{FilePlan, FileScores, MeasureColumn, Warning};
use ragtriage_eval::summary::MeasureSummary;

/// The layout's version in JSON.
const SCHEMA: u32 = 1;
/// Columns of a name or an id.
const NAME: usize = 40;

/// A file's scores under its name.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredFile<'t> {
    /// The path as it was given.
    pub name: String,
    /// The name that a TREC run gives itself.
    pub tag: Option<String>,
    /// Its scores.
    pub scores: FileScores<'t>,
}

/// All files under one plan.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredFiles<'t> {
    /// The measures and options of the scoring.
    pub plan: FilePlan,
    /// At least one; all have the plan's measures.
    pub files: Vec<ScoredFile<'t>>,
}

/// Builds a table with a column per file and, on request, one per file with a row per query before it.
#[must_use]
pub fn report(scored: &ScoredFiles<'_>, with_queries: bool) -> Report {
    let mut report = Report::default();
    if with_queries {
        for file in &scored.files {
            report.table(per_query(file, &scored.files));
        }
    }
    let title = if with_queries { "Means" } else { "" };
    report.table(by_file(title, scored));
    report
}

fn by_file(title: &str, scored: &ScoredFiles<'_>) -> Table {
    let labels: Vec<String> = scored.files.iter().map(|file| label(file, &scored.files)).collect();
    let columns: Vec<&str> =
        ["", "n"].into_iter().chain(labels.iter().map(String::as_str)).collect();
    let mut table = Table::new(title, &columns);
    for (at, measure) in scored.plan.measures.iter().enumerate() {
        let summaries: Vec<MeasureSummary> =
            scored.files.iter().map(|file| file.scores.columns[at].summary).collect();
        let head = [measure.to_string(), n_of(&summaries)];
        table.row(head.into_iter().chain(summaries.iter().map(cell)));
    }
    if scored.plan.resamples > 0 {
        table.notes.push(intervals_of(scored));
    }
    table
}

fn per_query(file: &ScoredFile<'_>, files: &[ScoredFile<'_>]) -> Table {
    let columns = &file.scores.columns;
    let names: Vec<String> = [String::new()]
        .into_iter()
        .chain(columns.iter().map(|column| column.measure.to_string()))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut table = Table::new(format!("Values of {}", label(file, files)), &names);
    for (row, id) in file.scores.ids.iter().enumerate() {
        let values = columns.iter().map(|column| number(column.values[row]));
        table.row([shortened(id, NAME)].into_iter().chain(values));
    }
    table
}

/// Everything, indented; `with_queries` adds each query's values.
///
/// # Errors
/// None that is known: the types hold nothing that JSON has no form for (an infinite median is `null`).
pub fn json(scored: &ScoredFiles<'_>, with_queries: bool) -> Result<String, serde_json::Error> {
    let FilePlan {
        level,
        n_documents,
        only_shared,
        scorer,
        language,
        resamples,
        seed,
        measures: _,
    } = &scored.plan;
    let is_ranking = scored.files.iter().any(|file| file.tag.is_some());
    let files = scored.files.iter().map(|file| FileJson {
        name: &file.name,
        tag: file.tag.as_deref(),
        n: file.scores.ids.len(),
        n_clusters: file.scores.n_clusters,
        measures: Map(file
            .scores
            .columns
            .iter()
            .map(|column| (column.measure.to_string(), column.summary))
            .collect()),
        warnings: Map(file.scores.warnings.clone()),
        queries: with_queries.then(|| Map(query_values(&file.scores))),
    });
    let all = Json {
        schema: SCHEMA,
        level: is_ranking.then_some(*level),
        documents: *n_documents,
        scorer: (!is_ranking).then_some(scorer),
        language: (*scorer == Scorer::Mlqa).then_some(&language.code),
        only_shared: *only_shared,
        resamples: *resamples,
        seed: *seed,
        files: files.collect(),
    };
    serde_json::to_string_pretty(&all).map(|json| json + "\n")
}

/// A warning in words.
#[must_use]
pub fn warning(warning: Warning, n: usize, plan: &FilePlan) -> String {
    let counted = if plan.only_shared { "left out" } else { "score 0" };
    match warning {
        Warning::QueriesWithoutJudgments => format!("queries without judgments, left out: {n}"),
        Warning::QueriesMissing => format!("judged queries that it does not have, {counted}: {n}"),
        Warning::QueriesWithoutRelevant => {
            format!("judged queries of which nothing is relevant, score 0: {n}")
        }
        Warning::NoJudgedDocument => {
            format!(
                "not one judged document was found, over queries: {n}; do run and qrels write ids the same way?"
            )
        }
        Warning::RepeatedJudgments => {
            format!("judgments repeated with the same grade, counted once: {n}")
        }
        Warning::PredictionsMissing => {
            format!("gold questions without a prediction, {counted}: {n}")
        }
        Warning::PredictionsNull => format!("predictions that are null, {counted}: {n}"),
        Warning::PredictionsOfUnknownIds => {
            format!("predictions for ids that no gold has, left out: {n}")
        }
        Warning::RepeatedPredictions => {
            format!("ids predicted more than once, the last counts: {n}")
        }
    }
}

/// Returns the path's last part, or the whole path where others end alike.
fn label(file: &ScoredFile<'_>, files: &[ScoredFile<'_>]) -> String {
    let last = last_part(&file.name);
    let n_alike = files.iter().filter(|other| last_part(&other.name) == last).count();
    shortened(if n_alike > 1 { &file.name } else { last }, NAME)
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// One number where all files agree.
fn n_of(summaries: &[MeasureSummary]) -> String {
    let mut counts: Vec<String> = summaries.iter().map(|summary| summary.n.to_string()).collect();
    counts.dedup();
    counts.join("/")
}

fn cell(summary: &MeasureSummary) -> String {
    let interval = summary.ci95.map_or(String::new(), |interval| format!(" {interval:.3}"));
    format!("{}{interval}", number((summary.n > 0).then_some(summary.mean)))
}

fn number(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.4}"))
}

fn intervals_of(scored: &ScoredFiles<'_>) -> String {
    let clusters = scored.files.iter().map(|file| file.scores.n_clusters).max().unwrap_or_default();
    let n = scored.files.iter().map(|file| file.scores.ids.len()).max().unwrap_or_default();
    let drawn = if clusters == n {
        let is_ranking = scored.files.iter().any(|file| file.tag.is_some());
        format!("{n} {}", if is_ranking { "queries" } else { "questions" })
    } else {
        format!("{clusters} clusters of questions that share gold documents")
    };
    let rough = if clusters < FEW_CLUSTERS { "; too few for a reliable interval" } else { "" };
    format!(
        "95% CI: BCa bootstrap over {drawn}, {} resamples, seed {}{rough}",
        scored.plan.resamples, scored.plan.seed
    )
}

#[derive(Serialize)]
struct Json<'a> {
    schema: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scorer: Option<&'a Scorer>,
    /// The language of answers under `mlqa`.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a String>,
    only_shared: bool,
    resamples: usize,
    seed: u64,
    files: Vec<FileJson<'a>>,
}

#[derive(Serialize)]
struct FileJson<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<&'a str>,
    n: usize,
    n_clusters: usize,
    measures: Map<String, MeasureSummary>,
    warnings: Map<Warning, usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    queries: Option<Map<&'a str, Map<String, Option<f64>>>>,
}

/// Pairs as an object, in their order.
struct Map<K, V>(Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Map<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

fn query_values<'a>(scores: &'a FileScores<'_>) -> Vec<(&'a str, Map<String, Option<f64>>)> {
    scores
        .ids
        .iter()
        .enumerate()
        .map(|(row, id)| (id.as_ref(), Map(values_of(&scores.columns, row))))
        .collect()
}

fn values_of(columns: &[MeasureColumn], row: usize) -> Vec<(String, Option<f64>)> {
    columns.iter().map(|column| (column.measure.to_string(), column.values[row])).collect()
}
