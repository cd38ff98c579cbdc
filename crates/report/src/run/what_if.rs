//! What to try, why not something else, and the table of what other settings would bring.

use crate::document::{Fact, Table};
use ragtriage_core::text::numbers::thousands;
use ragtriage_core::types::{FailureClass, RetrieverName};
use ragtriage_data::run::SavedRun;
use ragtriage_eval::summary::Summary;
use ragtriage_eval::what_if::{Alternative, Change};

const NOTE: &str = "computed from recorded ranks and tokens, without a call; correct answers: if other passages distract the generator no \
     more than now";

/// Returns the change to try; without one, why the change with the most complete evidence is none.
pub(super) fn advice(summary: &Summary) -> Option<Fact> {
    if let Some(advice) = summary.what_if.advice.first() {
        return Some(Fact::new("try", advice.sentence.clone()));
    }
    let more = summary.what_if.alternatives.iter().filter(|one| one.net() > 0.0);
    // Of several with as much, the one with the shortest prompts.
    let tokens = |one: &Alternative| one.tokens_after.unwrap_or(0.0);
    let by_gain = |a: &&Alternative, b: &&Alternative| {
        a.net().total_cmp(&b.net()).then(tokens(b).total_cmp(&tokens(a)))
    };
    let one = more.max_by(by_gain)?;
    let is_certain = one.net_ci95.is_some_and(|ci95| ci95.low > 0.0);
    Some(Fact::new(
        "try",
        format!(
            "nothing yet: with {}, {} of {} questions have complete evidence instead of {}, {}",
            name(one),
            thousands(one.after),
            thousands(one.n),
            thousands(one.before),
            if is_certain {
                "but its prompts are too long, or no more answers are certain"
            } else {
                "which may be chance"
            }
        ),
    ))
}

/// Returns what a reranker and dense retrieval could bring at most, where the run has none and evidence is lost there.
pub(super) fn limits(run: &SavedRun, summary: &Summary) -> Option<Fact> {
    let settings = &run.manifest.settings;
    if run.manifest.is_external() {
        return None;
    }
    let row = |class| summary.losses.row(class);
    let lost = |class| row(class).and_then(|row| row.questions).unwrap_or(0);
    let complete = row(FailureClass::NotRetrieved).and_then(|row| row.complete);
    let is_sparse =
        |name: &RetrieverName| matches!(name, RetrieverName::Bm25 | RetrieverName::Tfidf);
    let without = summary.losses.n_without_shared_word;
    let needs_dense = without > 0 && settings.retrieval.retrievers.iter().all(is_sparse);
    let needs_reranker = settings.rerank.model.is_none() && lost(FailureClass::RankedLow) > 0;
    let parts = [
        complete
            .filter(|_| needs_reranker)
            .map(|n| format!("rerank.model: at most {} complete", thousands(n))),
        needs_dense.then(|| {
            let all = lost(FailureClass::NotRetrieved);
            format!(
                "dense: {} of {} not_retrieved share no evidence word",
                thousands(without),
                thousands(all)
            )
        }),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| Fact::new("or", parts.join("; ")))
}

/// Returns the table; `None` without alternatives.
pub(super) fn table(alternatives: &[Alternative]) -> Option<Table> {
    let first = alternatives.first()?;
    let title = format!(
        "Effects of other settings (n = {}; complete evidence in the prompt now: {}{})",
        thousands(first.n),
        thousands(first.before),
        first.tokens_before.map_or(String::new(), |tokens| format!(
            ", {} tokens of passages per prompt",
            mean(tokens)
        ))
    );
    let has_gain = alternatives.iter().any(|one| one.expected_gain.is_some());
    let more = if has_gain { "more correct answers, 95% CI" } else { "more, 95% CI" };
    let mut table = Table::new(title, &["change", "complete evidence", more, "tokens"]);
    for one in alternatives {
        let tokens = one.tokens_after.map_or(String::new(), mean);
        table.row([name(one), thousands(one.after), one.gain(), tokens]);
    }
    table.notes.push(NOTE.to_owned());
    Some(table)
}

fn name(one: &Alternative) -> String {
    match one.change {
        Change::K { k, .. } if one.settings.is_empty() => format!("{} passages", thousands(k)),
        _ => {
            let each = one.settings.iter().map(|setting| match &setting.value {
                Some(value) => format!("{} = {value}", setting.key),
                None => format!("without {}", setting.key),
            });
            each.collect::<Vec<_>>().join(", ")
        }
    }
}

fn mean(tokens: f64) -> String {
    thousands(tokens.round() as usize)
}
