//! Flags of a question: observations next to its failure class.

use super::Passages;
use super::delivery::Delivery;
use super::judge::Judgments;
use super::terms::{Elsewhere, of_question};
use crate::correctness::Correctness;
use crate::text::answers::AnswerMatcher;
use crate::text::normalise;
use crate::types::{Attempt, ChunkId, Condition, Flag, QuestionKind, Stance, Trace};

/// Returns the flags of a question.
pub(super) fn flags(delivery: &Delivery<'_>, judgments: &Judgments) -> Vec<Flag> {
    let trace = delivery.trace;
    let [retrieved, oracle] =
        [Condition::Retrieved, Condition::Oracle].map(|condition| judgments.correctness(condition));
    let tests = [
        (Flag::AnswerElsewhere, answer_elsewhere(delivery)),
        (
            Flag::LabelSuspect,
            oracle == Some(Correctness::Wrong)
                && (is_near_gold(trace)
                    || (retrieved == Some(Correctness::Wrong)
                        && gold_passages_agree(trace, delivery.passages))),
        ),
        (Flag::PromptTruncated, delivery.read_share.is_some()),
    ];
    tests.into_iter().filter(|(_, is)| *is).map(|(flag, _)| flag).collect()
}

/// Returns true if a packed passage without gold evidence seems to answer the question.
fn answer_elsewhere(delivery: &Delivery<'_>) -> bool {
    let question = &delivery.trace.question;
    if question.evidence.is_empty() {
        return false;
    }
    let gold: Vec<&ChunkId> =
        delivery.trace.gold.groups.iter().flatten().flat_map(|member| &member.chunks).collect();
    let mut others = delivery
        .packed
        .iter()
        .filter(|id| !gold.contains(id))
        .filter_map(|id| delivery.passages.view(id));
    let elsewhere = Elsewhere::new(of_question(&question.text), &question.marks());
    others.any(|view| elsewhere.found_in(view.text).is_some())
}

/// Returns true if the oracle's answer contains a gold answer or the reverse.
fn is_near_gold(trace: &Trace) -> bool {
    let Some(oracle) =
        trace.attempt(Condition::Oracle).filter(|attempt| attempt.stance == Stance::Answered)
    else {
        return false;
    };
    let contains = |text: &str, part: &str| {
        !normalise::matching(part).is_empty()
            && AnswerMatcher::new(&[part.to_owned()]).found_in_text(text)
    };
    let gold_answers = &trace.question.answers;
    gold_answers
        .iter()
        .any(|gold| contains(gold, &oracle.extracted) || contains(&oracle.extracted, gold))
}

/// Returns true if all conditions give the same answer although their passages differ, the gold passages hold that answer, and
/// none of them holds a gold answer or a required fact. A reader that repeats one mistake agrees with itself too: only the
/// passages can speak against a label.
fn gold_passages_agree(trace: &Trace, passages: &dyn Passages) -> bool {
    let Some(answer) = common_answer(trace) else {
        return false;
    };
    let question = &trace.question;
    let marks = match question.kind {
        QuestionKind::Span => question.answers.clone(),
        // A reference answer in sentences occurs in no passage, correct or wrong.
        _ => question.required.iter().flatten().cloned().collect(),
    };
    let oracle = trace.attempt(Condition::Oracle);
    let texts: Vec<&str> = oracle
        .iter()
        .flat_map(|attempt| &attempt.passages)
        .filter_map(|id| passages.view(id))
        .map(|view| view.text)
        .collect();
    let hold = |wanted: &[String]| {
        let matcher = AnswerMatcher::new(wanted);
        texts.iter().any(|text| matcher.found_in_text(text))
    };
    !marks.is_empty() && !hold(&marks) && hold(&[answer])
}

/// Returns the answer that all conditions give, normalised, if their passages differ.
fn common_answer(trace: &Trace) -> Option<String> {
    let attempts: Vec<&Attempt> =
        trace.conditions.iter().filter_map(|condition| condition.attempts.first()).collect();
    let (first, others) = attempts.split_first()?;
    let answer = normalise::official(&first.extracted);
    let agree = !answer.is_empty()
        && attempts.iter().all(|attempt| attempt.stance == Stance::Answered)
        && others.iter().all(|other| normalise::official(&other.extracted) == answer)
        && others.iter().any(|other| other.passages != first.passages);
    agree.then_some(answer)
}
