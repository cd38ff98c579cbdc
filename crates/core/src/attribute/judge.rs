//! Decides whether an answer is right.

use super::classify::Rightness;
use crate::measure::answer::{self, Scorer};
use crate::types::{ArmName, Trace};

/// Criterion of a right answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judge {
    /// The script that scores answers.
    pub scorer: Scorer,
    /// Minimum `AnswerF1` of a right answer.
    pub correct_f1: f64,
}

/// Judges each arm's first answer.
#[must_use]
pub fn rightness(trace: &Trace, judge: Judge) -> Rightness {
    let of = |arm: ArmName| {
        let attempt = trace
            .attempt(arm)
            .filter(|attempt| attempt.error.is_none())?;
        answer::is_right(
            &trace.question,
            &attempt.extracted,
            attempt.stance,
            judge.scorer,
            judge.correct_f1,
        )
    };
    Rightness {
        retrieved: of(ArmName::Retrieved),
        oracle: of(ArmName::Oracle),
        closed_book: of(ArmName::ClosedBook),
    }
}
