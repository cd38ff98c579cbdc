//! Four questions with document labels, searched both ways.

use serde_json::{Value, json};

use crate::document::Report;
use crate::render::terminal;
use crate::run::{self, COLUMNS};
use crate::specimen;
use ragtriage_core::types::{Hnsw, RetrieverName, Trace};
use ragtriage_data::run::judged::Decided;
use ragtriage_data::run::{ApproximateIndex, SavedRun};
use ragtriage_eval::summary::{Evaluation, evaluate};

fn trace(index: usize, approximate: &[&str], exact: Option<&[&str]>) -> Trace {
    let nothing = json!({"holds": false, "rule": "judged"});
    let hits = approximate.iter().map(|id| json!({"id": id, "score": 1.0}));
    let hits: Vec<Value> = hits.collect();
    let dense = json!({"stage": "dense", "hits": hits, "exact_search": exact, "seconds": 0.25});
    let packed = json!({"stage": "packed", "hits": hits, "seconds": 0.0});
    serde_json::from_value(json!({
        "index": index,
        "question": {"id": format!("q{index}"), "text": "When?", "kind": "free", "answers": [], "evidence": [],
                     "relevant": {"a": 1}, "tags": []},
        "gold": {"documents": nothing, "chunks": nothing, "groups": []},
        "stages": [dense, packed],
        "conditions": [],
    }))
    .expect("a trace")
}

/// The relevant document `a` is first in exact search; in approximate search second, lost, first, first.
fn searched(exact: [bool; 4]) -> SavedRun {
    let approximate: [&[&str]; 4] = [&["b#0", "a#0"], &["b#0"], &["a#0", "b#0"], &["a#0", "b#0"]];
    let traces = approximate.iter().zip(exact).enumerate();
    let traces = traces.map(|(index, (hits, is_compared))| {
        trace(index, hits, is_compared.then_some(&["a#0", "b#0"][..]))
    });
    let mut manifest = specimen::manifest(4, "r");
    manifest.n_chunks = 100;
    manifest.settings.retrieval.retrievers = vec![RetrieverName::Dense];
    manifest.approximate =
        vec![ApproximateIndex { retriever: "dense".to_owned(), hnsw: Hnsw::default() }];
    SavedRun {
        manifest,
        traces: traces.collect(),
        passages: [].into(),
        decided: Decided::default(),
    }
}

fn evaluated(run: &SavedRun) -> Evaluation {
    evaluate(run, &specimen::plan())
}

/// Returns a text with every run of white space as one blank.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn first_screen(run: &SavedRun) -> String {
    let screen = terminal::Screen { width: COLUMNS, color: false };
    unwrapped(&run::screen(run, &evaluated(run), &Report::default(), |report| {
        terminal::render(report, screen)
    }))
}

fn full(run: &SavedRun) -> String {
    let wide = terminal::Screen { width: 1000, color: false };
    unwrapped(&terminal::render(&run::report(run, &evaluated(run)), wide))
}

#[test]
fn the_first_screen_warns_of_what_hnsw_lost() {
    let screen = first_screen(&searched([true; 4]));
    // Two of two hits, one of two, two, two.
    let warning = "HNSW found 87.5% of what exact search finds in `dense` (n = 4)";
    assert!(screen.contains(warning), "{screen}");
}

#[test]
fn the_full_report_has_the_remedy_and_the_cost() {
    let text = full(&searched([true; 4]));
    for part in [
        "hint: a graph with a larger `m` and `ef_construct` loses less",
        // Four questions of 0.25 s.
        "search dense 4 0.250 0.250 0.250",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn a_sample_says_its_size_and_none_that_the_loss_is_unknown() {
    // Questions 1 and 2: one of two hits, and two of two.
    let sampled = first_screen(&searched([false, true, true, false]));
    let warning = "HNSW found 75.0% of what exact search finds in `dense` (n = 2; exact search ran for 2 of 4 questions)";
    assert!(sampled.contains(warning), "{sampled}");
    let none = first_screen(&searched([false; 4]));
    let warning = "the loss of HNSW in `dense` is unknown: exact search ran for 0 of 4 questions";
    assert!(none.contains(warning), "{none}");
}

#[test]
fn equal_rankings_are_no_warning() {
    let text = full(&searched([false, false, true, true]));
    assert!(!text.contains("HNSW found"), "{text}");
}
