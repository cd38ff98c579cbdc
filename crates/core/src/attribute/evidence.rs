//! What became of a question's evidence, regardless of its answer.

use crate::types::{FailureClass, Stage};

/// What became of a question's evidence on its way to the generator. A stage's result lacks it from the first stage that lost it on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// No label to test it by; a failed question too.
    Untestable,
    /// Complete in the prompt.
    Complete,
    /// Complete in the prompt as it was sent, and not in the part of it that the server read.
    Truncated,
    /// Missing in the result of a stage.
    Lost {
        /// The first stage whose result lacks it.
        at: Stage,
        /// That stage, or chunking where a chunk boundary separates what was found from what was needed.
        cause: Stage,
    },
    /// Lost at one of several stages: a record does not tell them apart.
    Between {
        /// The first of them.
        first: Stage,
        /// The last of them.
        last: Stage,
    },
    /// A record shows neither a loss nor that it was in the prompt.
    Unseen {
        /// The first stage that may have lost it.
        first: Stage,
    },
    /// Of a label that is wider than a chunk not all was delivered, and a part may suffice.
    Partial {
        /// As in `Lost`, if all of the label is needed.
        at: Stage,
        /// As in `Lost`, if all of the label is needed.
        cause: Stage,
        /// The first stage whose result lacks it if a part suffices; `None`: the prompt has such a part.
        part: Option<Stage>,
        /// The first stage that may have lost it: one before `at` where a record does not show its result.
        first: Stage,
    },
}

impl Evidence {
    /// Returns false where it is not known whether the prompt held the evidence.
    #[must_use]
    pub fn is_testable(self) -> bool {
        !matches!(self, Self::Untestable | Self::Unseen { .. })
    }

    /// Returns the first stage whose result lacks evidence; of a wide label all is needed. `None` if it reached the prompt or
    /// cannot be tested.
    #[must_use]
    pub fn missing_from(self) -> Option<Stage> {
        match self {
            Self::Lost { at, .. } | Self::Between { last: at, .. } | Self::Partial { at, .. } => {
                Some(at)
            }
            Self::Untestable | Self::Complete | Self::Truncated | Self::Unseen { .. } => None,
        }
    }

    /// Returns whether the evidence is complete in the result of `stage`, or may be; `None` if it cannot be tested.
    #[must_use]
    pub fn is_complete_at(self, stage: Stage) -> Option<bool> {
        self.is_testable().then(|| self.missing_from().is_none_or(|from| stage < from))
    }

    /// Returns the stage that lost it, of several the last.
    #[must_use]
    pub fn lost(self) -> Option<Stage> {
        match self {
            Self::Lost { cause, .. } | Self::Partial { cause, .. } => Some(cause),
            _ => self.missing_from(),
        }
    }

    /// Returns true if not all of a wide label was delivered, and a part may suffice.
    #[must_use]
    pub fn is_partial(self) -> bool {
        matches!(self, Self::Partial { .. })
    }

    /// Returns true if a record does not show which of several stages before the prompt lost it.
    #[must_use]
    pub fn is_between(self) -> bool {
        matches!(self, Self::Between { .. })
    }

    /// Returns true if a record does not show whether it was lost with the class `class`, and shows that it was lost.
    #[must_use]
    pub fn may_be(self, class: FailureClass) -> bool {
        let Self::Between { first, last } = self else { return false };
        let mut stages = Stage::ALL.iter().filter(|stage| (first..=last).contains(stage));
        stages.any(|stage| FailureClass::from(*stage) == class)
    }

    /// Returns true if a record shows neither that it was lost nor that it was in the prompt.
    #[must_use]
    pub fn is_unseen(self) -> bool {
        matches!(self, Self::Unseen { .. })
    }

    /// Returns the class of a question that lost it there; `None` if it reached the prompt or cannot be tested.
    #[must_use]
    pub fn class(self) -> Option<FailureClass> {
        match self {
            Self::Between { .. } => Some(FailureClass::NotInPrompt),
            Self::Partial { at, cause, first, .. } if cause == at && first < at => {
                Some(FailureClass::NotInPrompt)
            }
            _ => self.lost().map(Into::into),
        }
    }
}
