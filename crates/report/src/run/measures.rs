//! Means of all measures with their intervals.

use std::collections::BTreeSet;

use crate::document::{Fact, Table, TableCell};
use ragtriage_core::measure::{Cutoff, Family, Measure};
use ragtriage_eval::summary::{MeasureSummary, Summary};

/// The tables of retrieval and of answers that have a row.
pub(super) fn measures(summary: &Summary) -> impl Iterator<Item = Table> {
    let tables = [retrieval(summary), answers(summary)];
    tables.into_iter().filter(|table| !table.rows.is_empty())
}

/// The measures of the first screen.
const MAIN: [(Family, Option<Cutoff>); 6] = [
    (Family::Em, Some(Cutoff::Top(5))),
    (Family::EvidenceRecall, Some(Cutoff::Prompt)),
    (Family::AnswerRight, None),
    (Family::AnswerF1, None),
    (Family::Ndcg, Some(Cutoff::Top(10))),
    (Family::Recall, Some(Cutoff::Top(10))),
];

/// Most figures of the first screen: those of judged documents come last.
const MOST: usize = 4;

/// Returns the main figures that are defined. Where no question has a usable label, EM is left out: gold answers that no
/// document contains make it 0, which reads as a failure of retrieval.
pub(super) fn figures(summary: &Summary) -> Vec<Fact> {
    let has_labels = summary.losses.n_testable > 0;
    let shown = MAIN.iter().filter(|(family, _)| has_labels || *family != Family::Em);
    let figures = shown.filter_map(|(family, cutoff)| {
        let name = Measure::new(*family, *cutoff)?.to_string();
        let found = measured(summary, &name)?;
        let ci95 = found.ci95.map_or(String::new(), |ci| format!(" {ci:.2}"));
        let text = format!("{:.3}{ci95} (n = {})", found.mean, found.n);
        Some(Fact::new(name, text))
    });
    figures.take(MOST).collect()
}

/// A family per row, a cutoff per column.
fn retrieval(summary: &Summary) -> Table {
    let cutoffs = cutoffs(summary);
    let titles = cutoffs.iter().map(|cutoff| if cutoff.is_empty() { "whole" } else { cutoff });
    let titles: Vec<&str> = ["", "n"].into_iter().chain(titles).collect();
    let mut table = Table::new("Retrieval", &titles);
    for family in Family::ALL.iter().filter(|family| !family.scores_answers()) {
        let found =
            cutoffs.iter().map(|cutoff| measured(summary, &format!("{}{cutoff}", family.name())));
        let found: Vec<Option<MeasureSummary>> = found.collect();
        if let Some(n) = found.iter().flatten().map(|one| one.n).max() {
            let head = [family.name().into(), n.to_string().into()];
            table.row(
                head.into_iter().chain(found.iter().map(|one| one.map(cell).unwrap_or_default())),
            );
        }
    }
    table.notes.push(
        "mean over n questions and its 95% CI; EM and EvidenceRecall over passages, the others over documents; @prompt: packed \
         passages"
            .to_owned(),
    );
    table
}

fn cell(found: MeasureSummary) -> TableCell {
    TableCell {
        text: format!("{:.3}", found.mean),
        detail: found.ci95.map_or(String::new(), |ci| format!("{:.2}-{:.2}", ci.low, ci.high)),
        ..TableCell::default()
    }
}

fn measured(summary: &Summary, name: &str) -> Option<MeasureSummary> {
    summary.measures.get(name).copied().filter(|found| found.n > 0)
}

/// Every k, every token budget, each ascending, then `prompt`, then the whole ranking.
fn cutoffs(summary: &Summary) -> Vec<String> {
    let named = summary.measures.keys().filter_map(|name| name.parse::<Measure>().ok()?.cutoff());
    let cutoffs: BTreeSet<Cutoff> = named.chain([Cutoff::Prompt]).collect();
    cutoffs.iter().map(ToString::to_string).chain([String::new()]).collect()
}

fn answers(summary: &Summary) -> Table {
    let mut table = Table::new("Answers", &["", "n", "mean", "95% CI"]);
    // Without an unanswerable question, HasAns repeats the measures of all questions.
    let has_unanswerable = measured(summary, Family::AnswerF1NoAns.name()).is_some();
    let split = [Family::AnswerEmHasAns, Family::AnswerF1HasAns];
    let shown = Family::ALL.iter().filter(|family| family.scores_answers());
    for family in shown.filter(|family| has_unanswerable || !split.contains(family)) {
        if let Some(found) = measured(summary, family.name()) {
            let ci95 = found.ci95.map_or(String::new(), |ci| ci.to_string());
            let (n, mean) = (found.n.to_string(), format!("{:.3}", found.mean));
            table.row([family.name().to_owned(), n, mean, ci95]);
        }
    }
    table
}
