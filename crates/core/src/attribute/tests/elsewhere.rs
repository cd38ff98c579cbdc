//! Attribution for an external RAG, of which only the prompt's passages are known.

use super::super::classify::{Evidence, Outcome, classify};
use super::super::gold;
use super::super::judge::Judgments;
use super::{attempt, corpus, judgments, member, question, shown, with_gold};
use crate::types::{
    Attempt, Condition, Corpus, FailureClass, Group, Passage, PassageMap, Stance, Step,
};

/// Returns the outcome for an external RAG that showed these passages, all of them in its prompt, with `retrieval.k` =
/// 1.
fn elsewhere(
    evidence: Vec<Group>,
    passages: &[Passage],
    correct: Judgments,
    answer: Option<Attempt>,
) -> Outcome {
    let corpus = Corpus::new(corpus(&[]).documents().to_vec(), vec![]);
    let known: Vec<&Passage> = passages.iter().collect();
    let gold = gold::locate_shown(&question(evidence.clone()), &corpus, &known, |matcher| {
        corpus.documents().iter().any(|document| matcher.found_in_text(&document.text))
    });
    let ids: Vec<&str> = passages.iter().map(|passage| passage.id.as_str()).collect();
    let mut trace = with_gold(question(evidence), gold, &ids, &ids, answer);
    trace.steps[0].step = Step::External;
    let by_id: PassageMap =
        passages.iter().map(|passage| (passage.id.clone(), passage.clone())).collect();
    classify(&trace, 1, correct, &by_id)
}

#[test]
fn elsewhere_all_that_stood_in_the_prompt_is_the_top_k() {
    // `cccc 1992` is bytes 10 to 19 of `d`; the passage that holds it has rank 2, and k is 1.
    let gold = || vec![vec![member("d", &[(10, 19)])]];
    let arrived =
        elsewhere(gold(), &[shown("x", (0, 0)), shown("d", (5, 24))], Judgments::default(), None);
    assert_eq!((arrived.class, arrived.evidence), (FailureClass::Delivered, Evidence::Complete));
    let lost = elsewhere(gold(), &[shown("x", (0, 0))], Judgments::default(), None);
    assert_eq!(
        (lost.class, lost.flags.len()),
        (FailureClass::NotRetrieved, 0),
        "a chunk that was never shown is not cut"
    );
    assert_eq!(lost.reason, "gold range 10-19 of `d` is in no passage that was shown");
}

#[test]
fn elsewhere_a_gold_range_of_which_a_piece_was_shown_is_lost_by_chunking() {
    let gold = || vec![vec![member("d", &[(10, 19)])]];
    let torn = elsewhere(gold(), &[shown("d", (0, 14))], Judgments::default(), None);
    assert_eq!((torn.class, torn.flags.len()), (FailureClass::Split, 0));
    assert_eq!(
        torn.reason,
        "gold range 10-19 of `d` is in part in passage `d#0-14`, which has rank 1"
    );
    // Both pieces, the space at byte 14 in neither: white space between two passages is not missing.
    let pieces = [shown("d", (15, 24)), shown("d", (0, 14))];
    assert_eq!(
        elsewhere(gold(), &pieces, Judgments::default(), None).class,
        FailureClass::Delivered
    );
    // A character between them is: bytes 10 to 12 and 13 to 19 leave out byte 12.
    let gap = [shown("d", (10, 12)), shown("d", (13, 19))];
    assert_eq!(elsewhere(gold(), &gap, Judgments::default(), None).class, FailureClass::Split);
}

#[test]
fn elsewhere_documents_that_the_corpus_lacks_and_unlabelled_answers_are_told_apart() {
    let gone = vec![vec![member("gone", &[(0, 4)])]];
    assert_eq!(
        elsewhere(gone, &[shown("d", (0, 30))], Judgments::default(), None).class,
        FailureClass::NotInCorpus
    );
    assert_eq!(
        elsewhere(vec![], &[shown("d", (15, 19))], Judgments::default(), None).class,
        FailureClass::Delivered
    );
    assert_eq!(
        elsewhere(vec![], &[shown("d", (0, 14))], Judgments::default(), None).class,
        FailureClass::NotRetrieved
    );
    // `d` as a whole holds the answer, so the passage of it must too.
    let whole = || vec![vec![member("d", &[])]];
    assert_eq!(
        elsewhere(whole(), &[shown("d", (15, 24))], Judgments::default(), None).class,
        FailureClass::Delivered
    );
    assert_eq!(
        elsewhere(whole(), &[shown("d", (0, 9))], Judgments::default(), None).class,
        FailureClass::NotRetrieved
    );
}

#[test]
fn a_wrong_answer_without_the_oracles_has_no_fault_to_name() {
    let correct = judgments(&[(Condition::Retrieved, false)]);
    let answer = Some(attempt("1815", Stance::Answered));
    let outcome =
        elsewhere(vec![vec![member("d", &[(10, 19)])]], &[shown("d", (0, 30))], correct, answer);
    assert_eq!((outcome.class, outcome.fault), (FailureClass::WrongAnswer, None));
}
