//! Gates: absolute and relative quality limits of a run.
//!
//! A gate bounds a measure's mean or a failure class's share (`min`, `max`), or its deterioration from a baseline's over the
//! same questions (`max_drop`). A share is the mean of a value that is 1 for a question with the class and 0 for
//! every other. By default the 95% interval decides: a gate passes if the whole interval meets the limit, fails if none
//! of it does, and is inconclusive otherwise. `mean` uses the value alone, and so does a limit at the end of the
//! measure's range, which no number of questions could establish. A gate that cannot be judged is an error, never a pass.

mod judge;
mod limit;

#[cfg(test)]
mod tests;

use ragtriage_core::config::GateMode;
use serde::Serialize;

use self::judge::Judgeable;
use super::compare::ComparedRun;
use super::compare::differences::{self, TwoColumns};
use super::compare::pairs::{Pairs, QuestionCounts};
use super::score::{self, Scores};
use super::summary::{self, EvaluationPlan};
use super::{Error, diagnose};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::measure::{Measure, Quantity};
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
    /// True if the run passes: no gate failed.
    pub passed: bool,
    /// In the order given.
    pub gates: Vec<GateResult>,
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
    /// Compares a baseline over different questions on the shared ones.
    pub intersect: bool,
}

/// Judges `run` by the plan's gates.
///
/// # Errors
/// A run without a question, a measure without a value in the run, a gate on a change without a baseline, and the errors of
/// comparing the runs.
pub fn check(
    run: &SavedRun,
    baseline: Option<ComparedRun<'_>>,
    plan: &GatePlan,
) -> Result<GateReport, Error> {
    let evaluation = &plan.evaluation;
    if run.traces.is_empty() {
        let message =
            format!("`{}` has no question to judge: none was finished", run.manifest.name);
        return Err(Error::new(message, "resume the run with `ragtriage run --resume NAME`"));
    }
    let judged = JudgedRun::new(ComparedRun { run, k: evaluation.k }, plan);
    let levels = levels(&judged, plan);
    let (changes, questions) = changes(&judged, baseline, plan)?;
    let mut found = (levels.into_iter(), changes.into_iter());
    let mut gates: Vec<GateResult> = judge::complete(run).into_iter().collect();
    for gate in &plan.gates {
        let next = if gate.needs_baseline() { found.1.next() } else { found.0.next() };
        let next = next.filter(|next| next.n > 0).ok_or_else(|| judged.lacks(gate.quantity))?;
        gates.push(judge::judge(gate, next, plan.mode));
    }
    let baseline = baseline.filter(|_| questions.is_some());
    Ok(GateReport {
        schema: SCHEMA,
        run: run.manifest.name.clone(),
        baseline: baseline.map(|baseline| baseline.run.manifest.name.clone()),
        questions,
        mode: plan.mode,
        passed: gates.iter().all(|gate| gate.verdict != GateVerdict::Fail),
        gates,
    })
}

/// A run with what its gates need.
struct JudgedRun<'a> {
    run: &'a SavedRun,
    scores: Scores,
    /// Empty where no gate is on a class: classifying takes longer than scoring, and most gates are on measures.
    outcomes: Vec<Outcome>,
}

impl<'a> JudgedRun<'a> {
    fn new(ComparedRun { run, k }: ComparedRun<'a>, plan: &GatePlan) -> Self {
        let judge = plan.evaluation.judge;
        let of = |gate: &Gate| gate.quantity.measure();
        let mut measures: Vec<Measure> = plan.gates.iter().filter_map(of).collect();
        measures.sort_unstable();
        measures.dedup();
        let is_on_classes = plan.gates.iter().any(|gate| of(gate).is_none());
        Self {
            run,
            scores: score::score(run, &measures, judge),
            outcomes: if is_on_classes { diagnose::outcomes(run, k, judge) } else { Vec::new() },
        }
    }

    /// Returns each question's value: a score, or 1 if it has the class or fault and 0 if not.
    ///
    /// # Errors
    /// A class of answers where the run has none, and a measure without a value.
    fn column(&self, quantity: Quantity) -> Result<Vec<Option<f64>>, Error> {
        let shares = |needs_answers: bool, has: &dyn Fn(&Outcome) -> bool| {
            let shares = self.outcomes.iter().map(|one| Some(f64::from(u8::from(has(one)))));
            let has_answers = || self.outcomes.iter().any(|one| one.class.needs_an_answer());
            (!needs_answers || has_answers()).then(|| shares.collect())
        };
        let column = match quantity {
            Quantity::Measure(measure) => self.scores.column(measure),
            Quantity::Class(class) => shares(class.needs_an_answer(), &|one| one.class == class),
            Quantity::Fault(fault) => shares(true, &|one| one.fault == Some(fault)),
        };
        let has_value = |column: &Vec<Option<f64>>| column.iter().any(Option::is_some);
        column.filter(has_value).ok_or_else(|| self.lacks(quantity))
    }

    fn lacks(&self, quantity: Quantity) -> Error {
        let name = &self.run.manifest.name;
        Error::no_value(format!("`{name}` has no value of `{quantity}` on any question"))
    }
}

/// Returns the values of the gates on the run alone, in their order.
fn levels(judged: &JudgedRun<'_>, plan: &GatePlan) -> Vec<Judgeable> {
    let gates = plan.gates.iter().filter(|gate| !gate.needs_baseline());
    let quantities: Vec<Quantity> = gates.map(|gate| gate.quantity).collect();
    let columns = quantities.iter().map(|quantity| judged.column(*quantity).unwrap_or_default());
    let columns: Vec<Vec<Option<f64>>> = columns.collect();
    let bootstrap = summary::bootstrap(&judged.run.traces, &plan.evaluation);
    summary::summarised(&quantities, &columns, &bootstrap).iter().map(Judgeable::level).collect()
}

/// Returns the values of the gates on changes, in their order, and the counts of the compared questions.
fn changes(
    judged: &JudgedRun<'_>,
    baseline: Option<ComparedRun<'_>>,
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
    let pairs = Pairs::new(baseline.run, judged.run, evaluation.cluster, plan.intersect)?;
    let baseline = JudgedRun::new(baseline, plan);
    let columns = gates.iter().map(|gate| {
        let quantity = gate.quantity;
        Ok((quantity, [baseline.column(quantity)?, judged.column(quantity)?]))
    });
    let columns: Vec<TwoColumns> = columns.collect::<Result<_, Error>>()?;
    let differences = differences::of_columns(&columns, &pairs, evaluation);
    Ok((differences.iter().map(Judgeable::change).collect(), Some(pairs.counts)))
}
