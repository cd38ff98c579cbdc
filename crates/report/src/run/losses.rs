//! The loss budget: what each source costs a question on average.

use ragtriage_core::stats::rounding::adding_up;
use ragtriage_core::types::{ArmName, Interval};
use ragtriage_eval::summary::Summary;
use ragtriage_eval::verdict::{ESTIMATED, LOSS_DIGITS, SUPPORT, Source, Term};

/// The loss budget with its title.
#[derive(Clone, Debug, PartialEq)]
pub struct LossBudgetReport {
    /// The loss in all, and over how many questions.
    pub title: String,
    /// Its terms; empty where nothing is known of them.
    pub rows: Vec<LossRow>,
}

/// A loss term.
#[derive(Clone, Debug, PartialEq)]
pub struct LossRow {
    /// The stage or source that loses it.
    pub label: String,
    /// Mean loss per question, rounded so that the terms add up.
    pub mean: f64,
    /// Its 95% CI.
    pub ci95: Option<Interval>,
    /// Its smallest and largest value over all readings of the data, where they differ.
    pub bounds: Option<[f64; 2]>,
    /// The term of the budget in `AnswerF1`; `None` without an oracle condition.
    pub f1: Option<f64>,
}

/// Collects the loss budget of a run.
pub(super) fn losses(summary: &Summary) -> LossBudgetReport {
    let terms = &summary.loss_budget.terms;
    let means: Vec<f64> = terms.iter().map(|term| term.mean).collect();
    let shown = adding_up(&means, LOSS_DIGITS);
    let rows = terms.iter().zip(shown).filter(|(term, _)| is_known(summary, term));
    LossBudgetReport {
        title: title(summary),
        rows: rows
            .map(|(term, mean)| LossRow {
                label: term.source.name().to_owned(),
                mean,
                ci95: term.ci95,
                bounds: term.bounds,
                f1: in_f1(summary, term.source),
            })
            .collect(),
    }
}

/// Without an oracle condition, losses at hand support are unknown and not 0.
fn is_known(summary: &Summary, term: &Term) -> bool {
    let budget = &summary.loss_budget;
    let needs_oracle = match term.source {
        Source::Distraction => [SUPPORT, ESTIMATED].contains(&budget.of.as_str()),
        Source::Reader => budget.of == SUPPORT,
        _ => false,
    };
    budget.n > 0 && !needs_oracle
}

fn title(summary: &Summary) -> String {
    let budget = &summary.loss_budget;
    if budget.of == SUPPORT {
        return format!("Loss budget: support lost per question (n = {})", budget.n);
    }
    let without =
        if budget.of == ESTIMATED || summary.arms.contains_key(ArmName::GoldInNoise.name()) {
            ""
        } else {
            "; without the condition gold_in_noise, distraction counts towards delivery"
        };
    format!(
        "Loss budget: {:.3} {} lost per question (n = {}{without})",
        budget.loss, budget.of, budget.n
    )
}

fn in_f1(summary: &Summary, source: Source) -> Option<f64> {
    let mut terms = summary.loss_budget_f1.as_ref()?.terms.iter();
    let term = terms.find(|term| term.source == source)?;
    Some(term.mean)
}
