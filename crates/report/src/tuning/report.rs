//! A sweep's report as data, in reading order.

use super::SweepFindings;
use super::keys::pairs;
use super::ranked;
use crate::document::{Element, Fact, Report};
use crate::few_clusters;
use ragtriage_core::metric::Cutoff;
use ragtriage_core::text::numbers::plural;
use ragtriage_eval::tuning::Confirmation;

/// Builds the report; `head` holds what only the caller knows: the data, the search, what was reused.
#[must_use]
pub fn report(found: &SweepFindings, head: Vec<Fact>) -> Report {
    let mut report = Report::new("ragtriage: tune");
    report.warnings(&ranked::truncated(found));
    report.elements.push(Element::Verdict(found.verdict.text.clone()));
    report.facts(best(found).into_iter().chain(head).collect());
    report.warnings(&warnings(found));
    let shown = ranked::shown(found);
    report.table(ranked::table(found, &shown));
    report.facts(shown.iter().map(|(_, row)| Fact::new(&*row.name, pairs(&row.values))).collect());
    report.heading("How to read it");
    report.list(legend());
    report
}

fn best(found: &SweepFindings) -> Option<Fact> {
    let best = found.scored().find(|row| found.is_winner(row))?;
    let is_default = if best.name == found.default { " (the default itself)" } else { "" };
    let values = pairs(&best.values);
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
    if found.plan.metric.cutoff() == Some(Cutoff::Prompt) {
        warnings.push(
            "the sweep varies how much is packed, and more text never finds less: choose by score and packed tokens, not by rank"
                .to_owned(),
        );
    }
    let unconfirmed = match found.confirmation {
        Some(Confirmation::HeldOut(_)) => None,
        Some(Confirmation::Holm) => Some("no held-out questions"),
        None => Some("not confirmed"),
    };
    warnings.extend(unconfirmed.map(|why| {
        format!("{why}: all figures are from the questions that chose the best trial, so its score is biased upwards")
    }));
    warnings
}

fn legend() -> Vec<String> {
    vec![
        "> best, = default, ! truncated by the encoder input limit. delta: trial minus default, paired by question. Its interval is \
         simultaneous for all trials (Bonferroni): where it excludes 0, Holm p < 0.05"
            .to_owned(),
        "Holm p: p of the paired randomisation test, Holm-adjusted for the number of trials. Use it to judge the best of many"
            .to_owned(),
        "packed: mean tokens of the trial's own prompt, at its own k; seconds: mean time to find and pack them, without the generator"
            .to_owned(),
    ]
}
