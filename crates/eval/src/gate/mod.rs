//! Gates: absolute and relative quality limits of a run.
//!
//! A gate bounds a metric's mean or a failure class's share (`min`, `max`), or its deterioration from a baseline's over the
//! same questions (`max_drop`). A share is the mean of a value that is 1 for a question with the class and 0 for every other that
//! could have it: `hallucinated` and `declined` of the unanswerable questions, the others of the answerable ones, `failed` of all. By
//! default the 95% interval decides: a gate passes if the whole interval meets the limit, fails if none
//! of it does, and is inconclusive otherwise; `strict` fails what is inconclusive. `mean` uses the value alone, and so does a limit at
//! the end of the metric's range, which no number of questions could establish. A gate that cannot be judged is an error, never a pass.

#[cfg(test)]
mod tests;

use ragtriage_core::config::GateMode;
use serde::Serialize;

use super::compare::differences::{self, MetricDifference, TwoColumns};
use super::compare::pairs::{Pairs, QuestionCounts};
use super::compare::{ComparedRun, LEVEL, no_value};
use super::score::{self, Scores};
use super::summary::{self, EvaluationPlan, MetricSummary};
use super::{Error, counts, diagnose};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::metric::{Aggregate, Direction, Metric, Quantity};
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_core::types::{Condition, FailureClass, Fault, Interval, QuestionKind};
use ragtriage_data::run::{SCHEMA, SavedRun};

/// A kind of bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GateBound {
    /// Lower bound on the mean.
    Min,
    /// Upper bound on the mean.
    Max,
    /// Upper bound on the deterioration of the mean from the baseline's: a decrease if higher is better, an increase
    /// if lower is better.
    MaxDrop,
    /// Lower bound on the share of judged questions; present only if some are missing.
    Complete,
}

/// One bound on one metric or failure class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gate {
    quantity: Quantity,
    bound: GateBound,
    limit: f64,
}

impl Gate {
    /// Creates a gate that the metric or class can both pass and fail.
    ///
    /// # Errors
    /// A limit that is not a number or outside the range (a drop is at least 0), a bound that only a better run can miss, and a
    /// bound on a change of a class without a result.
    pub fn new(quantity: impl Into<Quantity>, bound: GateBound, limit: f64) -> Result<Self, Error> {
        let quantity = quantity.into();
        let gate = Self { quantity, bound, limit };
        if let Quantity::Class(class) = quantity
            && gate.needs_baseline()
            && class.has_no_result()
        {
            let message = format!(
                "a change of `{class}` cannot be judged: questions without a result are not compared with the baseline"
            );
            return Err(Error::new(message, "bound its share with `max`"));
        }
        let other = match (bound, quantity.direction()) {
            (GateBound::Min, Direction::Lower) => Some(("minimum", "lower", "max")),
            (GateBound::Max, Direction::Higher) => Some(("maximum", "higher", "min")),
            _ => None,
        };
        if let Some((what, better, flag)) = other {
            let message = format!("a {what} of `{quantity}` fails better runs: {better} is better");
            return Err(Error::new(
                message,
                format!("bound it with `{flag}`: `--{flag} {quantity}=X`"),
            ));
        }
        let (low, high) = quantity.range();
        let (low, high) = if gate.needs_baseline() { (0.0, high - low) } else { (low, high) };
        if limit.is_finite() && low <= limit && limit <= high {
            Ok(gate)
        } else {
            let message =
                format!("the gate's limit {limit} of `{quantity}` lies outside {low} to {high}");
            Err(Error::new(message, "write a share as 0.8, not 80, and a drop without a sign"))
        }
    }

    /// Returns true if `other` bounds the same metric or class in the same way.
    #[must_use]
    pub fn replaces(&self, other: &Self) -> bool {
        (self.quantity, self.bound) == (other.quantity, other.bound)
    }

    /// Returns true if the gate needs a baseline run.
    #[must_use]
    pub fn needs_baseline(&self) -> bool {
        self.bound == GateBound::MaxDrop
    }

    /// Returns true if the limit is the best possible value, such as zero forbidden facts.
    fn is_absolute(&self) -> bool {
        let (low, high) = self.quantity.range();
        match self.bound {
            GateBound::Min => self.limit >= high,
            GateBound::Max => self.limit <= low,
            GateBound::MaxDrop | GateBound::Complete => false,
        }
    }

    /// Names a change for the worse.
    fn worse(&self) -> &'static str {
        match self.quantity.direction() {
            Direction::Lower => "rise",
            Direction::Higher => "drop",
        }
    }

    /// Writes the gate as a condition: `EM@5 >= 0.8`, `AnswerF1 drop <= 0.02`.
    #[must_use]
    pub fn title(&self) -> String {
        let Self { quantity, limit, .. } = self;
        match self.bound {
            GateBound::Max => format!("{quantity} <= {limit}"),
            GateBound::MaxDrop => format!("{quantity} {} <= {limit}", self.worse()),
            GateBound::Min | GateBound::Complete => format!("{quantity} >= {limit}"),
        }
    }
}

ragtriage_core::closed_set! {
    /// The decision on a gate.
    GateVerdict {
        /// The limit is met.
        Pass = "pass",
        /// The limit is not met: the run does not pass.
        Fail = "fail",
        /// The questions are insufficient to decide.
        Inconclusive = "inconclusive",
    }
}

/// A gate with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateResult {
    /// The condition.
    pub gate: String,
    /// The metric or failure class.
    pub metric: String,
    /// The bound.
    pub bound: GateBound,
    /// The limit.
    pub limit: f64,
    /// The run's mean; for a drop the deterioration from the baseline's (negative: better).
    pub value: f64,
    /// Its 95% interval; `None` if the questions form fewer than two clusters.
    pub ci95: Option<Interval>,
    /// Number of questions.
    pub n: usize,
    /// Means of the baseline and the run over them; `None` for a bound on the mean itself.
    pub means: Option<[f64; 2]>,
    /// The decision.
    pub verdict: GateVerdict,
    /// The reason, in a sentence.
    pub reason: String,
}

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
/// A run without a question, a metric without a value in the run, a gate on a change without a baseline, and the errors of
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
        return Err(Error::new(message, REMEDY));
    }
    let baseline = baseline.filter(|_| plan.gates.iter().any(Gate::needs_baseline));
    let judged = JudgedRun::new(ComparedRun { run, k: evaluation.k }, plan, "");
    let mut gates: Vec<GateResult> = complete(run, plan.mode).into_iter().collect();
    // Missing replies fail the run, and are the reason why other gates have no value.
    let is_failed = gates.iter().any(|gate| gate.verdict == GateVerdict::Fail);
    let has_value = |gate: &Gate| !is_failed || judged.column(gate.quantity).is_ok();
    let (with_value, without): (Vec<Gate>, Vec<Gate>) =
        plan.gates.iter().partition(|gate| has_value(gate));
    let without = without.iter().map(|gate| format!("; nothing to judge `{}` by", gate.title()));
    if let Some(first) = gates.first_mut() {
        first.reason.extend(without);
    }
    let plan = &GatePlan { gates: with_value, ..plan.clone() };
    let levels = levels(&judged, plan);
    let (changes, questions) = changes(&judged, baseline, plan)?;
    let mut found = (levels.into_iter(), changes.into_iter());
    for gate in &plan.gates {
        let next = if gate.needs_baseline() { found.1.next() } else { found.0.next() };
        match next.filter(|next| next.n > 0) {
            Some(next) => gates.push(judge(gate, next, plan.mode)),
            None if is_failed => {}
            None => {
                let lacks = judged.column(gate.quantity).err();
                return Err(lacks.unwrap_or_else(|| judged.lacks(gate.quantity)));
            }
        }
    }
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
    /// Before its name in a message.
    role: &'static str,
    scores: Scores,
    /// Empty where no gate is on a class: classifying takes longer than scoring, and most gates are on metrics.
    outcomes: Vec<Outcome>,
}

impl<'a> JudgedRun<'a> {
    fn new(ComparedRun { run, k }: ComparedRun<'a>, plan: &GatePlan, role: &'static str) -> Self {
        let judge = plan.evaluation.judge;
        let of = |gate: &Gate| gate.quantity.metric();
        let mut metrics: Vec<Metric> = plan.gates.iter().filter_map(of).collect();
        metrics.sort_unstable();
        metrics.dedup();
        let is_on_classes = plan.gates.iter().any(|gate| of(gate).is_none());
        Self {
            run,
            role,
            scores: score::score(run, &metrics, judge),
            outcomes: if is_on_classes { diagnose::outcomes(run, k, judge) } else { Vec::new() },
        }
    }

    /// Returns each question's value: a score, or 1 if it has the class or fault, 0 if not, `None` if it cannot have it.
    ///
    /// # Errors
    /// A class of answers where the run has none, and a metric without a value.
    fn column(&self, quantity: Quantity) -> Result<Vec<Option<f64>>, Error> {
        let shares = |class: FailureClass, has: &dyn Fn(&Outcome) -> bool| {
            let questions = self.run.traces.iter().map(|trace| trace.question.kind);
            let shares = self.outcomes.iter().zip(questions).map(|(one, kind)| {
                let is_counted = class.has_no_result() || !one.class.has_no_result();
                let is_counted = is_counted && class.is_possible_for(kind);
                is_counted.then(|| f64::from(u8::from(has(one))))
            });
            let has_answers = || self.outcomes.iter().any(|one| one.class.needs_an_answer());
            (!class.needs_an_answer() || has_answers()).then(|| shares.collect())
        };
        let column = match quantity {
            Quantity::Metric(metric) => self.scores.column(metric),
            Quantity::Class(class)
                if self.outcomes.iter().any(|one| {
                    one.class == FailureClass::NotInPrompt && one.evidence.may_be(class)
                }) =>
            {
                let what = "not every loss shows its stage";
                let message = format!("{}: {what}, which may be `{class}`", self.name());
                let hint =
                    "gate `not_in_prompt`, or record the stages that the prompt was made from";
                return Err(Error::new(message, hint));
            }
            Quantity::Class(class @ FailureClass::NotInPrompt)
                if !self.run.manifest.is_external() =>
            {
                let message =
                    format!("{} has no `{class}`: it knows the stage of each loss", self.name());
                return Err(Error::new(
                    message,
                    "gate `EvidenceRecall@prompt`, or the class of a stage, such as `not_retrieved`",
                ));
            }
            Quantity::Class(class) => shares(class, &|one| one.class == class),
            Quantity::Fault(fault) if fault == Fault::Declined || self.has_oracle() => {
                shares(FailureClass::WrongAnswer, &|one| one.fault == Some(fault))
            }
            Quantity::Fault(_) => None,
        };
        let has_value = |column: &Vec<Option<f64>>| column.iter().any(Option::is_some);
        column.filter(has_value).ok_or_else(|| self.lacks(quantity))
    }

    fn name(&self) -> String {
        format!("{}`{}`", self.role, self.run.manifest.name)
    }

    fn has_oracle(&self) -> bool {
        counts::has_condition(self.run, Condition::Oracle)
    }

    fn lacks(&self, quantity: Quantity) -> Error {
        let message = format!("{} has no value of `{quantity}` on any question", self.name());
        let needs_oracle = matches!(quantity, Quantity::Fault(fault) if fault != Fault::Declined);
        if needs_oracle && !self.has_oracle() {
            let hint = "run again with `--set 'evaluation.conditions=[\"retrieved\", \"oracle\"]'` and a generator";
            return Error::new(format!("{message}: it needs the condition `oracle`"), hint);
        }
        let traces = &self.run.traces;
        let is_of_unanswerable = matches!(quantity, Quantity::Class(it) if it.is_of_unanswerable());
        if is_of_unanswerable
            && traces.iter().all(|it| it.question.kind != QuestionKind::Unanswerable)
        {
            let hint = "add questions of kind `unanswerable`, or leave this gate out";
            return Error::new(format!("{message}: none is unanswerable"), hint);
        }
        if quantity.metric().is_some_and(|metric| metric.family().is_cost()) {
            let hint = if self.run.manifest.is_external() {
                "record `seconds` and `cost_usd` in the `usage` of each line"
            } else {
                "cached and recorded replies have no cost: run with an endpoint and `--no-cache`; `usd` needs `generation.price`"
            };
            return Error::new(message, hint);
        }
        no_value(message)
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
    let pairs = Pairs::new(baseline.run, judged.run, plan.intersect)?;
    let baseline = JudgedRun::new(baseline, plan, "the baseline ");
    let answered =
        [&baseline, judged].map(|it| counts::has_condition(it.run, Condition::Retrieved));
    let columns = gates.iter().map(|gate| {
        let quantity = gate.quantity;
        let columns = [baseline.column(quantity)?, judged.column(quantity)?];
        if quantity.metric().is_none() && answered[0] != answered[1] {
            let message =
                format!("a change of `{quantity}` needs answers of both runs, or of neither");
            return Err(Error::new(message, "gate `EvidenceRecall@prompt`, which needs none"));
        }
        Ok((quantity, columns))
    });
    let columns: Vec<TwoColumns> = columns.collect::<Result<_, Error>>()?;
    let differences = differences::of_columns(&columns, &pairs, evaluation);
    Ok((differences.iter().map(Judgeable::change).collect(), Some(pairs.counts)))
}

/// The share of questions without a verdict above which the others do not represent the run: the share outside a 95%
/// interval.
const MOST_UNJUDGED: f64 = 0.05;
/// Tolerance for means summed in a different order; a limit met exactly is met.
const ROUNDING: f64 = 1e-9;

/// The value that a gate is compared with.
#[derive(Clone, Copy, Debug)]
struct Judgeable {
    pub value: f64,
    pub ci95: Option<Interval>,
    pub n: usize,
    /// Means of the baseline and the run; known for changes.
    pub means: Option<[f64; 2]>,
    /// True if too few clusters of questions differ from the baseline's for any test: a change must not fail then.
    pub too_few_differ: bool,
}

impl Judgeable {
    fn level(summary: &MetricSummary) -> Self {
        Self {
            value: summary.mean,
            ci95: summary.ci95,
            n: summary.n,
            means: None,
            too_few_differ: false,
        }
    }

    fn change(difference: &MetricDifference) -> Self {
        let MetricDifference { baseline, run, delta, ci95, n, lower_is_better, least_p, .. } =
            difference;
        let sign = if *lower_is_better { 1.0 } else { -1.0 };
        let too_few_differ = least_p.is_some_and(|least| least >= LEVEL);
        Self {
            value: sign * delta + 0.0,
            ci95: ci95.map(|ci: Interval| {
                let (a, b) = (sign * ci.low + 0.0, sign * ci.high + 0.0);
                Interval { low: a.min(b), high: a.max(b) }
            }),
            n: *n,
            means: Some([*baseline, *run]),
            too_few_differ,
        }
    }
}

fn judge(gate: &Gate, found: Judgeable, mode: GateMode) -> GateResult {
    // A share of exactly 0 or 1 cannot be established by sampling: such a limit applies to these questions only. A quantile has no
    // interval, nor has a mean of equal values that no range bounds.
    let is_unbounded = gate.quantity.range().1.is_infinite() && found.ci95.is_none();
    let by_value =
        gate.is_absolute() || is_unbounded || gate.quantity.aggregate() != Aggregate::Mean;
    let mode = if by_value { GateMode::Mean } else { mode };
    let verdict = match (mode, found.ci95) {
        (GateMode::Mean, _) if gate.keeps(found.value) => GateVerdict::Pass,
        (GateMode::Mean, _) => GateVerdict::Fail,
        (_, None) => GateVerdict::Inconclusive,
        (_, Some(ci)) => match [ci.low, ci.high].map(|end| gate.keeps(end)) {
            [true, true] => GateVerdict::Pass,
            [false, false] if !found.too_few_differ => GateVerdict::Fail,
            _ => GateVerdict::Inconclusive,
        },
    };
    GateResult {
        gate: gate.title(),
        metric: gate.quantity.to_string(),
        bound: gate.bound,
        limit: gate.limit,
        value: found.value,
        ci95: found.ci95,
        n: found.n,
        means: found.means,
        verdict: in_mode(mode, verdict),
        reason: reason(gate, found, mode, verdict),
    }
}

/// Fails what is inconclusive in the mode `strict`.
fn in_mode(mode: GateMode, verdict: GateVerdict) -> GateVerdict {
    let is_failed = mode == GateMode::Strict && verdict == GateVerdict::Inconclusive;
    if is_failed { GateVerdict::Fail } else { verdict }
}

impl Gate {
    fn keeps(&self, value: f64) -> bool {
        match self.bound {
            GateBound::Min | GateBound::Complete => value >= self.limit - ROUNDING,
            GateBound::Max | GateBound::MaxDrop => value <= self.limit + ROUNDING,
        }
    }

    /// Names the side of the limit that a value lies on.
    fn side(&self, kept: bool) -> &'static str {
        match (self.bound, kept) {
            (GateBound::Min | GateBound::Complete, true) => "at or above",
            (GateBound::Min | GateBound::Complete, false) => "below",
            (_, true) => "at or below",
            (_, false) => "above",
        }
    }
}

fn reason(gate: &Gate, found: Judgeable, mode: GateMode, verdict: GateVerdict) -> String {
    let Judgeable { value, n, .. } = found;
    let (limit, digits) = (gate.limit, gate.quantity.digits());
    let name = match gate.bound {
        GateBound::MaxDrop => format!("the {} of {}", gate.worse(), gate.quantity),
        _ => gate.quantity.to_string(),
    };
    let questions = plural(n, "question", "questions");
    let side = gate.side(verdict == GateVerdict::Pass);
    match (verdict, found.ci95.filter(|_| mode != GateMode::Mean)) {
        (GateVerdict::Inconclusive, None) => format!(
            "{name} is {value:.digits$}, but there is no interval to judge by: too few clusters in {questions}; \
             `--gate mean` judges by the value alone"
        ),
        (_, None) => format!("{name} is {value:.digits$}, {side} {limit}"),
        (GateVerdict::Pass, Some(ci)) => format!("all of {ci:.digits$} is {side} {limit}"),
        (GateVerdict::Fail, Some(ci)) => {
            format!(
                "{name} is {value:.digits$}, and all of its interval {ci:.digits$} is {side} {limit}"
            )
        }
        (GateVerdict::Inconclusive, Some(ci)) if !gate.keeps(ci.low) && !gate.keeps(ci.high) => {
            format!(
                "all of {ci:.digits$} is {side} {limit}, but so few clusters of questions differ that it may be chance"
            )
        }
        (GateVerdict::Inconclusive, Some(ci)) => format!(
            "inconclusive: the limit {limit} lies inside the 95% CI {ci:.digits$}, so {questions} do not decide{}",
            deciding(gate, value, ci, n).map_or(String::new(), |n| format!(
                "; it takes about {} if the value stays {value:.digits$}",
                thousands(n)
            ))
        ),
    }
}

/// Returns the number of questions whose interval would end at the limit: its half-width falls with the root of n, and that of a
/// mean at an end of its range as [`of_equal_values`] says. `None` if the value is the limit, which no number decides.
///
/// [`of_equal_values`]: ragtriage_core::stats::interval::of_equal_values
fn deciding(gate: &Gate, value: f64, ci: Interval, n: usize) -> Option<usize> {
    let limit = gate.limit;
    if gate.bound != GateBound::MaxDrop
        && gate.quantity.range() == (0.0, 1.0)
        && [0.0, 1.0].contains(&value)
    {
        // The number of clusters whose equal values have an interval of this width.
        let clusters = |width: f64| 0.025_f64.ln() / (1.0 - width).ln();
        let ratio = clusters((value - limit).abs()) / clusters(ci.high - ci.low);
        return (ratio > 0.0).then(|| (ratio * n as f64 - ROUNDING).ceil() as usize);
    }
    let half = if limit < value { value - ci.low } else { ci.high - value };
    let ratio = half / (limit - value).abs();
    let enough = (ratio * ratio * n as f64 - ROUNDING).ceil() as usize;
    // An interval that ends near the limit says little of a larger one.
    (1.05..1e3).contains(&ratio).then_some(enough)
}

/// How questions without a result get one.
const REMEDY: &str = "`run --resume` repeats failed calls, a new run with `--no-cache` empty replies; complete an imported file and import it again";

/// Questions that failed or were never asked are in no mean and are not represented by the others. `None` if there
/// are none.
fn complete(run: &SavedRun, mode: GateMode) -> Option<GateResult> {
    let asked = run.manifest.n_questions.max(run.traces.len());
    let failed = run.traces.iter().filter(|trace| trace.lacks_result()).count();
    let missing = asked - run.traces.len();
    let judged = run.traces.len() - failed;
    (failed + missing > 0).then(|| GateResult {
        gate: "every question judged".to_owned(),
        metric: "questions".to_owned(),
        bound: GateBound::Complete,
        limit: 1.0,
        value: judged as f64 / asked as f64,
        ci95: None,
        n: asked,
        means: None,
        verdict: if (judged as f64) < (1.0 - MOST_UNJUDGED) * asked as f64 {
            GateVerdict::Fail
        } else if mode == GateMode::Mean {
            GateVerdict::Pass
        } else {
            in_mode(mode, GateVerdict::Inconclusive)
        },
        reason: format!(
            "{failed} of {asked} questions failed or have no usable reply and {missing} were not asked; the other gates are on the rest: \
             {REMEDY}"
        ),
    })
}
