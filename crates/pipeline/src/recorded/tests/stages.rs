//! Stages of records turned into the steps of a trace.

use super::super::*;
use super::{context, line, question, recorded};
use ragtriage_core::types::{Step, TraceStep};
use ragtriage_data::run::external::recorded::{RecordedAttempt, RecordedHit, RecordedStage};

/// The steps as `name: ids`.
fn steps(trace: &Trace) -> Vec<String> {
    let ids = |step: &TraceStep| {
        let ids = step.hits.iter().map(|hit| hit.id.to_string());
        ids.collect::<Vec<_>>().join(" ")
    };
    let steps = trace.steps.iter();
    steps.map(|step| format!("{}: {}", step.label(), ids(step))).collect()
}

fn asked(record: Recorded) -> (Trace, Vec<String>) {
    let line = line();
    let trace = line.asked(0, question(&[("d", &[(4, 7)])]), Ok(record), 0.0).trace;
    let notes = line.places.take_notes().into_iter();
    (trace, notes.map(|note| note.to_string()).collect())
}

fn stage(name: &str, step: Step, texts: &[&str]) -> RecordedStage {
    let hits = texts.iter().map(|text| context(text, None, None));
    RecordedStage::new(name, step, hits.collect())
}

fn of(stages: Vec<RecordedStage>) -> Recorded {
    Recorded { stages, answer: Some(RecordedAttempt::default()), ..recorded(vec![]) }
}

#[test]
fn each_stage_is_a_step_with_its_own_name_and_query() {
    let rewritten = RecordedStage {
        query: Some("rewritten".to_owned()),
        seconds: Some(0.5),
        ..stage("agent", Step::External, &["one", "two"])
    };
    let same = RecordedStage {
        query: Some("which? ".to_owned()),
        ..stage("agent", Step::External, &["three"])
    };
    let (trace, notes) = asked(of(vec![
        rewritten,
        same,
        stage("fused", Step::Fused, &["two", "one", "three"]),
        stage("packed", Step::Packed, &["two"]),
    ]));
    assert_eq!(
        steps(&trace),
        ["agent: d#0-3 d#4-7", "agent: d#8-13", "fused: d#4-7 d#0-3 d#8-13", "packed: d#4-7"]
    );
    let [first, second, fused, _] = &trace.steps[..] else { panic!("four steps") };
    assert_eq!(
        (first.query.as_deref(), first.seconds, second.query.as_deref()),
        (Some("rewritten"), 0.5, None)
    );
    assert_eq!((fused.name.as_deref(), notes.len()), (None, 0));
    assert_eq!(trace.retrievers().count(), 2);
}

#[test]
fn packed_passages_that_were_no_candidates_support() {
    let (trace, _) = asked(of(vec![
        stage("bm25", Step::Bm25, &["one"]),
        stage("packed", Step::Packed, &["one", "two"]),
    ]));
    assert_eq!(steps(&trace), ["bm25: d#0-3", "packed: d#0-3 d#4-7"]);
}

#[test]
fn a_k_alone_packs_the_first_of_the_last_ranking() {
    let packed = RecordedStage {
        hits: None,
        k: Some(1),
        ..RecordedStage::new("packed", Step::Packed, vec![])
    };
    let reranked = stage("reranked", Step::Reranked, &["two", "one"]);
    let (trace, _) = asked(of(vec![reranked, packed]));
    assert_eq!(steps(&trace)[1], "packed: d#4-7");
    assert_eq!(trace.steps[1].k, Some(1));
}

#[test]
fn without_answers_the_first_k_of_one_order_count_as_packed() {
    let bm25 = || stage("bm25", Step::Bm25, &["one", "two"]);
    let of_retrieval = |stages| Recorded { answer: None, ..of(stages) };
    let (trace, _) = asked(of_retrieval(vec![bm25()]));
    assert_eq!(steps(&trace)[1], "packed: d#0-3 d#4-7");
    assert_eq!(trace.steps[1].k, Some(5), "of the settings");
    // Two retrievers without a fusion have no order; with answers, there was a prompt.
    let two = vec![bm25(), stage("dense", Step::Dense, &["two"])];
    assert!(asked(of_retrieval(two)).0.step(Step::Packed).is_none());
    assert!(asked(of(vec![bm25()])).0.step(Step::Packed).is_none());
}

#[test]
fn a_prompt_selects_from_the_last_order_or_from_all_candidates() {
    let texts = [
        "alpha beta gamma delta epsilon!",
        "zeta eta theta iota kappa",
        "same words again in another text",
    ];
    let prompt = format!("Use:\n{}\n{}\nWhich?", texts[2], texts[0]);
    let with_prompt = |stages| Recorded { prompt: Some(prompt.clone()), ..of(stages) };
    let (trace, notes) = asked(with_prompt(vec![
        stage("bm25", Step::Bm25, &texts[..2]),
        stage("dense", Step::Dense, &texts[1..]),
    ]));
    assert_eq!(steps(&trace)[2], "packed: g#0-32 f#0-31");
    assert_eq!(notes.len(), 1, "{notes:?}");
    // Also where only their number is recorded.
    let two = RecordedStage { hits: None, k: Some(2), ..stage("packed", Step::Packed, &[]) };
    let (trace, _) = asked(with_prompt(vec![stage("bm25", Step::Bm25, &texts), two]));
    assert_eq!((steps(&trace)[1].as_str(), trace.steps[1].k), ("packed: g#0-32 f#0-31", Some(2)));
    let (trace, notes) = asked(with_prompt(vec![
        stage("bm25", Step::Bm25, &texts),
        stage("reranked", Step::Reranked, &texts[1..2]),
    ]));
    assert!(trace.step(Step::Packed).is_none());
    assert_eq!(
        notes,
        [
            "1 question whose `prompt` contains no passage of its stages: what was packed is not known"
        ]
    );
}

#[test]
fn ranges_and_offsets_are_placed_and_counted() {
    let range = |start, end, text: Option<&str>| RecordedHit {
        doc_id: Some("d".to_owned()),
        start: Some(start),
        end: Some(end),
        text: text.map(str::to_owned),
        ..RecordedHit::default()
    };
    let hits = vec![
        range(4, 7, None),
        range(8, 13, Some("three")),
        range(0, 5, Some("five")),
        range(20, 90, None),
        RecordedHit { doc_id: None, ..range(2, 5, Some("one")) },
    ];
    let packed = RecordedStage::new("packed", Step::Packed, hits);
    let (trace, notes) = asked(of(vec![packed]));
    assert_eq!(steps(&trace), ["packed: d#4-7 d#8-13 d#19-23 d#~20-90 d#0-3"]);
    assert_eq!(
        notes,
        [
            "1 context whose offsets are beyond its document, without text",
            "1 context whose text is not at its offsets, located by the text",
            "1 context with offsets in no known document, located by its text"
        ]
    );
}
