//! Labels that may be wrong: the oracle's answer is judged wrong, and the gold answer or the gold passages speak for it.

use super::Passages;
use crate::text::answers::AnswerMatcher;
use crate::text::normalise;
use crate::types::{ArmName, Attempt, QuestionKind, Stance, Trace};

/// Returns true if the oracle's answer contains a gold answer or the reverse.
pub(super) fn is_near_gold(trace: &Trace) -> bool {
    let Some(oracle) =
        trace.attempt(ArmName::Oracle).filter(|attempt| attempt.stance == Stance::Answered)
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

/// Returns true if all arms give the same answer although their passages differ, the gold passages hold that answer, and
/// none of them holds a gold answer or a required fact. A reader that repeats one mistake agrees with itself too: only the
/// passages can speak against a label.
pub(super) fn gold_passages_agree(trace: &Trace, passages: &dyn Passages) -> bool {
    let Some(answer) = common_answer(trace) else {
        return false;
    };
    let question = &trace.question;
    let marks = match question.kind {
        QuestionKind::Span => question.answers.clone(),
        // A reference answer in sentences occurs in no passage, right or wrong.
        _ => question.required.iter().flatten().cloned().collect(),
    };
    let oracle = trace.attempt(ArmName::Oracle);
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

/// Returns the answer that all arms give, normalised, if their passages differ.
fn common_answer(trace: &Trace) -> Option<String> {
    let attempts: Vec<&Attempt> =
        trace.arms.iter().filter_map(|arm| arm.attempts.first()).collect();
    let (first, others) = attempts.split_first()?;
    let answer = normalise::official(&first.extracted);
    let agree = !answer.is_empty()
        && attempts.iter().all(|attempt| attempt.stance == Stance::Answered)
        && others.iter().all(|other| normalise::official(&other.extracted) == answer)
        && others.iter().any(|other| other.passages != first.passages);
    agree.then_some(answer)
}
