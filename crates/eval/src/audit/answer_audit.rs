//! Results of the audit of answers: agreement of the rule with a person, and the corrected share of right answers.

use schemars::JsonSchema;
use serde::Serialize;

use ragtriage_core::rightness::Correctness;
use ragtriage_core::stats::kappa::Kappa;
use ragtriage_core::stats::ppi::PpiMean;

/// Results of the audit of answers.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AnswerAudit {
    /// Questions with an answer that the rule judges.
    pub n_questions: usize,
    /// Questions of these where the rule is unsure.
    pub n_unsure: usize,
    /// Audited answers.
    pub n_audited: usize,
    /// Every combination of decision and judgment that occurred.
    pub cells: Vec<JudgedCell>,
    /// Agreement of rule and person, over the audited answers that the rule decides; `None` if both call all of them right,
    /// or all of them wrong.
    pub kappa: Option<Kappa>,
    /// Share of right answers; `None` for a single cluster of questions.
    pub right: Option<PpiMean>,
}

/// Audited answers of one decision and one judgment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct JudgedCell {
    /// The rule's decision.
    pub rule: Correctness,
    /// The person's judgment: right?
    pub is_right: bool,
    /// Questions.
    pub count: usize,
}
