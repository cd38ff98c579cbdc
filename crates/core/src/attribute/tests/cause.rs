//! Causes of `not_retrieved`.

use super::*;
use crate::types::{Cause, FailureClass, OtherSearches};

/// A trace whose evidence, in `d#1`, no retriever found; `change` adds what else is known.
fn cause(change: impl Fn(&mut Trace)) -> (FailureClass, Option<Cause>) {
    let outcome = outcome(change);
    (outcome.class, outcome.cause)
}

fn outcome(change: impl Fn(&mut Trace)) -> Outcome {
    let corpus = corpus(&TENS);
    let asked = question(vec![vec![member("d", &[(10, 19)])]]);
    let mut lost = trace(asked, &corpus, &["d#0"], &["d#0"], None);
    change(&mut lost);
    judged(&lost, &corpus, false, None)
}

fn searched(with_title: &[&str], evidence: &[&str]) -> OtherSearches {
    let [with_title, evidence] =
        [with_title, evidence].map(|ids| ids.iter().map(|id| (*id).into()).collect());
    OtherSearches { with_title, evidence, ..OtherSearches::default() }
}

#[test]
fn the_first_search_that_finds_the_evidence_names_the_cause() {
    let of = |with_title: &[&str], evidence: &[&str]| {
        let (class, cause) =
            cause(|trace| trace.other_searches = Some(searched(with_title, evidence)));
        assert_eq!(class, FailureClass::NotRetrieved);
        cause
    };
    assert_eq!(of(&["d#1"], &["d#1"]), Some(Cause::Query));
    assert_eq!(of(&[], &["d#1"]), Some(Cause::Vocabulary));
    assert_eq!(of(&["d#0"], &["d#2"]), Some(Cause::Index));
    let standalone = |trace: &mut Trace| {
        let standalone = vec!["d#1".into()];
        trace.other_searches = Some(OtherSearches { standalone, ..searched(&[], &["d#1"]) });
    };
    assert_eq!(cause(standalone), (FailureClass::NotRetrieved, Some(Cause::Query)));
    assert_eq!(cause(|_| ()), (FailureClass::NotRetrieved, None), "nothing was searched again");
}

#[test]
fn what_the_standalone_form_finds_was_lost_by_the_query_that_replaced_the_question() {
    let reason = |[rewritten, query]: [Option<&str>; 2]| {
        let outcome = outcome(|trace| {
            trace.rewrite = rewritten.map(Attempt::new);
            trace.steps[0].query = query.map(str::to_owned);
            let standalone = vec!["d#1".into()];
            trace.other_searches = Some(OtherSearches { standalone, ..searched(&[], &[]) });
        });
        assert_eq!(
            (outcome.class, outcome.cause),
            (FailureClass::NotRetrieved, Some(Cause::Query))
        );
        outcome.reason
    };
    let found = "; it is found with the standalone form of the question";
    assert!(reason([None; 2]).ends_with(found));
    // A rewriting that returns the question leaves it as the query.
    for query in [Some("Which?"), None] {
        let reason = reason([Some("Which?"), query]);
        assert!(reason.ends_with(&format!("{found}, not with the rewritten query")));
    }
}

#[test]
fn evidence_that_a_retriever_found_has_no_cause() {
    let found = |trace: &mut Trace| {
        trace.steps[0].hits[0].id = "d#1".into();
        trace.other_searches = Some(searched(&["d#1"], &[]));
    };
    assert_eq!(cause(found), (FailureClass::NotPacked, None));
}

#[test]
fn what_exact_search_finds_is_lost_by_the_index() {
    let exact = |id: &'static str| {
        let hits = vec![id.into()];
        cause(move |trace| {
            trace.steps[0].exact_search = Some(hits.clone());
            trace.other_searches = Some(searched(&["d#1"], &[]));
        })
        .1
    };
    assert_eq!(exact("d#1"), Some(Cause::Index));
    assert_eq!(exact("d#2"), Some(Cause::Query));
}

#[test]
fn evidence_beyond_the_input_limit_is_lost_by_the_index_unless_words_are_searched_too() {
    let truncated = |step| {
        cause(move |trace| {
            trace.steps[0].step = step;
            trace.gold.groups[0][0].encoder_truncated = true;
            trace.other_searches = Some(searched(&["d#1"], &[]));
        })
        .1
    };
    assert_eq!(truncated(Step::Dense), Some(Cause::Index));
    assert_eq!(truncated(Step::Bm25), Some(Cause::Query));
}

#[test]
fn evidence_of_which_the_chunks_hold_no_byte_is_lost_by_the_index() {
    let lost = |chunks: &[&str]| {
        cause(|trace| {
            trace.gold.chunks.holds = false;
            trace.gold.groups[0][0].chunks = chunks.iter().map(|id| (*id).into()).collect();
        })
    };
    assert_eq!(lost(&[]), (FailureClass::NotRetrieved, Some(Cause::Index)));
    assert_eq!(lost(&["d#1"]), (FailureClass::Split, None), "a boundary cuts it");
}
