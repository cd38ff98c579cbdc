//! Public data that the repository does not hold (`ragtriage dataset fetch NAME`), and parity with `HotpotQA`'s official script. A
//! test that needs such data is ignored if it is missing: `build.rs` looks for it, `.ci/run` provides it.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use ragtriage_core::language::Language;
use ragtriage_core::metric::answer::{Scorer, score};
use serde_json::Value;

/// The folder of a fetched data set.
pub fn fetched(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/fetched").join(name)
}

fn json(path: &Path) -> Value {
    serde_json::from_reader(BufReader::new(File::open(path).expect("fetched"))).expect("JSON")
}

/// Expected: `hotpot_evaluate_v1.py` on these files prints em 0.412829169480081, f1 0.5420139876887058.
#[test]
#[cfg_attr(
    not(has_data_qa_scores),
    ignore = "needs datasets/fetched/qa_scores: ragtriage dataset fetch qa_scores --from FOLDER"
)]
fn hotpotqa_answers_score_as_the_official_script_scores_them() {
    let folder = fetched("qa_scores");
    let predictions = json(&folder.join("hotpot_predictions_7405.json"));
    let golds = json(&folder.join("hotpot_dev_gold_7405.json"));
    let golds = golds.as_array().expect("a list");
    let (mut em, mut f1) = (0.0, 0.0);
    for gold in golds {
        let id = gold["_id"].as_str().expect("an id");
        let answer = predictions["answer"][id].as_str().unwrap_or_default();
        let scores = score(
            answer,
            &[gold["answer"].as_str().expect("an answer").to_owned()],
            Scorer::Hotpotqa,
            Language::english(),
        );
        em += scores.em;
        f1 += scores.f1;
    }
    let n = golds.len() as f64;
    assert!((em / n - 0.412_829_169_480_081).abs() < 1e-12, "{}", em / n);
    assert!((f1 / n - 0.542_013_987_688_705_8).abs() < 1e-12, "{}", f1 / n);
}
