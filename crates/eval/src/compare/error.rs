//! Errors of comparing runs.

use ragtriage_core::hint::Hint;
use ragtriage_core::measure::Measure;
use ragtriage_core::types::QuestionId;

/// A reason why runs cannot be compared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CompareError {
    /// The runs' questions differ.
    #[error(
        "`{baseline}` and `{run}` do not ask the same questions: {common} in both, {only_baseline} only in `{baseline}`, \
         {only_run} only in `{run}`, {other_text} with the same id and different texts"
    )]
    OtherQuestions {
        /// The baseline's name.
        baseline: String,
        /// The other run's.
        run: String,
        /// Questions with the same id and text.
        common: usize,
        /// Questions missing from the other run.
        only_baseline: usize,
        /// Questions missing from the baseline.
        only_run: usize,
        /// Ids whose texts differ between the runs.
        other_text: usize,
    },
    /// The runs share no pair.
    #[error(
        "`{baseline}` ({n_baseline} questions) and `{run}` ({n_run} questions) have no question in common"
    )]
    NothingInCommon {
        /// The baseline's name.
        baseline: String,
        /// The other run's.
        run: String,
        /// The baseline's questions.
        n_baseline: usize,
        /// The other run's.
        n_run: usize,
    },
    /// A run without answers to cross.
    #[error("no question of `{run}` has an answer to cross")]
    NoAnswers {
        /// The run.
        run: String,
    },
    /// A prompt that cannot be reproduced.
    #[error("the prompt of question `{id}` in `{run}` had {then} tokens and would have {now} now")]
    OtherPrompts {
        /// The run.
        run: String,
        /// The question.
        id: QuestionId,
        /// Tokens as recorded.
        then: u64,
        /// Tokens of the rebuilt prompt.
        now: u64,
    },
    /// Too many failed calls.
    #[error("{n_failed} of {n_calls} crossed calls failed; last error: {last}")]
    CallsFailed {
        /// Calls without an answer, including those not made.
        n_failed: usize,
        /// All calls.
        n_calls: usize,
        /// The error of the last failed call.
        last: String,
    },
    /// Answers without gold answers to judge them.
    #[error("no question with an answer in both runs has a gold answer")]
    NoGold,
    /// A requested measure that is defined for no question.
    #[error("no question has a value of `{measure}` in both runs")]
    NoValue {
        /// The measure.
        measure: Measure,
    },
}

impl CompareError {
    /// Hint for a measure without a value.
    pub(crate) const NO_VALUE: &str = "measures and classes of answers need a generator and gold answers; ranking measures need relevance judgments";
}

impl Hint for CompareError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::OtherQuestions { common, .. } => format!(
                "compare the questions in both ({common}), or complete an interrupted run first"
            ),
            Self::NothingInCommon { .. } => "compare runs over the same question set".to_owned(),
            Self::NoValue { .. } => Self::NO_VALUE.to_owned(),
            Self::NoAnswers { .. } | Self::NoGold => {
                "crossing answers needs runs with a generator over questions with gold answers"
                    .to_owned()
            }
            Self::OtherPrompts { .. } => {
                "the prompt template has changed: restore `generation.prompt`, or run again".to_owned()
            }
            Self::CallsFailed { .. } => {
                "fix the error named above and repeat the command; cached responses are not requested again"
                    .to_owned()
            }
        })
    }
}
