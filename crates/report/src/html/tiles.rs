//! The main figures: the first that a reader looks for, each with its interval and how many questions it counts.

use ragtriage_core::measure::{Cutoff, Family, Measure};
use ragtriage_core::text::numbers::percent;
use ragtriage_core::types::FailureClass;
use ragtriage_eval::summary::{MeasureSummary, Summary};

/// Tiles of a row.
const MOST: usize = 6;

/// A main figure.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tile {
    /// The name of the measure or class.
    pub name: String,
    /// The figure.
    pub value: String,
    /// Its 95% CI; `None` where fewer than two clusters of questions have a value.
    pub range: Option<String>,
    /// Questions that it counts.
    pub n: usize,
    /// The explanation.
    pub meaning: String,
}

/// Returns the figures that the run has: answers first, then retrieval.
pub(super) fn tiles(summary: &Summary, is_external: bool) -> Vec<Tile> {
    let k = summary.two_by_two.k;
    let top = Cutoff::Top(k);
    let em = if is_external { Cutoff::Prompt } else { top };
    let wanted = [
        (Family::AnswerRight, None),
        (Family::AnswerF1, None),
        (Family::FactRecall, None),
        (Family::Em, Some(em)),
        (Family::EvidenceRecall, Some(Cutoff::Prompt)),
        (Family::Ndcg, Some(Cutoff::Top(10))),
        (Family::Recall, Some(top)),
        (Family::ReciprocalRank, None),
    ];
    let measured = wanted.into_iter().filter_map(|(family, cutoff)| {
        let measure = Measure::new(family, cutoff)?;
        let found = summary.measures.get(&measure.to_string()).filter(|found| found.n > 0)?;
        Some(of_measure(measure, *found))
    });
    share(summary).into_iter().chain(measured).take(MOST).collect()
}

/// Right and supported, or without a generator supported.
fn share(summary: &Summary) -> Option<Tile> {
    let answered = !summary.arms.is_empty();
    let class = if answered { FailureClass::Correct } else { FailureClass::Supported };
    let share = summary
        .class_shares
        .get(class.name())
        .filter(|share| summary.n_questions > 0 && (answered || share.count > 0))?;
    let meaning = match class {
        FailureClass::Correct => "answered right, with the support in the prompt",
        _ => "the support reached the prompt",
    };
    Some(Tile {
        name: class.name().to_owned(),
        value: percent(share.share),
        range: share.ci95.map(|ci| format!("{:.1} to {:.1}", 100.0 * ci.low, 100.0 * ci.high)),
        n: summary.n_questions,
        meaning: meaning.to_owned(),
    })
}

fn of_measure(measure: Measure, found: MeasureSummary) -> Tile {
    Tile {
        name: measure.to_string(),
        value: format!("{:.3}", found.mean),
        range: found.ci95.map(|ci| format!("{:.3} to {:.3}", ci.low, ci.high)),
        n: found.n,
        meaning: meaning(measure),
    }
}

fn meaning(measure: Measure) -> String {
    let shown = match measure.cutoff() {
        Some(Cutoff::Top(k)) => format!("the top {k}"),
        Some(Cutoff::Tokens(n)) => format!("the first {n} tokens"),
        Some(Cutoff::Prompt) => "the prompt".to_owned(),
        None => "the ranking".to_owned(),
    };
    match measure.family() {
        Family::AnswerRight => "right answers, by the rule of the evaluation".to_owned(),
        Family::AnswerF1 => "tokens shared with the gold answer".to_owned(),
        Family::AnswerEm => "the answer equals a gold answer".to_owned(),
        Family::FactRecall => "required facts that the answer states".to_owned(),
        Family::Em => format!("a passage in {shown} holds a gold answer"),
        Family::EvidenceRecall => format!("the evidence's bytes found in {shown}"),
        Family::Recall => format!("relevant documents found in {shown}"),
        Family::Ndcg => format!("how well the documents in {shown} are ordered"),
        Family::ReciprocalRank => "one over the rank of the first relevant document".to_owned(),
        family => family.formula().to_owned(),
    }
}
