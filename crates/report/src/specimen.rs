//! Small runs to draw in tests: four questions, one of each fate, and sixteen that fill every section of a report.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::document::TableCell;
use ragtriage_core::correctness::Judge;
use ragtriage_core::language::Language;
use ragtriage_core::metric::Metric;
use ragtriage_core::metric::answer::Scorer;
use ragtriage_core::types::{Passage, Trace};
use ragtriage_data::run::judged::Decided;
use ragtriage_data::run::{Manifest, SavedRun};
use ragtriage_eval::summary::EvaluationPlan;

impl PartialEq<&str> for TableCell {
    fn eq(&self, other: &&str) -> bool {
        self.text == *other && self.detail.is_empty()
    }
}

/// Hostile text of a data set.
pub const EVIL: &str = "</script></style><script>alert(1)</script><img src=x onerror=alert(1)>\u{202e}\u{1b}[31m\u{7}\"'&";
/// Bytes of the gold passage.
const GOLD: &str = "It was on 18 May.";

/// Settings of the evaluation, with k = 1.
pub fn plan() -> EvaluationPlan {
    EvaluationPlan {
        metrics: Metric::standard(&[1, 2]),
        k: 1,
        judge: Judge { scorer: Scorer::Squad2, language: Language::english() },
        resamples: 200,
        seed: 1,
    }
}

/// Correct; lost by retrieval; lost by ranking; the generator's. Everything that data gives holds `name`.
pub fn run(name: &str) -> SavedRun {
    let ranked: [&[(&str, f64)]; 4] = [
        &[("d#0", 3.0), ("e#0", 1.0)],
        &[("e#0", 2.0)],
        &[("e#0", 2.5), ("d#0", 1.5)],
        &[("d#0", 4.0)],
    ];
    let answers = ["18 May", "1815", "1815", "1815"];
    let traces = ranked
        .iter()
        .zip(answers)
        .enumerate()
        .map(|(at, (hits, answer))| trace(at, name, hits, Some(answer)));
    saved(traces.collect(), name)
}

/// Returns [`run`] without a generator.
pub fn without_answers(name: &str) -> SavedRun {
    let mut run = run(name);
    run.traces.iter_mut().for_each(|trace| trace.conditions.clear());
    run
}

/// A run of no question.
pub fn empty() -> SavedRun {
    saved(Vec::new(), "empty")
}

/// An imported run.
pub fn imported(name: &str) -> SavedRun {
    let mut run = run(name);
    run.manifest.external =
        serde_json::from_value(json!({"kind": "results", "from": format!("{name}.jsonl")}))
            .expect("a source");
    (run.manifest.n_chunks, run.manifest.seconds) = (0, BTreeMap::new());
    for trace in &mut run.traces {
        trace.steps[0].step = ragtriage_core::types::Step::External;
    }
    run
}

fn saved(traces: Vec<Trace>, name: &str) -> SavedRun {
    let passages = [passage("d#0", GOLD, name), passage("e#0", "It was in Ghent.", name)];
    SavedRun {
        manifest: manifest(traces.len(), name),
        traces,
        passages: passages.map(|passage| (passage.id.clone(), passage)).into(),
        decided: Decided::default(),
    }
}

fn passage(id: &str, text: &str, title: &str) -> Passage {
    let (doc, _) = id.split_once('#').expect("a number");
    let range = [0, text.len()];
    serde_json::from_value(
        json!({"id": id, "doc": doc, "title": title, "range": range, "text": text, "tokens": 10}),
    )
    .expect("a passage")
}

/// The manifest of a run of `n` questions.
pub fn manifest(n: usize, name: &str) -> Manifest {
    let settings = json!({
        "dataset": {"format": "files", "path": name},
        "retrieval": {"retrievers": ["bm25"], "k": 1, "bm25": {"k1": 1.2}},
        "generation": {"generator": "openai", "model": name, "api_key_env": "MY_SECRET_NAME", "headers_env": {"x": "MY_HEADER_NAME"}},
        "evaluation": {"ks": [1, 2]},
    });
    serde_json::from_value(json!({
        "schema": ragtriage_data::run::SCHEMA, "name": name, "version": "0.1.0", "versions": {"analyser": "1"}, "git_commit": "0123456789abcdef-dirty",
        "started": "2026-01-02T03:04:05Z", "finished": "2026-01-02T03:05:05Z", "config": name, "settings": settings,
        "dataset": name, "dataset_digest": "ab".repeat(32), "notes": [{"count": 1, "what": name}], "n_documents": 2, "n_chunks": 2,
        "chunk_tokens": 10, "n_questions": n,
        "models": [{"role": "dense", "name": name, "sha256": {"model.safetensors": "cd".repeat(32)}}],
        "seed": 0, "seconds": {"load": 0.25, "bm25": 1.5},
        "vectors_cached": 0, "vectors_computed": 0,
    }))
    .expect("a record")
}

fn trace(index: usize, name: &str, hits: &[(&str, f64)], answer: Option<&str>) -> Trace {
    let support = json!({"holds": true, "rule": "ranges"});
    let hit = |(id, score): &(&str, f64)| json!({"id": id, "score": score});
    let all: Vec<Value> = hits.iter().map(hit).collect();
    let range = json!([0, GOLD.len()]);
    let gold = json!({"doc": "d", "present": true, "needed": [range], "chunks": ["d#0"]});
    let attempt = |answer: &str| {
        json!({"passages": [], "raw": answer, "extracted": answer, "stance": "answered", "finish": "stop",
               "tokens": {"prompt": 10, "completion": 2}, "cost_usd": 0.03125, "seconds": 0.5})
    };
    let conditions: Vec<Value> = answer
        .iter()
        .map(|answer| json!({"condition": "retrieved", "attempts": [attempt(answer)]}))
        .collect();
    serde_json::from_value(json!({
        "index": index,
        "question": {"id": format!("q{index}{name}"), "text": format!("When {name}?"), "kind": "span",
                     "answers": ["18 May", name], "evidence": [[{"doc": "d", "ranges": [range]}]], "relevant": {"d": 1}, "tags": [name]},
        "gold": {"documents": support, "chunks": support, "groups": [[gold]]},
        "stages": [
            {"stage": "bm25", "hits": all, "seconds": 0.25},
            {"stage": "packed", "hits": all[..1], "seconds": 0.0},
        ],
        "conditions": conditions,
    }))
    .expect("a trace")
}

/// The fate of a question of a [`sample`]: the rank of its gold passage and the answer of each condition.
struct Fate {
    hits: &'static [(&'static str, f64)],
    retrieved: &'static str,
    again: &'static str,
    oracle: &'static str,
    gold_with_distractors: &'static str,
    closed_book: &'static str,
}

/// `GOLD` means the question's own gold passage, `SECOND` for the one of its second hop.
const FATES: [Fate; 8] = [
    fate(&[("GOLD", 3.0), ("e#0", 1.0)], ["18 May", "18 May", "18 May", "18 May", ""]),
    fate(&[("GOLD", 3.0), ("SECOND", 1.0)], ["18 May", "1815", "18 May", "18 May", "18 May"]),
    fate(&[("e#0", 3.0), ("GOLD", 1.0)], ["1815", "1815", "18 May", "18 May", ""]),
    fate(&[("e#0", 3.0)], ["1815", "", "18 May", "1815", "1815"]),
    fate(&[("GOLD", 2.0), ("e#0", 1.0)], ["1815", "1815", "18 May", "18 May", "18 May"]),
    fate(&[("GOLD", 2.0)], ["1816", "1816", "1816", "1816", "1816"]),
    fate(&[("GOLD", 2.0)], ["", "", "18 May", "", ""]),
    fate(&[("x#0", 2.0), ("e#0", 1.0)], ["18 May", "18 May", "18 May", "18 May", "18 May"]),
];

const fn fate(hits: &'static [(&'static str, f64)], answers: [&'static str; 5]) -> Fate {
    let [retrieved, again, oracle, gold_with_distractors, closed_book] = answers;
    Fate { hits, retrieved, again, oracle, gold_with_distractors, closed_book }
}

/// Sixteen questions in which every section of a report has something to say: each fate twice (from the `shift`th on), hops of one
/// and two, four conditions with a repeat, an unanswerable question and a failed one.
pub fn sample(name: &str, shift: usize) -> SavedRun {
    let mut run = saved(Vec::new(), name);
    run.traces = (0..16).map(|at| sampled(at, &FATES[(at + shift) % FATES.len()])).collect();
    for at in 0..16 {
        for id in [format!("d{at}#0"), format!("f{at}#0")] {
            let passage = passage(&id, GOLD, name);
            run.passages.insert(passage.id.clone(), passage);
        }
    }
    let elsewhere = passage("x#0", "On 18 May it rained.", name);
    run.passages.insert(elsewhere.id.clone(), elsewhere);
    run.manifest.n_questions = 17;
    (run.manifest.n_documents, run.manifest.n_chunks) = (34, 34);
    run.manifest.truncation = serde_json::from_value(json!([
        {"retriever": "dense", "what": "chunks", "n_texts": 34, "n_cut": 2, "n_tokens": 340, "n_lost": 12},
    ]))
    .expect("a list");
    run
}

/// `n` answerable questions with the fates at these places of `FATES` in turn.
pub fn of_fates(fates: &[usize], n: usize) -> SavedRun {
    let mut run = sample("r", 0);
    let each = fates.iter().cycle().enumerate().take(n);
    run.traces = each.map(|(at, fate)| sampled(at + 16, &FATES[*fate])).collect();
    for at in 16..16 + n {
        let passage = passage(&format!("d{at}#0"), GOLD, "r");
        run.passages.insert(passage.id.clone(), passage);
    }
    let manifest = &mut run.manifest;
    (manifest.n_questions, manifest.n_documents, manifest.n_chunks) = (n, 100, 500);
    (manifest.truncation, manifest.notes) = (Vec::new(), Vec::new());
    run
}

/// Removes all evidence and gold answers that a document holds.
pub fn unlabel(run: &mut SavedRun) {
    for trace in &mut run.traces {
        trace.question.evidence.clear();
        trace.question.relevant.clear();
        trace.gold = serde_json::from_value(json!({
            "documents": {"holds": false, "rule": "nothing"}, "chunks": {"holds": false, "rule": "nothing"}, "groups": [],
        }))
        .expect("gold");
    }
}

fn sampled(at: usize, fate: &Fate) -> Trace {
    let groups = if at % 4 == 3 { ["d", "f"].as_slice() } else { &["d"] };
    let docs: Vec<String> = groups.iter().map(|group| format!("{group}{at}")).collect();
    let range = json!([0, GOLD.len()]);
    let is_answerable = at != 14;
    let hits: Vec<Value> = fate
        .hits
        .iter()
        .map(|(id, score)| {
            let id = id.replace("GOLD", &format!("d{at}#0")).replace("SECOND", &format!("f{at}#0"));
            json!({"id": id, "score": score})
        })
        .collect();
    let evidence: Vec<Value> =
        docs.iter().map(|doc| json!([{"doc": doc, "ranges": [range]}])).collect();
    let gold: Vec<Value> = docs
        .iter()
        .map(|doc| json!([{"doc": doc, "present": true, "needed": [range], "chunks": [format!("{doc}#0")] }]))
        .collect();
    let support =
        json!({"holds": is_answerable, "rule": if is_answerable { "ranges" } else { "nothing" }});
    let conditions = [
        ("retrieved", vec![fate.retrieved, fate.again]),
        ("oracle", vec![fate.oracle]),
        ("gold_with_distractors", vec![fate.gold_with_distractors]),
        ("closed_book", vec![fate.closed_book]),
    ];
    let conditions = conditions.map(|(condition, answers)| {
        let attempts: Vec<Value> =
            answers.iter().map(|answer| attempt(answer, &hits, at == 15)).collect();
        json!({"condition": condition, "attempts": attempts})
    });
    serde_json::from_value(json!({
        "index": at,
        "question": {
            "id": format!("q{at}"), "text": format!("When did event {at} happen?"),
            "kind": if is_answerable { "span" } else { "unanswerable" },
            "answers": if is_answerable { vec!["18 May"] } else { vec![] },
            "evidence": if is_answerable { evidence } else { vec![] },
            "relevant": {&docs[0]: 1},
            "tags": [if at.is_multiple_of(2) { "even" } else { "odd" }],
        },
        "gold": {"documents": support, "chunks": support, "groups": if is_answerable { gold } else { vec![] }},
        "stages": [
            {"stage": "bm25", "hits": hits, "seconds": 0.25},
            {"stage": "packed", "hits": hits[..1], "seconds": 0.0},
        ],
        "conditions": conditions,
    }))
    .expect("a trace")
}

fn attempt(answer: &str, hits: &[Value], has_failed: bool) -> Value {
    let mut attempt = json!({
        "passages": [hits[0]["id"]], "raw": answer, "extracted": answer,
        "stance": if answer.is_empty() { "declined" } else { "answered" }, "finish": "stop",
        "tokens": {"prompt": 10, "completion": 2}, "cost_usd": 0.03125, "seconds": 0.5,
    });
    if has_failed {
        attempt["error"] = json!({
            "part": "generator", "kind": "transient", "message": "the endpoint answered with status 500"
        });
    }
    attempt
}
