//! Retrieved chunks with the text around them: evidence that expansion brings to the prompt is delivered.

use super::*;
use crate::expand::{Expander, Expansion};
use crate::text::tokens::{self, Tokenizer};
use crate::types::{FailureClass, Flag, Stage};

/// Classifies a question without a generator whose first `k` hits are packed with their neighbours, of which `fit` passages fit.
fn outcome(question: Question, ranked: &[&str], (k, fit): (usize, usize)) -> Outcome {
    let corpus = corpus(&TENS);
    let haystacks = gold::Haystacks::new(&corpus);
    let gold = gold::locate(&question, &corpus, || &haystacks, &|_| None);
    let counter = tokens::counter(Tokenizer::Words, None).expect("built in");
    let expander = Expander::new(Expansion::Neighbours(1), &corpus, counter);
    let ids: Vec<ChunkId> = ranked.iter().map(|id| ChunkId::from(*id)).collect();
    let hits: Vec<&ChunkId> = ids.iter().collect();
    let passages = expander.passages(&hits[..k], &corpus);
    let passages: Vec<&str> = passages.iter().map(|(id, _)| id.as_str()).collect();
    let chunks = gold.groups.iter().flatten().flat_map(|member| &member.chunks);
    let gold_around = expander.around_any(chunks, &hits, &corpus);
    let mut trace = with_gold(question, gold, ranked, &passages[..fit], None);
    let expanded = with_gold(trace.question.clone(), trace.gold.clone(), &passages, &[], None);
    trace
        .steps
        .insert(1, TraceStep { step: Step::Expanded, gold_around, ..expanded.steps[0].clone() });
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

#[test]
fn evidence_cut_between_neighbours_is_lost_by_chunking_and_delivered_by_expansion() {
    // Bytes 8 to 18 lie in chunks 0 and 1; only chunk 0 is retrieved.
    assert_eq!(plain(in_d((8, 18)), &["d#0"], 1).class, FailureClass::Chunking);
    let healed = outcome(in_d((8, 18)), &["d#0"], (1, 1));
    assert_eq!(healed.class, FailureClass::Supported, "{}", healed.reason);
    assert_eq!(healed.reached, Some([true; 5]));
    // The cut is still reported: it is a fact about the chunks.
    assert!(healed.flags.contains(&Flag::Cut));
}

#[test]
fn evidence_next_to_a_hit_is_lost_by_retrieval_and_delivered_by_expansion() {
    let gold = || in_d((11, 15));
    assert_eq!(plain(gold(), &["d#0"], 1).class, FailureClass::Retrieval);
    assert_eq!(outcome(gold(), &["d#0"], (1, 1)).class, FailureClass::Supported);
}

#[test]
fn evidence_around_a_candidate_below_the_top_k_is_lost_by_ranking() {
    // Chunk 1 is next to chunk 0, the second candidate; the first k = 1 is of another document.
    let lost = outcome(in_d((11, 15)), &["e#0", "d#0"], (1, 1));
    assert_eq!(lost.class, FailureClass::Ranking);
    assert_eq!(lost.reached, Some([true, true, true, false, false]));
    assert_eq!(
        lost.reason,
        "gold range 11-15 of `d` is in chunk 1, which was not retrieved, but is around a candidate below the top 1 \
         (the retriever's order: no reranker)"
    );
    // A range cut between chunks 0 and 1 is whole around it too: no boundary lost it.
    let cut = outcome(in_d((8, 18)), &["e#0", "d#0"], (1, 1));
    assert_eq!(cut.class, FailureClass::Ranking, "{}", cut.reason);
}

#[test]
fn an_expanded_passage_that_does_not_fit_is_lost_by_packing() {
    for range in [(11, 15), (8, 18)] {
        let lost = outcome(in_d(range), &["e#0", "d#0"], (2, 1));
        assert_eq!(lost.class, FailureClass::Packing, "{}", lost.reason);
        assert_eq!(lost.lost, Some(Stage::Packing));
    }
    let lost = outcome(in_d((11, 15)), &["e#0", "d#0"], (2, 1));
    assert_eq!(
        lost.reason,
        "gold range 11-15 of `d` is in chunk 1, which is in an expanded passage that did not fit the prompt"
    );
}

#[test]
fn a_cut_that_expansion_does_not_reach_across_is_lost_by_chunking() {
    // Bytes 8 to 28 lie in chunks 0 to 2, of which chunk 0 brings chunk 1 only.
    let lost = outcome(in_d((8, 28)), &["d#0"], (1, 1));
    assert_eq!(lost.class, FailureClass::Chunking, "{}", lost.reason);
    // Far from every candidate it is lost by retrieval.
    let far = outcome(in_d((21, 25)), &["d#0"], (1, 1));
    assert_eq!(far.class, FailureClass::Retrieval, "{}", far.reason);
}

#[test]
fn an_answer_cut_between_chunks_is_delivered_whole_by_expansion() {
    let unlabelled = || Question { answers: vec!["bbbb cccc".to_owned()], ..question(Vec::new()) };
    assert_eq!(plain(unlabelled(), &["d#0"], 1).class, FailureClass::Chunking);
    assert_eq!(outcome(unlabelled(), &["d#0"], (1, 1)).class, FailureClass::Supported);
}

#[test]
fn an_expanded_passage_with_the_gold_is_no_answer_elsewhere() {
    // `cccc 1992` is in chunk 1, and in the passage around chunk 0.
    let found = outcome(in_d((15, 19)), &["d#0"], (1, 1));
    assert!(!found.flags.contains(&Flag::AnswerElsewhere));
    // Document `e` has the answer and the term as well.
    let found = outcome(in_d((15, 19)), &["d#0", "e#0"], (2, 2));
    assert!(found.flags.contains(&Flag::AnswerElsewhere));
}
