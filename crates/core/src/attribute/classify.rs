//! The failure class of a question: the first stage that lost its support, or what the generator did with it.

use super::delivery::Delivery;
use super::elsewhere::Elsewhere;
use super::judge::Judgments;
use super::{Passages, reason};
use crate::rightness::{Correctness, unsupported_values};
use crate::text::answers::AnswerMatcher;
use crate::text::normalise;
use crate::text::numbers::thousands;
use crate::types::{
    ArmName, Attempt, ChunkId, FailureClass, Fault, Flag, QuestionKind, Stage, Stance, Support,
    Trace,
};

/// Minimum share of our prompt tokens that an endpoint must count; below it, the server truncated the prompt (as Ollama
/// does silently).
const SERVER_TRUNCATED_BELOW: f64 = 0.8;

/// Failure class, flags and failure modes of one question.
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
    /// Stage that lost the support, regardless of the answer: [`Self::lost_at`], or chunking where a chunk boundary
    /// separates what was found from what was needed. `None` when support reached the prompt or cannot be tested.
    pub lost: Option<Stage>,
    /// Support at documents, chunks, candidates, `top_k` and prompt; `None` when it cannot be tested.
    pub reached: Option<[bool; 5]>,
    /// Support by all hits of each step, parallel to the trace's steps.
    pub by_step: Vec<Support>,
}

impl Outcome {
    /// Returns the first stage whose result lacks the support; `None` when it reached the prompt or cannot be tested.
    #[must_use]
    pub fn lost_at(&self) -> Option<Stage> {
        self.reached.and_then(first_lost)
    }

    /// Returns the class of the same delivery with other judgments of the answers.
    #[must_use]
    pub fn class_with(&self, trace: &Trace, judgments: &Judgments) -> FailureClass {
        decide(
            trace,
            self.reached.is_some(),
            self.lost.map(|stage| (stage, String::new())).as_ref(),
            judgments,
        )
        .0
    }
}

/// Classifies a question from its trace. `k` is how many hits are packed. With repeats an arm's first attempt decides.
#[must_use]
pub fn classify(trace: &Trace, k: usize, judgments: Judgments, passages: &dyn Passages) -> Outcome {
    // A question that failed before any call has nothing to classify.
    if trace.error.is_some() {
        return Outcome {
            class: FailureClass::Failed,
            fault: None,
            reason: trace
                .failure()
                .map_or(String::new(), |failure| failure.to_string()),
            judgments,
            unsupported: Vec::new(),
            flags: Vec::new(),
            lost: None,
            reached: None,
            by_step: Vec::new(),
        };
    }
    let delivery = Delivery::new(trace, k, passages);
    let reached = delivery.reached();
    let lost = reached
        .and_then(first_lost)
        .map(|stage| lost(&delivery, stage));
    let (class, fault, reason) = decide(trace, reached.is_some(), lost.as_ref(), &judgments);
    Outcome {
        class,
        fault,
        lost: lost.map(|(stage, _)| stage),
        reason,
        flags: flags(&delivery, &judgments),
        reached,
        by_step: delivery.by_step(),
        judgments,
        unsupported: unsupported(&delivery),
    }
}

fn first_lost(reached: [bool; 5]) -> Option<Stage> {
    reached
        .iter()
        .position(|held| !held)
        .map(|at| Stage::ALL[at])
}

/// Returns the stage that caused the loss of support at `stage`, and how.
fn lost(delivery: &Delivery<'_>, stage: Stage) -> (Stage, String) {
    match stage {
        Stage::Corpus => return (stage, reason::absent(delivery)),
        Stage::Chunking => return (stage, reason::unchunked(delivery)),
        Stage::Retrieval | Stage::Ranking | Stage::Packing | Stage::Generation => {}
    }
    match delivery.torn(stage) {
        Some(torn) => (Stage::Chunking, reason::torn(delivery, &torn)),
        None => (stage, reason::undelivered(delivery, stage)),
    }
}

fn decide(
    trace: &Trace,
    has_gold: bool,
    lost: Option<&(Stage, String)>,
    judgments: &Judgments,
) -> (FailureClass, Option<Fault>, String) {
    let attempt = trace.attempt(ArmName::Retrieved);
    if let Some(failure) = trace.failure() {
        return (FailureClass::Failed, None, failure.to_string());
    }
    if trace.question.kind == QuestionKind::Unanswerable {
        return unanswerable(attempt);
    }
    let plain = |class, why: &str| (class, None, why.to_owned());
    let judgment = judgments.of(ArmName::Retrieved);
    let correctness = judgment.map(|judgment| judgment.correctness);
    match (attempt, correctness, lost) {
        (Some(_), Some(Correctness::Unsure), _) => (
            FailureClass::Unsure,
            None,
            judgment.map_or(String::new(), |judgment| judgment.reason.clone()),
        ),
        (Some(_), Some(Correctness::Right), None) if has_gold => plain(
            FailureClass::Correct,
            "right, and its support was in the prompt",
        ),
        (Some(_), Some(Correctness::Right), Some((stage, why))) => (
            FailureClass::CorrectUnsupported,
            None,
            format!("right, though its support was lost ({stage}): {why}"),
        ),
        (Some(_), Some(Correctness::Right), None) => plain(
            FailureClass::CorrectUnsupported,
            "right, with no evidence and no answer string to look for its support by",
        ),
        (_, _, Some((stage, why))) => ((*stage).into(), None, why.clone()),
        _ if !has_gold => plain(
            FailureClass::Unattributed,
            "no evidence and no answer string to go by",
        ),
        (None, _, None) => plain(FailureClass::Supported, "support reached the prompt"),
        (Some(_), None, None) => {
            plain(FailureClass::Unattributed, "no gold answer to compare with")
        }
        (Some(attempt), Some(Correctness::Wrong), None) => {
            generation(attempt, oracle(trace, judgments))
        }
    }
}

fn unanswerable(attempt: Option<&Attempt>) -> (FailureClass, Option<Fault>, String) {
    let stance = attempt.map(|attempt| attempt.stance);
    if let Some(fault) = stance
        .and_then(Stance::fault)
        .filter(|fault| fault.is_setup())
    {
        let why = format!("unanswerable, and {}", why_of(fault));
        return (FailureClass::Generation, Some(fault), why);
    }
    let (class, why) = match stance {
        None => (
            FailureClass::Unattributed,
            "unanswerable, and no generator to see whether it abstains",
        ),
        Some(Stance::Abstained) => (
            FailureClass::CorrectAbstention,
            "unanswerable, and it said so",
        ),
        Some(_) => (
            FailureClass::Hallucinated,
            "unanswerable, and it did not say so",
        ),
    };
    (class, None, why.to_owned())
}

/// Returns the verdict on the answer from the gold passages alone; `None` if there is none to compare with.
fn oracle(trace: &Trace, judgments: &Judgments) -> Option<Correctness> {
    let is_unusable = trace
        .attempt(ArmName::Oracle)
        .is_some_and(|attempt| !attempt.is_usable());
    if is_unusable {
        return None;
    }
    judgments.correctness(ArmName::Oracle)
}

/// Returns the clause that explains a fault.
fn why_of(fault: Fault) -> &'static str {
    match fault {
        Fault::ContextUse => "the answer is wrong, and right from the gold passages alone",
        Fault::Reader => "the answer is wrong, from the gold passages alone too",
        Fault::Abstained => "it said that it does not know",
        Fault::Refused => "it declined to answer",
        Fault::Format => "no answer could be read from its reply",
        Fault::Truncated => "its reply reached the token limit before an answer",
        Fault::ToolCall => "its reply calls a tool and has no answer",
        Fault::Empty => "its reply is empty",
    }
}

fn generation(
    attempt: &Attempt,
    oracle: Option<Correctness>,
) -> (FailureClass, Option<Fault>, String) {
    if server_truncated(attempt) {
        let [billed, sent] = [
            attempt.tokens.prompt_billed.unwrap_or_default(),
            attempt.tokens.prompt,
        ]
        .map(|n| thousands(n as usize));
        return (
            FailureClass::Packing,
            None,
            format!("the endpoint read {billed} of {sent} prompt tokens"),
        );
    }
    let fault = match (attempt.stance.fault(), oracle) {
        (Some(fault), _) => fault,
        (None, Some(Correctness::Right)) => Fault::ContextUse,
        (None, Some(Correctness::Wrong)) => Fault::Reader,
        (None, Some(Correctness::Unsure)) => {
            let why = "support was in the prompt; the answer is wrong, and the one from the gold passages alone is unsure";
            return (FailureClass::Generation, None, why.to_owned());
        }
        (None, None) => {
            let why = "support was in the prompt; the answer is wrong, and there is none from the gold passages alone to compare";
            return (FailureClass::Generation, None, why.to_owned());
        }
    };
    (
        FailureClass::Generation,
        Some(fault),
        format!("support was in the prompt; {}", why_of(fault)),
    )
}

/// Returns the values of the pipeline's answer that neither text nor title of a packed passage contains.
fn unsupported(delivery: &Delivery<'_>) -> Vec<String> {
    let Some(attempt) = delivery
        .trace
        .attempt(ArmName::Retrieved)
        .filter(|attempt| attempt.stance == Stance::Answered && attempt.error.is_none())
    else {
        return Vec::new();
    };
    let views = delivery
        .packed
        .iter()
        .filter_map(|id| delivery.passages.view(id));
    let texts: Vec<&str> = views.flat_map(|view| [view.title, view.text]).collect();
    if texts.is_empty() {
        return Vec::new();
    }
    unsupported_values(&attempt.extracted, &texts)
}

fn flags(delivery: &Delivery<'_>, judgments: &Judgments) -> Vec<Flag> {
    let trace = delivery.trace;
    let [retrieved, oracle, closed_book] =
        [ArmName::Retrieved, ArmName::Oracle, ArmName::ClosedBook]
            .map(|arm| judgments.correctness(arm));
    let tests = [
        (Flag::Cut, any_cut(delivery)),
        (
            Flag::EncoderTruncated,
            trace
                .gold
                .groups
                .iter()
                .flatten()
                .any(|member| member.encoder_truncated),
        ),
        (Flag::AnnMiss, ann_missed(delivery)),
        (Flag::AnswerElsewhere, answer_elsewhere(delivery)),
        (
            Flag::Misled,
            closed_book == Some(Correctness::Right) && retrieved == Some(Correctness::Wrong),
        ),
        (
            Flag::LabelSuspect,
            oracle == Some(Correctness::Wrong)
                && (answer_near_gold(trace)
                    || (retrieved == Some(Correctness::Wrong) && arms_agree(trace))),
        ),
        (
            Flag::ServerTruncated,
            trace
                .attempt(ArmName::Retrieved)
                .is_some_and(server_truncated),
        ),
    ];
    tests
        .into_iter()
        .filter(|(_, is)| *is)
        .map(|(flag, _)| flag)
        .collect()
}

fn any_cut(delivery: &Delivery<'_>) -> bool {
    let groups = delivery
        .trace
        .question
        .evidence
        .iter()
        .take(delivery.trace.gold.groups.len())
        .enumerate();
    let mut members = groups.flat_map(|(g, group)| {
        group
            .iter()
            .enumerate()
            .map(move |(m, member)| ((g, m), member))
    });
    members.any(|(at, member)| {
        member
            .ranges
            .iter()
            .any(|range| delivery.test.is_cut(at, *range))
    })
}

/// Returns true if exact search would have completed the support among the candidates that approximate search missed.
fn ann_missed(delivery: &Delivery<'_>) -> bool {
    let exact = delivery
        .trace
        .retrievers()
        .any(|step| step.exact.is_some_and(|exact| exact.holds));
    exact && !delivery.test.of(delivery.candidates.iter().copied()).holds
}

/// Returns true if a packed passage without gold evidence has an answer string and a content term of the question.
fn answer_elsewhere(delivery: &Delivery<'_>) -> bool {
    let question = &delivery.trace.question;
    if !question.has_spans() || question.evidence.is_empty() {
        return false;
    }
    let gold: Vec<&ChunkId> = delivery
        .trace
        .gold
        .groups
        .iter()
        .flatten()
        .flat_map(|member| &member.chunks)
        .collect();
    let mut others = delivery
        .packed
        .iter()
        .filter(|id| !gold.contains(id))
        .filter_map(|id| delivery.passages.view(id));
    let elsewhere = Elsewhere::new(&question.text, &question.answers);
    others.any(|view| elsewhere.is_in(view.text))
}

/// Returns true if the oracle's answer contains a gold answer or the reverse.
fn answer_near_gold(trace: &Trace) -> bool {
    let Some(oracle) = trace
        .attempt(ArmName::Oracle)
        .filter(|attempt| attempt.stance == Stance::Answered)
    else {
        return false;
    };
    let contains = |text: &str, part: &str| {
        !normalise::matching(part).is_empty()
            && AnswerMatcher::new(&[part.to_owned()]).found_in_text(text)
    };
    let golds = &trace.question.answers;
    golds
        .iter()
        .any(|gold| contains(gold, &oracle.extracted) || contains(&oracle.extracted, gold))
}

/// Returns true if all arms give the same answer although their passages differ.
fn arms_agree(trace: &Trace) -> bool {
    let attempts: Vec<&Attempt> = trace
        .arms
        .iter()
        .filter_map(|arm| arm.attempts.first())
        .collect();
    let Some((first, others)) = attempts.split_first() else {
        return false;
    };
    let answer = normalise::official(&first.extracted);
    !answer.is_empty()
        && attempts
            .iter()
            .all(|attempt| attempt.stance == Stance::Answered)
        && others
            .iter()
            .all(|other| normalise::official(&other.extracted) == answer)
        && others.iter().any(|other| other.passages != first.passages)
}

fn server_truncated(attempt: &Attempt) -> bool {
    let tokens = attempt.tokens;
    tokens
        .prompt_billed
        .is_some_and(|billed| (billed as f64) < SERVER_TRUNCATED_BELOW * tokens.prompt as f64)
}
