//! Scores of files made elsewhere: a table with a column a file, a table a file with a row a query, JSON.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, Table, presets};
use serde::{Serialize, Serializer};

use super::view::FEW_CLUSTERS;
use ragtriage_core::measure::answer::Scorer;
use ragtriage_core::text::sanitize::{one_line, shortened};
use ragtriage_eval::files::{Column, FilePlan, FileScores, Warning};
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
    /// How they were scored.
    pub plan: FilePlan,
    /// At least one; all have the plan's measures.
    pub files: Vec<ScoredFile<'t>>,
}

/// A row a measure, a column a file; under it what the numbers are of.
#[must_use]
pub fn table(scored: &ScoredFiles<'_>) -> String {
    let mut table = plain_table();
    table.set_header(
        [String::new(), "n".to_owned()]
            .into_iter()
            .chain(scored.files.iter().map(|file| label(file, &scored.files))),
    );
    for (at, measure) in scored.plan.measures.iter().enumerate() {
        let summaries: Vec<MeasureSummary> = scored
            .files
            .iter()
            .map(|file| file.scores.columns[at].summary)
            .collect();
        let head = [measure.to_string(), n_of(&summaries)];
        table.add_row(head.into_iter().chain(summaries.iter().map(cell)));
    }
    let mut out = lines(&table);
    if scored.plan.resamples > 0 {
        let _ = writeln!(out, "\n{}", intervals_of(scored));
    }
    out
}

/// For each file a table with a row a query.
#[must_use]
pub fn per_query(scored: &ScoredFiles<'_>) -> String {
    let mut out = String::new();
    for file in &scored.files {
        let mut table = plain_table();
        let names = file
            .scores
            .columns
            .iter()
            .map(|column| column.measure.to_string());
        table.set_header([label(file, &scored.files)].into_iter().chain(names));
        for (row, id) in file.scores.ids.iter().enumerate() {
            let values = file
                .scores
                .columns
                .iter()
                .map(|column| number(column.values[row]));
            table.add_row([shortened(id, NAME)].into_iter().chain(values));
        }
        let _ = writeln!(out, "{}", lines(&table));
    }
    out
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
    let counted = if plan.only_shared {
        "left out"
    } else {
        "score 0"
    };
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
            format!("judgments repeated with the same grade, kept once: {n}")
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

/// The path's last part, or the whole path where others end alike.
fn label(file: &ScoredFile<'_>, files: &[ScoredFile<'_>]) -> String {
    let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    let alike = files
        .iter()
        .filter(|other| last(&other.name) == last(&file.name))
        .count();
    shortened(
        &if alike > 1 {
            file.name.clone()
        } else {
            last(&file.name)
        },
        NAME,
    )
}

fn plain_table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table
}

fn lines(table: &Table) -> String {
    let mut table = table.clone();
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.lines().fold(String::new(), |out, line| {
        out + one_line(&line).trim_end() + "\n"
    })
}

/// One number where all files agree.
fn n_of(summaries: &[MeasureSummary]) -> String {
    let mut counts: Vec<String> = summaries
        .iter()
        .map(|summary| summary.n.to_string())
        .collect();
    counts.dedup();
    counts.join("/")
}

fn cell(summary: &MeasureSummary) -> String {
    let interval = summary
        .ci95
        .map_or(String::new(), |interval| format!(" {interval:.3}"));
    format!(
        "{}{interval}",
        number((summary.n > 0).then_some(summary.mean))
    )
}

fn number(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.4}"))
}

fn intervals_of(scored: &ScoredFiles<'_>) -> String {
    let clusters = scored
        .files
        .iter()
        .map(|file| file.scores.n_clusters)
        .max()
        .unwrap_or_default();
    let n = scored
        .files
        .iter()
        .map(|file| file.scores.ids.len())
        .max()
        .unwrap_or_default();
    let drawn = if clusters == n {
        let what = if scored.files.iter().any(|file| file.tag.is_some()) {
            "queries"
        } else {
            "questions"
        };
        format!("{n} {what}")
    } else {
        format!("{clusters} clusters of questions that share gold documents")
    };
    let rough = if clusters < FEW_CLUSTERS {
        ": so few that it is rough"
    } else {
        ""
    };
    format!(
        "[95 % interval: BCa bootstrap over {drawn}, {} resamples, seed {}{rough}]",
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
    let value = |column: &Column, row: usize| (column.measure.to_string(), column.values[row]);
    let row = |(row, id): (usize, &'a std::borrow::Cow<'_, str>)| {
        (
            id.as_ref(),
            Map(scores
                .columns
                .iter()
                .map(|column| value(column, row))
                .collect()),
        )
    };
    scores.ids.iter().enumerate().map(row).collect()
}
