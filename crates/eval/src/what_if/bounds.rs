//! Upper bounds: what no setting of this run delivers, and a better component could at most.

use super::alternative::{Alternative, Change};
use super::effect::{After, measured};
use super::recorded::{Recorded, RecordedRun};
use ragtriage_core::types::Stage;

/// Returns the bounds that win a question.
pub(super) fn bounds(run: &RecordedRun<'_>) -> Vec<Alternative> {
    let bounds = [Change::PerfectReranker, Change::OtherCandidates, Change::WholeChunks];
    bounds
        .into_iter()
        .filter(|change| *change != Change::PerfectReranker || knows_reranked(run))
        .map(|change| {
            let after: Vec<After> =
                run.questions.iter().map(|asked| after(run, change, asked)).collect();
            measured(run, change, Vec::new(), &after)
        })
        .filter(|alternative| alternative.won > 0)
        .collect()
}

/// Returns true if the prompts of another order are known: their passages are counted, and not expanded.
fn knows_reranked(run: &RecordedRun<'_>) -> bool {
    !run.is_expanded && (run.is_external || run.is_counted)
}

fn after(run: &RecordedRun<'_>, change: Change, asked: &Recorded<'_>) -> After {
    let is_won = match change {
        Change::PerfectReranker => fits(run, asked),
        Change::OtherCandidates => asked.lost == Some(Stage::Retrieval),
        _ => asked.lost == Some(Stage::Chunking),
    };
    After { is_supported: asked.is_supported || is_won, tokens: None, n_other: None }
}

/// Returns true if some candidates that fit a prompt hold the evidence.
fn fits(run: &RecordedRun<'_>, asked: &Recorded<'_>) -> bool {
    let k = if run.is_external { asked.packed.hits.len() } else { run.limits.k };
    asked.cover.is_some_and(|cover| {
        let within = |budget: usize| cover.tokens.is_some_and(|tokens| tokens <= budget);
        cover.n <= k && run.limits.budget.is_none_or(within)
    })
}
