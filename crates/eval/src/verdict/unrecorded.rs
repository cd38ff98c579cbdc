//! The stages that a record of an external RAG lacks, where they would tell what lost the evidence.

use super::facts::VerdictFacts;
use ragtriage_core::attribute::classify::Evidence;
use ragtriage_core::text::numbers::{listed, thousands};
use ragtriage_core::types::{Stage, Step, Trace};

/// Returns the number of questions whose stage the record does not show, and what to record; `None` without any.
pub(super) fn caution(facts: &VerdictFacts<'_>) -> Option<String> {
    let [undelivered, unseen] = [Evidence::is_between, Evidence::is_unseen].map(|is| {
        let open = facts.outcomes.iter().filter(|outcome| is(outcome.evidence));
        open.count()
    });
    let parts = [
        (
            undelivered,
            "lack their evidence in the prompt, and the record does not show which stage lost it",
        ),
        (unseen, "are open: the record does not show whether the prompt had their evidence"),
    ];
    let parts = parts.iter().filter(|(n, _)| *n > 0);
    let parts: Vec<String> = parts
        .map(|(n, what)| {
            format!("{} of {} questions {what}", thousands(*n), thousands(facts.outcomes.len()))
        })
        .collect();
    if parts.is_empty() {
        return None;
    }
    let missing = missing(facts);
    let advice = if missing.is_empty() {
        String::new()
    } else {
        format!(" To resolve this, record {}.", listed(&missing))
    };
    Some(format!("{}.{advice}", parts.join("; ")))
}

/// Returns what the record lacks to tell the stages of open questions apart.
fn missing(facts: &VerdictFacts<'_>) -> Vec<String> {
    let open = facts.traces.iter().zip(facts.outcomes);
    let open: Vec<(&Trace, [Stage; 2])> =
        open.filter_map(|(trace, outcome)| Some((trace, between(outcome.evidence)?))).collect();
    let any = |lacks: &dyn Fn(&Trace, [Stage; 2]) -> bool| {
        open.iter().any(|(trace, between)| lacks(trace, *between))
    };
    let has_ranking = |trace: &Trace| facts.top.is_in_order && trace.recorded_ranking().is_some();
    let lacks = [
        (any(&|_, [first, _]| first == Stage::Retrieval), "each retriever's candidates"),
        (
            any(&|trace, [_, last]| last > Stage::Ranking && !has_ranking(trace)),
            "the ranking that is packed, after fusion, reranking and filters",
        ),
        (
            any(&|trace, [_, last]| last > Stage::Ranking && trace.step(Step::Packed).is_none()),
            "the passages of the prompt (`packed`)",
        ),
        (
            any(&|trace, [first, last]| {
                let is_of_k = [first, last] == [Stage::Ranking, Stage::Packing];
                is_of_k && has_ranking(trace) && facts.top.of(trace).is_none()
            }),
            "the number `k` of passages that packing takes",
        ),
    ];
    let lacks = lacks.iter().filter(|(is_missing, _)| *is_missing);
    lacks.map(|(_, what)| (*what).to_owned()).collect()
}

/// Returns the first and the last stage that may have lost the evidence.
fn between(evidence: Evidence) -> Option<[Stage; 2]> {
    match evidence {
        Evidence::Between { first, last } => Some([first, last]),
        Evidence::Unseen { first } => Some([first, Stage::Generation]),
        _ => None,
    }
}
