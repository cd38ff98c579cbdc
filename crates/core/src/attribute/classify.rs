//! The failure class of a question: the first stage that lost its evidence, or what the generator did with it.

use super::cause::cause;
use super::delivery::Delivery;
pub use super::evidence::Evidence;
use super::flags::flags;
use super::judge::Judgments;
use super::known::TopK;
use super::{Passages, reason};
use crate::correctness::{Correctness, unsupported_values};
use crate::language::Language;
use crate::text::citations::Citable;
use crate::types::{
    Cause, Condition, FailureClass, Fault, Flag, QuestionKind, Stage, Stance, Support, Trace,
};

/// Failure class and flags of one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Failure class.
    pub class: FailureClass,
    /// Fault, if the class is `wrong_answer`.
    pub fault: Option<Fault>,
    /// Cause, if the class is `not_retrieved` and it is known.
    pub cause: Option<Cause>,
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

/// Classifies a question from its trace. `top` is how many hits are packed. With repeats a condition's first attempt decides.
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
            cause: None,
            reason: trace.failure().map_or(String::new(), |failure| failure.to_string()),
            judgments,
            unsupported: Vec::new(),
            flags: Vec::new(),
            evidence: Evidence::Untestable,
            by_step: Vec::new(),
        };
    }
    let delivery = Delivery::new(trace, top.into(), passages);
    let evidence = delivery.evidence();
    let (class, fault) = decide(trace, evidence, &judgments);
    let mut reason = explain(&delivery, evidence, (class, fault), &judgments);
    let cause = (class == FailureClass::NotRetrieved).then(|| cause(&delivery)).flatten();
    if let Some((_, how)) = cause {
        reason = format!("{reason}; {how}");
    }
    Outcome {
        class,
        fault,
        cause: cause.map(|(cause, _)| cause),
        reason,
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
    let attempt = trace.attempt(Condition::Retrieved);
    let is_unusable = attempt.is_some_and(|attempt| attempt.stance.unusable().is_some());
    if is_unusable || trace.failure().is_some() {
        return (FailureClass::Failed, None);
    }
    let stance = attempt.map(|attempt| attempt.stance);
    if trace.question.kind == QuestionKind::Unanswerable {
        let class = match stance {
            None => FailureClass::Unclear,
            Some(Stance::Declined) => FailureClass::Declined,
            Some(_) => FailureClass::Hallucinated,
        };
        return (class, None);
    }
    let answer = judgments.correctness(Condition::Retrieved).filter(|_| attempt.is_some());
    let class = match (answer, evidence) {
        (Some(Correctness::Unsure), _) => FailureClass::Unsure,
        // A part of a wide label in the prompt suffices: the answer shows that it did.
        (
            Some(Correctness::Correct),
            Evidence::Complete
            | Evidence::Truncated
            | Evidence::Unseen { .. }
            | Evidence::Partial { part: None, .. },
        ) => FailureClass::Correct,
        (Some(Correctness::Correct), _) => FailureClass::CorrectWithoutEvidence,
        (_, Evidence::Lost { cause, .. }) => cause.into(),
        (_, Evidence::Between { .. }) => FailureClass::NotInPrompt,
        (_, Evidence::Partial { .. } | Evidence::Unseen { .. } | Evidence::Untestable) => {
            FailureClass::Unclear
        }
        (Some(_), Evidence::Truncated) => FailureClass::NotPacked,
        (None, Evidence::Complete | Evidence::Truncated) => FailureClass::Delivered,
        (Some(_), Evidence::Complete) => FailureClass::WrongAnswer,
    };
    let is_fault = class == FailureClass::WrongAnswer;
    let by_oracle = || match judgments.correctness(Condition::Oracle)? {
        Correctness::Correct => Some(Fault::IgnoredContext),
        Correctness::Wrong => Some(Fault::Misread),
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
    let attempt = trace.attempt(Condition::Retrieved);
    if let Some(failure) = trace.failure() {
        return failure.to_string();
    }
    if let Some(what) = attempt.and_then(|attempt| attempt.stance.unusable()) {
        return format!("the reply is {what}");
    }
    let is_unanswerable = trace.question.kind == QuestionKind::Unanswerable;
    let text = match class {
        FailureClass::Unclear if is_unanswerable => {
            "unanswerable; without a generator, whether it declines cannot be checked"
        }
        FailureClass::Declined => "unanswerable, and the generator declined",
        FailureClass::Hallucinated => "unanswerable, and the generator answered",
        FailureClass::Unsure => {
            judgments.of(Condition::Retrieved).map_or("", |judgment| &judgment.reason)
        }
        FailureClass::WrongAnswer => {
            return format!(
                "complete evidence was in the prompt; {}",
                match (fault, judgments.correctness(Condition::Oracle)) {
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
        FailureClass::Delivered if attempt.is_none() => "complete evidence was in the prompt",
        FailureClass::Delivered => {
            "complete evidence was in the prompt, with no gold answer to compare with"
        }
        FailureClass::Correct if evidence.is_partial() => {
            "correct, and a part of its label was in the prompt"
        }
        FailureClass::Correct if !evidence.is_unseen() => {
            "correct, with complete evidence in the prompt"
        }
        FailureClass::Correct => return format!("correct; {}", reason::of(delivery, evidence)),
        FailureClass::CorrectWithoutEvidence => {
            let why = reason::of(delivery, evidence);
            return match evidence {
                Evidence::Untestable => format!("correct, with {why}"),
                Evidence::Between { .. } => {
                    format!("correct, though its evidence was lost: {why}")
                }
                _ => {
                    let stage = evidence.lost().map_or("", Stage::name);
                    format!("correct, though its evidence was lost ({stage}): {why}")
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
        Fault::IgnoredContext => {
            "the answer is wrong, but the answer from the gold passages alone is correct"
        }
        Fault::Misread => "the answer is wrong, and so is the answer from the gold passages alone",
        Fault::Declined => "the generator answered that it does not know",
    }
}

/// Returns the values of the pipeline's answer that neither text nor title of a packed passage contains.
fn unsupported(delivery: &Delivery<'_>, language: &'static Language) -> Vec<String> {
    let Some(attempt) = delivery
        .trace
        .attempt(Condition::Retrieved)
        .filter(|attempt| attempt.stance == Stance::Answered && attempt.error.is_none())
    else {
        return Vec::new();
    };
    let views = delivery.packed.iter().filter_map(|id| delivery.passages.view(id));
    let texts: Vec<&str> = views.flat_map(|view| [view.title, view.text]).collect();
    if texts.is_empty() {
        return Vec::new();
    }
    let title = |id| delivery.passages.view(id).map_or("", |view| view.title);
    let citable = Citable::new(delivery.packed.iter().map(|&id| [id.doc(), title(id)]));
    unsupported_values(&citable.without_citations(&attempt.extracted), &texts, language)
}
