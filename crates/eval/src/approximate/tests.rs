//! Hand-made rankings of both searches, with the arithmetic written out.

use super::*;
use crate::summary::{EvaluationPlan, evaluate};
use crate::tests::{f1_judge, failed, manifest, ranged, trace};
use ragtriage_core::config::Hnsw;
use ragtriage_core::types::{ExactSearch, PassageMap, Question};
use ragtriage_data::run::ApproximateIndex;
use ragtriage_data::run::judged::Decided;

fn plan(names: &[&str]) -> EvaluationPlan {
    let measures = names.iter().map(|name| name.parse().expect("a measure"));
    EvaluationPlan {
        measures: measures.collect(),
        k: 2,
        judge: f1_judge(),
        resamples: 200,
        seed: 1,
        cluster: false,
    }
}

/// Returns a trace of dense search and a fused ranking that finds everything.
fn searched(
    index: usize,
    relevant: &[(&str, i32)],
    approximate: &[&str],
    exact: Option<&[&str]>,
) -> Trace {
    let mut trace = trace(index, approximate, "", None);
    trace.arms.clear();
    trace.question = Question {
        relevant: relevant.iter().map(|(doc, grade)| ((*doc).into(), *grade)).collect(),
        ..Question::new(trace.question.id.clone(), "When?".to_owned())
    };
    let mut fused = trace.steps[0].clone();
    fused.step = Step::Fused;
    fused.hits = trace_hits(&["a#0", "b#0"]);
    trace.steps[0].step = Step::Dense;
    trace.steps[0].seconds = 0.25;
    trace.steps[0].exact_search = exact
        .map(|ids| ExactSearch { hits: ids.iter().map(|id| (*id).into()).collect(), seconds: 1.5 });
    trace.steps.push(fused);
    trace
}

fn measured(run: &SavedRun, names: &[&str]) -> Vec<ApproximateSearch> {
    approximate_search(run, (&plan(names).measures, f1_judge()))
}

fn trace_hits(ids: &[&str]) -> Vec<StepHit> {
    trace(0, ids, "", None).steps.remove(0).hits
}

fn of_documents() -> SavedRun {
    let mut broken = searched(4, &[("a", 1)], &["c#0"], Some(&["a#0"]));
    broken.error = Some(failed());
    let traces = vec![
        searched(0, &[("a", 2), ("b", 1)], &["c#0", "b#0"], Some(&["a#0", "b#0", "c#0"])),
        searched(1, &[("a", 1)], &["a#0", "c#0"], Some(&["a#0", "c#0"])),
        searched(2, &[("a", 1)], &["c#0"], None),
        searched(3, &[], &["c#0"], Some(&["a#0"])),
        broken,
    ];
    SavedRun {
        manifest: manifest(),
        traces,
        passages: PassageMap::new(),
        decided: Decided::default(),
    }
}

#[track_caller]
fn assert_near(found: MeasureDifference, approximate: f64, exact: f64, n: usize) {
    let expected = [approximate, exact, approximate - exact];
    let values = [found.approximate, found.exact, found.difference];
    let is_near = values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(is_near && found.n == n, "{found:?}, expected {expected:?} (n = {n})");
}

#[test]
fn document_labels_show_the_loss_of_the_retrievers_own_ranking() {
    let plan = plan(&["nDCG@2", "Recall@2", "AP", "MedianRank", "P@prompt", "AnswerF1"]);
    let summary = evaluate(&of_documents(), &plan).summary;
    let [found] = &summary.approximate_search[..] else {
        panic!("one retriever: {:?}", summary.approximate_search)
    };
    // Of five questions one failed, and one is outside the sample. The rankings of questions 0 and 3 differ.
    assert_eq!(
        (found.retriever, found.n, found.n_searched, found.n_different),
        (Step::Dense, 3, 4, 2)
    );
    // Question 3 has no relevant document. Question 1 has 1 everywhere.
    let names: Vec<&str> = found.measures.keys().map(String::as_str).collect();
    assert_eq!(names, ["AP", "Recall@2", "nDCG@2"]);
    // Question 0, approximate: `b`, of grade 1, at rank 2; ideal is grade 2 at rank 1 and grade 1 at rank 2.
    let at_2 = 1.0 / 3_f64.log2();
    let ndcg = at_2 / (2.0 + at_2);
    assert_near(found.measures["nDCG@2"], f64::midpoint(ndcg, 1.0), 1.0, 2);
    // One of two relevant documents, at rank 2: precision 1/2 there, over two.
    assert_near(found.measures["Recall@2"], f64::midpoint(0.5, 1.0), 1.0, 2);
    assert_near(found.measures["AP"], f64::midpoint(0.25, 1.0), 1.0, 2);
    // The fused ranking loses nothing; the failed question has no score. Three questions have a relevant document.
    let recall = summary.measures["Recall@2"];
    assert_eq!((recall.mean, recall.n), (1.0, 3));
    // Four approximate searches of 0.25 s, and one of the failed question; exact ones of 1.5 s.
    let seconds = |name: &str| summary.seconds[name];
    assert_eq!((seconds("search dense"), seconds("search dense (exact)")), (5.0 * 0.25, 4.0 * 1.5));
}

#[test]
fn evidence_labels_show_gains_as_well_as_losses() {
    let mut run = ranged();
    let dense = &mut run.traces[0].steps[0];
    dense.step = Step::Dense;
    dense.hits = trace_hits(&["e#0"]);
    dense.exact_search = Some(ExactSearch { hits: vec!["d#0".into()], seconds: 0.0 });
    let found = measured(&run, &["EM@1", "EvidenceRecall@1"]).remove(0);
    // `d#0` holds `18 May`, `e#0` does not.
    assert_near(found.measures["EM@1"], 0.0, 1.0, 1);
    // `e#0` holds all of group 2 and nothing of group 1; `d#0` holds 20 of 40 bytes of group 1.
    assert_near(found.measures["EvidenceRecall@1"], 0.5, 0.25, 1);
}

#[test]
fn a_sample_of_no_question_leaves_the_loss_unknown() {
    let mut run = of_documents();
    for trace in &mut run.traces {
        trace.steps[0].exact_search = None;
    }
    assert_eq!(measured(&run, &["AP"]), []);
    run.manifest.approximate = vec![ApproximateIndex {
        retriever: "dense".to_owned(),
        hnsw: Some(Hnsw::default()),
        quantization: None,
        reproducible: false,
    }];
    let found = measured(&run, &["AP"]).remove(0);
    assert_eq!((found.n, found.n_searched, found.measures.len()), (0, 4, 0));
}
