//! Records of an external RAG: with each set of recorded stages, the classes that it tells apart.
//!
//! The gold evidence is in `d#1`. A trace has the given steps; a step `packed` may have a recorded k.

use super::super::known::{TopK, packs_in_order};
use super::{TENS, corpus, judgments, member, question, trace, wrong};
use crate::attribute::classify::{Evidence, Outcome, classify};
use crate::types::{Condition, Corpus, FailureClass, Stage, Step, StepHit, Trace, TraceStep};

fn step(step: Step, ids: &[&str]) -> TraceStep {
    let hits = ids.iter().map(|id| StepHit { id: (*id).into(), score: 0.0, parts: [].into() });
    TraceStep::new(step, hits.collect(), 0.0)
}

fn packed(k: Option<usize>, ids: &[&str]) -> TraceStep {
    TraceStep { k, ..step(Step::Packed, ids) }
}

fn of_steps(corpus: &Corpus, steps: Vec<TraceStep>) -> Trace {
    let question = question(vec![vec![member("d", &[(10, 19)])]]);
    Trace { steps, ..trace(question, corpus, &[], &[], Some(wrong())) }
}

/// Classifies the question of these steps in a record of another question with `others`.
fn outcome(steps: Vec<TraceStep>, others: Vec<TraceStep>, is_correct: bool) -> Outcome {
    let corpus = corpus(&TENS);
    let traces = [of_steps(&corpus, steps), of_steps(&corpus, others)];
    let top = TopK::recorded(&traces, &corpus);
    let answers = judgments(&[(Condition::Retrieved, is_correct)]);
    classify(&traces[0], top, answers, &corpus)
}

/// A question whose prompt has two passages where that of the first has one.
fn two_packed() -> Vec<TraceStep> {
    vec![packed(None, &["d#0", "d#2"])]
}

fn class(steps: Vec<TraceStep>) -> (FailureClass, Option<[Stage; 2]>) {
    let found = outcome(steps, two_packed(), false);
    (found.class, between(&found))
}

/// The first and the last stage that may have lost the evidence.
fn between(outcome: &Outcome) -> Option<[Stage; 2]> {
    match outcome.evidence {
        Evidence::Between { first, last } => Some([first, last]),
        _ => None,
    }
}

use FailureClass::{NotInPrompt, NotPacked, NotRetrieved, RankedLow, Unclear, WrongAnswer};

#[test]
fn what_was_packed_tells_nothing_of_the_stages_before() {
    let between = Some([Stage::Retrieval, Stage::Packing]);
    assert_eq!(class(vec![packed(None, &["d#0"])]), (NotInPrompt, between));
    assert_eq!(class(vec![packed(None, &["d#1"])]), (WrongAnswer, None));
    let found = outcome(vec![packed(None, &["d#0"])], two_packed(), false);
    let expected = "gold range 10-19 of `d` is in chunk 1, which was not among 1 recorded passage; the results do not show \
                    whether retrieval, ranking or packing lost it";
    assert_eq!(found.reason, expected);
}

#[test]
fn candidates_tell_retrieval_from_the_rest() {
    let bm25 = |ids: &[&str]| step(Step::Bm25, ids);
    let dense = |ids: &[&str]| step(Step::Dense, ids);
    // Two retrievers, and no order of their candidates.
    let lost = class(vec![bm25(&["d#0"]), dense(&["d#2"]), packed(None, &["d#0"])]);
    assert_eq!(lost, (NotRetrieved, None));
    let found = class(vec![bm25(&["d#1"]), dense(&["d#2"]), packed(None, &["d#2"])]);
    assert_eq!(found, (NotInPrompt, Some([Stage::Ranking, Stage::Packing])));
}

#[test]
fn a_ranking_that_was_packed_tells_ranking_from_packing_where_k_is_known() {
    let ranked = |ids: &[&str], k, in_prompt: &[&str]| {
        class(vec![step(Step::Bm25, ids), packed(k, in_prompt)])
    };
    let others = |k| vec![packed(k, &["d#0", "d#2"])];
    let with_k = |ids: &[&str], in_prompt: &[&str]| {
        let steps = vec![step(Step::Bm25, ids), packed(Some(2), in_prompt)];
        outcome(steps, others(Some(2)), false).class
    };
    assert_eq!(with_k(&["d#0", "d#2", "d#1"], &["d#0"]), RankedLow);
    assert_eq!(with_k(&["d#0", "d#1"], &["d#0"]), NotPacked);
    assert_eq!(with_k(&["d#0", "d#2"], &["d#0"]), NotRetrieved);
    // Without k, a filter, the k or the length may have dropped what follows the prompt's passages.
    let open = (NotInPrompt, Some([Stage::Ranking, Stage::Packing]));
    assert_eq!(ranked(&["d#0", "d#2", "d#1"], None, &["d#0"]), open);
    assert_eq!(ranked(&["d#0", "d#1"], None, &["d#0"]), open);
    // A reranker that drops a candidate is the ranking.
    let dropped = class(vec![
        step(Step::Bm25, &["d#0", "d#1"]),
        step(Step::Reranked, &["d#0", "d#2"]),
        packed(None, &["d#0"]),
    ]);
    assert_eq!(dropped, (RankedLow, None));
    // All prompts have one passage: that is k.
    let steps = vec![step(Step::Bm25, &["d#0", "d#1"]), packed(None, &["d#0"])];
    let one = vec![packed(None, &["d#2"])];
    assert_eq!(outcome(steps, one, false).class, RankedLow);
}

#[test]
fn a_recorded_k_is_that_of_its_question() {
    let ranked = |k, ids: &[&str]| vec![step(Step::Bm25, ids), packed(Some(k), &["d#0"])];
    // The evidence is second: below the top 1 of its question, whatever the other question packs.
    let ids = ["d#0", "d#1", "d#2"];
    assert_eq!(outcome(ranked(1, &ids), ranked(3, &ids), false).class, RankedLow);
    assert_eq!(outcome(ranked(3, &ids), ranked(1, &ids), false).class, NotPacked);
    // Another question's k says nothing of a question that records none.
    let without = || vec![step(Step::Bm25, &ids), packed(None, &["d#0"])];
    let open = outcome(without(), ranked(3, &ids), false);
    assert_eq!(between(&open), Some([Stage::Ranking, Stage::Packing]));
}

#[test]
fn a_question_without_a_retriever_that_others_have_does_not_tell_retrieval() {
    let steps = |retrievers: Vec<TraceStep>| {
        let mut steps = retrievers;
        steps.push(packed(Some(1), &["d#0"]));
        steps
    };
    let dense = || step(Step::Dense, &["d#0", "d#2"]);
    let both = || steps(vec![dense(), step(Step::Bm25, &["d#2"])]);
    assert_eq!(outcome(both(), both(), false).class, NotRetrieved);
    let found = outcome(steps(vec![dense()]), both(), false);
    assert_eq!(found.class, NotInPrompt);
    assert_eq!(between(&found), Some([Stage::Retrieval, Stage::Ranking]));
    // An empty stage is a retriever that returned nothing. Several queries are one retriever.
    let empty = outcome(steps(vec![dense(), step(Step::Bm25, &[])]), both(), false);
    assert_eq!(empty.class, NotRetrieved);
    let twice = outcome(steps(vec![dense(), dense()]), both(), false);
    assert_eq!(twice.class, NotInPrompt);
}

#[test]
fn a_prompt_that_is_not_the_first_of_the_ranking_shows_that_an_order_is_missing() {
    let corpus = corpus(&TENS);
    let reordered =
        vec![step(Step::Bm25, &["d#0", "d#2", "e#0"]), packed(Some(2), &["e#0", "d#0"])];
    assert!(!packs_in_order(&of_steps(&corpus, reordered.clone()), &corpus));
    let swapped = vec![step(Step::Bm25, &["d#0", "d#2", "e#0"]), packed(Some(2), &["d#2", "d#0"])];
    assert!(packs_in_order(&of_steps(&corpus, swapped), &corpus));
    // One such prompt makes the order of all unknown.
    let steps = vec![step(Step::Bm25, &["d#0", "d#2", "d#1"]), packed(Some(2), &["d#0", "d#2"])];
    let found = outcome(steps, reordered, false);
    assert_eq!(found.class, NotInPrompt);
    assert_eq!(between(&found), Some([Stage::Ranking, Stage::Packing]));
    let expected = "gold range 10-19 of `d` is in chunk 1, which has rank 3 but is not in the prompt; the prompts are not the \
                    first of the last recorded ranking, so the results do not show whether ranking or packing lost it";
    assert_eq!(found.reason, expected);
}

#[test]
fn without_retrievers_a_ranking_does_not_tell_retrieval_from_ranking() {
    let steps = |ids: &[&str]| vec![step(Step::Reranked, ids), packed(Some(2), &["d#0"])];
    let others = || vec![packed(Some(2), &["d#0"])];
    let absent = outcome(steps(&["d#0", "d#2"]), others(), false);
    assert_eq!(absent.class, NotInPrompt);
    assert_eq!(between(&absent), Some([Stage::Retrieval, Stage::Ranking]));
    let present = outcome(steps(&["d#0", "d#1"]), others(), false);
    assert_eq!(present.class, NotPacked, "what was ranked was a candidate");
}

#[test]
fn without_the_prompt_only_the_candidates_are_known() {
    let bm25 = |ids: &[&str]| vec![step(Step::Bm25, ids)];
    let of = |ids: &[&str], is_correct| outcome(bm25(ids), bm25(&["d#0"]), is_correct);
    assert_eq!(of(&["d#0"], false).class, NotRetrieved);
    assert_eq!(of(&["d#0"], true).class, FailureClass::CorrectWithoutEvidence);
    let open = of(&["d#0", "d#1"], false);
    assert_eq!(open.class, Unclear);
    assert!(open.evidence.is_unseen() && !open.evidence.is_testable());
    let expected = "its complete evidence was among the candidates; the results do not show the prompt, so ranking, packing or generation \
                    may have lost it";
    assert_eq!(open.reason, expected);
    assert_eq!(of(&["d#0", "d#1"], true).class, FailureClass::Correct);
}

/// Texts that were rewritten are in no document. They may hold the evidence, so a stage that has mostly such texts is not blamed.
#[test]
fn a_stage_whose_passages_are_in_no_document_is_not_known_to_lack_the_evidence() {
    let bm25 = |ids: &[&str]| vec![step(Step::Bm25, ids)];
    let found = outcome(bm25(&["d#~1", "d#~2", "d#0"]), bm25(&["d#0"]), false);
    assert_eq!(found.class, Unclear);
    let expected = "the results do not show the prompt, so retrieval, ranking, packing or generation may have lost it";
    assert_eq!(found.reason, expected);
    // Half of them is not most.
    let found = outcome(bm25(&["d#~1", "d#0"]), bm25(&["d#0"]), false);
    assert_eq!(found.class, NotRetrieved);
    let all = |last: &[&str]| vec![step(Step::Bm25, &["d#~1", "d#~2"]), packed(Some(2), last)];
    let found = outcome(all(&["d#~1", "d#~2"]), two_packed(), false);
    assert_eq!(found.class, Unclear);
    let expected = "most passages of the prompt are in no document, so evidence in them is not seen, and retrieval, ranking, packing \
                    or generation may have lost it";
    assert_eq!(found.reason, expected);
    let found = outcome(all(&["d#1", "d#~2"]), two_packed(), false);
    assert_eq!(found.class, WrongAnswer, "the evidence is in the prompt");
    let found = outcome(all(&["d#0", "d#2"]), two_packed(), false);
    assert_eq!(found.class, NotInPrompt);
    assert!(
        found.reason.contains(
            "; most of its passages are in no document, so the results do not show whether"
        ),
        "{}",
        found.reason
    );
}

#[test]
fn support_in_the_prompt_is_support_whatever_was_retrieved() {
    let steps = vec![step(Step::Bm25, &["d#0"]), packed(Some(2), &["d#1"])];
    assert_eq!(class(steps), (WrongAnswer, None));
}
