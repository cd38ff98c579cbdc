//! The verdict on one gate, with its reason in words.

use super::limit::{Gate, GateBound, GateResult, GateVerdict, worsening};
use crate::compare::LEVEL;
use crate::compare::differences::MeasureDifference;
use crate::summary::MeasureSummary;
use ragtriage_core::config::GateMode;
use ragtriage_core::text::numbers::plural;
use ragtriage_core::types::Interval;
use ragtriage_data::run::SavedRun;

/// The share of questions without a verdict above which the others do not represent the run: the share outside a 95%
/// interval.
const MOST_UNJUDGED: f64 = 0.05;
/// Tolerance for means summed in a different order; a limit met exactly is met.
const ROUNDING: f64 = 1e-9;

/// The value that a gate is compared with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judgeable {
    pub value: f64,
    pub ci95: Option<Interval>,
    pub n: usize,
    /// Means of the baseline and the run; known for changes.
    pub means: Option<[f64; 2]>,
    /// True if too few clusters of questions differ from the baseline's for any test: a change must not fail then.
    pub too_few_differ: bool,
}

impl Judgeable {
    pub(super) fn level(summary: &MeasureSummary) -> Self {
        Self {
            value: summary.mean,
            ci95: summary.ci95,
            n: summary.n,
            means: None,
            too_few_differ: false,
        }
    }

    pub(super) fn change(difference: &MeasureDifference) -> Self {
        let MeasureDifference { baseline, run, delta, ci95, n, lower_is_better, least_p, .. } =
            difference;
        let sign = worsening(*lower_is_better);
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

pub(super) fn judge(gate: &Gate, found: Judgeable, mode: GateMode) -> GateResult {
    // A share of exactly 0 or 1 cannot be established by sampling: such a limit applies to these questions only.
    let mode = if gate.is_absolute() { GateMode::Mean } else { mode };
    let verdict = match (mode, found.ci95) {
        (GateMode::Mean, _) if gate.keeps(found.value) => GateVerdict::Pass,
        (GateMode::Mean, _) => GateVerdict::Fail,
        (GateMode::Interval, None) => GateVerdict::Inconclusive,
        (GateMode::Interval, Some(ci)) => match [ci.low, ci.high].map(|end| gate.keeps(end)) {
            [true, true] => GateVerdict::Pass,
            [false, false] if !found.too_few_differ => GateVerdict::Fail,
            _ => GateVerdict::Inconclusive,
        },
    };
    GateResult {
        gate: gate.title(),
        measure: gate.quantity.to_string(),
        bound: gate.bound,
        limit: gate.limit,
        value: found.value,
        ci95: found.ci95,
        n: found.n,
        means: found.means,
        verdict,
        reason: reason(gate, found, mode, verdict),
    }
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
    let limit = gate.limit;
    let name = match gate.bound {
        GateBound::MaxDrop => format!("the {} of {}", gate.worse(), gate.quantity),
        _ => gate.quantity.to_string(),
    };
    let questions = plural(n, "question", "questions");
    let side = gate.side(verdict == GateVerdict::Pass);
    match (verdict, found.ci95.filter(|_| mode == GateMode::Interval)) {
        (GateVerdict::Inconclusive, None) => format!(
            "{name} is {value:.3}, but there is no interval to judge by: fewer than two clusters in {questions}; mode `mean` \
             judges by the value alone"
        ),
        (_, None) => format!("{name} is {value:.3}, {side} {limit}"),
        (GateVerdict::Pass, Some(ci)) => format!("all of {ci:.3} is {side} {limit}"),
        (GateVerdict::Fail, Some(ci)) => {
            format!("{name} is {value:.3}, and all of its interval {ci:.3} is {side} {limit}")
        }
        (GateVerdict::Inconclusive, Some(ci)) if !gate.keeps(ci.low) && !gate.keeps(ci.high) => {
            format!(
                "all of {ci:.3} is {side} {limit}, but so few clusters of questions differ that it may be chance"
            )
        }
        (GateVerdict::Inconclusive, Some(ci)) => format!(
            "inconclusive: the limit {limit} lies inside the 95% CI {ci:.3}, so {questions} do not decide"
        ),
    }
}

/// Questions that failed or were never asked are in no mean and are not represented by the others. `None` if there
/// are none.
pub(super) fn complete(run: &SavedRun) -> Option<GateResult> {
    let asked = run.manifest.n_questions.max(run.traces.len());
    let failed = run.traces.iter().filter(|trace| trace.lacks_result()).count();
    let missing = asked - run.traces.len();
    let judged = run.traces.len() - failed;
    let remedy = if run.manifest.is_imported() {
        "complete the imported file and import it again"
    } else {
        "resume the run to ask them"
    };
    (failed + missing > 0).then(|| GateResult {
        gate: "every question judged".to_owned(),
        measure: "questions".to_owned(),
        bound: GateBound::Complete,
        limit: 1.0,
        value: judged as f64 / asked as f64,
        ci95: None,
        n: asked,
        means: None,
        verdict: if (judged as f64) < (1.0 - MOST_UNJUDGED) * asked as f64 {
            GateVerdict::Fail
        } else {
            GateVerdict::Inconclusive
        },
        reason: format!(
            "{failed} of {asked} questions failed or have no usable reply and {missing} were not asked, so no mean is valid for the whole set; {remedy}"
        ),
    })
}
