//! `summary.json`: the metrics of a run, and everything that reports show of it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::approximate::{self, ApproximateSearch};
use super::audit::AnswerAudit;
use super::clusters::{self, cluster_of};
use super::conditions::{self, ConditionUse};
use super::cost::{self, CostSummary};
pub use super::counts::Share;
use super::counts::{causes, class_counts, count, flags, has_condition, shares, unlocated};
use super::diagnose::{self, TwoByTwo};
use super::judge::{DecidedAnswers, JudgeSummary, decided_answers, judge_summary};
use super::losses::LossTable;
pub use super::metric_summary::MetricSummary;
use super::metric_summary::aggregated;
use super::score::{self, Scores};
use super::slices::{self, QuestionColumns, SliceGroup};
use super::verdict::{self, BudgetOf, LossVerdict, VerdictFacts};
use super::what_if::WhatIf;
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::correctness::Judge;
use ragtriage_core::metric::{Aggregate, Cutoff, Family, Metric, Quantity, answer};
use ragtriage_core::stats::bootstrap::Bootstrap;
use ragtriage_core::stats::interval::{IntervalMethod, of_mean};
use ragtriage_core::types::{Condition, FailureClass, Fault, Trace};
use ragtriage_data::run::{SCHEMA, SavedRun};

/// Bootstrap resamples of a run: more take gigabytes and change no significant digit.
pub const RESAMPLES: usize = 10_000;

/// Options for evaluating a run.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluationPlan {
    /// The metrics, without duplicates; `EM@k` of the run's own k among them.
    pub metrics: Vec<Metric>,
    /// Number of hits the run packed.
    pub k: usize,
    /// The rule for correct answers.
    pub judge: Judge,
    /// Bootstrap resamples.
    pub resamples: usize,
    /// Their seed.
    pub seed: u64,
}

/// Summary metrics of a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Summary {
    /// The files' schema.
    pub schema: u32,
    /// Questions in the run.
    pub n_questions: usize,
    /// The audit of answers, if the run has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_audit: Option<AnswerAudit>,
    /// Answers by who decided on them, if the run has a judge's verdicts or an audit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided: Option<DecidedAnswers>,
    /// The judge, if the run has verdicts of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeSummary>,
    /// By metric name.
    pub metrics: BTreeMap<String, MetricSummary>,
    /// Approximate searches compared with exact search, by retriever; empty where every search was exact.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub approximate_search: Vec<ApproximateSearch>,
    /// Every failure class, including those without questions.
    pub classes: BTreeMap<String, usize>,
    /// The classes' shares of all questions.
    pub class_shares: BTreeMap<String, Share>,
    /// The composition of `not_retrieved`; shares of the questions whose cause is known.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub causes: BTreeMap<String, Share>,
    /// The composition of `wrong_answer`.
    pub faults: BTreeMap<String, usize>,
    /// The flags that this run could raise.
    pub flags: BTreeMap<String, usize>,
    /// 2 x 2 table of retrieval by answer.
    pub two_by_two: TwoByTwo,
    /// The questions by the stage that lost them, and what each stage costs.
    pub losses: LossTable,
    /// Correct answers under each condition.
    pub conditions: BTreeMap<String, MetricSummary>,
    /// The bottleneck.
    pub verdict: LossVerdict,
    /// The changes that other settings would bring.
    pub what_if: WhatIf,
    /// Slices of the question set.
    pub slices: Vec<SliceGroup>,
    /// Clusters of questions that share gold evidence.
    pub n_clusters: usize,
    /// Questions of the largest cluster.
    pub largest_cluster: usize,
    /// Tokens and calls by condition; those that rewrote questions as `rewrite`.
    pub tokens: BTreeMap<String, ConditionUse>,
    /// US dollars of all conditions.
    pub cost_usd: f64,
    /// Wall time of the run's steps, in seconds.
    pub seconds: BTreeMap<String, f64>,
    /// Time, tokens and US dollars per question.
    pub costs: Vec<CostSummary>,
}

/// A run's summary with its inputs, by question.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The summary.
    pub summary: Summary,
    /// Parallel to the run's traces.
    pub scores: Scores,
    /// Parallel to the run's traces.
    pub outcomes: Vec<Outcome>,
}

impl Evaluation {
    /// Removes the error messages of endpoints, which may quote the request, and what verdicts quote of answers.
    pub fn forget_texts(&mut self) {
        for outcome in &mut self.outcomes {
            outcome.judgments.forget_reasons();
            outcome.unsupported.clear();
            if outcome.class == FailureClass::Unsure {
                "the rule cannot decide".clone_into(&mut outcome.reason);
            }
        }
        for outcome in
            self.outcomes.iter_mut().filter(|outcome| outcome.class == FailureClass::Failed)
        {
            "a call failed".clone_into(&mut outcome.reason);
        }
    }
}

/// Scores and diagnoses a saved run.
#[must_use]
pub fn evaluate(run: &SavedRun, plan: &EvaluationPlan) -> Evaluation {
    let top = diagnose::top_k(run, plan.k);
    let outcomes = diagnose::outcomes(run, plan.k, plan.judge);
    let scores = score::score_classified(run, &outcomes, &plan.metrics, plan.judge);
    let cluster_of = cluster_of(&run.traces);
    let answered = run.traces.iter().any(|trace| !trace.conditions.is_empty());
    // The budget of answers requires the oracle condition; without it, only the loss of support is known.
    let has_oracle = has_condition(run, Condition::Oracle);
    let of = if has_oracle { BudgetOf::Correct } else { BudgetOf::Evidence };
    let bootstrap = Bootstrap::new(cluster_of.clone(), plan.resamples, plan.seed);
    let verdict = verdict::judge(
        &VerdictFacts {
            traces: &run.traces,
            outcomes: &outcomes,
            of,
            is_answered: has_condition(run, Condition::Retrieved),
            unlocated: unlocated(run),
        },
        &bootstrap,
    );
    let metrics = metric_summaries(&scores, &bootstrap);
    let losses = LossTable::new(run, &outcomes, &verdict, answered);
    let classes = class_counts(&outcomes);
    let tokens = conditions::tokens(&run.traces);
    let (columns, answer_f1) = columns(run, &scores, plan, (&outcomes, cluster_of));
    let summary = Summary {
        schema: SCHEMA,
        n_questions: run.traces.len(),
        answer_audit: None,
        decided: decided_answers(run, &outcomes),
        judge: judge_summary(run, &outcomes),
        approximate_search: approximate::approximate_search(run),
        class_shares: shares(&classes, run.traces.len()),
        classes,
        causes: causes(&outcomes),
        faults: count(
            Fault::ALL.iter().map(|fault| fault.name()),
            outcomes.iter().filter_map(|o| o.fault).map(Fault::name),
        ),
        flags: flags(run, &outcomes),
        two_by_two: diagnose::two_by_two(
            prompt_size(run, plan),
            &columns.em,
            &outcomes
                .iter()
                .map(|outcome| outcome.judgments.correctness(Condition::Retrieved))
                .collect::<Vec<_>>(),
            &answer_f1,
        ),
        conditions: conditions::condition_scores(&run.traces, &outcomes, &bootstrap),
        losses,
        verdict,
        what_if: WhatIf::new(run, &outcomes, top, &columns.cluster_of),
        slices: slices::slices(&columns),
        n_clusters: bootstrap.n_clusters(),
        largest_cluster: clusters::sizes(&columns.cluster_of).largest,
        cost_usd: tokens.values().fold(0.0, |sum, one| sum + one.cost_usd),
        tokens,
        seconds: run.manifest.seconds.clone(),
        costs: cost::costs(run),
        metrics,
    };
    Evaluation { summary, scores, outcomes }
}

pub(super) fn bootstrap(traces: &[Trace], plan: &EvaluationPlan) -> Bootstrap {
    Bootstrap::new(cluster_of(traces), plan.resamples, plan.seed)
}

pub(super) fn metric_summaries(
    scores: &Scores,
    bootstrap: &Bootstrap,
) -> BTreeMap<String, MetricSummary> {
    let columns: Vec<Vec<Option<f64>>> =
        (0..scores.metrics.len()).map(|c| scores.rows.iter().map(|row| row[c]).collect()).collect();
    let summaries = summarised(&scores.metrics, &columns, bootstrap);
    scores.metrics.iter().map(ToString::to_string).zip(summaries).collect()
}

/// Summarises a run's metrics, each over the values in its column. For such means the coverage of `BCa` is closest to 95%,
/// also near 0 and 1: see the table in `stats/interval.rs`.
pub(super) fn summarised<Q: Copy + Into<Quantity>>(
    metrics: &[Q],
    columns: &[Vec<Option<f64>>],
    bootstrap: &Bootstrap,
) -> Vec<MetricSummary> {
    let bootstrap = bootstrap.clone().with_method(IntervalMethod::Bca);
    // All means share the draws, which are the costly part; a column of ranks may be infinite and has no mean.
    let means = metrics.iter().zip(columns).filter(|(metric, _)| is_mean(**metric));
    let mut intervals = bootstrap
        .intervals(&means.map(|(_, column)| column.clone()).collect::<Vec<_>>())
        .into_iter();
    let mut summaries = Vec::with_capacity(metrics.len());
    for (metric, column) in metrics.iter().zip(columns) {
        let values: Vec<f64> = column.iter().flatten().copied().collect();
        let n = values.len();
        let by = (*metric).into().aggregate();
        let ci95 = if by == Aggregate::Mean {
            let n_clusters = bootstrap.n_clusters_with_value(column);
            let range = (*metric).into().range();
            let ci95 = of_mean(&values, range, n_clusters, intervals.next().flatten());
            // Few values bound no mean that has no largest value.
            ci95.filter(|ci| range.1.is_finite() || n_clusters >= 6 && ci.high.is_finite())
        } else {
            None
        };
        summaries.push(MetricSummary { mean: aggregated(&values, by), n, ci95 });
    }
    summaries
}

fn is_mean(metric: impl Into<Quantity>) -> bool {
    metric.into().aggregate() == Aggregate::Mean
}

/// Returns the number of hits in a prompt: an external RAG's k is unknown, and its recorded contexts are its prompt.
fn prompt_size(run: &SavedRun, plan: &EvaluationPlan) -> usize {
    if !run.manifest.is_external() {
        return plan.k;
    }
    let packed = run.traces.iter().map(|trace| trace.packed().count());
    packed.max().unwrap_or(0).max(1)
}

fn columns<'a>(
    run: &'a SavedRun,
    scores: &Scores,
    plan: &EvaluationPlan,
    (outcomes, cluster_of): (&'a [Outcome], Vec<usize>),
) -> (QuestionColumns<'a>, Vec<Option<f64>>) {
    let cutoff = if run.manifest.is_external() { Cutoff::Prompt } else { Cutoff::Top(plan.k) };
    let [em, answer_f1] =
        [(Family::Em, Some(cutoff)), (Family::AnswerF1, None)].map(|(family, cutoff)| {
            Metric::new(family, cutoff)
                .and_then(|metric| scores.column(metric))
                .unwrap_or_else(|| vec![None; run.traces.len()])
        });
    let correct = outcomes
        .iter()
        .map(|outcome| outcome.judgments.correctness(Condition::Retrieved).map(answer::correct));
    let correct = correct.collect();
    (QuestionColumns { traces: &run.traces, outcomes, em, correct, cluster_of }, answer_f1)
}
