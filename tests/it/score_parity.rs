//! Scores of files against the tools that define them: `pytrec_eval` and `ir_measures` on random pairs (`tests/data/trec`),
//! `trec_eval`'s own test files and `HotpotQA`'s official script (in `datasets/fetched`; ignored if it is missing).

use std::collections::BTreeMap;
use std::path::Path;

use flate2::read::GzDecoder;
use ragtriage_core::language::Language;
use ragtriage_core::metric::answer::Scorer;
use ragtriage_data::run::external::input::Input;
use ragtriage_data::run::external::qrels::Qrels;
use ragtriage_data::run::external::trec_run::TrecRun;
use ragtriage_eval::files::{FilePlan, score_run};
use serde::Deserialize;

use crate::parity::fetched;
use crate::project::{Project, repository};

#[derive(Deserialize)]
struct Pair {
    level: i32,
    run: String,
    qrels: String,
    expected: BTreeMap<String, Expected>,
}

#[derive(Deserialize)]
struct Expected {
    per_query: BTreeMap<String, f64>,
    all: f64,
    intersection: f64,
}

/// Expected: `tests/data/trec/README.md` says which tool computed what.
#[test]
fn random_pairs_score_as_the_reference_tools_score_them() {
    let file =
        std::fs::File::open(repository("tests/data/trec/random-pairs.json.gz")).expect("kept");
    let pairs: Vec<Pair> = serde_json::from_reader(GzDecoder::new(file)).expect("JSON");
    assert_eq!(pairs.len(), 200);
    for (number, pair) in pairs.into_iter().enumerate() {
        let (run, qrels) = (
            Input::new("run", pair.run).expect("text"),
            Input::new("qrels", pair.qrels).expect("text"),
        );
        let (run, qrels) =
            (TrecRun::parse(&run).expect("a run"), Qrels::parse(&qrels).expect("qrels"));
        let metrics = pair.expected.keys().map(|name| name.parse().expect("a metric")).collect();
        let plan = FilePlan {
            metrics,
            only_shared: false,
            level: pair.level,
            n_documents: None,
            scorer: Scorer::default(),
            language: Language::english(),
            resamples: 0,
            seed: 0,
        };
        let all = score_run(&run, &qrels, &plan).expect("scores");
        let shared =
            score_run(&run, &qrels, &FilePlan { only_shared: true, ..plan }).expect("scores");
        for (at, (name, expected)) in pair.expected.iter().enumerate() {
            let near = |found: f64, expected: f64, of: &str| {
                assert!(
                    (found - expected).abs() < 1e-9,
                    "pair {number}, {name} of {of}: {found}, expected {expected}"
                );
            };
            assert!(all.ids.iter().eq(expected.per_query.keys()), "pair {number}");
            for ((query, value), found) in expected.per_query.iter().zip(&all.columns[at].values) {
                near(found.expect("defined"), *value, query);
            }
            near(all.columns[at].summary.mean, expected.all, "all");
            near(shared.columns[at].summary.mean, expected.intersection, "the intersection");
        }
    }
}

/// Our name of a metric of `trec_eval`, if both have it.
fn shared(name: &str) -> Option<String> {
    let alone = [
        ("map", "AP"),
        ("Rprec", "Rprec"),
        ("recip_rank", "RR"),
        ("ndcg", "nDCG"),
        ("set_F", "SetF1"),
        ("set_recall", "Recall"),
    ];
    let with_k = [
        ("P_", "P"),
        ("recall_", "Recall"),
        ("ndcg_cut_", "nDCG"),
        ("map_cut_", "AP"),
        ("success_", "Success"),
    ];
    if let Some((_, ours)) = alone.iter().find(|(theirs, _)| *theirs == name) {
        return Some((*ours).to_owned());
    }
    with_k.iter().find_map(|(start, ours)| Some(format!("{ours}@{}", name.strip_prefix(start)?)))
}

/// What `trec_eval -m all_trec` prints of ours.
fn all_trec() -> String {
    let mut names = vec![
        "AP",
        "Rprec",
        "RR",
        "nDCG",
        "SetF1",
        "Recall",
        "Success@1",
        "Success@5",
        "Success@10",
    ]
    .into_iter()
    .map(str::to_owned)
    .collect::<Vec<_>>();
    for k in [5, 10, 15, 20, 30, 100, 200, 500, 1000] {
        names.extend(["P", "Recall", "nDCG", "AP"].map(|name| format!("{name}@{k}")));
    }
    names.join(",")
}

/// Compares all values of metrics that both have with those of `file`, to its four decimals; returns their number.
fn compared(folder: &Path, (file, run, qrels): (&str, &str, &str), args: &[&str]) -> usize {
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (run, qrels, metrics) = (path(run), path(qrels), all_trec());
    let fixed =
        ["score", "--run", &run, "--qrels", &qrels, "--per-query", "--json", "-m", &metrics];
    let outcome = Project::new().call(&[&fixed[..], args].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let ours: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let ours = &ours["files"][0];
    let mut n = 0;
    for line in std::fs::read_to_string(folder.join(file)).expect("fetched").lines() {
        let [name, query, value] =
            line.split('\t').collect::<Vec<_>>().try_into().expect("three columns");
        let Some(metric) = shared(name.trim_end()) else { continue };
        let found = match query {
            "all" => &ours["metrics"][&metric]["mean"],
            query => &ours["queries"][query][&metric],
        };
        assert_eq!(format!("{:.4}", found.as_f64().expect("a value")), value, "{file}: {line}");
        n += 1;
    }
    n
}

/// Expected: what the program printed for its authors; `COMMANDS.txt` there says by which command.
#[test]
#[cfg_attr(
    not(has_data_trec_eval),
    ignore = "needs datasets/fetched/trec_eval: ragtriage dataset fetch trec_eval --from FOLDER"
)]
fn trec_evals_own_test_files_come_out_as_it_printed_them() {
    let folder = fetched("trec_eval");
    for (files, args, n_queries) in [
        (("out.test.a", "results.test", "qrels.test"), &[][..], 0),
        (("out.test.aq", "results.test", "qrels.test"), &[], 3),
        (("out.test.aqc", "results.trunc", "qrels.test"), &[], 3),
        (("out.test.aql", "results.test", "qrels.rel_level"), &["--level", "2"], 3),
    ] {
        assert_eq!(compared(&folder, files, args), 45 * (n_queries + 1), "{files:?}");
    }
}

/// Expected: `hotpot_evaluate_v1.py` on these files prints em 0.412829169480081, f1 0.5420139876887058.
#[test]
#[cfg_attr(
    not(has_data_qa_scores),
    ignore = "needs datasets/fetched/qa_scores: ragtriage dataset fetch qa_scores --from FOLDER"
)]
fn hotpotqa_files_score_as_the_official_script_scores_them() {
    let folder = fetched("qa_scores");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (predictions, gold) =
        (path("hotpot_predictions_7405.json"), path("hotpot_dev_gold_7405.json"));
    let outcome =
        Project::new().call(&["score", "--predictions", &predictions, "--gold", &gold, "--json"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let scored: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let metrics = &scored["files"][0]["metrics"];
    for (metric, expected) in
        [("AnswerEM", 0.412_829_169_480_081), ("AnswerF1", 0.542_013_987_688_705_8)]
    {
        let found = metrics[metric]["mean"].as_f64().expect("a mean");
        assert!((found - expected).abs() < 1e-12, "{metric}: {found}");
        assert_eq!(metrics[metric]["n"], 7405);
    }
}
