//! `ragtriage score`: files of other systems in, tables and JSON out, bad files refused.

use std::io::Write;
use std::process::Stdio;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::project::{Outcome, Project, outcome};

/// Two judged queries and one more; q2 has two relevant documents, q3 none.
const QRELS: &str = "q1 0 a 1\nq1 0 b 0\nq2 0 c 1\nq2 0 d 3\nq3 0 a 0\n";
/// q1: relevant at rank 2. q2: the document of grade 3 first. q9 is not judged.
const RUN: &str = "q1 Q0 x 1 3 mine\nq1 Q0 a 2 2 mine\nq2 Q0 d 1 1 mine\nq9 Q0 a 1 1 mine\n";

fn project() -> Project {
    Project::of(&[("q.rels", QRELS), ("r.trec", RUN)])
}

fn scored(project: &Project, args: &[&str]) -> Outcome {
    let outcome = project.call(&[&["score"], args].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    outcome
}

fn json(project: &Project, args: &[&str]) -> Value {
    serde_json::from_str(&scored(project, &[args, &["--json"]].concat()).stdout).expect("JSON")
}

fn mean(scored: &Value, metric: &str) -> f64 {
    scored["files"][0]["metrics"][metric]["mean"].as_f64().expect("a mean")
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found}, expected {expected}");
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).expect("in memory");
    encoder.finish().expect("in memory")
}

#[test]
fn a_table_has_a_column_a_run_and_says_what_was_left_out() {
    let project = project();
    project.write("other.trec", "q1 Q0 a 1 1 t\nq2 Q0 c 1 2 t\nq2 Q0 d 2 1 t\nq3 Q0 b 1 1 t\n");
    let args = [
        "--run",
        "r.trec",
        "other.trec",
        "--qrels",
        "q.rels",
        "-m",
        "RR,P@1",
        "-m",
        "MedianRank",
        "--resamples",
        "0",
    ];
    let outcome = scored(&project, &args);
    // r: RR (1/2 + 1 + 0)/3, P@1 (0 + 1 + 0)/3, ranks 2, 1, none. other: RR and P@1 (1 + 1 + 0)/3, ranks 1, 1, none.
    let expected = [
        "              n  r.trec  other.trec",
        "  RR          3  0.5000      0.6667",
        "  P@1         3  0.3333      0.6667",
        "  MedianRank  3  2.0000      1.0000",
    ];
    assert_eq!(outcome.stdout.lines().collect::<Vec<_>>(), expected);
    let expected = [
        "warning: `r.trec`: queries without judgments, left out: 1",
        "warning: `r.trec`: judged queries that it does not have, score 0: 1",
        "warning: `r.trec`: judged queries of which nothing is relevant, score 0: 1",
        "warning: `other.trec`: judged queries of which nothing is relevant, score 0: 1",
    ];
    assert_eq!(outcome.stderr.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn json_holds_means_intervals_warnings_and_each_query() {
    let project = project();
    let args = ["--run", "r.trec", "--qrels", "q.rels", "-m", "RR", "MedianRank", "--per-query"];
    let scored = json(&project, &args);
    let file = &scored["files"][0];
    assert_eq!(
        (&file["name"], &file["tag"], &file["n"]),
        (&"r.trec".into(), &"mine".into(), &3.into())
    );
    // Means of three of (1/2, 1, 0) lie in 0..=1; two quantiles of them are its interval.
    let (low, high) = (&file["metrics"]["RR"]["ci95"][0], &file["metrics"]["RR"]["ci95"][1]);
    assert_eq!((low, high), (&0.0.into(), &1.0.into()));
    assert_eq!(file["metrics"]["MedianRank"]["mean"], 2.0);
    assert_eq!(file["queries"]["q1"]["RR"], 0.5);
    assert_eq!(file["queries"]["q3"], serde_json::json!({"RR": 0.0, "MedianRank": null}));
    assert_eq!(
        file["warnings"],
        serde_json::json!({"queries_without_judgments": 1, "queries_missing": 1, "queries_without_relevant": 1})
    );
    assert!(json(&project, &args[..6])["files"][0].get("queries").is_none());
}

#[test]
fn standard_input_gives_the_same_numbers() {
    let project = project();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("ragtriage"));
    command
        .current_dir(project.path(""))
        .args(["score", "--run", "-", "--qrels", "q.rels", "--json"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    child.stdin.take().expect("piped").write_all(&gzip(RUN)).expect("read");
    let piped = outcome(&child.wait_with_output().expect("ends"));
    let piped: Value = serde_json::from_str(&piped.stdout).expect("JSON");
    assert_eq!(piped["files"][0]["name"], "standard input");
    assert_eq!(
        piped["files"][0]["metrics"],
        json(&project, &["--run", "r.trec", "--qrels", "q.rels"])["files"][0]["metrics"]
    );
}

/// A run and qrels over queries with so many relevant documents, five retrieved, those at these ranks relevant.
fn textbook(queries: &[(&str, usize, &[usize])]) -> Project {
    let (mut qrels, mut run) = (Vec::new(), Vec::new());
    for (query, n_relevant, hits) in queries {
        qrels.extend((1..=*n_relevant).map(|i| format!("{query} 0 r{i} 1")));
        for rank in 1..=5 {
            let hit = hits.iter().position(|hit| *hit == rank);
            let document = hit.map_or(format!("x{rank}"), |i| format!("r{}", i + 1));
            run.push(format!("{query} Q0 {document} {rank} {} t", 10 - rank));
        }
    }
    Project::of(&[("q.rels", &qrels.join("\n")), ("r.trec", &run.join("\n"))])
}

#[test]
fn worked_examples_come_out_of_files() {
    // 5 retrieved of which 2 relevant, 6 relevant in 10,000: accuracy (2 + 10,000 - 5 - 4) / 10,000 = .9993, precision .4,
    // recall .333, F1 2 * .4 * .333 / .733 = .364.
    let project = textbook(&[("q", 6, &[1, 3])]);
    let metrics = "Accuracy@5,P@5,Recall@5,SetF1@5";
    let scored = json(
        &project,
        &["--run", "r.trec", "--qrels", "q.rels", "-m", metrics, "--documents", "10000"],
    );
    for (metric, expected) in
        [("Accuracy@5", 0.9993), ("P@5", 0.4), ("Recall@5", 1.0 / 3.0), ("SetF1@5", 4.0 / 11.0)]
    {
        near(mean(&scored, metric), expected);
    }
    // APs: hit 1 of 2 relevant 1/2; hits 2, 4 of 2 (1/2 + 2/4)/2 = 1/2; hits 4, 5 of 3 (1/4 + 2/5)/3 = .2167: MAP .4056.
    // First hits at 1, 2, 4: MRR (1 + 1/2 + 1/4)/3 = .583, median 2.
    let project = textbook(&[("a", 2, &[1]), ("b", 2, &[2, 4]), ("c", 3, &[4, 5])]);
    let scored =
        json(&project, &["--run", "r.trec", "--qrels", "q.rels", "-m", "AP,RR,MedianRank"]);
    near(mean(&scored, "AP"), (0.5 + 0.5 + 0.65 / 3.0) / 3.0);
    near(mean(&scored, "RR"), 1.75 / 3.0);
    assert_eq!(scored["files"][0]["metrics"]["MedianRank"]["mean"], 2.0);
}

const SQUAD2: &str = r#"{"version": "v2.0", "data": [{"title": "T", "paragraphs": [{"context": "c", "qas": [
  {"id": "a", "question": "?", "is_impossible": false, "answers": [{"text": "18 May", "answer_start": 0}]},
  {"id": "b", "question": "?", "is_impossible": true, "answers": []},
  {"id": "c", "question": "?", "is_impossible": true, "answers": []},
  {"id": "d", "question": "?", "is_impossible": false, "answers": [{"text": "the", "answer_start": 0}]}]}]}]}"#;

#[test]
fn squad_2_predictions_are_split_by_answerability() {
    let project = Project::of(&[
        ("gold.json", SQUAD2),
        ("p.json", r#"{"a": "about 18 May", "b": "", "c": "x", "d": "", "z": "y"}"#),
    ]);
    let args = ["--predictions", "p.json", "--gold", "gold.json"];
    let scored = json(&project, &args);
    // a: 2 of 3 tokens shared with a gold of 2, F1 .8. b: rightly empty. c: wrongly answered. d: its only gold normalises to
    // nothing, so evaluate-v2.0.py compares with "": 1, among those that have an answer.
    near(mean(&scored, "AnswerEM"), 2.0 / 4.0);
    near(mean(&scored, "AnswerF1"), 2.8 / 4.0);
    near(mean(&scored, "AnswerEM(HasAns)"), 0.5);
    near(mean(&scored, "AnswerF1(HasAns)"), 0.9);
    near(mean(&scored, "AnswerEM(NoAns)"), 0.5);
    near(mean(&scored, "AnswerF1(NoAns)"), 0.5);
    assert_eq!(scored["scorer"], "squad2");
    assert_eq!(
        scored["files"][0]["warnings"],
        serde_json::json!({"predictions_of_unknown_ids": 1})
    );
    // One paragraph is one cluster, and one cluster has no interval.
    assert_eq!(
        (&scored["files"][0]["n_clusters"], &scored["files"][0]["metrics"]["AnswerF1"]["ci95"]),
        (&1.into(), &Value::Null)
    );

    let outcome = project.refused(&[
        "score",
        "--predictions",
        "p.json",
        "--gold",
        "gold.json",
        "--scorer",
        "squad",
    ]);
    assert!(
        outcome
            .stderr
            .starts_with("error: `gold.json` line 3: question `b` has no gold answer\nhint: "),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_missing_or_null_answer_scores_0_unless_only_answered_ones_are_asked_for() {
    let gold = r#"[{"_id": "a", "answer": "yes"}, {"_id": "b", "answer": "no"}, {"_id": "c", "answer": "Ann"}]"#;
    let project = Project::of(&[
        ("gold.json", gold),
        ("p.json", r#"{"answer": {"a": "Yes.", "b": null}, "sp": {}}"#),
    ]);
    let args = ["--predictions", "p.json", "--gold", "gold.json"];
    let all = json(&project, &args);
    near(mean(&all, "AnswerEM"), 1.0 / 3.0);
    assert_eq!(all["scorer"], "hotpotqa");
    assert_eq!(
        all["files"][0]["warnings"],
        serde_json::json!({"predictions_missing": 1, "predictions_null": 1})
    );
    let answered = json(&project, &[&args[..], &["--intersect"]].concat());
    near(mean(&answered, "AnswerEM"), 1.0);
    assert_eq!(answered["files"][0]["n"], 1);
}

#[test]
fn bad_files_are_refused_with_file_and_line() {
    let project = project();
    project.write("gold.json", SQUAD2);
    for (text, error) in [
        ("q1 Q0 a 1 nan t\n", "error: `bad.trec` line 1: score `nan` is not a number"),
        ("q7 Q0 a 1 1 t\n", "error: `bad.trec` and `q.rels` have no query in common"),
    ] {
        project.write("bad.trec", text);
        project.refuses_with_some_hint(&["score", "--run", "bad.trec", "--qrels", "q.rels"], error);
    }
    project.write("bad.rels", "q1 0 a one\n");
    project.refuses_with_some_hint(
        &["score", "--run", "r.trec", "--qrels", "bad.rels"],
        "error: `bad.rels` line 1: grade `one` is not an integer",
    );
    for (text, error) in [
        ("{\"a\": 5}", "error: `bad.json` line 1: `a` holds no answer: a text, or null"),
        ("{\"z\": \"y\"}", "error: `bad.json` and `gold.json` have no question in common"),
    ] {
        project.write("bad.json", text);
        project.refuses_with_some_hint(
            &["score", "--predictions", "bad.json", "--gold", "gold.json"],
            error,
        );
    }
}

#[test]
fn metrics_that_files_do_not_give_are_refused() {
    let project = project();
    let refused = |metric: &str, error: &str| {
        project.refuses_with_some_hint(
            &["score", "--run", "r.trec", "--qrels", "q.rels", "-m", metric],
            error,
        );
    };
    refused("EM@5", "error: `EM@5` cannot be computed from a run and qrels");
    refused("P@prompt", "error: `P@prompt` cannot be computed from a run and qrels");
    refused("Recall@1000t", "error: `Recall@1000t` cannot be computed from a run and qrels");
    refused("AnswerF1", "error: `AnswerF1` cannot be computed from a run and qrels");
    refused("Fallout@5", "error: `Fallout@5` needs the size of the corpus");
    refused("ndcg@10", "error: unknown metric `ndcg@10`; did you mean `nDCG@10`?");
    project.write("gold.json", SQUAD2);
    project.write("p.json", "{\"a\": \"x\"}");
    for metric in ["RR", "AnswerCorrect", "Groundedness"] {
        let files = ["score", "--predictions", "p.json", "--gold", "gold.json"];
        project.refuses_with_some_hint(
            &[&files[..], &["-m", metric]].concat(),
            &format!("error: `{metric}` cannot be computed from predictions and gold answers"),
        );
    }
}
