//! The changes of settings that a run's record can answer.

use super::alternative::{Change, Setting};
use super::packing::Limits;
use super::recorded::{Recorded, RecordedRun};
use ragtriage_core::types::Step;

/// Numbers of passages tried.
const KS: [usize; 6] = [1, 3, 5, 10, 20, 50];
/// Budgets of tokens tried.
const BUDGETS: [usize; 6] = [250, 500, 1000, 2000, 4000, 8000];
/// A budget that holds k passages is rounded up to a multiple of this.
const BUDGET_UNIT: usize = 100;

const K: &str = "retrieval.k";
const BUDGET: &str = "generation.context_tokens";

/// Returns the changes with their settings; some may change no prompt.
pub(super) fn changes(run: &RecordedRun<'_>) -> Vec<(Change, Vec<Setting>)> {
    if run.is_external {
        // The other pipeline's settings are unknown; its passages are counted per prompt.
        let depth = depth(run);
        let ks = KS.into_iter().filter(|k| *k <= depth);
        return ks.map(|k| (of_k(k, None), Vec::new())).collect();
    }
    if !run.is_counted {
        return Vec::new();
    }
    let mut changes = of_ks(run);
    changes.extend(BUDGETS.map(|context_tokens| {
        let setting = Setting::new(BUDGET, &context_tokens);
        (Change::Budget { context_tokens }, vec![setting])
    }));
    changes.extend(of_rankings(run));
    changes
}

fn of_k(k: usize, context_tokens: Option<usize>) -> Change {
    Change::K { k, context_tokens }
}

fn depth(run: &RecordedRun<'_>) -> usize {
    let depths = run.questions.iter().map(|asked| asked.last().hits.len());
    depths.max().unwrap_or(0)
}

fn of_ks(run: &RecordedRun<'_>) -> Vec<(Change, Vec<Setting>)> {
    let depth = depth(run);
    let mut changes = Vec::new();
    for k in KS {
        if k > depth || k == run.limits.k {
            continue;
        }
        changes.push((of_k(k, None), vec![Setting::new(K, &k)]));
        let fits = budget_of(run, k);
        if run.limits.budget.is_some_and(|budget| budget < fits) {
            let settings = vec![Setting::new(K, &k), Setting::new(BUDGET, &fits)];
            changes.push((of_k(k, Some(fits)), settings));
        }
    }
    changes
}

/// Returns the budget that holds the first k passages of every question.
fn budget_of(run: &RecordedRun<'_>, k: usize) -> usize {
    let limits = Limits { k, budget: None };
    let needed = |asked: &Recorded<'_>| {
        let last = asked.last();
        last.tokens_of(last.packed(limits)).unwrap_or(0)
    };
    let most = run.questions.iter().map(needed).max().unwrap_or(0);
    most.div_ceil(BUDGET_UNIT) * BUDGET_UNIT
}

/// Returns every earlier ranking. Under a minimum score only the one that it filters: the scores of others have another scale.
fn of_rankings(run: &RecordedRun<'_>) -> Vec<(Change, Vec<Setting>)> {
    let steps: Vec<Step> = run.questions[0].rankings.iter().map(|(step, _)| *step).collect();
    let Some((last, earlier)) = steps.split_last() else {
        return Vec::new();
    };
    let first = if *last == Step::MinScore { earlier.len() - 1 } else { 0 };
    let earlier = earlier[first..].iter();
    earlier.map(|step| (Change::Ranking { step: *step }, without(*last, *step, run))).collect()
}

/// Returns the settings that leave out the steps after `step`.
fn without(last: Step, step: Step, run: &RecordedRun<'_>) -> Vec<Setting> {
    if last == Step::MinScore {
        return vec![Setting::removed("retrieval.min_score")];
    }
    let mut settings = Vec::new();
    if step != Step::Fused && run.settings.retrieval.retrievers.len() > 1 {
        settings.push(Setting::new("retrieval.retrievers", &format!("[\"{step}\"]")));
    }
    if last == Step::Reranked {
        settings.push(Setting::removed("rerank.model"));
    }
    settings
}
