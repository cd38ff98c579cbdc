//! Errors of comparing runs.

use ragtriage_core::hint::Hint;
use ragtriage_core::measure::Measure;

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
    /// A requested measure that is defined for no question.
    #[error("no question has a value of `{measure}` in both runs")]
    NoValue {
        /// The measure.
        measure: Measure,
    },
}

impl CompareError {
    /// Hint for a measure without a value.
    pub(crate) const NO_VALUE: &str = "measures and classes of answers need a generator and gold answers; ranking measures need relevance judgments; `ragtriage report RUN` shows what a run has";
}

impl Hint for CompareError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::OtherQuestions { common, .. } => format!(
                "`--intersect` compares the questions in both ({common}); `ragtriage run --resume NAME` completes an interrupted run"
            ),
            Self::NothingInCommon { .. } => "compare runs over the same question set".to_owned(),
            Self::NoValue { .. } => Self::NO_VALUE.to_owned(),
        })
    }
}
