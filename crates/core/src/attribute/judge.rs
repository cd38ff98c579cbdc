//! Judgments of a question's answers, one for each condition (arm).

use crate::rightness::{Correctness, Judge, Judgment};
use crate::types::{ArmName, Attempt, Question, Trace};

/// Judgment of each arm's first answer; none where the arm was not run, its call failed, or the question has no gold answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgments([Option<Judgment>; ArmName::ALL.len()]);

impl Judgments {
    /// Judges each arm's first answer.
    #[must_use]
    pub fn new(trace: &Trace, judge: Judge) -> Self {
        // Arms often give one answer, and parsing it takes most of the time.
        let mut judged: Vec<(&Attempt, Option<Judgment>)> = Vec::new();
        Self(ArmName::ALL.map(|arm| {
            let attempt = trace.attempt(arm)?;
            let known = judged.iter().find(|(other, _)| is_same(other, attempt));
            if let Some((_, judgment)) = known {
                return judgment.clone();
            }
            let judgment = judge_attempt(&trace.question, attempt, judge);
            judged.push((attempt, judgment.clone()));
            judgment
        }))
    }

    /// Returns the judgment of an arm's answer.
    #[must_use]
    pub fn of(&self, arm: ArmName) -> Option<&Judgment> {
        self.0[arm as usize].as_ref()
    }

    /// Returns the verdict on an arm's answer.
    #[must_use]
    pub fn correctness(&self, arm: ArmName) -> Option<Correctness> {
        self.of(arm).map(|judgment| judgment.correctness)
    }

    /// Returns the same judgments with `correctness` wherever the rule was unsure.
    #[must_use]
    pub fn resolved(&self, correctness: Correctness) -> Self {
        let mut resolved = self.clone();
        for judgment in resolved.0.iter_mut().flatten() {
            if judgment.correctness == Correctness::Unsure {
                judgment.correctness = correctness;
            }
        }
        resolved
    }

    /// Removes the reasons, which quote answers and gold answers.
    pub fn forget_reasons(&mut self) {
        for judgment in self.0.iter_mut().flatten() {
            judgment.reason.clear();
        }
    }

    /// Returns the same judgments with another one for `arm`.
    #[must_use]
    pub fn with(mut self, arm: ArmName, correctness: Correctness) -> Self {
        self.0[arm as usize] = Some(Judgment::new(correctness, correctness.name()));
        self
    }
}

/// Returns true if two attempts are equal in all that [`judge_attempt`] reads.
fn is_same(a: &Attempt, b: &Attempt) -> bool {
    (a.error.is_some(), &a.extracted, a.stance) == (b.error.is_some(), &b.extracted, b.stance)
}

/// Judges one attempt; `None` if its call failed or the question has no gold answer.
#[must_use]
pub fn judge_attempt(question: &Question, attempt: &Attempt, judge: Judge) -> Option<Judgment> {
    if attempt.error.is_some() {
        return None;
    }
    judge.judge(question, &attempt.extracted, attempt.stance)
}
