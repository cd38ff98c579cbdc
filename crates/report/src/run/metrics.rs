//! Tables of metrics: retrieval, answers, conditions, slices.

use std::collections::BTreeSet;

use crate::document::{Fact, Table, TableCell};
use ragtriage_core::metric::{Cutoff, Family, Metric};
use ragtriage_core::text::numbers::thousands;
use ragtriage_core::types::Condition;
use ragtriage_data::run::SavedRun;
use ragtriage_eval::conditions::ConditionUse;
use ragtriage_eval::cost::CostSummary;
use ragtriage_eval::slices::{FEW, Slice, SliceGroup};
use ragtriage_eval::summary::{MetricSummary, Summary};

/// Most scores of the first screen: those of judged documents come last.
const MOST: usize = 3;

/// Returns the main scores that are defined, each with its n; `None` without any. Where no question has a usable label, EM is left
/// out: gold answers that no document contains make it 0, which reads as a failure of retrieval.
pub(super) fn scores(run: &SavedRun, summary: &Summary) -> Option<Fact> {
    let k = summary.two_by_two.k;
    let (hit, place) = if run.manifest.is_external() {
        (Cutoff::Prompt, "prompt".to_owned())
    } else {
        (Cutoff::Top(k), format!("top {k}"))
    };
    let main = [
        (Family::AnswerCorrect, None),
        (Family::AnswerF1, None),
        (Family::Em, Some(hit)),
        (Family::EvidenceRecall, Some(Cutoff::Prompt)),
        (Family::Ndcg, Some(Cutoff::Top(10))),
        (Family::Recall, Some(Cutoff::Top(10))),
    ];
    let has_labels = summary.losses.n_testable > 0;
    let main = main.into_iter().filter(|(family, _)| has_labels || *family != Family::Em);
    let scores = main.filter_map(|(family, cutoff)| {
        let name = Metric::new(family, cutoff)?.to_string();
        let found = measured(summary, &name)?;
        let ci95 = found.ci95.map_or(String::new(), |ci| format!(" {ci:.2}"));
        let n_unsure = summary.classes.get("unsure").filter(|_| family == Family::AnswerCorrect);
        let unsure = n_unsure.filter(|n| **n > 0);
        let unsure = unsure.map_or(String::new(), |n| format!(" ({n} unsure, counted 0.5)"));
        let label = match family {
            Family::Em => format!("gold answer in the {place} ({name})"),
            _ => name,
        };
        Some(format!("{label} {:.3}{ci95} of {}{unsure}", found.mean, thousands(found.n)))
    });
    let scores: Vec<String> = scores.take(MOST).collect();
    (!scores.is_empty()).then(|| Fact::new("scores", scores.join("; ")))
}

/// A family per row, a cutoff per column; without rows and notes if nothing is measured.
pub(super) fn retrieval(summary: &Summary) -> Table {
    let cutoffs = cutoffs(summary);
    let titles = cutoffs.iter().map(|cutoff| if cutoff.is_empty() { "whole" } else { cutoff });
    let titles: Vec<&str> = ["", "n"].into_iter().chain(titles).collect();
    let mut table = Table::new("Retrieval", &titles);
    let is_of_ranking = |family: &&Family| !family.scores_answers() && !family.is_cost();
    for family in Family::ALL.iter().filter(is_of_ranking) {
        let found =
            cutoffs.iter().map(|cutoff| measured(summary, &format!("{}{cutoff}", family.name())));
        let found: Vec<Option<MetricSummary>> = found.collect();
        if let Some(n) = found.iter().flatten().map(|one| one.n).max() {
            let head = [family.name().into(), n.to_string().into()];
            table.row(
                head.into_iter().chain(found.iter().map(|one| one.map(cell).unwrap_or_default())),
            );
        }
    }
    let note = "mean over n questions and its 95% CI; EM and EvidenceRecall over passages, the others over documents; @prompt: packed \
         passages";
    table.notes.extend((!table.rows.is_empty()).then(|| note.to_owned()));
    table
}

fn cell(found: MetricSummary) -> TableCell {
    TableCell {
        text: format!("{:.3}", found.mean),
        detail: found.ci95.map_or(String::new(), |ci| format!("{:.2}-{:.2}", ci.low, ci.high)),
        ..TableCell::default()
    }
}

fn measured(summary: &Summary, name: &str) -> Option<MetricSummary> {
    summary.metrics.get(name).copied().filter(|found| found.n > 0)
}

/// Every k, every token budget, each ascending, then `prompt`, then the whole ranking.
fn cutoffs(summary: &Summary) -> Vec<String> {
    let named = summary.metrics.keys().filter_map(|name| name.parse::<Metric>().ok()?.cutoff());
    let cutoffs: BTreeSet<Cutoff> = named.chain([Cutoff::Prompt]).collect();
    cutoffs.iter().map(ToString::to_string).chain([String::new()]).collect()
}

pub(super) fn answers(summary: &Summary) -> Table {
    let mut table = Table::new("Answers", &["", "n", "mean", "95% CI"]);
    // Without an unanswerable question, HasAns repeats the metrics of all questions.
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

const CONDITIONS_NOTE: &str = "over answerable questions, free-text answers included; AnswerF1 under Answers leaves these out and includes \
     unanswerable questions";

/// The table of conditions; `None` without a generator.
pub(super) fn conditions(summary: &Summary) -> Option<Table> {
    let mut table = Table::new(
        "Conditions by share of correct answers",
        &[
            "",
            "n",
            "correct",
            "95% CI",
            "calls",
            "cached",
            "same prompt",
            "failed",
            "tokens in",
            "tokens out",
            "US dollars",
        ],
    );
    for condition in Condition::ALL {
        let Some(score) = summary.conditions.get(condition.name()) else {
            continue;
        };
        let used = summary.tokens.get(condition.name()).copied().unwrap_or_default();
        let ConditionUse { calls, failed, cached, same_prompt, prompt, completion, cost_usd } =
            used;
        let ci95 = score.ci95.map_or(String::new(), |ci| format!("{ci:.2}"));
        let counts =
            [calls as u64, cached as u64, same_prompt as u64, failed as u64, prompt, completion];
        let cells =
            [condition.name().to_owned(), score.n.to_string(), format!("{:.3}", score.mean), ci95]
                .into_iter()
                .chain(counts.map(|count| count.to_string()))
                .chain([format!("{cost_usd:.4}")]);
        table.row(cells);
    }
    if !table.rows.is_empty() {
        table.notes.push(CONDITIONS_NOTE.to_owned());
    }
    (!table.rows.is_empty()).then_some(table)
}

/// The time, tokens and price of a question.
pub(super) fn costs(costs: &[CostSummary]) -> Table {
    let mut table = Table::new("Per question", &["", "n", "mean", "p50", "p95"]);
    for CostSummary { name, n, mean, p50, p95 } in costs {
        let digits = if name == "usd" { 6 } else { 3 };
        let values = [mean, p50, p95].map(|value| format!("{value:.digits$}"));
        table.row([name.clone(), n.to_string()].into_iter().chain(values));
    }
    let note = "seconds of each stage and of all (`seconds`), tokens and US dollars (`usd`) of the pipeline's own answer; cached replies are \
                left out";
    table.notes.extend((!costs.is_empty()).then(|| note.to_owned()));
    table
}

/// Slices shown by each criterion; `summary.json` has more.
const SLICES_SHOWN: usize = 12;

/// A column of the slices' table: its title and its metric.
type SliceColumn<'a> = (&'a str, fn(&Slice) -> &MetricSummary);

/// The slices; `None` where nothing separates the questions.
pub(super) fn slices(run: &SavedRun, summary: &Summary) -> Option<Table> {
    let em = if run.manifest.is_external() {
        "EM@prompt".to_owned()
    } else {
        format!("EM@{}", summary.two_by_two.k)
    };
    Some(slice_table(&summary.slices, &em)).filter(|table| !table.rows.is_empty())
}

fn slice_table(slices: &[SliceGroup], em: &str) -> Table {
    let parts: Vec<(&SliceGroup, &Slice)> = slices
        .iter()
        .flat_map(|cut| cut.parts.iter().take(SLICES_SHOWN).map(move |part| (cut, part)))
        .collect();
    let columns: [SliceColumn<'_>; 3] = [
        (em, |part| &part.em),
        ("complete evidence", |part| &part.complete_evidence),
        ("correct", |part| &part.correct),
    ];
    // Without a generator nothing is correct or wrong.
    let shown = columns.iter().filter(|(_, of)| parts.iter().any(|(_, part)| of(part).n > 0));
    let shown: Vec<&SliceColumn<'_>> = shown.collect();
    let head = ["", "n"]
        .into_iter()
        .chain(shown.iter().map(|(name, _)| *name))
        .chain(["most frequent loss"]);
    let mut table = Table::new("Slices (share or mean, 95% CI)", &head.collect::<Vec<_>>());
    for (cut, part) in &parts {
        let rough = if part.rough { " ~" } else { "" };
        let name = format!("{}: {}{rough}", cut.by.name(), part.value);
        let mostly =
            part.mostly.map_or(String::new(), |(class, n)| format!("{class} {}", thousands(n)));
        let figures = shown.iter().map(|(_, of)| slice_cell(of(part)));
        table.row([name, thousands(part.n)].into_iter().chain(figures).chain([mostly]));
    }
    for cut in slices.iter().filter(|cut| cut.parts.len() > SLICES_SHOWN) {
        table.notes.push(format!(
            "{} slices by {}; the first {SLICES_SHOWN} are shown",
            cut.parts.len(),
            cut.by.name()
        ));
    }
    table.notes.push(format!(
        "exploratory: with {} slices, about 5% of the intervals miss by chance; confirm findings on other questions",
        thousands(parts.len())
    ));
    let is_rough = parts.iter().any(|(_, part)| part.rough);
    table.notes.extend(is_rough.then(|| format!("~ fewer than {FEW} questions: rough")));
    table
}

fn slice_cell(metric: &MetricSummary) -> String {
    let interval = metric.ci95.map_or(String::new(), |ci| format!(" {:.2}-{:.2}", ci.low, ci.high));
    if metric.n == 0 { String::new() } else { format!("{:.2}{interval}", metric.mean) }
}
