//! A run scored against qrels: every value is in its range, and the order of lines does not matter.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragtriage_core::language::Language;
use ragtriage_core::metric::answer::Scorer;
use ragtriage_eval::files::{FilePlan, score_run};
use ragtriage_data::run::external::input::Input;
use ragtriage_data::run::external::qrels::Qrels;
use ragtriage_data::run::external::trec_run::TrecRun;

const METRICS: &str = "nDCG nDCG@3 AP AP@3 RR RR@2 Rprec SetF1@2 P@1 P@5 Recall@1 Recall@5 Success@2 Judged@3";

fuzz_target!(|bytes: &[u8]| {
    let folder = ragtriage_fuzz::files(bytes, &["qrels", "run.trec"]);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    let (Some(qrels), Some(run)) = (read("qrels"), read("run.trec")) else { return };
    // A byte order mark is one at the file's beginning alone.
    if [&qrels, &run].iter().any(|text| text.contains('\u{feff}')) {
        return;
    }
    let Some(scores) = values(qrels.clone(), run.clone()) else { return };
    for value in scores.iter().flat_map(|(_, values)| values).flatten() {
        assert!((0.0..=1.0 + 1e-12).contains(value), "{value}");
    }
    let reversed =
        |text: &str| text.lines().rev().map(|line| format!("{line}\n")).collect::<String>();
    assert_eq!(values(reversed(&qrels), reversed(&run)), Some(scores));
});

/// Every query with its values.
fn values(qrels: String, run: String) -> Option<Vec<(String, Vec<Option<f64>>)>> {
    let plan = FilePlan {
        metrics: METRICS
            .split_whitespace()
            .map(|name| name.parse().expect("a metric"))
            .collect(),
        only_shared: false,
        level: 1,
        n_documents: None,
        scorer: Scorer::default(),
        language: Language::english(),
        resamples: 0,
        seed: 0,
    };
    let qrels = Input::new("qrels", qrels).ok()?;
    let run = Input::new("run", run).ok()?;
    let (judged, run) = (Qrels::parse(&qrels).ok()?, TrecRun::parse(&run).ok()?);
    let scores = score_run(&run, &judged, &plan).ok()?;
    let row = |n: usize| scores.columns.iter().map(|column| column.values[n]).collect();
    Some(scores.ids.iter().enumerate().map(|(n, id)| (id.to_string(), row(n))).collect())
}
