//! Scores of files from other tools: a table with a column per file, tables with a row per query, JSON.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::few_clusters::FEW_CLUSTERS;
use crate::document::{Report, Table};
use ragtriage_core::text::sanitize::shortened;
use ragtriage_eval::files::{FilePlan, FileScores, MetricColumn, Warning};
use ragtriage_eval::summary::MetricSummary;

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
    /// The metrics and options of the scoring.
    pub plan: FilePlan,
    /// At least one; all have the plan's metrics.
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
    for (at, metric) in scored.plan.metrics.iter().enumerate() {
        let summaries: Vec<MetricSummary> =
            scored.files.iter().map(|file| file.scores.columns[at].summary).collect();
        let head = [metric.to_string(), n_of(&summaries)];
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
        .chain(columns.iter().map(|column| column.metric.to_string()))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut table = Table::new(format!("Values of {}", label(file, files)), &names);
    for (row, id) in file.scores.ids.iter().enumerate() {
        let values = columns.iter().map(|column| number(column.values[row]));
        table.row([shortened(id, NAME)].into_iter().chain(values));
    }
    table
}

/// Returns everything; `with_queries` adds each query's values. An infinite median is `null`.
#[must_use]
pub fn json(scored: &ScoredFiles<'_>, with_queries: bool) -> Value {
    let mut all = json!({"schema": SCHEMA});
    if scored.files.iter().all(|file| file.tag.is_none()) {
        all["scorer"] = json!(scored.plan.scorer);
    }
    all["files"] = scored.files.iter().map(|file| file_json(file, with_queries)).collect();
    all
}

fn file_json(file: &ScoredFile<'_>, with_queries: bool) -> Value {
    let ScoredFile { name, tag, scores } = file;
    let mut all = json!({"name": name});
    if let Some(tag) = tag {
        all["tag"] = json!(tag);
    }
    all["n"] = json!(scores.ids.len());
    all["n_clusters"] = json!(scores.n_clusters);
    let columns = scores.columns.iter();
    all["metrics"] =
        columns.map(|column| (column.metric.to_string(), json!(column.summary))).collect();
    all["warnings"] = json!(scores.warnings.iter().copied().collect::<BTreeMap<_, _>>());
    if with_queries {
        let ids = scores.ids.iter().enumerate();
        all["queries"] =
            ids.map(|(row, id)| (id.to_string(), values(&scores.columns, row))).collect();
    }
    all
}

fn values(columns: &[MetricColumn], row: usize) -> Value {
    columns.iter().map(|column| (column.metric.to_string(), json!(column.values[row]))).collect()
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
fn n_of(summaries: &[MetricSummary]) -> String {
    let mut counts: Vec<String> = summaries.iter().map(|summary| summary.n.to_string()).collect();
    counts.dedup();
    counts.join("/")
}

fn cell(summary: &MetricSummary) -> String {
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
