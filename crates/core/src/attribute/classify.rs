//! The failure class of a question: the first stage that lost its support, or what the generator did with it.

use super::delivery::{Delivery, Reach};
use super::flags::flags;
use super::judge::Judgments;
use super::known::TopK;
use super::wide::Reading;
use super::{Passages, bounds, reason};
use crate::language::Language;
use crate::rightness::{Correctness, unsupported_values};
use crate::types::{
    ArmName, Attempt, ErrorKind, FailureClass, Fault, Flag, QuestionKind, Stage, Stance, Support,
    SupportRule, Trace,
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
    /// Stage that lost the support, regardless of the answer: [`Self::lost_at`], or chunking where a chunk boundary
    /// separates what was found from what was needed. `None` when support reached the prompt or cannot be tested.
    pub lost: Option<Stage>,
    /// True if the support was in the prompt as it was sent, and not in the part of it that the server read.
    pub is_truncated_away: bool,
    /// First and last stage that may have lost it, where the record of an external RAG does not tell them apart.
    pub between: Option<[Stage; 2]>,
    /// Support at documents, chunks, candidates, `top_k` and prompt, by the strict reading of wide labels; true where it is
    /// not known. `None` when it cannot be tested, or the prompt is not known.
    pub reached: Option<[bool; 5]>,
    /// Support by the lenient reading; equal to [`Self::reached`] without wide labels.
    pub lenient: Option<[bool; 5]>,
    /// Support by all hits of each step, parallel to the trace's steps.
    pub by_step: Vec<Support>,
}

impl Outcome {
    /// Returns the first stage whose result lacks the support; `None` when it reached the prompt or cannot be tested.
    #[must_use]
    pub fn lost_at(&self) -> Option<Stage> {
        self.reached.and_then(first_lost)
    }

    /// Returns the same by the lenient reading of wide labels.
    #[must_use]
    pub fn lost_leniently_at(&self) -> Option<Stage> {
        self.lenient.and_then(first_lost)
    }

    /// Returns true if the readings of a wide label lose the support at different stages, or only one of them loses it.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.lost_at() != self.lost_leniently_at()
    }

    /// Returns true if a record does not show which of several stages before the prompt lost the support.
    #[must_use]
    pub fn is_undelivered(&self) -> bool {
        self.between.is_some_and(|[_, last]| last != Stage::Generation)
    }

    /// Returns true if a record shows neither that the support was lost nor that it was in the prompt.
    #[must_use]
    pub fn is_unseen(&self) -> bool {
        self.between.is_some_and(|[_, last]| last == Stage::Generation)
    }

    /// Returns the name of the stage that lost the support, `undelivered` where it is not known; `None` if it reached the
    /// prompt or cannot be tested.
    #[must_use]
    pub fn lost_name(&self) -> Option<&'static str> {
        let lost = self.lost?;
        Some(if self.is_undelivered() { FailureClass::Undelivered.name() } else { lost.name() })
    }

    /// Returns the class of the same delivery with other judgments of the answers.
    #[must_use]
    pub fn class_with(&self, trace: &Trace, judgments: &Judgments) -> FailureClass {
        let fate = match (self.reached, self.lost) {
            _ if self.is_unseen() => Fate::Unseen(String::new()),
            (None, _) => Fate::Untested(""),
            (Some(_), None) if self.is_truncated_away => Fate::TruncatedAway(String::new()),
            (Some(_), None) => Fate::Arrived,
            (Some(_), Some(stage)) if self.is_open() => Fate::Open {
                stage,
                why: String::new(),
                arrived: self.lenient.and_then(first_lost).is_none(),
            },
            (Some(_), Some(stage)) => match self.between {
                Some(between) => Fate::Between(between, String::new()),
                None => Fate::Lost(stage, String::new()),
            },
        };
        decide(trace, &fate, judgments).0
    }
}

/// End of a question's support on its way to the prompt.
enum Fate {
    /// It cannot be tested, for this reason.
    Untested(&'static str),
    /// It reached the prompt.
    Arrived,
    /// It was in the prompt as it was sent, and not in the part of it that the server read, for that reason.
    TruncatedAway(String),
    /// It was lost at that stage, for that reason.
    Lost(Stage, String),
    /// It was lost at one of the stages from the first to the last, for that reason: a record does not tell them apart.
    Between([Stage; 2], String),
    /// A record shows neither that it was lost nor that it was in the prompt.
    Unseen(String),
    /// It was lost at that stage by the strict reading of a wide label; by the lenient one at a later stage, or not at
    /// all.
    Open { stage: Stage, why: String, arrived: bool },
}

impl Fate {
    fn new(delivery: &Delivery<'_>, strict: Option<Reach>, lenient: Option<Reach>) -> Self {
        let (Some(strict), Some(lenient)) = (strict, lenient) else {
            return Self::Untested(match delivery.test.rule() {
                SupportRule::AnswerString => "no evidence, and no document contains a gold answer",
                _ => "no evidence and no answer string to go by",
            });
        };
        let [plain, partial] = [strict, lenient].map(|reach| first_lost(reach.map(is_held)));
        match (plain, partial) {
            (None, _) if strict[4].is_none() => {
                Self::Unseen(reason::unseen(delivery, first_open(strict)))
            }
            (None, _) if delivery.is_truncated_away() => {
                Self::TruncatedAway(reason::truncated(delivery))
            }
            (None, _) => Self::Arrived,
            (Some(stage), Some(same)) if stage == same => {
                let (cause, why) = lost(delivery, stage);
                let first = first_open(strict);
                if cause == stage && first < stage {
                    let between = [first, stage];
                    Self::Between(between, why + &reason::between(delivery, between))
                } else {
                    Self::Lost(cause, why)
                }
            }
            (Some(stage), later) => Self::Open {
                stage: lost(delivery, stage).0,
                why: bounds::open(delivery, stage, later),
                arrived: later.is_none(),
            },
        }
    }

    fn stage(&self) -> Option<Stage> {
        match self {
            Self::Untested(_) | Self::Arrived | Self::TruncatedAway(_) | Self::Unseen(_) => None,
            Self::Between([_, stage], _) | Self::Lost(stage, _) | Self::Open { stage, .. } => {
                Some(*stage)
            }
        }
    }

    fn between(&self, strict: Option<Reach>) -> Option<[Stage; 2]> {
        match self {
            Self::Between(between, _) => Some(*between),
            Self::Unseen(_) => Some([first_open(strict?), Stage::Generation]),
            _ => None,
        }
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
            lost: None,
            is_truncated_away: false,
            between: None,
            reached: None,
            lenient: None,
            by_step: Vec::new(),
        };
    }
    let delivery = Delivery::new(trace, top.into(), passages);
    let [strict, lenient] =
        [Reading::Strict, Reading::Lenient].map(|reading| delivery.reached(reading));
    let fate = Fate::new(&delivery, strict, lenient);
    let is_unseen = matches!(fate, Fate::Unseen(_));
    let [reached, lenient] =
        [strict, lenient].map(|reach| Some(reach?.map(is_held)).filter(|_| !is_unseen));
    let (class, fault, reason) = decide(trace, &fate, &judgments);
    Outcome {
        class,
        fault,
        lost: fate.stage(),
        is_truncated_away: matches!(fate, Fate::TruncatedAway(_)),
        between: fate.between(strict),
        reason,
        flags: flags(&delivery, &judgments),
        reached,
        lenient,
        by_step: delivery.by_step(),
        unsupported: unsupported(&delivery, judgments.language()),
        judgments,
    }
}

fn first_lost(reached: [bool; 5]) -> Option<Stage> {
    reached.iter().position(|held| !held).map(|at| Stage::ALL[at])
}

/// Returns false if support is known to be lost.
fn is_held(known: Option<bool>) -> bool {
    known != Some(false)
}

/// Returns the first stage that may have lost the support.
fn first_open(reach: Reach) -> Stage {
    let first = reach.iter().position(|known| *known != Some(true));
    first.map_or(Stage::Generation, |at| Stage::ALL[at])
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
    fate: &Fate,
    judgments: &Judgments,
) -> (FailureClass, Option<Fault>, String) {
    let attempt = trace.attempt(ArmName::Retrieved);
    if let Some(failure) = trace.failure() {
        let class = match failure.error.kind {
            ErrorKind::NotRecorded => FailureClass::NotRecorded,
            _ => FailureClass::Failed,
        };
        return (class, None, failure.to_string());
    }
    if let Some(what) = attempt.and_then(|attempt| attempt.stance.unusable()) {
        return (FailureClass::Failed, None, format!("the reply is {what}"));
    }
    if trace.question.kind == QuestionKind::Unanswerable {
        return unanswerable(attempt);
    }
    let plain = |class, why: &str| (class, None, why.to_owned());
    let judgment = judgments.of(ArmName::Retrieved).filter(|_| attempt.is_some());
    match (judgment.map(|judgment| judgment.correctness), fate) {
        (Some(Correctness::Unsure), _) => (
            FailureClass::Unsure,
            None,
            judgment.map_or(String::new(), |judgment| judgment.reason.clone()),
        ),
        (Some(Correctness::Right), fate) => right(fate),
        (_, Fate::Lost(stage, why)) => ((*stage).into(), None, why.clone()),
        (_, Fate::Between(_, why)) => (FailureClass::Undelivered, None, why.clone()),
        (_, Fate::Open { why, .. } | Fate::Unseen(why)) => {
            (FailureClass::Ambiguous, None, why.clone())
        }
        (_, Fate::Untested(why)) => plain(FailureClass::Unattributed, why),
        (Some(_), Fate::TruncatedAway(why)) => plain(FailureClass::Packing, why),
        (judged, Fate::Arrived | Fate::TruncatedAway(_)) => match (attempt, judged) {
            (None, _) => plain(FailureClass::Supported, "support reached the prompt"),
            (Some(_), None) => plain(
                FailureClass::Supported,
                "support reached the prompt, with no gold answer to compare with",
            ),
            (Some(attempt), Some(_)) => generation(attempt, judgments.correctness(ArmName::Oracle)),
        },
    }
}

/// Returns the class of a right answer. A part of a wide label in the prompt suffices: the answer shows that it did.
fn right(fate: &Fate) -> (FailureClass, Option<Fault>, String) {
    let unsupported = FailureClass::CorrectUnsupported;
    let (class, why) = match fate {
        Fate::Arrived | Fate::TruncatedAway(_) => {
            (FailureClass::Correct, "right, and its support was in the prompt".to_owned())
        }
        Fate::Open { arrived: true, .. } => {
            (FailureClass::Correct, "right, and a part of its label was in the prompt".to_owned())
        }
        Fate::Unseen(why) => (FailureClass::Correct, format!("right; {why}")),
        Fate::Between(_, why) => {
            (unsupported, format!("right, though its support was lost: {why}"))
        }
        Fate::Lost(stage, why) | Fate::Open { stage, why, .. } => {
            (unsupported, format!("right, though its support was lost ({stage}): {why}"))
        }
        Fate::Untested(why) => (unsupported, format!("right, with {why}")),
    };
    (class, None, why)
}

fn unanswerable(attempt: Option<&Attempt>) -> (FailureClass, Option<Fault>, String) {
    let (class, why) = match attempt.map(|attempt| attempt.stance) {
        None => (
            FailureClass::Unattributed,
            "unanswerable; without a generator, abstention cannot be checked",
        ),
        Some(Stance::Abstained) => {
            (FailureClass::CorrectAbstention, "unanswerable, and the generator abstained")
        }
        Some(_) => (FailureClass::Hallucinated, "unanswerable, and the generator answered"),
    };
    (class, None, why.to_owned())
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

fn generation(
    attempt: &Attempt,
    oracle: Option<Correctness>,
) -> (FailureClass, Option<Fault>, String) {
    let fault = match (attempt.stance.fault(), oracle) {
        (Some(fault), _) => fault,
        (None, Some(Correctness::Right)) => Fault::ContextUse,
        (None, Some(Correctness::Wrong)) => Fault::Reader,
        (None, Some(Correctness::Unsure)) => {
            let why = "support was in the prompt; the answer is wrong, and the judgment of the answer from the gold passages alone is unsure";
            return (FailureClass::Generation, None, why.to_owned());
        }
        (None, None) => {
            let why = "support was in the prompt; the answer is wrong, and there is no answer from the gold passages alone to compare it with";
            return (FailureClass::Generation, None, why.to_owned());
        }
    };
    (FailureClass::Generation, Some(fault), format!("support was in the prompt; {}", why_of(fault)))
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
