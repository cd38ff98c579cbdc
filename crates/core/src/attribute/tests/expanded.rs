//! Passages that an external RAG expands with the text around them: evidence that they bring to the prompt is delivered.

use super::super::classify::Evidence;
use super::*;
use crate::types::{FailureClass, Flag, Stage};

/// Classifies a question without a generator whose first `k` hits are expanded to `passages`, of which `fit` fit the prompt.
fn outcome(
    question: Question,
    ranked: &[&str],
    passages: &[&str],
    (k, fit): (usize, usize),
) -> Outcome {
    let corpus = corpus(&TENS);
    let haystacks = gold::Haystacks::new(&corpus);
    let gold = gold::locate(&question, &corpus, || &haystacks, &|_| None);
    let mut trace = with_gold(question, gold, ranked, &passages[..fit], None);
    let expanded = with_gold(trace.question.clone(), trace.gold.clone(), passages, &[], None);
    trace.steps.insert(1, TraceStep { step: Step::Expanded, ..expanded.steps[0].clone() });
    classify(&trace, k, Judgments::default(), &corpus)
}

/// Runs the case without expansion.
fn plain(question: Question, ranked: &[&str], k: usize) -> Outcome {
    let corpus = corpus(&TENS);
    let haystacks = gold::Haystacks::new(&corpus);
    let gold = gold::locate(&question, &corpus, || &haystacks, &|_| None);
    let trace = with_gold(question, gold, ranked, &ranked[..k], None);
    classify(&trace, k, Judgments::default(), &corpus)
}

fn in_d(range: (usize, usize)) -> Question {
    question(vec![vec![member("d", &[range])]])
}

/// Chunk 0 with chunk 1.
const AROUND: &str = "d#0-20";

#[test]
fn evidence_cut_between_neighbours_is_lost_by_chunking_and_delivered_by_expansion() {
    // Bytes 8 to 18 lie in chunks 0 and 1; only chunk 0 is retrieved.
    assert_eq!(plain(in_d((8, 18)), &["d#0"], 1).class, FailureClass::Chunking);
    let healed = outcome(in_d((8, 18)), &["d#0"], &[AROUND], (1, 1));
    assert_eq!(healed.class, FailureClass::Supported, "{}", healed.reason);
    assert_eq!(healed.evidence, Evidence::Complete);
}

#[test]
fn evidence_next_to_a_hit_is_lost_by_retrieval_and_delivered_by_expansion() {
    let gold = || in_d((11, 15));
    assert_eq!(plain(gold(), &["d#0"], 1).class, FailureClass::Retrieval);
    assert_eq!(outcome(gold(), &["d#0"], &[AROUND], (1, 1)).class, FailureClass::Supported);
}

#[test]
fn an_expanded_passage_that_does_not_fit_is_lost_by_packing() {
    for range in [(11, 15), (8, 18)] {
        let lost = outcome(in_d(range), &["e#0", "d#0"], &["e#0", AROUND], (2, 1));
        assert_eq!(lost.class, FailureClass::Packing, "{}", lost.reason);
        assert_eq!(lost.evidence.lost(), Some(Stage::Packing));
    }
}

#[test]
fn a_cut_that_expansion_does_not_reach_across_is_lost_by_chunking() {
    // Bytes 8 to 28 lie in chunks 0 to 2.
    let lost = outcome(in_d((8, 28)), &["d#0"], &[AROUND], (1, 1));
    assert_eq!(lost.class, FailureClass::Chunking, "{}", lost.reason);
}

#[test]
fn an_answer_cut_between_chunks_is_delivered_whole_by_expansion() {
    let unlabelled = || Question { answers: vec!["bbbb cccc".to_owned()], ..question(Vec::new()) };
    assert_eq!(plain(unlabelled(), &["d#0"], 1).class, FailureClass::Chunking);
    assert_eq!(outcome(unlabelled(), &["d#0"], &[AROUND], (1, 1)).class, FailureClass::Supported);
}

#[test]
fn an_expanded_passage_with_the_gold_is_no_answer_elsewhere() {
    // `cccc 1992` is in chunk 1, and in the passage around chunk 0.
    let found = outcome(in_d((15, 19)), &["d#0"], &[AROUND], (1, 1));
    assert!(!found.flags.contains(&Flag::AnswerElsewhere));
    // Document `e` has the answer and the term as well.
    let found = outcome(in_d((15, 19)), &["d#0", "e#0"], &[AROUND, "e#0"], (2, 2));
    assert!(found.flags.contains(&Flag::AnswerElsewhere));
}
