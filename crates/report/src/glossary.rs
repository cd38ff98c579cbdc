//! The explanation of every measure, for a terminal.

use std::fmt::Write as _;

use super::wrap::wrapped;
use ragtriage_core::measure::{Cutoff, Family, Measure};
use ragtriage_eval::files::is_measured_in_files;

/// All families in report order, a paragraph each.
#[must_use]
pub fn render() -> String {
    let paragraphs: Vec<String> = Family::ALL
        .iter()
        .map(|family| paragraph(*family))
        .chain([cutoffs()])
        .collect();
    paragraphs.join("\n")
}

/// How far down a ranking a measure looks, by what is written behind its name.
fn cutoffs() -> String {
    let mut out = "Cutoffs\n".to_owned();
    let mut line =
        |label: &str, text: &str| out.push_str(&wrapped(&format!("    {label:<10}"), text));
    line(
        "@k",
        "the first k passages, of measures over documents the first k documents",
    );
    line(
        "@Nt",
        "the first N tokens (cl100k_base) of the passages as the prompt shows them, number and title counted, whatever k was: the \
         passage in which they end is cut there, and EM does not look at a word that the cut runs through. Equal however large \
         the chunks are, which a fixed k is not; over documents, those of which any text is shown",
    );
    line("@prompt", "what was packed into the prompt");
    line("none", "the whole ranking");
    out
}

fn paragraph(family: Family) -> String {
    let facts = family.facts();
    let high = if facts.range.1.is_finite() {
        facts.range.1.to_string()
    } else {
        "infinity".to_owned()
    };
    let mut out = String::new();
    let _ = writeln!(out, "{}", family.forms().join(", "));
    let mut line =
        |label: &str, text: &str| out.push_str(&wrapped(&format!("    {label:<10}"), text));
    line("formula", facts.formula);
    line(
        "over",
        &format!("{}; {}", family.looks_at(), had_from(family)),
    );
    line(
        "range",
        &format!("{} to {high}, {}", facts.range.0, facts.direction.name()),
    );
    line(
        "equals",
        facts
            .reference
            .unwrap_or("no tool's; worked examples in its tests"),
    );
    if !facts.also.is_empty() {
        line("also", &facts.also.join(", "));
    }
    line("source", facts.paper);
    out
}

/// Where it can be had: of a run's folder always.
fn had_from(family: Family) -> &'static str {
    let some = [Some(Cutoff::Top(1)), None]
        .into_iter()
        .find_map(|cutoff| Measure::new(family, cutoff));
    match some {
        Some(measure) if is_measured_in_files(measure, false) => {
            "of runs, and of a TREC run with qrels"
        }
        Some(measure) if is_measured_in_files(measure, true) => {
            "of runs, and of predictions with golds"
        }
        _ => "of runs",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measure_is_explained_in_a_paragraph() {
        insta::assert_snapshot!(paragraph(Family::Success), @r"
        Success@k, Success@Nt, Success@prompt
            formula   1 when any of the first k documents is relevant, else 0
            over      documents (passages collapsed by first occurrence) and their grades; of runs, and of a TREC run
                      with qrels
            range     0 to 1, higher is better
            equals    trec_eval success_k
            also      hit, hit rate, hits, success, accuracy of retrieval, Recall@k in papers on open-domain QA
            source    Karpukhin et al. 2020 (top-k accuracy)
        ");
    }
}
