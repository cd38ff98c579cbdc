//! What a question costs the pipeline: time, tokens and US dollars. The calls of the other conditions are not part of it.
//!
//! A cached reply says nothing of what its call took: its question is left out. [`ConditionUse`](super::conditions::ConditionUse)
//! counts such replies.

use schemars::JsonSchema;
use serde::Serialize;

use super::metric_summary::mean;
use ragtriage_core::metric::Family;
use ragtriage_core::stats::median::{median, p95};
use ragtriage_core::types::{Attempt, Condition, Origin, Step, Trace, TraceStep};
use ragtriage_data::run::SavedRun;

/// A cost over the questions that it is known for.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CostSummary {
    /// The stage, or the metric.
    pub name: String,
    /// Number of questions.
    pub n: usize,
    /// Their mean.
    pub mean: f64,
    /// Their median.
    pub p50: f64,
    /// Their 95th percentile.
    pub p95: f64,
}

/// Returns the costs per question: seconds of each stage, then `seconds`, `tokens` and `usd`; those that some question has.
#[must_use]
pub fn costs(run: &SavedRun) -> Vec<CostSummary> {
    let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
    let mut add = |name: String, value: f64| match columns.iter_mut().find(|at| at.0 == name) {
        Some((_, values)) => values.push(value),
        None => columns.push((name, vec![value])),
    };
    let rewrites = run.traces.iter().filter_map(|trace| call(trace).and(trace.rewrite.as_ref()));
    rewrites.for_each(|call| add("rewrite".to_owned(), call.seconds));
    // Another pipeline may not record the time of a stage.
    let is_timed = |step: &&TraceStep| step.seconds > 0.0 || !run.manifest.is_external();
    for step in run.traces.iter().flat_map(|trace| &trace.steps).filter(is_timed) {
        match step.step {
            Step::Fused => add("fuse".to_owned(), step.seconds),
            Step::Reranked => add("rerank".to_owned(), step.seconds),
            Step::Packed => add("pack".to_owned(), step.seconds),
            Step::MinScore | Step::Ordered => {}
            retriever => add(format!("search {retriever}"), step.seconds),
        }
    }
    let calls = run.traces.iter().filter_map(call).map(|call| call.seconds);
    calls.filter(|seconds| *seconds > 0.0).for_each(|seconds| add("generate".to_owned(), seconds));
    for family in [Family::Seconds, Family::Tokens, Family::Usd] {
        for value in run.traces.iter().filter_map(|trace| of_question(trace, run, family)) {
            add(family.name().to_owned(), value);
        }
    }
    let summary = |(name, values): (String, Vec<f64>)| {
        let [p50, p95] = [median(&values), p95(&values)].map(Option::unwrap_or_default);
        CostSummary { name, n: values.len(), mean: mean(&values), p50, p95 }
    };
    columns.into_iter().map(summary).collect()
}

/// Returns the call of the pipeline's answer, if it and that which rewrote the question were made.
fn call(trace: &Trace) -> Option<&Attempt> {
    let call = trace.attempt(Condition::Retrieved)?;
    let is_made = |call: &Attempt| call.origin == Origin::Called && call.error.is_none();
    (is_made(call) && trace.rewrite.as_ref().is_none_or(is_made)).then_some(call)
}

/// Returns a cost of one question; `None` where it is unknown.
#[must_use]
pub fn of_question(trace: &Trace, run: &SavedRun, family: Family) -> Option<f64> {
    let has_answer = trace.attempt(Condition::Retrieved).is_some();
    let call = call(trace);
    let with_rewrite =
        |of: fn(&Attempt) -> f64| Some(of(call?) + trace.rewrite.as_ref().map_or(0.0, of));
    let tokens = |call: &Attempt| {
        let tokens = &call.tokens;
        (tokens.prompt_billed.unwrap_or(tokens.prompt) + tokens.completion) as f64
    };
    let value = match family {
        Family::Tokens => with_rewrite(tokens)?,
        Family::Usd => with_rewrite(|call| call.cost_usd)?,
        _ if has_answer && call.is_none_or(|call| call.seconds == 0.0) => return None,
        _ => {
            let steps: f64 = trace.steps.iter().map(|step| step.seconds).sum();
            match call {
                None => steps,
                // Another RAG records the time from the question to its answer.
                Some(call) if run.manifest.is_external() => call.seconds,
                Some(_) => steps + with_rewrite(|call| call.seconds)?,
            }
        }
    };
    // Nothing is free: a zero was not recorded.
    (value > 0.0).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::tests::run;
    use ragtriage_core::types::TokenUse;

    /// Twenty questions; the call of the nth takes n + 1 quarters of a second, and the last one's reply is cached.
    fn timed() -> SavedRun {
        let mut run = run("r", &["1815"; 20]);
        for (n, trace) in run.traces.iter_mut().enumerate() {
            trace.steps.iter_mut().for_each(|step| step.seconds = 0.0);
            trace.steps[0].seconds = 0.25;
            let call = &mut trace.conditions[0].attempts[0];
            call.seconds = 0.25 * n as f64 + 0.25;
            call.tokens = TokenUse { prompt: 90, prompt_billed: Some(100), completion: n as u64 };
            call.cost_usd = 0.001;
        }
        run.traces[19].conditions[0].attempts[0].origin = Origin::Cached;
        run
    }

    fn found(run: &SavedRun, name: &str) -> Option<(usize, f64, f64, f64)> {
        let costs = costs(run);
        let found = costs.iter().find(|cost| cost.name == name)?;
        Some((found.n, found.mean, found.p50, found.p95))
    }

    #[test]
    fn a_question_costs_its_retrieval_and_its_call_unless_that_is_cached() {
        let run = timed();
        assert_eq!(found(&run, "search bm25"), Some((20, 0.25, 0.25, 0.25)));
        // Calls of 0.25 to 4.75 s: the 10th and, as 0.95 * 19 = 18.05, the 19th of 19; with 0.25 s of search.
        assert_eq!(found(&run, "generate"), Some((19, 2.5, 2.5, 4.75)));
        assert_eq!(found(&run, "seconds"), Some((19, 2.75, 2.75, 5.0)));
        // As billed, and 0 to 18 of the answer.
        assert_eq!(found(&run, "tokens"), Some((19, 109.0, 109.0, 118.0)));
        assert_eq!(
            found(&run, "usd").map(|(n, _, p50, p95)| (n, p50, p95)),
            Some((19, 0.001, 0.001))
        );
    }

    #[test]
    fn the_call_that_rewrote_a_question_has_a_row_and_is_part_of_its_cost() {
        let mut run = timed();
        for at in [3, 19] {
            run.traces[at].rewrite = Some(Attempt { seconds: 0.5, ..Attempt::new("Which?") });
        }
        // The answer to the last question is cached.
        assert_eq!(found(&run, "rewrite"), Some((1, 0.5, 0.5, 0.5)));
        assert_eq!(of_question(&run.traces[3], &run, Family::Seconds), Some(0.25 + 1.0 + 0.5));
    }

    #[test]
    fn a_failed_call_and_one_without_a_price_have_no_cost() {
        let mut run = timed();
        run.traces[0].conditions[0].attempts[0].error = Some(crate::tests::failed());
        run.traces[1].conditions[0].attempts[0].cost_usd = 0.0;
        let of = |at: usize, family| of_question(&run.traces[at], &run, family);
        assert_eq!(
            [Family::Seconds, Family::Tokens, Family::Usd].map(|cost| of(0, cost)),
            [None; 3]
        );
        assert_eq!((of(1, Family::Usd), of(2, Family::Usd)), (None, Some(0.001)));
    }

    #[test]
    fn without_a_generator_time_is_that_of_retrieval() {
        let mut run = timed();
        run.traces[0].conditions.clear();
        assert_eq!(of_question(&run.traces[0], &run, Family::SecondsP95), Some(0.25));
    }
}
