//! BM25 and vectors, fused. The seeded tiny BERT has no knowledge: only the machinery is looked at.

use serde_json::Value;

use crate::project::{Project, tiny_bert};
use crate::run_files::{check, timeless};

fn good(project: &Project, name: &str, more: &[&str]) -> Value {
    let bert = tiny_bert();
    project.good(name, &[&["--set", &bert[0], "--set", &bert[1]], more].concat());
    project.json(&format!("runs/{name}/run.json"))
}

#[test]
fn each_trace_keeps_every_stage_and_fusion_adds_up() {
    let project = Project::new();
    let run = good(&project, "r", &[]);
    check(&project, "r");
    assert_eq!(run["models"][0]["role"], "dense");
    for trace in project.traces("r") {
        let stages = trace["stages"].as_array().expect("stages");
        let names: Vec<&str> = stages.iter().filter_map(|stage| stage["stage"].as_str()).collect();
        assert_eq!(names, ["bm25", "dense", "fused", "packed"]);
        for hit in stages[2]["hits"].as_array().expect("hits") {
            // Reciprocal rank fusion: the sum over the retrievers of 1 / (60 + rank), ranks from 1.
            let share = |stage: &Value| {
                let hits = stage["hits"].as_array().expect("hits");
                hits.iter()
                    .position(|other| other["id"] == hit["id"])
                    .map_or(0.0, |at| 1.0 / (61.0 + at as f64))
            };
            let expected = share(&stages[0]) + share(&stages[1]);
            assert!(
                (hit["score"].as_f64().expect("a score") - expected).abs() < 1e-12,
                "{hit}: {expected}"
            );
        }
    }
}

#[test]
fn a_second_run_computes_no_vector() {
    const NONE: [&str; 2] = ["--set", "generation.generator=none"];
    let project = Project::new();
    let counts = |run: &Value| (run["vectors_computed"].as_u64(), run["vectors_cached"].as_u64());
    // Two chunks and two questions.
    assert_eq!(counts(&good(&project, "one", &NONE)), (Some(4), Some(0)));
    // The chunks' stand in the collection, the questions' in the cache.
    assert_eq!(counts(&good(&project, "two", &NONE)), (Some(0), Some(2)));
    // Without the collection all four come from the cache.
    std::fs::remove_dir_all(project.path("cache/collections")).expect("there");
    assert_eq!(counts(&good(&project, "three", &NONE)), (Some(0), Some(4)));
    assert_eq!(timeless(project.summary("one")), timeless(project.summary("two")));
    assert_eq!(timeless(project.summary("one")), timeless(project.summary("three")));
}

#[test]
fn changed_chunks_are_never_answered_from_the_old_collection() {
    let project = Project::new();
    good(&project, "one", &[]);
    project.write(
        "data/corpus.jsonl",
        crate::project::CORPUS.replace("Beta never waits.", "Beta never waits. Gamma does."),
    );
    let run = good(&project, "two", &[]);
    // The chunk of `a` and the two questions are as they were; the chunk of `b` is new.
    assert_eq!((&run["vectors_computed"], &run["vectors_cached"]), (&1.into(), &3.into()));
    assert!(project.read("runs/two/passages.jsonl").contains("Gamma does."));
}

#[test]
fn without_the_cache_nothing_is_read_from_it_or_left_in_it() {
    let project = Project::new();
    good(&project, "cached", &[]);
    let before = project.files("cache");
    good(&project, "fresh", &["--no-cache"]);
    assert_eq!(
        project.files("cache").keys().collect::<Vec<_>>(),
        before.keys().collect::<Vec<_>>()
    );
    assert_eq!(timeless(project.summary("cached")), timeless(project.summary("fresh")));
}

#[test]
fn a_model_named_in_the_settings_file_is_looked_for_from_there() {
    let project = Project::new();
    crate::project::copy_folder(
        &crate::project::repository("tests/data/tiny-bert"),
        &project.path("settings/model"),
    );
    project.write(
        "settings/c.toml",
        "[dataset]\nformat = \"jsonl\"\npath = \"../data\"\n\n[retrieval]\nretrievers = [\"dense\"]\n\n[retrieval.dense]\nmodel = \"./model\"\n",
    );
    let outcome =
        project.call(&["run", "settings/c.toml", "--out", "runs", "--name", "r", "--offline"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    check(&project, "r");
    // sha256sum tests/data/tiny-bert/config.json
    let hash = "6a87bc02ac6adc26d94d33e328985c350fba7597563abdd0d9621cb048ddcb82";
    assert_eq!(project.json("runs/r/run.json")["models"][0]["sha256"]["config.json"], hash);
}

#[test]
fn processes_share_a_cache_that_none_of_them_found_there() {
    let project = Project::new();
    let bert = tiny_bert();
    let spawn = |name: &str| {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("ragtriage"));
        command.args([
            "run", "c.toml", "--out", "runs", "--name", name, "--set", &bert[0], "--set", &bert[1],
        ]);
        command.env_clear().envs(project.environment()).current_dir(project.path("."));
        command
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("starts")
    };
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let children = names.map(spawn);
    for child in children {
        let output = child.wait_with_output().expect("ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    for name in names {
        check(&project, name);
        assert_eq!(timeless(project.summary(name)), timeless(project.summary("a")));
    }
}

#[test]
fn the_recorded_engine_version_is_the_pinned_one() {
    let manifest = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).expect("Cargo.toml");
    let pinned = format!("qdrant-edge = \"={}\"", ragtriage_vectors::QDRANT_EDGE);
    assert!(manifest.contains(&pinned), "Cargo.toml has no `{pinned}`");
}
