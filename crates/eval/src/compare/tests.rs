//! Comparisons of small runs, with the arithmetic written out. Each question's gold answer is `18 May`; `about 18
//! May` has F1 .8.

use super::answers::Turn;
use super::*;
use crate::tests::{failed, manifest, outcome, rule, trace};
use ragtriage_core::types::{FailureClass, Interval, Stage};
use ragtriage_data::run::ModelRecord;
use ragtriage_data::run::judged::Decided;

/// A run with these answers; one question for each, each on a separate document.
pub(crate) fn run(name: &str, answers: &[&str]) -> SavedRun {
    let mut traces: Vec<_> =
        answers.iter().enumerate().map(|(at, text)| trace(at, &["d#0"], text, None)).collect();
    for trace in &mut traces {
        trace.question.evidence[0][0].doc = format!("d{}", trace.index).into();
    }
    let mut manifest = manifest();
    name.clone_into(&mut manifest.name);
    manifest.n_questions = answers.len();
    SavedRun { manifest, traces, passages: [].into(), decided: Decided::default() }
}

pub(crate) fn evaluation(names: &[&str]) -> EvaluationPlan {
    let metrics = names.iter().map(|name| metric(name)).collect();
    EvaluationPlan { metrics, k: 5, judge: rule(), resamples: 500, seed: 1 }
}

fn metric(name: &str) -> Metric {
    name.parse().expect("a metric")
}

fn plan(names: &[&str]) -> ComparePlan {
    ComparePlan { evaluation: evaluation(names), metrics: vec![], primary: None, intersect: false }
}

fn compared(a: &SavedRun, others: &[&SavedRun], plan: &ComparePlan) -> Comparison {
    let others: Vec<ComparedRun<'_>> = others.iter().map(|run| ComparedRun { run, k: 5 }).collect();
    compare(a, &others, plan).expect("comparable")
}

const RIGHT: &str = "18 May";
const NEAR: &str = "about 18 May";
const WRONG: &str = "1815";

#[test]
fn a_measure_is_compared_over_the_pairs() {
    let (a, b) = (run("a", &[RIGHT, RIGHT, WRONG, NEAR]), run("b", &[RIGHT, WRONG, NEAR, NEAR]));
    let comparison = compared(&a, &[&b], &plan(&["AnswerF1", "AnswerEM"]));
    assert_eq!(comparison.primary, Some(metric("AnswerF1")));
    let f1 = comparison.pairs[0].metric(metric("AnswerF1")).expect("compared");
    // A 1 1 0 .8, B 1 0 .8 .8: means .7 and .65; differences 0 -1 .8 0.
    assert!(
        (f1.baseline - 0.7).abs() < 1e-12
            && (f1.run - 0.65).abs() < 1e-12
            && (f1.delta + 0.05).abs() < 1e-12
    );
    assert_eq!((f1.n, f1.wins, f1.ties, f1.losses), (4, 1, 2, 1));
    // The signs of -1 and .8: sums -.2, .2, -1.8, 1.8; all reach .2. The least p of four assignments is 2/4.
    assert_eq!((f1.p, f1.least_p, f1.p_holm), (Some(1.0), Some(0.5), Some(1.0)));
    // Variance (.05^2 + .95^2 + .85^2 + .05^2) / 3 = .5433, standard error .3686, t(.975, 3) = 3.182: -.05 -+ 1.173, cut to
    // what a difference of shares can be.
    assert_eq!(f1.ci95, Some(Interval { low: -1.0, high: 1.0 }));
    // Only the primary metric is of the declared family.
    assert_eq!(comparison.pairs[0].metric(metric("AnswerEM")).expect("compared").p_holm, None);
}

#[test]
fn flips_are_told_by_direction_and_class() {
    let (a, b) = (run("a", &[RIGHT, RIGHT, WRONG, NEAR]), run("b", &[RIGHT, WRONG, NEAR, WRONG]));
    let pair = &compared(&a, &[&b], &plan(&["AnswerF1"])).pairs[0];
    let told: Vec<(Turn, Vec<&str>)> = pair
        .flips
        .iter()
        .map(|group| (group.turn, group.questions.iter().map(|flip| flip.id.as_str()).collect()))
        .collect();
    assert_eq!(told, [(Turn::Lost, vec!["q1", "q3"]), (Turn::Gained, vec!["q2"])]);
    let flip = &pair.flips[0].questions[0];
    assert_eq!(
        (flip.gold.as_str(), flip.baseline.as_deref(), flip.run.as_deref()),
        (RIGHT, Some(RIGHT), Some(WRONG))
    );
}

#[test]
fn without_answers_the_stage_that_lost_support_is_compared() {
    let (mut a, mut b) = (run("a", &[""; 4]), run("b", &[""; 4]));
    for trace in a.traces.iter_mut().chain(&mut b.traces) {
        trace.conditions.clear();
    }
    let pairs = Pairs::new(&a, &b, false).expect("the same questions");
    let supported = || outcome(FailureClass::Delivered, None);
    let lost = |stage: Stage| outcome(stage.into(), Some(stage));
    let first = [supported(), supported(), lost(Stage::Retrieval), lost(Stage::Retrieval)];
    let second = [supported(), lost(Stage::Ranking), supported(), lost(Stage::Packing)];
    let judged = answers::judged(&pairs, [&a, &b], [&first, &second]);
    let told: Vec<_> = judged
        .flips(&pairs, [&a, &b])
        .iter()
        .map(|group| (group.turn, group.from, group.to))
        .collect();
    let expected = [
        (Turn::Lost, FailureClass::Delivered, FailureClass::RankedLow),
        (Turn::Gained, FailureClass::NotRetrieved, FailureClass::Delivered),
        (Turn::Moved, FailureClass::NotRetrieved, FailureClass::NotPacked),
    ];
    assert_eq!(told, expected);
}

#[test]
fn holm_is_over_all_compared_runs() {
    let a = run("a", &[RIGHT; 7]);
    let losing = |n: usize| -> SavedRun {
        let answers: Vec<&str> = (0..7).map(|at| if at < n { WRONG } else { RIGHT }).collect();
        run("b", &answers)
    };
    let comparison = compared(&a, &[&losing(4), &losing(6)], &plan(&["AnswerF1"]));
    // All differences are -1: p is 2/2^4 and 2/2^6. Holm: 2 * .03125 for the smaller, then max(.0625, .125).
    let p = |at: usize| comparison.pairs[at].metrics[0].clone();
    assert_eq!((p(0).p, p(1).p), (Some(0.125), Some(0.03125)));
    assert_eq!((p(0).p_holm, p(1).p_holm), (Some(0.125), Some(0.0625)));
    // Less -.5 the differences are six of -.5 and one of .5: 16 of 128 signs reach the sum 2.5. Less -.5 + e they are six of
    // -.5 - e and one of .5 - e, and only both signs of all, and of all but the last, reach 2.5 + 7e: 4 / 128. Two runs:
    // 2 * .031 > .05.
    assert_eq!(
        comparison.pairs[1].verdict,
        "No significant difference: AnswerF1 1.000 -> 0.143, -0.857 [-1.000, -0.500], p = 0.031 (Holm over all compared runs: \
         0.062). Too few clusters of questions differ: p cannot fall below 0.031, before Holm; add questions."
    );
    // Alone, 6 of 7 lost is a difference shown: 2/64 < .05.
    let alone = compared(&a, &[&losing(6)], &plan(&["AnswerF1"]));
    assert_eq!(
        alone.pairs[0].verdict,
        "Worse: AnswerF1 1.000 -> 0.143, -0.857 [-1.000, -0.500], p = 0.031."
    );
}

#[test]
fn one_cluster_has_no_interval_and_no_small_p() {
    let (mut a, mut b) = (run("a", &[RIGHT; 6]), run("b", &[WRONG; 6]));
    for trace in a.traces.iter_mut().chain(&mut b.traces) {
        trace.question.evidence[0][0].doc = "d".into();
    }
    let pair = &compared(&a, &[&b], &plan(&["AnswerF1"])).pairs[0];
    let found = &pair.metrics[0];
    // Both signs of the one cluster reach the observed sum.
    assert_eq!(
        (pair.questions.n_clusters, found.ci95, found.p, found.detectable),
        (1, None, Some(1.0), None)
    );
    assert_eq!(
        pair.verdict,
        "No significant difference: AnswerF1 1.000 -> 0.000, -1.000, p = 1.000. Too few clusters of questions differ: p cannot fall below 1.000; add questions."
    );
}

#[test]
fn runs_over_other_questions_are_refused_with_the_counts() {
    let (a, mut b) = (run("a", &[RIGHT; 4]), run("b", &[RIGHT; 5]));
    b.traces.remove(0);
    b.traces[0].question.text = "When exactly?".to_owned();
    let subject = [ComparedRun { run: &b, k: 5 }];
    let refused = compare(&a, &subject, &plan(&["AnswerF1"]))
        .expect_err("q0 and q4 stand alone, q1 has two texts");
    assert_eq!(
        refused.to_string(),
        "the baseline `a` and the run `b` do not ask the same questions: 2 in both, 1 only in the baseline, 1 only in the run, 1 with the same id and different texts"
    );
    let intersected = ComparePlan { intersect: true, ..plan(&["AnswerF1"]) };
    let questions = compared(&a, &[&b], &intersected).pairs[0].questions;
    assert_eq!(
        (questions.compared, questions.only_baseline, questions.only_run, questions.other_text),
        (2, 1, 1, 1)
    );
    b.traces.truncate(1);
    let refused =
        compare(&a, &[ComparedRun { run: &b, k: 5 }], &intersected).expect_err("nothing in common");
    assert_eq!(
        refused.to_string(),
        "`a` (4 questions) and `b` (1 questions) have no question in common"
    );
}

#[test]
fn a_failed_question_is_left_out_and_other_golds_are_counted() {
    let (mut a, mut b) = (run("a", &[RIGHT; 4]), run("b", &[RIGHT; 4]));
    a.traces[0].error = Some(failed());
    b.traces[1].error = Some(failed());
    b.traces[2].question.answers.push("19 May".to_owned());
    let questions = compared(&a, &[&b], &plan(&["AnswerF1"])).pairs[0].questions;
    assert_eq!((questions.compared, questions.failed, questions.other_gold), (2, 2, 1));
    for trace in &mut a.traces {
        trace.error = Some(failed());
    }
    let comparison = compared(&a, &[&b], &plan(&["AnswerF1"]));
    assert_eq!(comparison.primary, None);
    assert_eq!(
        comparison.pairs[0].verdict,
        "No question can be compared: each failed in one of the runs."
    );
}

#[test]
fn a_median_that_is_infinite_gives_no_nan() {
    let (mut a, mut b) = (run("a", &[RIGHT; 3]), run("b", &[RIGHT; 3]));
    // First relevant (`d`) in A at 1, 1, never; in B at 1, never, never.
    for (run, found) in [(&mut a, [true, true, false]), (&mut b, [true, false, false])] {
        for (trace, found) in run.traces.iter_mut().zip(found) {
            trace.steps[0].hits[0].id = if found { "d#0".into() } else { "e#0".into() };
        }
    }
    let found = compared(&a, &[&b], &plan(&["MedianRank"])).pairs[0].metrics[0].clone();
    assert_eq!((found.baseline, found.run, found.delta), (1.0, f64::INFINITY, f64::INFINITY));
    assert_eq!((found.wins, found.ties, found.losses, found.lower_is_better), (0, 2, 1, true));
    assert!(!found.is_better());
    assert_eq!((found.detectable, found.p), (None, Some(1.0)));
    assert_eq!(found.ci95, None);
    let itself = compared(&b, &[&b], &plan(&["MedianRank"])).pairs[0].metrics[0].clone();
    assert_eq!((itself.baseline, itself.delta), (f64::INFINITY, 0.0));
}

#[test]
fn what_was_asked_for_is_compared_and_stands_there_even_undefined() {
    let (a, b) = (run("a", &[RIGHT; 2]), run("b", &[WRONG; 2]));
    let named = |names: &[&str], primary: Option<&str>| ComparePlan {
        metrics: names.iter().map(|name| metric(name)).collect(),
        primary: primary.map(metric),
        ..plan(&["AnswerEM"])
    };
    let comparison = compared(&a, &[&b], &named(&["FactRecall", "AnswerEM"], None));
    let found: Vec<(Quantity, usize)> =
        comparison.pairs[0].metrics.iter().map(|found| (found.metric, found.n)).collect();
    assert_eq!(found, [(metric("FactRecall").into(), 0), (metric("AnswerEM").into(), 2)]);
    assert_eq!(comparison.primary, Some(metric("AnswerEM")));
    let subject = [ComparedRun { run: &b, k: 5 }];
    let refused =
        compare(&a, &subject, &named(&[], Some("FactRecall"))).expect_err("no question has facts");
    assert_eq!(refused.to_string(), "no question has a value of `FactRecall` in both runs");
}

#[test]
fn what_differs_is_told_settings_first() {
    let (mut a, mut b) = (run("a", &[RIGHT]), run("b", &[RIGHT]));
    let model = |hash: &str| ModelRecord {
        role: "dense".to_owned(),
        name: "mini".to_owned(),
        sha256: [("model.safetensors".to_owned(), hash.to_owned())].into(),
    };
    a.manifest.settings.retrieval.k = 5;
    b.manifest.settings.retrieval.k = 3;
    "aa".clone_into(&mut a.manifest.dataset_digest);
    "bb".clone_into(&mut b.manifest.dataset_digest);
    a.manifest.models = vec![model("0123456789abcdef")];
    b.manifest.models = vec![model("fedcba9876543210")];
    b.manifest.versions.insert("chunker".to_owned(), "2".to_owned());
    let changes = &compared(&a, &[&b], &plan(&["AnswerF1"])).pairs[0].changes;
    let told: Vec<String> = changes
        .iter()
        .map(|one| format!("{}: {} -> {}", one.what, one.baseline, one.run))
        .collect();
    assert_eq!(
        told,
        [
            "retrieval.k: 5 -> 3",
            "data set (digest): \"aa\" -> \"bb\"",
            "model (dense): \"mini sha256 0123456789ab\" -> \"mini sha256 fedcba987654\"",
            "version of chunker: null -> \"2\"",
        ]
    );
}

/// 100 questions in 11 documents, 65 of them in the first; each on a sentence of its own, or all of a document on one.
fn chained(name: &str, answers: &[&str], on_one: bool) -> SavedRun {
    let mut made = run(name, answers);
    for trace in &mut made.traces {
        let at = trace.index;
        let member = &mut trace.question.evidence[0][0];
        member.doc = format!("d{}", at.checked_sub(65).map_or(0, |rest| 1 + rest % 10)).into();
        let start = if on_one { 0 } else { 100 * at };
        member.ranges = vec![(start, start + 50).into()];
    }
    made
}

#[test]
fn questions_of_shared_documents_are_apart_unless_they_share_evidence_and_interval_and_p_agree() {
    // B loses every fifth question of the first 65 and wins none.
    let worse: Vec<&str> =
        (0..100).map(|at| if at % 5 == 0 && at < 65 { WRONG } else { RIGHT }).collect();
    for (on_one, clusters) in [(false, (100, 1)), (true, (11, 65))] {
        let [a, b] = [&[RIGHT; 100][..], &worse].map(|answers| chained("r", answers, on_one));
        let pair = &compared(&a, &[&b], &plan(&["AnswerF1"])).pairs[0];
        let counts = pair.questions;
        assert_eq!((counts.n_clusters, counts.largest_cluster), clusters);
        let found = &pair.metrics[0];
        let (p, ci95) = (found.p.expect("questions"), found.ci95.expect("clusters"));
        // 13 clusters of one sign: 2 / 2^13. In one cluster both signs are as likely: p = 1.
        assert_eq!(p, if on_one { 1.0 } else { 2.0 / 8192.0 });
        assert_eq!(ci95.holds_zero(), on_one, "{ci95}");
    }
}
