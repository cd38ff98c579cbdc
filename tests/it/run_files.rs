//! What every run's folder must hold, whatever was run.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::project::Project;
use crate::schema;

const FILES: [&str; 8] = [
    "outcomes.jsonl",
    "passages.jsonl",
    "qrels.trec",
    "report.html",
    "retrieval.trec",
    "run.json",
    "summary.json",
    "traces.jsonl",
];

/// The keys that every summary has.
const KEYS: [&str; 12] = [
    "schema",
    "n_questions",
    "metrics",
    "classes",
    "flags",
    "two_by_two",
    "losses",
    "verdict",
    "tokens",
    "cost_usd",
    "seconds",
    "costs",
];

const CLASSES: [&str; 15] = [
    "unclear",
    "unsure",
    "not_in_corpus",
    "split",
    "not_retrieved",
    "ranked_low",
    "not_packed",
    "wrong_answer",
    "not_in_prompt",
    "correct",
    "correct_without_evidence",
    "declined",
    "hallucinated",
    "delivered",
    "failed",
];

/// Checks the folder of a finished run, and the record that it was imported from.
pub fn check(project: &Project, name: &str) {
    schema::check_run(project, &format!("runs/{name}"));
    check_files(project, name);
    let summary = project.summary(name);
    check_summary(&summary);
    check_traces(project, name, &summary);
}

/// A summary without its wall times, the only thing that differs between two runs of the same.
pub fn timeless(mut summary: Value) -> Value {
    for key in ["seconds", "costs"] {
        summary.as_object_mut().expect("an object").remove(key);
    }
    summary
}

/// How many questions ended in a class.
pub fn class(summary: &Value, name: &str) -> u64 {
    summary["classes"][name]
        .as_u64()
        .unwrap_or_else(|| panic!("no class {name}: {}", summary["classes"]))
}

/// A metric's mean and n.
pub fn metric(summary: &Value, name: &str) -> (f64, u64) {
    let entry = &summary["metrics"][name];
    (entry["mean"].as_f64().expect("a mean"), entry["n"].as_u64().expect("an n"))
}

fn check_files(project: &Project, name: &str) {
    let folder = project.path(&format!("runs/{name}"));
    let mut found: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("the run's folder") {
        let entry = entry.expect("an entry");
        found.push(entry.file_name().to_string_lossy().into_owned());
        let mode = entry.metadata().expect("there").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{} has mode {mode:o}", entry.path().display());
    }
    found.sort();
    // What a failed question has answers to is kept for a resume.
    if project.traces(name).iter().any(|trace| trace["class"] == "failed") {
        found.retain(|file| file != "replies.jsonl");
    }
    assert_eq!(found, FILES);
}

fn check_summary(summary: &Value) {
    let object = summary.as_object().expect("an object");
    for key in KEYS {
        assert!(object.contains_key(key), "summary.json has no `{key}`");
    }
    let classes = summary["classes"].as_object().expect("an object");
    let mut names: Vec<&str> = classes.keys().map(String::as_str).collect();
    let mut expected = CLASSES.to_vec();
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected);
    let counts: u64 = classes.values().map(|count| count.as_u64().expect("a count")).sum();
    assert_eq!(Some(counts), summary["n_questions"].as_u64(), "every question has one class");

    let budget = &summary["losses"]["budget"];
    let terms = budget["terms"].as_array().expect("a list");
    let sum: f64 = terms.iter().map(|term| term["mean"].as_f64().expect("a number")).sum();
    let loss = budget["loss"].as_f64().expect("a number");
    assert!((sum - loss).abs() < 1e-12, "terms add up to {sum}, the loss is {loss}");

    check_metrics(summary);
    check_pictures(summary);
    check_numbers("", summary);
}

fn check_metrics(summary: &Value) {
    // One cluster of questions has no spread to draw from; a metric may be defined in one cluster of several.
    let no_spread = summary["n_clusters"] == 1;
    for (name, entry) in summary["metrics"].as_object().expect("an object") {
        let (mean, n) = metric(summary, name);
        // Values of an answer are counted, everything else is a share.
        let most = if name == "UnsupportedValues" { f64::INFINITY } else { 1.0 };
        assert!((0.0..=most).contains(&mean), "{name} is {mean}");
        if n < 2 || no_spread {
            assert!(entry["ci95"].is_null(), "{name} over {n} has {}", entry["ci95"]);
        }
        assert!(
            name != "RR" || n < 2 || no_spread || !entry["ci95"].is_null(),
            "{name} over {n} has no interval"
        );
        let bound = |at: usize| entry["ci95"][at].as_f64().unwrap_or(0.0);
        assert!(
            0.0 <= bound(0) && bound(0) <= bound(1) && bound(1) <= most,
            "{name}: {}",
            entry["ci95"]
        );
    }
}

fn check_pictures(summary: &Value) {
    let stages = summary["losses"]["stages"].as_array().expect("a list");
    let counts: Vec<u64> = stages.iter().filter_map(|stage| stage["complete"].as_u64()).collect();
    assert!(counts.is_sorted_by(|a, b| a >= b), "evidence never comes back: {counts:?}");
    let table = &summary["two_by_two"];
    let cells =
        ["hit_correct", "hit_wrong", "hit_unsure", "miss_correct", "miss_wrong", "miss_unsure"];
    let sum: u64 = cells.iter().map(|cell| table[cell]["n"].as_u64().expect("a count")).sum();
    assert_eq!(Some(sum), table["n"].as_u64());
}

/// No null (which is how JSON writes NaN) where a number belongs, and no zero below zero.
fn check_numbers(path: &str, value: &Value) {
    const MAY_BE_NULL: [&str; 10] = [
        "ci95",
        "bottleneck",
        "runner_up",
        "difference",
        "expected_gain",
        "margin",
        "net_ci95",
        "tokens_after",
        "tokens_before",
        "value",
    ];
    match value {
        Value::Null => {
            let key = path.rsplit('.').next().unwrap_or_default();
            // What a record does not show, or without answers.
            let is_unknown = path.contains(".losses.");
            assert!(is_unknown || MAY_BE_NULL.contains(&key), "`{path}` is null");
        }
        Value::Number(number) => {
            let number = number.as_f64().expect("a number");
            assert!(number != 0.0 || number.is_sign_positive(), "`{path}` is -0.0");
        }
        Value::Array(items) => items.iter().for_each(|item| check_numbers(path, item)),
        Value::Object(fields) => {
            fields.iter().for_each(|(key, field)| check_numbers(&format!("{path}.{key}"), field));
        }
        Value::Bool(_) | Value::String(_) => {}
    }
}

fn check_traces(project: &Project, name: &str, summary: &Value) {
    let traces = project.traces(name);
    assert_eq!(Some(traces.len() as u64), summary["n_questions"].as_u64());
    for class in CLASSES {
        let n = traces.iter().filter(|trace| trace["class"] == class).count();
        assert_eq!(summary["classes"][class], n, "{class} in outcomes.jsonl and in summary.json");
    }
    let passages = project.read(&format!("runs/{name}/passages.jsonl"));
    let mut known: Vec<String> =
        passages.lines().map(|line| id(&serde_json::from_str(line).expect("JSON"))).collect();
    known.sort_unstable();
    assert!(known.windows(2).all(|pair| pair[0] != pair[1]), "a passage stands once");
    for (at, trace) in traces.iter().enumerate() {
        assert_eq!(trace["index"], at);
        assert!(!trace["reason"].as_str().expect("a sentence").is_empty());
        for stage in trace["stages"].as_array().expect("a list") {
            check_order(stage);
            let hits = stage["hits"].as_array().expect("a list");
            assert!(
                hits.iter().all(|hit| known.binary_search(&id(hit)).is_ok()),
                "every hit is in passages.jsonl"
            );
        }
    }
}

/// By score descending, ties by id descending, as `trec_eval` sorts.
fn check_order(stage: &Value) {
    let hits = stage["hits"].as_array().expect("a list");
    let key = |hit: &Value| (hit["score"].as_f64().expect("a score"), id(hit));
    for pair in hits.windows(2) {
        let ((first, first_id), (second, second_id)) = (key(&pair[0]), key(&pair[1]));
        let order = first.total_cmp(&second).then(first_id.cmp(&second_id));
        assert!(order.is_gt(), "{}: {pair:?}", stage["stage"]);
    }
}

fn id(value: &Value) -> String {
    value["id"].as_str().expect("an id").to_owned()
}
