//! Scores as `trec_eval` prints them: `name<padded to 22>\tquery\tvalue`, queries first, `all` last, four decimals.
//!
//! Measures that `trec_eval` does not have keep our names.

use std::fmt::Write as _;

use super::scores::ScoredFile;
use ragtriage_core::measure::{Cutoff, Family, Measure};
use ragtriage_core::text::sanitize::one_line;
use ragtriage_eval::files::Counts;

/// Formats one run; `with_queries` is `trec_eval -q`.
#[must_use]
pub fn render(file: &ScoredFile<'_>, with_queries: bool) -> String {
    let scores = &file.scores;
    let mut out = String::new();
    if with_queries {
        for (row, (query, counts)) in scores.ids.iter().zip(&scores.counts).enumerate() {
            let query = one_line(query);
            counted(&mut out, &query, *counts);
            for column in &scores.columns {
                value(&mut out, column.measure, &query, column.values[row]);
            }
        }
    }
    line(&mut out, "runid", "all", &one_line(file.tag.as_deref().unwrap_or_default()));
    line(&mut out, "num_q", "all", &scores.ids.len().to_string());
    counted(&mut out, "all", sum(&scores.counts));
    for column in &scores.columns {
        value(
            &mut out,
            column.measure,
            "all",
            (column.summary.n > 0).then_some(column.summary.mean),
        );
    }
    out
}

/// Returns the name of a measure in `trec_eval`, if it has one.
fn name(measure: Measure) -> Option<String> {
    let k = match measure.cutoff() {
        None => None,
        Some(Cutoff::Top(k)) => Some(k),
        Some(Cutoff::Tokens(_) | Cutoff::Prompt) => return None,
    };
    Some(match (measure.family(), k) {
        (Family::AveragePrecision, None) => "map".to_owned(),
        (Family::AveragePrecision, Some(k)) => format!("map_cut_{k}"),
        (Family::ReciprocalRank, None) => "recip_rank".to_owned(),
        (Family::RPrecision, None) => "Rprec".to_owned(),
        (Family::Precision, Some(k)) => format!("P_{k}"),
        (Family::Recall, Some(k)) => format!("recall_{k}"),
        (Family::Recall, None) => "set_recall".to_owned(),
        (Family::Ndcg, None) => "ndcg".to_owned(),
        (Family::Ndcg, Some(k)) => format!("ndcg_cut_{k}"),
        (Family::Success, Some(k)) => format!("success_{k}"),
        (Family::SetF1, None) => "set_F".to_owned(),
        _ => return None,
    })
}

fn counted(out: &mut String, query: &str, counts: Counts) {
    let Counts { n_retrieved, n_relevant, n_relevant_retrieved } = counts;
    line(out, "num_ret", query, &n_retrieved.to_string());
    line(out, "num_rel", query, &n_relevant.to_string());
    line(out, "num_rel_ret", query, &n_relevant_retrieved.to_string());
}

fn value(out: &mut String, measure: Measure, query: &str, value: Option<f64>) {
    if let Some(value) = value {
        line(
            out,
            &name(measure).unwrap_or_else(|| measure.to_string()),
            query,
            &format!("{value:.4}"),
        );
    }
}

fn line(out: &mut String, name: &str, query: &str, value: &str) {
    let _ = writeln!(out, "{name:<22}\t{query}\t{value}");
}

fn sum(counts: &[Counts]) -> Counts {
    counts.iter().fold(Counts::default(), |total, counts| Counts {
        n_retrieved: total.n_retrieved + counts.n_retrieved,
        n_relevant: total.n_relevant + counts.n_relevant,
        n_relevant_retrieved: total.n_relevant_retrieved + counts.n_relevant_retrieved,
    })
}
