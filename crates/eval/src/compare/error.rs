//! Why runs cannot be compared.

use ragtriage_core::hint::Hint;
use ragtriage_core::measure::Measure;
use ragtriage_core::types::QuestionId;

/// Why a comparison has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CompareError {
    /// Pairs cannot be made of all questions.
    #[error(
        "`{baseline}` and `{run}` do not ask the same questions: {common} in both, {only_baseline} only in `{baseline}`, \
         {only_run} only in `{run}`, {other_text} with one id and two texts"
    )]
    OtherQuestions {
        /// The baseline's name.
        baseline: String,
        /// The other run's.
        run: String,
        /// Questions with the same id and text.
        common: usize,
        /// Questions that the other run does not have.
        only_baseline: usize,
        /// Questions that the baseline does not have.
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
    /// Nothing to cross.
    #[error("no question of `{run}` has an answer to cross")]
    NoAnswers {
        /// The run.
        run: String,
    },
    /// A prompt that is not made as it was.
    #[error("the prompt of question `{id}` in `{run}` had {then} tokens and would have {now} now")]
    OtherPrompts {
        /// The run.
        run: String,
        /// The question.
        id: QuestionId,
        /// Tokens as recorded.
        then: u64,
        /// Tokens of the prompt as it is made now.
        now: u64,
    },
    /// Too few answers to go by.
    #[error("{n_failed} of {n_calls} crossed calls failed; last error: {last}")]
    CallsFailed {
        /// Calls without an answer, those not made any more among them.
        n_failed: usize,
        /// All of them.
        n_calls: usize,
        /// Why the last one failed.
        last: String,
    },
    /// Answers that nothing can be said of.
    #[error("no question with an answer in both runs has a gold answer")]
    NoGold,
    /// A measure that was asked for and is defined for no question.
    #[error("no question has a value of `{measure}` in both runs")]
    NoValue {
        /// The measure.
        measure: Measure,
    },
}

impl CompareError {
    /// Why a measure may have no value.
    pub(crate) const NO_VALUE: &str = "answer measures need a generator and gold answers; ranking measures need relevance judgments";
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
