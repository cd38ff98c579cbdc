//! What to try, why not something else, and the table of what other settings would bring.

use crate::document::{Fact, Table};
use ragtriage_core::text::numbers::{of_count, plural, thousands};
use ragtriage_core::types::{Cause, FailureClass, RetrieverName, Trace};
use ragtriage_data::run::SavedRun;
use ragtriage_eval::summary::{Share, Summary};
use ragtriage_eval::verdict::{Conclusion, Source};
use ragtriage_eval::what_if::{Alternative, Change};

const NOTE: &str = "computed from recorded ranks and tokens, without a call; correct answers: if other passages distract the generator no \
     more than now";

/// Returns what to try, and what else: what is certain to bring more evidence, then what the largest loss needs.
pub(super) fn changes(run: &SavedRun, summary: &Summary, with_others: bool) -> Vec<Fact> {
    let computed = summary.what_if.advice.first().map(|advice| advice.sentence.clone());
    let (verdict, mut causes) = (&summary.verdict, causes(run, summary));
    let largest = match verdict.bottleneck {
        Some(source) if verdict.conclusion == Conclusion::Generator => generator(source, summary),
        Some(Source::NotRetrieved) if verdict.conclusion != Conclusion::Withheld => causes.take(),
        _ => None,
    };
    let uncertain = if computed.is_none() && largest.is_none() { uncertain(summary) } else { None };
    let mut first = [computed, largest, uncertain].into_iter().flatten();
    let mut facts = Vec::from_iter(first.next().map(|change| Fact::new("try", change)));
    let others: Vec<String> = first.chain(reranker(run, summary)).chain(causes).collect();
    if with_others && !others.is_empty() {
        facts.push(Fact::new("or", others.join("; ")));
    }
    facts
}

/// Returns what a generator that loses most needs.
fn generator(source: Source, summary: &Summary) -> Option<String> {
    let n = summary.losses.row(FailureClass::WrongAnswer).and_then(|row| row.questions)?;
    let change = match source {
        Source::IgnoredContext => "fewer passages, or a prompt that keeps to them",
        _ => "another model or prompt",
    };
    let n = plural(n, "answer from complete evidence is", "answers from complete evidence are");
    Some(format!("{change}: {n} wrong"))
}

/// Returns why the change with the most complete evidence is none to try.
fn uncertain(summary: &Summary) -> Option<String> {
    let more = summary.what_if.alternatives.iter().filter(|one| one.net() > 0.0);
    // Of several with as much, the one with the shortest prompts.
    let tokens = |one: &Alternative| one.tokens_after.unwrap_or(0.0);
    let by_gain = |a: &&Alternative, b: &&Alternative| {
        let is_affordable = a.is_affordable().cmp(&b.is_affordable());
        is_affordable.then(a.net().total_cmp(&b.net())).then(tokens(b).total_cmp(&tokens(a)))
    };
    let one = more.max_by(by_gain)?;
    let is_certain = one.net_ci95.is_some_and(|ci95| ci95.low > 0.0);
    Some(format!(
        "nothing yet: with {}, {} of {} questions have complete evidence instead of {}, {}",
        name(one),
        thousands(one.after),
        thousands(one.n),
        thousands(one.before),
        match (one.is_affordable(), is_certain) {
            (false, _) => "but its prompts are more than three times as long",
            (true, true) => "but no more correct answers are certain",
            (true, false) => "which may be chance",
        }
    ))
}

/// Returns what a reranker could bring at most, where the run has none and evidence is lost there.
fn reranker(run: &SavedRun, summary: &Summary) -> Option<String> {
    let row = |class| summary.losses.row(class);
    let complete = row(FailureClass::NotRetrieved).and_then(|row| row.complete)?;
    let is_lost = row(FailureClass::RankedLow).and_then(|row| row.questions) > Some(0);
    let is_unranked = run.manifest.settings.rerank.model.is_none() && !run.manifest.is_external();
    let most = || format!("rerank.model: at most {} complete", thousands(complete));
    (is_lost && is_unranked).then(most)
}

/// Returns the main cause of `not_retrieved`, and what is not in the index, which no other retriever finds.
fn causes(run: &SavedRun, summary: &Summary) -> Option<String> {
    let n = summary.causes.values().map(|share| share.count).sum();
    let causes = Cause::ALL.into_iter().filter_map(|cause| {
        let share = summary.causes.get(cause.name())?;
        Some((cause, share))
    });
    let main = causes.clone().max_by_key(|(_, share)| share.count).map(|(cause, _)| cause)?;
    let shown =
        causes.filter(|(cause, share)| *cause == main || *cause == Cause::Index && share.count > 0);
    let shown = shown.map(|(cause, share)| {
        let (n_caused, n) = (counted(share, n), thousands(n));
        format!("{}: of {n} not_retrieved, {n_caused} by {cause}", change(cause, run))
    });
    Some(shown.collect::<Vec<_>>().join("; "))
}

/// Returns the count with the interval of its share of `n`.
fn counted(share: &Share, n: usize) -> String {
    thousands(share.count) + &of_count(share.ci95.map(|ci95| ci95.times(n as f64)))
}

/// Returns the change that removes a cause: another kind of retriever first, if the run has one kind alone.
fn change(cause: Cause, run: &SavedRun) -> &'static str {
    let is_sparse =
        |name: &RetrieverName| matches!(name, RetrieverName::Bm25 | RetrieverName::Tfidf);
    let mut retrievers = run.manifest.settings.retrieval.retrievers.iter();
    let n_sparse = retrievers.clone().filter(|name| is_sparse(name)).count();
    match cause {
        Cause::Index if run.manifest.is_external() => "check its index",
        Cause::Index => "see doctor --index",
        Cause::Query if run.traces.iter().any(Trace::is_lost_by_rewriting) => {
            "correct the rewriting"
        }
        // No retriever knows the turns before.
        Cause::Query if run.traces.iter().any(|trace| trace.question.standalone.is_some()) => {
            "rewrite questions"
        }
        Cause::Vocabulary if run.manifest.is_external() => "add a retriever",
        _ if retrievers.all(is_sparse) => "add dense",
        Cause::Vocabulary if n_sparse == 0 => "add bm25",
        Cause::Vocabulary => "add synonyms",
        Cause::Query => "rewrite questions",
    }
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
        Change::K { k, .. } if one.settings.is_empty() => plural(k, "passage", "passages"),
        Change::Ranking { step } if one.settings.is_empty() => format!("the ranking {step}"),
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
