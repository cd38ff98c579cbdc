//! Gates: is a run good enough, and no worse than another?
//!
//! A gate bounds a measure's mean (`min`, `max`) or how far it got worse than a baseline's over the same questions
//! (`max_drop`). By default the 95 % interval decides: a gate passes when all of it keeps the bound, fails when all of it
//! breaks it, and is inconclusive else; `mean` looks at the value alone, and so does a limit at the very end of the
//! measure's range, which no number of questions could show. What cannot be judged is an error, never a pass.

mod error;
mod judge;

#[cfg(test)]
mod tests;

use ragtriage_core::config::GateMode;
use serde::Serialize;

use super::compare::differences::{self, MeasureDifference};
use super::compare::pairs::{Pairs, QuestionCounts};
use super::score;
use super::summary::{self, EvaluationPlan};
use ragtriage_core::measure::Measure;
use ragtriage_core::types::Interval;
use ragtriage_runs::{SCHEMA, SavedRun};

pub use error::GateError;

/// What a gate bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The mean, from below.
    Min,
    /// The mean, from above.
    Max,
    /// How far the mean got worse than the baseline's, from above: the fall of a measure of which more is better, the
    /// rise of one of which less is better.
    MaxDrop,
    /// The share of the run's questions that were judged, from below: only there when it is not all of them.
    Complete,
}

/// One bound on one measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gate {
    measure: Measure,
    bound: Bound,
    limit: f64,
}

impl Gate {
    /// A gate that the measure can pass and fail.
    ///
    /// # Errors
    /// `OutOfRange`: the limit is no number, or outside what the measure can be; a drop is at least 0.
    pub fn new(measure: Measure, bound: Bound, limit: f64) -> Result<Self, GateError> {
        let (low, high) = measure.family().facts().range;
        let range = if bound == Bound::MaxDrop {
            (0.0, high - low)
        } else {
            (low, high)
        };
        if limit.is_finite() && range.0 <= limit && limit <= range.1 {
            Ok(Self {
                measure,
                bound,
                limit,
            })
        } else {
            Err(GateError::OutOfRange {
                measure,
                limit,
                low: range.0,
                high: range.1,
            })
        }
    }

    /// Whether `other` bounds the same thing.
    #[must_use]
    pub fn replaces(&self, other: &Self) -> bool {
        (self.measure, self.bound) == (other.measure, other.bound)
    }

    /// Whether it needs a run to compare with.
    #[must_use]
    pub fn needs_baseline(&self) -> bool {
        self.bound == Bound::MaxDrop
    }

    /// Whether the limit is the best value there is: no forbidden fact at all, say.
    fn is_absolute(&self) -> bool {
        let (low, high) = self.measure.family().facts().range;
        match self.bound {
            Bound::Min => self.limit >= high,
            Bound::Max => self.limit <= low,
            Bound::MaxDrop | Bound::Complete => false,
        }
    }

    /// As a condition: `EM@5 >= 0.8`, `AnswerF1 drop <= 0.02`.
    #[must_use]
    pub fn title(&self) -> String {
        match self.bound {
            Bound::Max => format!("{} <= {}", self.measure, self.limit),
            Bound::MaxDrop => format!("{} drop <= {}", self.measure, self.limit),
            Bound::Min | Bound::Complete => format!("{} >= {}", self.measure, self.limit),
        }
    }
}

/// What became of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is kept.
    Pass,
    /// It is broken.
    Fail,
    /// These questions do not decide it.
    Inconclusive,
}

impl Verdict {
    /// Its name in files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// A gate with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateResult {
    /// The condition.
    pub gate: String,
    /// The measure.
    pub measure: String,
    /// What is bounded.
    pub bound: Bound,
    /// By what.
    pub limit: f64,
    /// The run's mean; for a drop how far it is worse than the baseline's (below 0: better).
    pub value: f64,
    /// Its 95 % interval; `None` where the questions form fewer than two clusters.
    pub ci95: Option<Interval>,
    /// Questions it rests on.
    pub n: usize,
    /// What became of it.
    pub verdict: Verdict,
    /// Why, in a sentence.
    pub reason: String,
}

/// All gates of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateReport {
    /// The files' schema.
    pub schema: u32,
    /// The run's name.
    pub run: String,
    /// The baseline's, where a gate needs one.
    pub baseline: Option<String>,
    /// Which of the baseline's questions were compared, where a gate needs them.
    pub questions: Option<QuestionCounts>,
    /// What decides.
    pub mode: GateMode,
    /// Whether an inconclusive gate fails the run.
    pub strict: bool,
    /// Whether the run passes: no gate failed, and when strict none is inconclusive.
    pub passed: bool,
    /// In the order given.
    pub gates: Vec<GateResult>,
}

/// How gates are read.
#[derive(Clone, Debug, PartialEq)]
pub struct GatePlan {
    /// The gates.
    pub gates: Vec<Gate>,
    /// The run's own evaluation: the baseline is measured by it too.
    pub evaluation: EvaluationPlan,
    /// What decides.
    pub mode: GateMode,
    /// Whether an inconclusive gate fails the run.
    pub strict: bool,
    /// Whether a baseline over other questions is compared over those it shares.
    pub intersect: bool,
}

/// Judges `run` by the plan's gates.
///
/// # Errors
/// `NoValue` for a measure that no question of the run has, `NoBaseline` for a drop gate without one, and what keeps the
/// runs from being compared.
pub fn check(
    run: &SavedRun,
    baseline: Option<&SavedRun>,
    plan: &GatePlan,
) -> Result<GateReport, GateError> {
    let wants = |drop: bool| -> Vec<Measure> {
        let gates = plan
            .gates
            .iter()
            .filter(|gate| (gate.bound == Bound::MaxDrop) == drop);
        gates.map(|gate| gate.measure).collect()
    };
    let (bounded, dropping) = (wants(false), wants(true));
    let flavour = plan.evaluation.judge.flavour;
    let scores = score::score(run, &bounded, flavour);
    let means =
        summary::measure_summaries(&scores, &summary::bootstrap(&run.traces, &plan.evaluation));
    let mut questions = None;
    let mut drops: Vec<MeasureDifference> = Vec::new();
    if let Some(measure) = dropping.first() {
        let baseline = baseline.ok_or(GateError::NoBaseline { measure: *measure })?;
        let pairs = Pairs::new(baseline, run, plan.evaluation.cluster, plan.intersect)?;
        let (before, after) = (
            score::score(baseline, &dropping, flavour),
            score::score(run, &dropping, flavour),
        );
        drops = differences::differences(&before, &after, &pairs, &plan.evaluation);
        questions = Some(pairs.counts);
    }
    let result = |gate: &Gate| {
        let name = gate.measure.to_string();
        let found = match gate.bound {
            Bound::MaxDrop => drops
                .iter()
                .find(|drop| drop.measure == gate.measure)
                .map(judge::Found::dropped),
            Bound::Min | Bound::Max | Bound::Complete => means.get(&name).map(judge::Found::mean),
        };
        let found = found.filter(|found| found.n > 0);
        let found = found.ok_or_else(|| GateError::NoValue {
            run: run.manifest.name.clone(),
            measure: gate.measure,
        })?;
        Ok(judge::judge(gate, found, plan.mode))
    };
    let gates: Result<Vec<GateResult>, GateError> = plan.gates.iter().map(result).collect();
    let gates: Vec<GateResult> = judge::complete(run).into_iter().chain(gates?).collect();
    let good = |gate: &GateResult| match gate.verdict {
        Verdict::Pass => true,
        Verdict::Fail => false,
        Verdict::Inconclusive => !plan.strict,
    };
    Ok(GateReport {
        schema: SCHEMA,
        run: run.manifest.name.clone(),
        baseline: baseline
            .filter(|_| questions.is_some())
            .map(|baseline| baseline.manifest.name.clone()),
        questions,
        mode: plan.mode,
        strict: plan.strict,
        passed: gates.iter().all(good),
        gates,
    })
}

/// How far a measure got worse: minus the difference where more is better.
fn worsening(lower_is_better: bool) -> f64 {
    if lower_is_better { 1.0 } else { -1.0 }
}
