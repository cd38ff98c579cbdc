//! Gates: absolute and relative quality limits of a run.
//!
//! A gate bounds a measure's mean or a failure class's share (`min`, `max`), or its deterioration from a baseline's over the
//! same questions (`max_drop`, `max_rise`). A share is the mean of a value that is 1 for a question with the class and 0 for
//! every other. By default the 95% interval decides: a gate passes if the whole interval meets the limit, fails if none
//! of it does, and is inconclusive otherwise. `mean` uses the value alone, and so does a limit at the end of the
//! measure's range, which no number of questions could establish. A deterioration up to `min_effect` fails no gate. A gate that cannot be judged is an error, never a pass.

mod judge;
mod limit;

#[cfg(test)]
mod tests;

use ragtriage_core::config::GateMode;
use serde::Serialize;

use self::judge::Judgeable;
use super::baseline::JudgedRun;
use super::compare::differences::{self, TwoColumns};
use super::compare::pairs::{Pairing, QuestionCounts};
use super::summary::{self, EvaluationPlan};
use crate::Error;
use ragtriage_core::measure::{Cutoff, Measure, Quantity};
use ragtriage_data::run::{SCHEMA, SavedRun};

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
    /// Largest deterioration from the baseline that does not matter: it fails no gate, whatever its limit. 0 or more.
    pub min_effect: f64,
}

/// Judges `run` by the plan's gates.
///
/// # Errors
/// A run without a question, a measure without a value in the run, a gate on a change without a baseline, a baseline that lacks the
/// scores, and the errors of comparing the runs.
pub fn check(
    run: &SavedRun,
    baseline: Option<&JudgedRun>,
    plan: &GatePlan,
) -> Result<GateReport, Error> {
    let evaluation = &plan.evaluation;
    if run.traces.is_empty() {
        let message =
            format!("`{}` has no question to judge: none was finished", run.manifest.name);
        return Err(Error::new(message, "resume the run with `ragtriage run --resume NAME`"));
    }
    let judged = plan.judged(run, evaluation.k);
    let levels = levels(run, &judged, plan);
    let (changes, questions) = changes(&judged, baseline, plan)?;
    let mut found = (levels.into_iter(), changes.into_iter());
    let mut gates: Vec<GateResult> = judge::complete(run).into_iter().collect();
    for gate in &plan.gates {
        let next = if gate.needs_baseline() { found.1.next() } else { found.0.next() };
        let next = next.filter(|next| next.n > 0).ok_or_else(|| {
            let lacks = |run: &&JudgedRun| {
                let column = run.column(gate.quantity);
                column.is_none_or(|values| values.iter().all(Option::is_none))
            };
            let mut runs = [Some(&judged), baseline].into_iter().flatten();
            no_value(&runs.find(lacks).unwrap_or(&judged).name, gate.quantity)
        })?;
        gates.push(judge::judge(gate, next, plan.mode, plan.min_effect));
    }
    Ok(GateReport {
        schema: SCHEMA,
        run: run.manifest.name.clone(),
        baseline: baseline.filter(|_| questions.is_some()).map(|baseline| baseline.name.clone()),
        questions,
        mode: plan.mode,
        strict: plan.strict,
        passed: gates.iter().all(|gate| gate.verdict.passes(plan.strict)),
        gates,
        warnings: plan.measures().into_iter().filter_map(|measure| unseen(measure, run)).collect(),
    })
}

impl GatePlan {
    /// Returns the measures of the gates.
    #[must_use]
    pub fn measures(&self) -> Vec<Measure> {
        let mut measures = Vec::new();
        for measure in self.gates.iter().filter_map(|gate| gate.quantity.measure()) {
            if !measures.contains(&measure) {
                measures.push(measure);
            }
        }
        measures
    }

    /// Judges a run that packed `k` hits, as far as the gates need.
    #[must_use]
    pub fn judged(&self, run: &SavedRun, k: usize) -> JudgedRun {
        let (measures, judge) = (self.measures(), self.evaluation.judge);
        let mut quantities = self.gates.iter().map(|gate| gate.quantity);
        if quantities.all(|quantity| quantity.measure().is_some()) {
            JudgedRun::without_classes(run, &measures, judge)
        } else {
            JudgedRun::new(run, &measures, k, judge)
        }
    }
}

/// Returns the values of the gates on the run alone, in their order.
fn levels(run: &SavedRun, judged: &JudgedRun, plan: &GatePlan) -> Vec<Judgeable> {
    let gates: Vec<&Gate> = plan.gates.iter().filter(|gate| !gate.needs_baseline()).collect();
    let quantities: Vec<Quantity> = gates.iter().map(|gate| gate.quantity).collect();
    let columns: Vec<Vec<Option<f64>>> =
        quantities.iter().map(|quantity| judged.column(*quantity).unwrap_or_default()).collect();
    let bootstrap = summary::bootstrap(&run.traces, &plan.evaluation);
    summary::summarised(&quantities, &columns, &bootstrap).iter().map(Judgeable::level).collect()
}

/// Returns the values of the gates on changes, in their order, and the counts of the compared questions.
fn changes(
    judged: &JudgedRun,
    baseline: Option<&JudgedRun>,
    plan: &GatePlan,
) -> Result<(Vec<Judgeable>, Option<QuestionCounts>), Error> {
    let evaluation = &plan.evaluation;
    let gates: Vec<&Gate> = plan.gates.iter().filter(|gate| gate.needs_baseline()).collect();
    let Some(first) = gates.first() else {
        return Ok((Vec::new(), None));
    };
    let baseline = baseline.ok_or_else(|| {
        let message = format!("a gate on a change of `{}` needs a baseline", first.quantity);
        let hint = "name a run as `baseline` under `[gates]`, or give one with `--baseline RUN`";
        Error::new(message, hint)
    })?;
    if baseline.judge != judged.judge {
        let message = format!(
            "baseline `{}` was scored with another `evaluation.right`, `evaluation.scorer` or `evaluation.correct_f1`",
            baseline.name
        );
        let hint = "use the run folder, which is scored again, or evaluate both runs with the same settings; `ragtriage report RUN --format \
                    baseline` writes the file";
        return Err(Error::new(message, hint));
    }
    let (a, b) = (baseline.named_questions(), judged.named_questions());
    let pairing = Pairing::new(a, b, evaluation.cluster, plan.intersect)?;
    let column = |run: &JudgedRun, quantity| {
        run.column(quantity).ok_or_else(|| {
            if quantity.measure().is_none() {
                return no_value(&run.name, quantity);
            }
            let message = format!("baseline `{}` has no scores by `{quantity}`", run.name);
            let hint = "add the measure to `evaluation.measures` of the baseline's run and write the file again, or use the run \
                        folder; `ragtriage report RUN --format baseline` writes the file";
            Error::new(message, hint)
        })
    };
    let columns: Vec<TwoColumns> = gates
        .iter()
        .map(|gate| {
            let quantity = gate.quantity;
            Ok((quantity, [column(baseline, quantity)?, column(judged, quantity)?]))
        })
        .collect::<Result<_, Error>>()?;
    let differences = differences::of_columns(&columns, &pairing, evaluation);
    Ok((differences.iter().map(Judgeable::change).collect(), Some(pairing.counts)))
}

fn no_value(run: &str, quantity: Quantity) -> Error {
    Error::no_value(format!("`{run}` has no value of `{quantity}` on any question"))
}

/// Warns that a measure looks at more passages than any prompt of the run holds, and names the measure of what the prompt
/// holds. `None` where it does not, and for a run without prompts.
fn unseen(measure: Measure, run: &SavedRun) -> Option<String> {
    let Some(Cutoff::Top(k)) = measure.cutoff() else {
        return None;
    };
    let packed = run.traces.iter().map(|trace| trace.packed().count());
    let most = packed.max().filter(|most| *most > 0)?;
    let seen = Measure::new(measure.family(), Some(Cutoff::Prompt))?;
    (most < k).then(|| {
        format!(
            "{measure} scores {k} passages, but the generator receives at most {most}: gate on {seen}, which scores those"
        )
    })
}
