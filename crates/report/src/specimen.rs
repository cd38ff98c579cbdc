//! A small run to draw in tests: four questions, one of each fate.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use ragtriage_core::attribute::judge::Judge;
use ragtriage_core::measure::Measure;
use ragtriage_core::measure::answer::Flavour;
use ragtriage_core::types::{Passage, Trace};
use ragtriage_eval::summary::EvaluationPlan;
use ragtriage_runs::{Manifest, SavedRun};

/// What hostile data is made of.
pub const EVIL: &str = "</script></style><script>alert(1)</script><img src=x onerror=alert(1)>\u{202e}\u{1b}[31m\u{7}\"'&";
/// Bytes of the gold passage.
const GOLD: &str = "It was on 18 May.";

/// How the run is judged: k is 1.
pub fn plan() -> EvaluationPlan {
    EvaluationPlan {
        measures: Measure::standard(&[1, 2]),
        k: 1,
        judge: Judge {
            flavour: Flavour::Squad2,
            correct_f1: 0.6,
        },
        resamples: 200,
        seed: 1,
        cluster: false,
    }
}

/// Right; lost by retrieval; lost by ranking; the generator's. Everything that data gives holds `name`.
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

/// The same without a generator.
pub fn without_answers(name: &str) -> SavedRun {
    let mut run = run(name);
    run.traces.iter_mut().for_each(|trace| trace.arms.clear());
    run
}

/// A run of no question.
pub fn empty() -> SavedRun {
    saved(Vec::new(), "empty")
}

/// A run whose rankings and answers were recorded elsewhere.
pub fn imported(name: &str) -> SavedRun {
    let mut run = run(name);
    run.manifest.external =
        serde_json::from_value(json!({"kind": "record", "from": format!("{name}.jsonl")}))
            .expect("a source");
    (run.manifest.n_chunks, run.manifest.seconds) = (0, BTreeMap::new());
    for trace in &mut run.traces {
        trace.stages[0].stage = ragtriage_core::types::Stage::External;
    }
    run
}

fn saved(traces: Vec<Trace>, name: &str) -> SavedRun {
    let passage = |id: &str, text: &str| {
        let doc = &id[..1];
        let passage =
            json!({"id": id, "doc": doc, "title": name, "range": [0, text.len()], "text": text});
        let passage: Passage = serde_json::from_value(passage).expect("a passage");
        (passage.id.clone(), passage)
    };
    let passages = [passage("d#0", GOLD), passage("e#0", "It was in Ghent.")].into();
    SavedRun {
        manifest: manifest(traces.len(), name),
        traces,
        passages,
    }
}

/// The record of a run of `n` questions.
pub fn manifest(n: usize, name: &str) -> Manifest {
    let settings = json!({
        "dataset": {"format": "files", "path": name},
        "retrieval": {"retrievers": ["bm25"], "k": 1, "bm25": {"k1": 1.2}},
        "generation": {"generator": "openai", "model": name, "api_key_env": "MY_SECRET_NAME", "headers_env": {"x": "MY_HEADER_NAME"}},
        "evaluation": {"ks": [1, 2]},
    });
    serde_json::from_value(json!({
        "schema": 1, "name": name, "version": "0.1.0", "versions": {"analyser": "1"}, "git_commit": "0123456789abcdef-dirty",
        "started": "2026-01-02T03:04:05Z", "finished": "2026-01-02T03:05:05Z", "config": name, "settings": settings,
        "dataset": name, "dataset_digest": "ab".repeat(32), "notes": [name], "n_documents": 2, "n_chunks": 2,
        "chunk_tokens": 10, "n_questions": n,
        "models": [{"role": "dense", "name": name, "sha256": {"model.safetensors": "cd".repeat(32)}}],
        "seed": 0, "vector_search": "", "seconds": {"load": 0.25, "bm25": 1.5}, "prompt_tokens": 40, "completion_tokens": 8,
        "cost_usd": 0.125, "vectors_cached": 0, "vectors_computed": 0,
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
    let arms: Vec<Value> = answer
        .iter()
        .map(|answer| json!({"arm": "retrieved", "attempts": [attempt(answer)]}))
        .collect();
    serde_json::from_value(json!({
        "index": index,
        "question": {"id": format!("q{index}{name}"), "text": format!("When {name}?"), "kind": "span",
                     "answers": ["18 May", name], "evidence": [[{"doc": "d", "ranges": [range]}]], "relevant": {"d": 1}, "tags": [name]},
        "gold": {"documents": support, "chunks": support, "groups": [[gold]]},
        "stages": [
            {"stage": "bm25", "hits": all, "support": support, "seconds": 0.25},
            {"stage": "packed", "hits": all[..1], "support": support, "seconds": 0.0},
        ],
        "arms": arms,
        "class": "correct",
        "reason": "",
    }))
    .expect("a trace")
}
