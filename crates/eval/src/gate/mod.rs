//! Gates: absolute and relative quality limits of a run.
//!
//! A gate bounds a measure's mean (`min`, `max`) or its deterioration from a baseline's over the same questions
//! (`max_drop`). By default the 95% interval decides: a gate passes if the whole interval meets the limit, fails if none
//! of it does, and is inconclusive otherwise. `mean` uses the value alone, and so does a limit at the end of the
//! measure's range, which no number of questions could establish. A gate that cannot be judged is an error, never a pass.

mod error;
mod judge;
mod limit;
mod unseen;

#[cfg(test)]
mod tests;

use ragtriage_core::config::GateMode;
use serde::Serialize;

use super::clusters;
use super::compare::differences::{self, MeasureDifference};
use super::compare::pairs::{Pairs, QuestionCounts};
use super::score::{self, Scores};
use super::summary::{self, EvaluationPlan};
use ragtriage_core::measure::{Aggregate, Measure};
use ragtriage_core::stats::detectable::{ALPHA, needed as questions_needed};
use ragtriage_runs::{SCHEMA, SavedRun};

pub use error::GateError;
pub use limit::{Gate, GateBound, GateResult, GateVerdict};

/// All gates of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateReport {
    /// The files' schema.
    pub schema: u32,
    /// The run's name.
    pub run: String,
    /// The baseline's name, if a gate needs one.
    pub baseline: Option<String>,
    /// Counts of the baseline's compared questions, if a gate needs them.
    pub questions: Option<QuestionCounts>,
    /// The decision mode.
    pub mode: GateMode,
    /// Fails the run if a gate is inconclusive.
    pub strict: bool,
    /// True if the run passes: no gate failed, and when strict none is inconclusive.
    pub passed: bool,
    /// In the order given.
    pub gates: Vec<GateResult>,
    /// Gates on passages that the generator does not see, and those to use instead.
    pub warnings: Vec<String>,
}

/// Options for judging gates.
#[derive(Clone, Debug, PartialEq)]
pub struct GatePlan {
    /// The gates.
    pub gates: Vec<Gate>,
    /// The run's evaluation plan, also applied to the baseline.
    pub evaluation: EvaluationPlan,
    /// The decision mode.
    pub mode: GateMode,
    /// Fails the run if a gate is inconclusive.
    pub strict: bool,
    /// Compares a baseline over different questions on the shared ones.
    pub intersect: bool,
}

/// Judges `run` by the plan's gates.
///
/// # Errors
/// `NoValue` for a measure without a value in the run, `NoBaseline` for a drop gate without a baseline, and the errors
/// of comparing the runs.
pub fn check(
    run: &SavedRun,
    baseline: Option<&SavedRun>,
    plan: &GatePlan,
) -> Result<GateReport, GateError> {
    let (dropping, bounded): (Vec<&Gate>, Vec<&Gate>) =
        plan.gates.iter().partition(|gate| gate.needs_baseline());
    let bounded: Vec<Measure> = bounded.iter().map(|gate| gate.measure).collect();
    let dropping: Vec<Measure> = dropping.iter().map(|gate| gate.measure).collect();
    let rule = plan.evaluation.judge;
    let scores = score::score(run, &bounded, rule);
    let cluster_of = clusters::cluster_of(&run.traces, plan.evaluation.cluster);
    let means =
        summary::measure_summaries(&scores, &summary::bootstrap(&run.traces, &plan.evaluation));
    let mut questions = None;
    let mut drops: Vec<MeasureDifference> = Vec::new();
    if let Some(measure) = dropping.first() {
        let baseline = baseline.ok_or(GateError::NoBaseline { measure: *measure })?;
        let pairs = Pairs::new(baseline, run, plan.evaluation.cluster, plan.intersect)?;
        let (before, after) = (
            score::score(baseline, &dropping, rule),
            score::score(run, &dropping, rule),
        );
        drops = differences::differences(&before, &after, &pairs, &plan.evaluation);
        questions = Some(pairs.counts);
    }
    let mut gates: Vec<GateResult> = judge::complete(run).into_iter().collect();
    for gate in &plan.gates {
        let found = match gate.bound {
            GateBound::MaxDrop => drops
                .iter()
                .find(|drop| drop.measure == gate.measure)
                .map(judge::Judgeable::dropped),
            GateBound::Min | GateBound::Max | GateBound::Complete => {
                let needed = needed(gate, &scores, &cluster_of);
                let mean = means.get(&gate.measure.to_string());
                mean.map(|mean| judge::Judgeable::mean(mean, needed))
            }
        };
        let found = found.filter(|found| found.n > 0).ok_or_else(|| {
            let measure = gate.measure;
            let has_value = |run: &SavedRun| {
                let column = score::score(run, &[measure], rule).column(measure);
                column.is_some_and(|values| values.iter().any(Option::is_some))
            };
            let mut runs = [Some(run), baseline].into_iter().flatten();
            let without = runs.find(|run| !has_value(run)).unwrap_or(run);
            GateError::NoValue {
                run: without.manifest.name.clone(),
                measure,
            }
        })?;
        gates.push(judge::judge(gate, found, plan.mode));
    }
    Ok(GateReport {
        schema: SCHEMA,
        run: run.manifest.name.clone(),
        baseline: baseline
            .filter(|_| questions.is_some())
            .map(|baseline| baseline.manifest.name.clone()),
        questions,
        mode: plan.mode,
        strict: plan.strict,
        passed: gates.iter().all(|gate| gate.verdict.passes(plan.strict)),
        gates,
        warnings: plan
            .gates
            .iter()
            .filter_map(|gate| unseen::warning(gate.measure, run))
            .collect(),
    })
}

/// Returns the number of questions that would tell the mean from the gate's limit, if its distance from it is the true one;
/// `None` for a median.
fn needed(gate: &Gate, scores: &Scores, cluster_of: &[usize]) -> Option<usize> {
    if gate.measure.family().aggregate() != Aggregate::Mean {
        return None;
    }
    let column = scores.column(gate.measure)?;
    let known = column.into_iter().zip(cluster_of);
    let (distances, cluster_of): (Vec<f64>, Vec<usize>) = known
        .filter_map(|(value, cluster)| Some((value? - gate.limit, *cluster)))
        .unzip();
    questions_needed(&distances, &cluster_of, ALPHA)
}
