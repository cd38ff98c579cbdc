//! The report of a comparison.

use serde_json::Value;

use ragtriage_core::metric::Cutoff;
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_core::text::sanitize::shortened;
use ragtriage_eval::compare::answers::{Flip, FlipGroup, Turn};
use ragtriage_eval::compare::differences::MetricDifference;
use ragtriage_eval::compare::{Comparison, PairComparison, RunHead, p_text};

use crate::document::{Align, Element, Entry, Fact, Report, Table};
use crate::few_clusters;

/// Most characters of a text that data gave, of an id, of a question, of a setting's name, and of its value: one line each.
const TEXT: usize = 90;
const ID: usize = 30;
const QUESTION: usize = 68;
const SETTING: usize = 40;
const VALUE: usize = 36;

/// The columns of the metrics' table; A and B are the runs compared.
const COLUMNS: [&str; 9] = ["metric", "n", "A", "B", "delta", "95% CI", "p", "MDE", "W/T/L"];

/// Flipped questions of each group that a report shows.
const FLIPS: usize = 3;

/// Lays a comparison out; metrics at `every_cutoff`, else what was packed by the baseline, what stood in the prompt, and whole
/// rankings.
#[must_use]
pub fn report(comparison: &Comparison, every_cutoff: bool) -> Report {
    let mut report = Report::new("ragtriage: comparison");
    for pair in &comparison.pairs {
        let verdict = format!("{}: {}", pair.run.label, pair.verdict);
        report.elements.push(Element::Verdict(verdict));
    }
    let others = comparison.pairs.iter().map(|pair| describe(&pair.run, ""));
    report.facts(
        [describe(&comparison.baseline, ", the baseline")].into_iter().chain(others).collect(),
    );
    for pair in &comparison.pairs {
        report.heading(title(comparison, pair));
        report.warnings(&notices(pair));
        report.table(changes(pair));
        report.table(metrics(comparison, pair, every_cutoff));
        flips(pair, &mut report);
    }
    report.heading("How to read the comparison");
    report.list(legend(comparison));
    report
}

fn describe(head: &RunHead, role: &str) -> Fact {
    let n = head.n_questions;
    short(&head.label, &format!("{}{role}: {n} questions, {}", head.name, head.started))
}

/// Returns explanations of the table of metrics.
fn legend(comparison: &Comparison) -> Vec<String> {
    let mut legend = vec![
        "delta: the run minus A over the n questions that both have; p: paired randomisation test, clusters of questions that \
         share gold evidence flipped together; 95% CI: the differences that this test does not reject, so it excludes 0 exactly \
         where p < 0.05 (medians have none); MDE: minimum detectable effect at 80% power; W/T/L: questions on which the run is better, equal, worse"
            .to_owned(),
    ];
    if let Some(primary) = comparison.primary {
        let n = comparison.pairs.len();
        let adjusted = if n > 1 {
            format!("; its p-values are Holm-adjusted over the {n} compared runs")
        } else {
            String::new()
        };
        legend.push(format!(
            "* {primary} is the primary metric{adjusted}. Every other p is unadjusted and exploratory"
        ));
    }
    legend
}

/// Names who is compared, over how many questions.
fn title(comparison: &Comparison, pair: &PairComparison) -> String {
    let baseline = &comparison.baseline;
    format!(
        "{} ({}) against {} ({}): {}, {}",
        pair.run.label,
        pair.run.name,
        baseline.label,
        baseline.name,
        plural(pair.questions.compared, "question", "questions"),
        plural(pair.questions.n_clusters, "cluster", "clusters")
    )
}

/// Lists the counts above 0 with what they count: `1 only in A, 2 only in B`; `None` without any.
pub(crate) fn counted(counts: &[(usize, &str)]) -> Option<String> {
    let counts = counts.iter().filter(|(n, _)| *n > 0);
    let counts: Vec<String> = counts.map(|(n, what)| format!("{n} {what}")).collect();
    (!counts.is_empty()).then(|| counts.join(", "))
}

/// Returns the warnings about a pair.
fn notices(pair: &PairComparison) -> Vec<String> {
    let questions = &pair.questions;
    let label = &pair.run.label;
    let mut notices = Vec::new();
    let left_out = [
        (questions.only_baseline, "only in A"),
        (questions.only_run, &*format!("only in {label}")),
        (questions.other_text, "with the same id and different texts"),
    ];
    if let Some(left_out) = counted(&left_out) {
        notices.push(format!("compared over the questions that both ask; left out: {left_out}"));
    }
    if questions.failed > 0 {
        let n = plural(questions.failed, "question was", "questions were");
        notices.push(format!("{n} left out: failed in one run or both"));
    }
    if pair.changes.iter().any(|change| change.what.starts_with("evaluation.")) {
        notices.push("evaluation settings differ: both runs are scored with those of A".to_owned());
    }
    if questions.other_gold > 0 {
        let n = plural(questions.other_gold, "question has", "questions have");
        notices.push(format!(
            "{n} different gold answers in the two runs, and each run is scored with its own: labels may cause part of a difference"
        ));
    }
    notices.extend(few_clusters::warning(
        questions.compared,
        questions.n_clusters,
        questions.largest_cluster,
    ));
    notices
}

/// The settings that differ between two runs.
fn changes(pair: &PairComparison) -> Table {
    let label = &*pair.run.label;
    let mut table = Table::of_text(format!("Differences from A to {label}"), &["", "A", label]);
    for change in &pair.changes {
        table.row([
            shortened(&change.what, SETTING),
            shortened(&setting_text(&change.baseline), VALUE),
            shortened(&setting_text(&change.run), VALUE),
        ]);
    }
    if pair.changes.is_empty() {
        let same = "nothing: configuration, data, versions and models are equal";
        table.notes.push(same.to_owned());
    }
    table
}

/// A value as a person would write it.
fn setting_text(value: &Value) -> String {
    match value {
        Value::Null => "(none)".to_owned(),
        Value::String(text) if text.is_empty() => "(none)".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "(none)".to_owned(),
        Value::Array(items) => items.iter().map(setting_text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// The metrics on which some question differs, and the names of the others.
fn metrics(comparison: &Comparison, pair: &PairComparison, every_cutoff: bool) -> Table {
    let label = &*pair.run.label;
    let columns = COLUMNS.map(|column| if column == "B" { label } else { column });
    let mut table = Table::new(format!("Metrics, A to {label}"), &columns);
    let (mut same, mut undefined, mut n_hidden) = (Vec::new(), Vec::new(), 0);
    for found in &pair.metrics {
        let is_primary = is_primary(found, comparison);
        if !fits(found, comparison, every_cutoff) {
            n_hidden += 1;
        } else if is_primary || found.n > 0 && found.wins + found.losses > 0 {
            table.row(cells(found, is_primary));
        } else if found.n > 0 {
            same.push(found.metric.to_string());
        } else {
            undefined.push(found.metric.to_string());
        }
    }
    for (what, names) in
        [("equal on every question", same), ("in neither run or only one", undefined)]
    {
        if !names.is_empty() {
            table.notes.push(format!("{what}: {}", names.join(", ")));
        }
    }
    if n_hidden > 0 {
        table.notes.push(format!("{n_hidden} more at other cutoffs"));
    }
    table
}

fn is_primary(found: &MetricDifference, comparison: &Comparison) -> bool {
    Some(found.metric) == comparison.primary.map(Into::into)
}

fn fits(found: &MetricDifference, comparison: &Comparison, every_cutoff: bool) -> bool {
    match found.metric.cutoff() {
        Some(Cutoff::Top(k)) => k == comparison.k || every_cutoff || is_primary(found, comparison),
        Some(Cutoff::Tokens(_) | Cutoff::Prompt) | None => true,
    }
}

fn cells(found: &MetricDifference, is_primary: bool) -> [String; COLUMNS.len()] {
    let mark = if is_primary { "* " } else { "" };
    let digits = found.metric.digits();
    [
        format!("{mark}{}", found.metric),
        found.n.to_string(),
        format!("{:.digits$}", found.baseline),
        format!("{:.digits$}", found.run),
        format!("{:+.digits$}", found.delta),
        found.ci95.map_or_else(dash, |ci| format!("[{:+.digits$}, {:+.digits$}]", ci.low, ci.high)),
        found.p_holm.or(found.p).map_or_else(dash, p_text),
        found.detectable_text().unwrap_or_else(dash),
        format!("{}/{}/{}", found.wins, found.ties, found.losses),
    ]
}

fn dash() -> String {
    "-".to_owned()
}

/// The flips, a row per pair of classes, and some of the questions that went from one to the other.
fn flips(pair: &PairComparison, report: &mut Report) {
    let label = &pair.run.label;
    let head = ["", "class in A", &format!("class in {label}"), "questions"];
    let mut table = Table::of_text(format!("Flipped from A to {label}"), &head);
    table.columns[3].align = Align::Right;
    let mut shown = Vec::new();
    for FlipGroup { turn, from, to, questions } in &pair.flips {
        let turn = match turn {
            Turn::Lost => "lost",
            Turn::Gained => "gained",
            Turn::Moved => "moved",
        };
        table.row([turn, from.name(), to.name(), &thousands(questions.len())]);
        shown.extend(
            questions
                .iter()
                .take(FLIPS)
                .map(|flip| entry(flip, label, &format!("{turn}: {from} -> {to}"))),
        );
    }
    if pair.flips.iter().any(|group| group.turn == Turn::Moved) {
        table.notes.push("moved: neither lost nor gained, but of another class".to_owned());
    }
    report.table(table);
    report.entries(shown);
}

/// Shows a flipped question with its gold answer and both answers.
fn entry(flip: &Flip, label: &str, turn: &str) -> Entry {
    let gold = Some(&flip.gold).filter(|gold| !gold.is_empty());
    let texts = [("gold", gold), ("A", flip.baseline.as_ref()), (label, flip.run.as_ref())];
    let texts = texts.into_iter().filter_map(|(what, text)| Some(short(what, text?)));
    let id = shortened(flip.id.as_str(), ID);
    Entry {
        title: format!("{id}: {}", shortened(&flip.question, QUESTION)),
        facts: [Fact::new("flip", turn)].into_iter().chain(texts).collect(),
    }
}

fn short(label: &str, text: &str) -> Fact {
    Fact::new(label, shortened(text, TEXT))
}
