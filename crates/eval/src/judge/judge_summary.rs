//! Measures of a judge's verdicts.

use schemars::JsonSchema;
use serde::Serialize;

use ragtriage_core::rightness::Correctness;
use ragtriage_core::stats::kappa::Kappa;
use ragtriage_core::stats::ppi::PpiMean;
use ragtriage_core::types::Interval;

/// Measures of a judge's verdicts.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JudgeSummary {
    /// The judge: its model, and a hash of all that its replies depend on besides the texts.
    pub judge: String,
    /// Answers of the run that a judge can compare.
    pub n_answers: usize,
    /// Answers of these with at least one readable verdict.
    pub n_judged: usize,
    /// Replies about the present answers.
    pub n_replies: usize,
    /// Replies of these without a readable verdict.
    pub n_unreadable: usize,
    /// Cost of all calls in US dollars.
    pub cost_usd: f64,
    /// Every combination of the rule's and the judge's decision that occurred.
    pub cells: Vec<JudgeCell>,
    /// Agreement with the rule where both decide; `None` if both call all answers right, or all wrong.
    pub kappa: Option<Kappa>,
    /// Answers whose first verdict changed with the order; `None` if none was judged in both orders.
    pub order_flips: Option<FlipCount>,
    /// Answers whose verdict changed among repeats in one order; `None` without repeats.
    pub repeat_flips: Option<FlipCount>,
    /// Preference for an order; `None` if no answer was judged in both orders.
    pub position: Option<PositionBias>,
    /// The judge compared with people.
    pub audit: JudgeAudit,
}

/// Answers of one decision by the rule and one by the judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct JudgeCell {
    /// The rule's decision.
    pub rule: Correctness,
    /// The judge's: `unsure` where its verdicts disagree.
    pub judge: Correctness,
    /// Answers.
    pub count: usize,
}

/// Answers with several verdicts that are not all equal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FlipCount {
    /// Answers with several verdicts.
    pub n: usize,
    /// Answers whose verdicts differ.
    pub flipped: usize,
    /// Wilson's 95% interval of their share.
    pub ci95: Option<Interval>,
}

/// Verdicts "same" by the order of the two answers, over the first verdicts of answers judged in both orders.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PositionBias {
    /// Answers judged in both orders.
    pub n: usize,
    /// "Same" with the gold answer first.
    pub same_gold_first: usize,
    /// "Same" with the answer first.
    pub same_answer_first: usize,
    /// Difference of the two shares, the first minus the second.
    pub difference: f64,
    /// Its 95% interval, robust to clusters of questions; `None` under two clusters.
    pub ci95: Option<Interval>,
    /// p of `McNemar`'s exact test, which takes answers as independent.
    pub p: f64,
}

/// A judge compared with the people who audited answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct JudgeAudit {
    /// Audited answers that the judge judged.
    pub n_audited: usize,
    /// Agreement with people where the judge decides.
    pub kappa: Option<Kappa>,
    /// Share of right answers, with the judge's verdicts as predictions; `None` under 50 audited answers, and if these do
    /// not determine it.
    pub right: Option<PpiMean>,
}
