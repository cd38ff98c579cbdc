//! Hand-made rankings of both searches.

use super::*;
use crate::tests::{failed, manifest, trace};
use ragtriage_core::types::{Hnsw, Trace};
use ragtriage_data::run::ApproximateIndex;
use ragtriage_data::run::judged::Decided;

fn searched(index: usize, approximate: &[&str], exact: Option<&[&str]>) -> Trace {
    let mut trace = trace(index, approximate, "", None);
    trace.steps[0].step = Step::Dense;
    let hits = |ids: &[&str]| ids.iter().map(|id| (*id).into()).collect();
    trace.steps[0].exact_search = exact.map(hits);
    trace
}

fn run(traces: Vec<Trace>) -> SavedRun {
    SavedRun { manifest: manifest(), traces, passages: [].into(), decided: Decided::default() }
}

#[test]
fn the_recall_is_over_the_questions_with_both_searches() {
    let mut broken = searched(3, &["c#0"], Some(&["a#0"]));
    broken.error = Some(failed());
    let found = approximate_search(&run(vec![
        searched(0, &["c#0", "b#0"], Some(&["a#0", "b#0"])),
        searched(1, &["a#0", "c#0"], Some(&["a#0", "c#0"])),
        searched(2, &["c#0"], None),
        broken,
    ]));
    // One of two, and two of two.
    let expected = ApproximateSearch { retriever: Step::Dense, n: 2, n_searched: 3, recall: 0.75 };
    assert_eq!(found, [expected]);
}

#[test]
fn a_sample_of_no_question_leaves_the_loss_unknown() {
    let mut run = run(vec![searched(0, &["a#0"], None)]);
    assert_eq!(approximate_search(&run), []);
    run.manifest.approximate =
        vec![ApproximateIndex { retriever: "dense".to_owned(), hnsw: Hnsw::default() }];
    let found = approximate_search(&run).remove(0);
    assert_eq!((found.n, found.n_searched, found.recall), (0, 1, 0.0));
}
