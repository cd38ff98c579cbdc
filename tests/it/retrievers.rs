//! Every retriever beside the others by one setting, on the same questions: what each stage of a trace then holds.
//!
//! The seeded tiny models have no knowledge: only the machinery is looked at.

use serde_json::{Value, json};

use crate::project::{Project, RUN, repository, run_with};

/// Twelve documents over four teams, with words shared on purpose.
fn corpus() -> String {
    let texts = [
        "the queue stalls when the broker restarts",
        "restart the broker and drain the queue",
        "payments retry three times before the card is refused",
        "a refused card is shown to the buyer at once",
        "the search index is rebuilt every night",
        "rebuild the search index by hand after a schema change",
        "parcels marked delivered that never arrived are refunded",
        "refunds above fifty euros need a second pair of eyes",
        "the cache is purged at the edge within a minute",
        "purge the edge cache before a price change",
        "tokens expire after an hour and are renewed in silence",
        "renew the token by hand when the clock was wrong",
    ];
    let teams = ["queues", "payments", "search", "delivery", "cdn", "identity"];
    let line = |(at, text): (usize, &&str)| {
        let metadata = json!({"team": teams[at / 2], "year": 2020 + at, "tags": [format!("t{}", at % 3), "all"]});
        json!({"id": format!("d{at:02}"), "text": text, "metadata": metadata}).to_string() + "\n"
    };
    texts.iter().enumerate().map(line).collect()
}

const QUESTIONS: &str = r#"{"id": "q1", "text": "why does the queue stall", "evidence": [[{"doc": "d00"}]]}
{"id": "q2", "text": "how is the search index rebuilt by hand", "evidence": [[{"doc": "d05"}]]}
{"id": "q3", "text": "when is a refused card shown", "evidence": [[{"doc": "d03"}]]}
"#;

const SETTINGS: &str = "[dataset]\nformat = \"jsonl\"\npath = \"data\"\n[chunking]\nstrategy = \"document\"\n\
                        [generation]\ngenerator = \"none\"\n[retrieval]\nretrievers = [\"bm25\"]\n";

fn project() -> Project {
    let corpus = corpus();
    Project::of(&[
        ("c.toml", SETTINGS),
        ("data/corpus.jsonl", &corpus),
        ("data/questions.jsonl", QUESTIONS),
    ])
}

fn run(project: &Project, name: &str, sets: &[&str]) -> Vec<Value> {
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", *set]).collect();
    project.good(name, &sets);
    crate::run_files::check(project, name);
    project.traces(name)
}

fn stage<'a>(trace: &'a Value, name: &str) -> &'a Value {
    let stages = trace["stages"].as_array().expect("stages");
    stages
        .iter()
        .find(|stage| stage["stage"] == name)
        .unwrap_or_else(|| panic!("no stage `{name}`: {trace}"))
}

/// Ids and scores of a stage, best first.
fn hits(trace: &Value, name: &str) -> Vec<(String, f64)> {
    let hits = stage(trace, name)["hits"].as_array().expect("hits");
    let hit = |hit: &Value| {
        (hit["id"].as_str().expect("an id").to_owned(), hit["score"].as_f64().expect("a score"))
    };
    hits.iter().map(hit).collect()
}

fn folder(name: &str) -> String {
    repository(&format!("tests/data/{name}")).display().to_string()
}

fn tiny_dense() -> String {
    format!("retrieval.dense.model='{}'", folder("tiny-bert"))
}

fn tiny_colbert() -> String {
    format!("retrieval.late_interaction.model='{}'", folder("tiny-models/colbert"))
}

#[test]
fn every_retriever_keeps_the_filter_and_finds_all_that_it_lets_through() {
    let project = project();
    let all = "retrieval.retrievers=[\"tfidf\", \"bm25\", \"dense\", \"late_interaction\"]";
    let filter = "retrieval.filter={ year = { gte = 2023, lt = 2030 }, tags = [\"t0\", \"t1\"], team = { not = [\"cdn\"] } }";
    let (dense, colbert) = (tiny_dense(), tiny_colbert());
    let traces = run(&project, "r", &[all, filter, &dense, &colbert]);
    // Years 2023 to 2029 are d03 to d09; t2 are 2, 5, 8, 11; the team `cdn` has d08 and d09.
    let allowed = ["d03#0", "d04#0", "d06#0", "d07#0"];
    for trace in &traces {
        for name in ["tfidf", "bm25", "dense", "late_interaction"] {
            let mut found: Vec<String> = hits(trace, name).into_iter().map(|hit| hit.0).collect();
            assert!(found.iter().all(|id| allowed.contains(&id.as_str())), "{name}: {found:?}");
            // Vectors find everything that is let through, terms only what shares one.
            if matches!(name, "dense" | "late_interaction") {
                found.sort();
                assert_eq!(found, allowed, "{name}");
            }
        }
    }
}

#[test]
fn weighted_fusion_adds_normalised_scores() {
    let project = project();
    let dense = tiny_dense();
    let sets = [
        "retrieval.retrievers=[\"bm25\", \"dense\"]",
        "retrieval.fusion.method=weighted",
        "retrieval.fusion.weights={ bm25 = 0.3, dense = 0.7 }",
        &dense,
    ];
    for trace in run(&project, "r", &sets) {
        // Min-max by hand from the two stages; what a ranking lacks is 0 there.
        let normalised = |name: &str, id: &str| {
            let hits = hits(&trace, name);
            let (high, low) = (hits[0].1, hits[hits.len() - 1].1);
            hits.iter().find(|hit| hit.0 == id).map_or(0.0, |hit| (hit.1 - low) / (high - low))
        };
        let fused = hits(&trace, "fused");
        assert_eq!(fused.len(), 12);
        for (id, score) in fused {
            let expected = 0.3 * normalised("bm25", &id) + 0.7 * normalised("dense", &id);
            assert!((score - expected).abs() < 1e-9, "{id}: {score}, expected {expected}");
        }
    }
}

#[test]
fn what_scores_below_the_least_is_dropped_from_the_final_ranking_only() {
    let project = project();
    let traces = run(&project, "r", &["retrieval.min_score=1.5"]);
    for trace in &traces {
        let all = hits(trace, "bm25");
        let kept = hits(trace, "min_score");
        assert_eq!(kept, all.iter().filter(|hit| hit.1 >= 1.5).cloned().collect::<Vec<_>>());
        assert!(hits(trace, "packed").len() <= kept.len());
    }
    assert!(traces.iter().any(|trace| hits(trace, "min_score").len() < hits(trace, "bm25").len()));
    // With a least that nothing reaches, every question whose gold was a candidate is lost by ranking.
    let none = run(&project, "none", &["retrieval.min_score=1000"]);
    assert!(none.iter().all(|trace| trace["class"] == "ranked_low"), "{none:?}");
}

#[test]
fn a_cross_encoder_orders_the_first_candidates_and_leaves_the_others_below() {
    let project = project();
    let model = format!("rerank.model='{}'", folder("tiny-models/cross-encoder"));
    let traces = run(
        &project,
        "r",
        &[&model, "rerank.depth=5", "retrieval.retrievers=[\"dense\"]", &tiny_dense()],
    );
    for trace in &traces {
        let (before, after) = (hits(trace, "dense"), hits(trace, "reranked"));
        assert_eq!(before.len(), after.len());
        let ids = |hits: &[(String, f64)]| hits.iter().map(|hit| hit.0.clone()).collect::<Vec<_>>();
        let (mut head, mut seen) = (ids(&after[..5]), ids(&before[..5]));
        assert_eq!(ids(&after[5..]), ids(&before[5..]));
        head.sort();
        seen.sort();
        assert_eq!(head, seen);
        for hit in stage(trace, "reranked")["hits"].as_array().expect("hits") {
            let score =
                before.iter().find(|known| hit["id"] == known.0.as_str()).expect("a candidate").1;
            assert_eq!(hit["parts"]["before"], score);
        }
    }
    let record = project.json("runs/r/run.json");
    let roles: Vec<&str> = record["models"]
        .as_array()
        .expect("models")
        .iter()
        .filter_map(|m| m["role"].as_str())
        .collect();
    assert_eq!(roles, ["dense", "rerank"]);
}

#[test]
fn questions_may_have_a_model_of_their_own_and_a_change_there_leaves_the_passages_alone() {
    let project = project();
    let passages = format!("retrieval.dense.model='{}'", folder("tiny-models/dpr-passage"));
    let questions = format!("retrieval.dense.query_model='{}'", folder("tiny-models/dpr-question"));
    let computed = |name: &str, more: &[&str]| {
        run(
            &project,
            name,
            &[&["retrieval.retrievers=[\"dense\"]", &passages, &questions], more].concat(),
        );
        project.json(&format!("runs/{name}/run.json"))["vectors_computed"].as_u64()
    };
    // Twelve chunks and three questions, then the questions alone.
    assert_eq!(computed("first", &[]), Some(15));
    assert_eq!(computed("prefixed", &["retrieval.dense.query_prefix='query: '"]), Some(3));
    let record = project.json("runs/first/run.json");
    let roles: Vec<&str> = record["models"]
        .as_array()
        .expect("models")
        .iter()
        .filter_map(|m| m["role"].as_str())
        .collect();
    assert_eq!(roles, ["dense", "dense, questions"]);
    // DPR compares by the dot product: no cosine is above 1.
    assert!(hits(&project.traces("first")[0], "dense")[0].1.abs() > 1.0);
}

#[test]
fn what_cannot_be_wired_is_refused_before_anything_is_read() {
    let project = project();
    let refused = |set: &str, error: &str| project.refuses_with_some_hint(&run_with(set), error);
    refused(
        "retrieval.retrievers=[\"late_interaction\"]",
        "error: `retrieval.late_interaction.model` is not set",
    );
    refused(
        "retrieval.fusion.weights={ dense = 1.0 }",
        "error: `retrieval.fusion.weights` is dense, which is not in `retrieval.retrievers`",
    );
    refused(
        "rerank.depth=2",
        "error: `rerank.depth` is set, but nothing is reranked without `rerank.model` or `rerank.endpoint`",
    );
    let shallow = [&RUN[..], &["--set", "rerank.depth=2", "--set", "rerank.model=m"]].concat();
    project.refuses_with_some_hint(
        &shallow,
        "error: `rerank.depth` is 2, must be at least `retrieval.k`, which is 5",
    );
    refused(
        "retrieval.dense.dimensions=3",
        "error: `retrieval.dense.dimensions` is set, but only `retrieval.dense.endpoint` uses it",
    );
    refused(
        "retrieval.filter={ team = \"nobody\" }",
        "error: `retrieval.filter` lets none of 12 chunks through",
    );
}
