//! A sweep's report as data, in reading order.

use super::found::SweepFindings;
use super::keys::pairs;
use super::{ranked, sections};
use crate::document::{Element, Fact, Report};
use crate::few_clusters;
use ragtriage_core::measure::Measure;
use ragtriage_core::text::numbers::plural;

/// Builds the report; `head` holds what only the caller knows: the data, the search, what was reused.
#[must_use]
pub fn report(found: &SweepFindings, head: Vec<Fact>) -> Report {
    let mut report = Report::new("ragtriage: tune");
    report.elements.push(Element::Verdict(found.verdict.text.clone()));
    report.facts(best(found).into_iter().chain(head).collect());
    report.warnings(&warnings(found));
    report.table(ranked::table(found));
    let tables = [
        sections::effects(found),
        sections::front(found),
        sections::generated(found),
        sections::confirmation(found),
    ];
    tables.into_iter().flatten().for_each(|table| report.table(table));
    report.heading("How to read it");
    report.list(legend(found));
    report
}

fn best(found: &SweepFindings) -> Option<Fact> {
    let best = found.scored().find(|row| found.is_winner(row))?;
    let is_default = if best.name == found.default { " (the default itself)" } else { "" };
    let values = pairs(found.varied, &best.values);
    Some(Fact::new("Best", format!("{values}{is_default}")))
}

fn warnings(found: &SweepFindings) -> Vec<String> {
    let mut warnings = Vec::new();
    if found.ranking.n_left_out > 0 {
        let questions = plural(found.ranking.n_left_out, "question was", "questions were");
        warnings.push(format!(
            "{questions} left out: some trials failed there, and all trials are ranked on the same questions"
        ));
    }
    warnings.extend(few_clusters::warning(
        found.ranking.n,
        found.ranking.n_clusters,
        found.ranking.largest_cluster,
    ));
    if found.plan.measure == found.plan.at_prompt {
        warnings.push(
            "the sweep varies how much is packed, and more text never finds less: choose on the Pareto front, not by rank"
                .to_owned(),
        );
    }
    if found.confirmation.is_none() {
        warnings.push(
            "not confirmed: all figures are from the questions that chose the best trial, so its score is biased upwards"
                .to_owned(),
        );
    }
    warnings
}

fn legend(found: &SweepFindings) -> Vec<String> {
    let plan = found.plan;
    vec![
        "> best, ^ on the Pareto front, = default, ! truncated by the encoder input limit. delta: trial minus default, paired by question. Its interval is \
         simultaneous for all trials, and excludes 0 exactly where max-T p < 0.05"
            .to_owned(),
        "max-T p: the probability, if no trial differed from the default, that any trial would differ as much. Use it to judge the \
         best of many"
            .to_owned(),
        format!(
            "equal k ({}): the same number of passages for every trial, which favours large chunks. equal tokens ({}): the same \
             amount of text for every trial, which is what a prompt costs; a ranking that ends before the budget shows less",
            view(found, plan.equal_k),
            view(found, plan.equal_tokens)
        ),
        format!(
            "packed: mean tokens of the trial's own prompt, at its own k. On the Pareto front no other trial has as much {} for fewer \
             tokens, or more for as many; the best trial goes by {} and may lie elsewhere",
            plan.at_prompt, plan.measure
        ),
        "mean of a value: over all trials that share it; comparable where each value met the same others, as in a grid".to_owned(),
    ]
}

fn view(found: &SweepFindings, measure: Measure) -> String {
    if measure == found.plan.measure {
        format!("{measure}, the score")
    } else {
        measure.to_string()
    }
}
