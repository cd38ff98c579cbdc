//! The reason shown to users names the rule that gave the failure class.

use super::super::classify::Evidence;
use super::super::gold::{self, Haystacks};
use super::super::support::SupportTest;
use super::{TENS, attempt, corpus, judged, member, question, trace, with_gold, wrong};
use crate::types::{
    Attempt, ChunkId, Condition, ConditionAnswers, Corpus, FailureClass, Fault, Member, Question,
    QuestionKind, Stance, Step, Trace, TraceStep,
};

/// Returns the class and reason of a question answered wrong, the first two of `ranked` being the top k.
fn why(
    corpus: &Corpus,
    question: Question,
    ranked: &[&str],
    packed: &[&str],
) -> (FailureClass, String) {
    let haystacks = Haystacks::new(corpus);
    let gold = gold::locate(&question, corpus, || &haystacks, &|_| None);
    let outcome =
        judged(&with_gold(question, gold, ranked, packed, Some(wrong())), corpus, false, None);
    (outcome.class, outcome.reason)
}

fn said(class: FailureClass, sentence: &str) -> (FailureClass, String) {
    (class, sentence.to_owned())
}

#[test]
fn the_rule_on_ranges_names_range_chunks_and_places() {
    let corpus = corpus(&TENS);
    let lost = |range, ranked: &[&str], packed: &[&str]| {
        why(&corpus, question(vec![vec![member("d", &[range])]]), ranked, packed)
    };
    assert_eq!(
        lost((10, 19), &["d#0", "e#0"], &["d#0", "e#0"]),
        said(
            FailureClass::NotRetrieved,
            "gold range 10-19 of `d` is in chunk 1, which was not among 2 candidates"
        )
    );
    assert_eq!(
        lost((10, 19), &["d#0", "e#0", "d#1"], &["d#0", "e#0"]),
        said(
            FailureClass::RankedLow,
            "gold range 10-19 of `d` is in chunk 1, which has rank 3, below the top 2"
        )
    );
    assert_eq!(
        lost((10, 19), &["d#0", "d#1"], &["d#0"]),
        said(
            FailureClass::NotPacked,
            "gold range 10-19 of `d` is in chunk 1, which has rank 2 but did not fit the prompt"
        )
    );
    assert_eq!(
        lost((10, 24), &["d#1", "e#0", "d#2"], &["d#1", "e#0"]),
        said(
            FailureClass::Split,
            "gold range 10-24 of `d` is cut between chunks 1 and 2; chunk 1 has rank 1, chunk 2 has rank 3, below the top 2"
        )
    );
    assert_eq!(
        lost((10, 24), &["d#0"], &["d#0"]),
        said(
            FailureClass::NotRetrieved,
            "gold range 10-24 of `d` is cut between chunks 1 and 2; chunk 1 was not among 1 candidate, \
             chunk 2 was not among 1 candidate"
        )
    );
}

#[test]
fn a_boundary_in_white_space_cuts_as_well() {
    // Trimmed chunks: byte 9, a space, is in none, and the gold 5 to 14 lies on both sides of it.
    let corpus = corpus(&[(0, 9), (10, 19), (20, 30)]);
    let found = trace(
        question(vec![vec![member("d", &[(5, 14)])]]),
        &corpus,
        &["d#0"],
        &["d#0"],
        Some(wrong()),
    );
    let outcome = judged(&found, &corpus, false, None);
    assert_eq!((outcome.class, outcome.flags.len()), (FailureClass::Split, 0));
    assert_eq!(
        outcome.reason,
        "gold range 5-14 of `d` is cut between chunks 0 and 1; chunk 0 has rank 1, chunk 1 was not among 1 candidate"
    );
}

#[test]
fn of_several_ranges_the_first_missing_one_is_named_and_the_others_are_counted() {
    let corpus = corpus(&TENS);
    assert_eq!(
        why(
            &corpus,
            question(vec![vec![member("d", &[(0, 4), (10, 14), (20, 24)])]]),
            &["d#1"],
            &["d#1"]
        ),
        said(
            FailureClass::NotRetrieved,
            "gold range 0-4 of `d` is in chunk 0, which was not among 1 candidate; 1 more of its gold ranges is missing"
        )
    );
}

#[test]
fn a_candidate_that_fusion_or_min_score_dropped_is_said_to_be_one() {
    let corpus = corpus(&TENS);
    let asked = || {
        trace(
            question(vec![vec![member("d", &[(10, 19)])]]),
            &corpus,
            &["d#0", "d#1"],
            &["d#0"],
            Some(wrong()),
        )
    };
    let step = |trace: &Trace, step| TraceStep { step, ..trace.steps[1].clone() };
    let mut scored = asked();
    scored.steps.insert(1, step(&scored, Step::MinScore));
    let outcome = judged(&scored, &corpus, false, None);
    assert_eq!(outcome.class, FailureClass::RankedLow);
    assert_eq!(
        outcome.reason,
        "gold range 10-19 of `d` is in chunk 1, which scored below `min_score`"
    );
    let mut fused = asked();
    fused.steps.insert(1, step(&fused, Step::Fused));
    let outcome = judged(&fused, &corpus, false, None);
    assert_eq!(
        outcome.reason,
        "gold range 10-19 of `d` is in chunk 1, which was a candidate, but fell out of the final ranking"
    );
}

#[test]
fn the_rule_on_whole_documents_names_the_first_chunk_or_that_with_the_answer() {
    let corpus = corpus(&TENS);
    let lost = |doc, ranked: &[&str], packed: &[&str]| {
        why(&corpus, question(vec![vec![member(doc, &[])]]), ranked, packed)
    };
    assert_eq!(
        lost("gone", &["d#0"], &["d#0"]),
        said(
            FailureClass::NotInCorpus,
            "gold document `gone` is not in the corpus, or empty there"
        )
    );
    assert_eq!(
        lost("e", &["d#0", "d#2"], &["d#0"]),
        said(FailureClass::NotRetrieved, "no chunk of gold document `e` was among 2 candidates")
    );
    assert_eq!(
        lost("e", &["d#0", "d#1", "e#0"], &["d#0", "d#1"]),
        said(
            FailureClass::RankedLow,
            "the first chunk of gold document `e`, chunk 0 of `e`, has rank 3, below the top 2"
        )
    );
    assert_eq!(
        lost("d", &["d#0", "e#0", "d#1"], &["d#0", "e#0"]),
        said(
            FailureClass::RankedLow,
            "chunks of the gold documents reached the top k, but none with an answer string"
        )
    );
}

#[test]
fn the_rule_on_answer_strings_names_the_first_passage_that_holds_one() {
    let lost = |answer: &str, ranked: &[&str], packed: &[&str]| {
        let asked = Question { answers: vec![answer.to_owned()], ..question(vec![]) };
        why(&corpus(&[(0, 14), (15, 30)]), asked, ranked, packed)
    };
    assert_eq!(
        lost("1815", &["d#0"], &["d#0"]),
        said(FailureClass::Unclear, "no evidence, and no document contains a gold answer")
    );
    assert_eq!(
        lost("cccc 1992", &["d#0"], &["d#0"]),
        said(FailureClass::Split, "an answer string is in a document, but whole in no chunk")
    );
    assert_eq!(
        lost("1992", &["d#0", "x#0", "e#0", "d#1"], &["d#0"]),
        said(
            FailureClass::RankedLow,
            "the first passage that holds an answer string, chunk 0 of `e`, has rank 3, below the top 2"
        )
    );
}

#[test]
fn an_answer_that_no_chunk_of_the_gold_document_holds_whole_is_lost_by_chunking() {
    let corpus = corpus(&[(0, 14), (15, 30)]);
    let asked = Question {
        answers: vec!["cccc 1992".to_owned()],
        ..question(vec![vec![member("d", &[])]])
    };
    assert_eq!(
        why(&corpus, asked, &["d#0", "d#1"], &["d#0", "d#1"]),
        said(
            FailureClass::Split,
            "an answer string is in a gold document, but whole in no chunk of one"
        )
    );
}

#[test]
fn of_several_groups_the_missing_one_is_named() {
    let corpus = corpus(&TENS);
    let both = |first: Member| question(vec![vec![first], vec![member("e", &[(0, 7)])]]);
    assert_eq!(
        why(&corpus, both(member("d", &[(0, 4)])), &["e#0"], &["e#0"]),
        said(
            FailureClass::NotRetrieved,
            "evidence 1 of 2: gold range 0-4 of `d` is in chunk 0, which was not among 1 candidate"
        )
    );
    assert_eq!(
        why(&corpus, both(member("d", &[(0, 4)])), &["d#2"], &["d#2"]),
        said(
            FailureClass::NotRetrieved,
            "2 of 2 pieces of evidence are missing; the first: gold range 0-4 of `d` is in chunk 0, \
             which was not among 1 candidate"
        )
    );
    assert_eq!(
        why(&corpus, both(member("gone", &[(0, 4)])), &["e#0"], &["e#0"]),
        said(
            FailureClass::NotInCorpus,
            "evidence 1 of 2: gold document `gone` is not in the corpus, or empty there"
        )
    );
}

#[test]
fn of_several_members_the_nearest_is_named() {
    let corpus = corpus(&TENS);
    let any = |members: &[(&str, (usize, usize))]| {
        question(vec![members.iter().map(|(doc, range)| member(doc, &[*range])).collect()])
    };
    let members = [("gone", (0, 3)), ("d", (20, 24)), ("e", (0, 7))];
    assert_eq!(
        why(&corpus, any(&members), &["d#0", "d#1", "e#0", "d#2"], &["d#0", "d#1"]),
        said(
            FailureClass::RankedLow,
            "gold range 0-7 of `e` (nearest of 3 alternatives) is in chunk 0, which has rank 3, below the top 2"
        )
    );
    assert_eq!(
        why(&corpus, any(&[("gone", (0, 3)), ("lost", (0, 3))]), &["d#0"], &["d#0"]),
        said(
            FailureClass::NotInCorpus,
            "gold documents `gone` and `lost`, of which one would do, are not in the corpus, or empty there"
        )
    );
}

#[test]
fn a_member_with_ranges_asks_for_no_answer_of_another_that_is_a_whole_document() {
    let corpus = corpus(&TENS);
    let either = question(vec![vec![member("e", &[(0, 2)]), member("d", &[])]]);
    let gold = gold::locate(&either, &corpus, || panic!("labelled"), &|_| None);
    let holds =
        |id: &str| SupportTest::new(&either, &gold.groups, &corpus).of(&[ChunkId::from(id)]).holds;
    assert!(gold.chunks.holds && holds("e#0") && holds("d#1"), "e's range, or d's chunk with 1992");
    assert!(!holds("d#0"), "a chunk of `d` without the answer");
}

#[test]
fn a_right_answer_says_how_its_support_was_lost() {
    let corpus = corpus(&TENS);
    let found = trace(
        question(vec![vec![member("d", &[(10, 19)])]]),
        &corpus,
        &["d#0"],
        &["d#0"],
        Some(wrong()),
    );
    assert_eq!(
        judged(&found, &corpus, true, None).reason,
        "correct, though its evidence was lost (retrieval): gold range 10-19 of `d` is in chunk 1, which was not among 1 candidate"
    );
    let unlabelled = Question { kind: QuestionKind::Free, ..question(vec![]) };
    let gold = gold::locate(&unlabelled, &corpus, || panic!("no spans"), &|_| None);
    let outcome = judged(
        &with_gold(unlabelled, gold, &["d#0"], &["d#0"], Some(wrong())),
        &corpus,
        true,
        None,
    );
    assert_eq!(
        (outcome.class, outcome.evidence),
        (FailureClass::CorrectWithoutEvidence, Evidence::Untestable)
    );
    assert_eq!(outcome.reason, "correct, with no evidence and no answer string to go by");
}

#[test]
fn the_first_of_several_attempts_decides() {
    let corpus = corpus(&TENS);
    let asked = || question(vec![vec![member("d", &[(10, 19)])]]);
    let repeated = |answers: [Attempt; 2]| {
        let mut found = trace(asked(), &corpus, &["d#1"], &["d#1"], None);
        found.conditions =
            vec![ConditionAnswers { condition: Condition::Retrieved, attempts: answers.to_vec() }];
        judged(&found, &corpus, false, None).fault
    };
    assert_eq!(repeated([attempt("", Stance::Declined), wrong()]), Some(Fault::Declined));
    assert_eq!(
        repeated([wrong(), attempt("", Stance::Declined)]),
        None,
        "wrong, and no oracle to tell why"
    );
}
