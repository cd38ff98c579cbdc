//! Flags.

use super::super::classify::classify;
use super::super::judge::Judgments;
use super::{TENS, attempt, corpus, judged, judgments, member, question, trace, wrong};
use crate::types::{
    Attempt, ChunkId, Condition, ConditionAnswers, Flag, Question, QuestionKind, Stance,
};

/// Returns the flags of a question whose gold evidence was in its prompt, by its conditions' answers and prompts.
fn flags_of(conditions: &[(Condition, &str, &[&str])], correct: Judgments) -> Vec<Flag> {
    let corpus = corpus(&TENS);
    let mut found = trace(
        question(vec![vec![member("d", &[(10, 19)])]]),
        &corpus,
        &["d#1", "d#0"],
        &["d#1"],
        None,
    );
    let condition = |(condition, answer, passages): &(Condition, &str, &[&str])| ConditionAnswers {
        condition: *condition,
        attempts: vec![Attempt {
            passages: passages.iter().map(|id| ChunkId::from(*id)).collect(),
            ..attempt(answer, Stance::Answered)
        }],
    };
    found.conditions = conditions.iter().map(condition).collect();
    classify(&found, 2, correct, &corpus).flags
}

#[test]
fn a_label_is_suspect_where_the_oracles_answer_and_the_gold_answer_contain_one_another() {
    let wrong = judgments(&[(Condition::Retrieved, false), (Condition::Oracle, false)]);
    let oracle = |answer| {
        let conditions = [
            (Condition::Retrieved, "1815", &["d#1"][..]),
            (Condition::Oracle, answer, &["d#1"][..]),
        ];
        flags_of(&conditions, wrong.clone())
    };
    assert_eq!(oracle("May 1992"), [Flag::LabelSuspect], "the gold is 1992");
    assert_eq!(oracle("1816"), []);
}

/// Flags of a question with that gold answer, all of whose conditions are judged wrong. The oracle's passage is the third chunk
/// of `d`, `dddd eeee.`; the retrieved one is `e`.
fn suspected(gold_answer: &str, retrieved: &str, oracle: &str, closed_book: &str) -> Vec<Flag> {
    let corpus = corpus(&TENS);
    let asked = Question {
        answers: vec![gold_answer.to_owned()],
        ..question(vec![vec![member("d", &[(20, 29)])]])
    };
    let mut found = trace(asked, &corpus, &["d#2"], &["d#2"], None);
    let condition = |condition, answer: &str, passages: &[&str]| ConditionAnswers {
        condition,
        attempts: vec![Attempt {
            passages: passages.iter().map(|id| ChunkId::from(*id)).collect(),
            ..attempt(answer, Stance::Answered)
        }],
    };
    found.conditions = vec![
        condition(Condition::Retrieved, retrieved, &["e#0"]),
        condition(Condition::Oracle, oracle, &["d#2"]),
        condition(Condition::ClosedBook, closed_book, &[]),
    ];
    let wrong = judgments(&[(Condition::Retrieved, false), (Condition::Oracle, false)]);
    classify(&found, 2, wrong, &corpus).flags
}

#[test]
fn conditions_that_agree_make_a_label_suspect_only_where_the_gold_passages_speak_for_them() {
    // The label says 1815; the gold passage says `eeee` and nothing of 1815.
    assert_eq!(
        suspected("1815", "eeee", "The Eeee!", "eeee"),
        [Flag::LabelSuspect],
        "the same answer, as scripts compare answers"
    );
    assert_eq!(suspected("1815", "eeee", "eeee", "1816"), [], "one of three conditions disagrees");
    assert_eq!(suspected("1815", "1816", "1816", "1816"), [], "one mistake repeated");
    assert_eq!(
        suspected("dddd", "eeee", "eeee", "eeee"),
        [],
        "the gold passage holds the gold answer: the reader may repeat one mistake"
    );
}

#[test]
fn an_answer_elsewhere_wants_most_content_terms_and_not_the_answers_own() {
    let corpus = corpus(&TENS);
    let flags = |text: &str| {
        let asked =
            Question { text: text.to_owned(), ..question(vec![vec![member("d", &[(0, 4)])]]) };
        judged(&trace(asked, &corpus, &["e#0"], &["e#0"], Some(wrong())), &corpus, false, None)
            .flags
    };
    // e#0 is `in 1992, cccc`.
    assert_eq!(flags("When did cccc?"), [Flag::AnswerElsewhere]);
    assert_eq!(flags("When did cccc end?"), [], "one of two terms");
    assert_eq!(flags("When did dddd end?"), [], "no term in common");
    assert_eq!(flags("Was it 1992 or 1815?"), [], "only the answer itself");
}

#[test]
fn a_fact_or_a_free_answer_elsewhere_counts_as_well() {
    let corpus = corpus(&TENS);
    let flags = |answers: &[&str], required: &[&str]| {
        let gold = question(vec![vec![member("d", &[(0, 4)])]]);
        let asked = Question {
            kind: QuestionKind::Free,
            text: "When did cccc?".to_owned(),
            answers: answers.iter().map(ToString::to_string).collect(),
            required: required.iter().map(|fact| vec![fact.to_string()]).collect(),
            ..gold
        };
        judged(&trace(asked, &corpus, &["e#0"], &["e#0"], Some(wrong())), &corpus, false, None)
            .flags
    };
    // e#0 is `in 1992, cccc`.
    assert_eq!(flags(&["1992"], &[]), [Flag::AnswerElsewhere]);
    assert_eq!(flags(&["It was long ago, in the year 1992."], &["1992"]), [Flag::AnswerElsewhere]);
    assert_eq!(flags(&["It was long ago, in the year 1992."], &["1815"]), []);
}
