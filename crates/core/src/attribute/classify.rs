//! The failure class of a question: the first stage that lost its evidence, or what the generator did with it.

use super::delivery::{Delivery, State};
use super::flags::flags;
use super::judge::Judgments;
use super::known::TopK;
use super::wide::Reading;
use super::{Passages, reason};
use crate::language::Language;
use crate::rightness::{Correctness, unsupported_values};
use crate::types::{
    ArmName, ErrorKind, FailureClass, Fault, Flag, QuestionKind, Stage, Stance, Support, Trace,
};

/// Failure class and flags of one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Failure class.
    pub class: FailureClass,
    /// Fault, if the class is `generation`.
    pub fault: Option<Fault>,
    /// Rule that gave the class, as a sentence.
    pub reason: String,
    /// Judgments of the question's answers.
    pub judgments: Judgments,
    /// Numbers, dates and names of the pipeline's answer that no packed passage contains.
    pub unsupported: Vec<String>,
    /// Flags of the question.
    pub flags: Vec<Flag>,
    /// What became of the evidence, regardless of the answer.
    pub evidence: Evidence,
    /// Support by all hits of each step, parallel to the trace's steps.
    pub by_step: Vec<Support>,
}

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
    /// Of a label that is wider than a chunk a part was delivered, which may suffice.
    Partial {
        /// As in `Lost`, if all of the label is needed.
        at: Stage,
        /// As in `Lost`, if all of the label is needed.
        cause: Stage,
        /// The first stage whose result lacks it if a part suffices; `None`: the prompt has such a part.
        part: Option<Stage>,
    },
}

impl Evidence {
    fn new(delivery: &Delivery<'_>) -> Self {
        let [strict, lenient] = [Reading::Strict, Reading::Lenient].map(|by| delivery.reached(by));
        let (Some(strict), Some(lenient)) = (strict, lenient) else {
            return Self::Untestable;
        };
        let [at, part] = [strict, lenient].map(|states| first(states, |one| one == State::Missing));
        let first = first(strict, |one| one != State::Complete).unwrap_or(Stage::Generation);
        let Some(at) = at else {
            return match strict[Stage::Packing as usize] {
                State::Unknown => Self::Unseen { first },
                _ if delivery.is_truncated_away() => Self::Truncated,
                _ => Self::Complete,
            };
        };
        let cause = if delivery.torn(at).is_some() { Stage::Chunking } else { at };
        if part != Some(at) {
            Self::Partial { at, cause, part }
        } else if cause == at && first < at {
            Self::Between { first, last: at }
        } else {
            Self::Lost { at, cause }
        }
    }

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

    /// Returns true if a part of a wide label was delivered, which may suffice.
    #[must_use]
    pub fn is_partial(self) -> bool {
        matches!(self, Self::Partial { .. })
    }

    /// Returns true if a record does not show which of several stages before the prompt lost it.
    #[must_use]
    pub fn is_between(self) -> bool {
        matches!(self, Self::Between { .. })
    }

    /// Returns true if a record shows neither that it was lost nor that it was in the prompt.
    #[must_use]
    pub fn is_unseen(self) -> bool {
        matches!(self, Self::Unseen { .. })
    }

    /// Returns the class of a question that lost it there; `None` if it reached the prompt or cannot be tested.
    #[must_use]
    pub fn class(self) -> Option<FailureClass> {
        if self.is_between() {
            Some(FailureClass::Undelivered)
        } else {
            self.lost().map(Into::into)
        }
    }
}

fn first(states: [State; 5], is_wanted: impl Fn(State) -> bool) -> Option<Stage> {
    states.iter().position(|state| is_wanted(*state)).map(|at| Stage::ALL[at])
}

impl Outcome {
    /// Returns the class of the same evidence with other judgments of the answers.
    #[must_use]
    pub fn class_with(&self, trace: &Trace, judgments: &Judgments) -> FailureClass {
        decide(trace, self.evidence, judgments).0
    }
}

/// Classifies a question from its trace. `top` is how many hits are packed. With repeats an arm's first attempt decides.
#[must_use]
pub fn classify(
    trace: &Trace,
    top: impl Into<TopK>,
    judgments: Judgments,
    passages: &dyn Passages,
) -> Outcome {
    // A question that failed before any call has nothing to classify.
    if trace.error.is_some() {
        return Outcome {
            class: FailureClass::Failed,
            fault: None,
            reason: trace.failure().map_or(String::new(), |failure| failure.to_string()),
            judgments,
            unsupported: Vec::new(),
            flags: Vec::new(),
            evidence: Evidence::Untestable,
            by_step: Vec::new(),
        };
    }
    let delivery = Delivery::new(trace, top.into(), passages);
    let evidence = Evidence::new(&delivery);
    let (class, fault) = decide(trace, evidence, &judgments);
    Outcome {
        class,
        fault,
        reason: explain(&delivery, evidence, (class, fault), &judgments),
        evidence,
        flags: flags(&delivery, &judgments),
        by_step: delivery.by_step(),
        unsupported: unsupported(&delivery, judgments.language()),
        judgments,
    }
}

/// The rule: the class of a question by its answer and by what became of its evidence.
fn decide(
    trace: &Trace,
    evidence: Evidence,
    judgments: &Judgments,
) -> (FailureClass, Option<Fault>) {
    let attempt = trace.attempt(ArmName::Retrieved);
    if let Some(failure) = trace.failure() {
        return match failure.error.kind {
            ErrorKind::NotRecorded => (FailureClass::NotRecorded, None),
            _ => (FailureClass::Failed, None),
        };
    }
    if attempt.is_some_and(|attempt| attempt.stance.unusable().is_some()) {
        return (FailureClass::Failed, None);
    }
    let stance = attempt.map(|attempt| attempt.stance);
    if trace.question.kind == QuestionKind::Unanswerable {
        let class = match stance {
            None => FailureClass::Unattributed,
            Some(Stance::Abstained) => FailureClass::CorrectAbstention,
            Some(_) => FailureClass::Hallucinated,
        };
        return (class, None);
    }
    let answer = judgments.correctness(ArmName::Retrieved).filter(|_| attempt.is_some());
    let class = match (answer, evidence) {
        (Some(Correctness::Unsure), _) => FailureClass::Unsure,
        // A part of a wide label in the prompt suffices: the answer shows that it did.
        (
            Some(Correctness::Right),
            Evidence::Complete
            | Evidence::Truncated
            | Evidence::Unseen { .. }
            | Evidence::Partial { part: None, .. },
        ) => FailureClass::Correct,
        (Some(Correctness::Right), _) => FailureClass::CorrectUnsupported,
        (_, Evidence::Lost { cause, .. }) => cause.into(),
        (_, Evidence::Between { .. }) => FailureClass::Undelivered,
        (_, Evidence::Partial { .. } | Evidence::Unseen { .. }) => FailureClass::Ambiguous,
        (_, Evidence::Untestable) => FailureClass::Unattributed,
        (Some(_), Evidence::Truncated) => FailureClass::Packing,
        (None, Evidence::Complete | Evidence::Truncated) => FailureClass::Supported,
        (Some(_), Evidence::Complete) => FailureClass::Generation,
    };
    let is_fault = class == FailureClass::Generation;
    let by_oracle = || match judgments.correctness(ArmName::Oracle)? {
        Correctness::Right => Some(Fault::ContextUse),
        Correctness::Wrong => Some(Fault::Reader),
        Correctness::Unsure => None,
    };
    let fault = stance.filter(|_| is_fault).and_then(|stance| stance.fault().or_else(by_oracle));
    (class, fault)
}

/// Writes the rule that gave `class` as a sentence.
fn explain(
    delivery: &Delivery<'_>,
    evidence: Evidence,
    (class, fault): (FailureClass, Option<Fault>),
    judgments: &Judgments,
) -> String {
    let trace = delivery.trace;
    let attempt = trace.attempt(ArmName::Retrieved);
    if let Some(failure) = trace.failure() {
        return failure.to_string();
    }
    if let Some(what) = attempt.and_then(|attempt| attempt.stance.unusable()) {
        return format!("the reply is {what}");
    }
    let is_unanswerable = trace.question.kind == QuestionKind::Unanswerable;
    let text = match class {
        FailureClass::Unattributed if is_unanswerable => {
            "unanswerable; without a generator, abstention cannot be checked"
        }
        FailureClass::CorrectAbstention => "unanswerable, and the generator abstained",
        FailureClass::Hallucinated => "unanswerable, and the generator answered",
        FailureClass::Unsure => {
            judgments.of(ArmName::Retrieved).map_or("", |judgment| &judgment.reason)
        }
        FailureClass::Generation => {
            return format!(
                "support was in the prompt; {}",
                match (fault, judgments.correctness(ArmName::Oracle)) {
                    (Some(fault), _) => why_of(fault),
                    (None, Some(_)) => {
                        "the answer is wrong, and the judgment of the answer from the gold passages alone is unsure"
                    }
                    (None, None) => {
                        "the answer is wrong, and there is no answer from the gold passages alone to compare it with"
                    }
                }
            );
        }
        FailureClass::Supported if attempt.is_none() => "support reached the prompt",
        FailureClass::Supported => {
            "support reached the prompt, with no gold answer to compare with"
        }
        FailureClass::Correct if evidence.is_partial() => {
            "right, and a part of its label was in the prompt"
        }
        FailureClass::Correct if !evidence.is_unseen() => {
            "right, and its support was in the prompt"
        }
        FailureClass::Correct => return format!("right; {}", reason::of(delivery, evidence)),
        FailureClass::CorrectUnsupported => {
            let why = reason::of(delivery, evidence);
            return match evidence {
                Evidence::Untestable => format!("right, with {why}"),
                Evidence::Between { .. } => {
                    format!("right, though its support was lost: {why}")
                }
                _ => {
                    let stage = evidence.lost().map_or("", Stage::name);
                    format!("right, though its support was lost ({stage}): {why}")
                }
            };
        }
        _ => return reason::of(delivery, evidence),
    };
    text.to_owned()
}

/// Returns the clause that explains a fault.
fn why_of(fault: Fault) -> &'static str {
    match fault {
        Fault::ContextUse => {
            "the answer is wrong, but the answer from the gold passages alone is right"
        }
        Fault::Reader => "the answer is wrong, and so is the answer from the gold passages alone",
        Fault::Abstained => "the generator answered that it does not know",
        Fault::Format => "no answer could be extracted from the response",
    }
}

/// Returns the values of the pipeline's answer that neither text nor title of a packed passage contains.
fn unsupported(delivery: &Delivery<'_>, language: &'static Language) -> Vec<String> {
    let Some(attempt) = delivery
        .trace
        .attempt(ArmName::Retrieved)
        .filter(|attempt| attempt.stance == Stance::Answered && attempt.error.is_none())
    else {
        return Vec::new();
    };
    let views = delivery.packed.iter().filter_map(|id| delivery.passages.view(id));
    let texts: Vec<&str> = views.flat_map(|view| [view.title, view.text]).collect();
    if texts.is_empty() {
        return Vec::new();
    }
    unsupported_values(&attempt.extracted, &texts, language)
}
