//! Retrieval and `EM@k` in seven languages, on `XQuAD` (in `datasets/fetched`; ignored if it is missing).

use std::fs;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::parity::fetched;
use crate::project::Project;
use crate::run_files::{class, metric};

/// Language, hash of its file, minimum of BM25's Recall@5.
const LANGUAGES: [(&str, &str, f64); 7] = [
    ("ar", "abdabd7afed5c635d99cca0f3f0d0c9d9ed0bc77451e963c2e4e0638c29e486d", 0.94),
    ("de", "990b5d746746ed65ed4702ea5f35f99ffa4e2f1c390c07d003642acd937916f9", 0.97),
    ("en", "e4c57d1c9143aaa1c5d265ba5987a65f4e69528d2a98f29d6e75019b10344f29", 0.989),
    ("es", "dcbae93ec3a9f4b9e78fd834a171d6f96c1a875e10e15b7530b7e4ef4971e37e", 0.975),
    ("ru", "208d5b1aa154c52b1b5c5eda16281e455e8fd198cdb9af3f469f0d6037d973bf", 0.95),
    ("th", "5cdda11d0e1e075f7872abf4e6ae830388ce7f617964d542308e9ae4257e0f43", 0.96),
    ("zh", "691d0b3359bc6b8faa8de931dfdfe21d50a65861ae348e32a0d1a0190b0c8835", 0.98),
];

#[test]
#[cfg_attr(
    not(has_data_xquad),
    ignore = "needs datasets/fetched/xquad: ragtriage dataset fetch xquad --from COPY"
)]
fn each_language_is_detected_its_passages_are_found_and_answers_are_seen_in_them() {
    for (code, sha256, least) in LANGUAGES {
        let file = fetched("xquad").join(format!("xquad.{code}.json"));
        let digest = Sha256::digest(fs::read(&file).expect("fetched"));
        assert_eq!(ragtriage_core::text::hex::hex(&digest), sha256, "{code}");
        let config = format!(
            "[dataset]\nformat = \"squad\"\npath = {file:?}\n[retrieval]\nretrievers = [\"bm25\"]\n\
             [generation]\ngenerator = \"none\"\n"
        );
        let project = Project::of(&[("c.toml", &config)]);
        project.good("r", &[]);
        assert_eq!(project.json("runs/r/run.json")["settings"]["dataset"]["language"], code);
        let summary = project.summary("r");
        let mean = |name: &str| metric(&summary, name).0;
        assert!(mean("Recall@5") >= least, "{code}: {}", mean("Recall@5"));
        let gap = mean("EvidenceRecall@prompt") - mean("EM@5");
        assert!(gap.abs() <= 0.02, "{code}: {gap}");
    }
}

/// Language, its sentence around an answer, and its refusal.
const READERS: [(&str, &str, &str); 3] = [
    ("en", "According to the text, it is {}.", "The passages do not say."),
    ("de", "Laut dem Text ist das {}.", "Das geht aus den Textstellen nicht hervor."),
    ("zh", "根据文章，答案是{}。", "文中没有提到这一点。"),
];

/// A reader that has the evidence of every question is correct to a half of them, gives another answer of the passage to a
/// quarter, and declines a quarter.
fn records(file: &std::path::Path, sentence: &str, refusal: &str) -> Vec<Value> {
    let set: Value = serde_json::from_slice(&fs::read(file).expect("fetched")).expect("JSON");
    let list = |value: &Value| value.as_array().expect("an array").clone();
    let mut records = Vec::new();
    for paragraph in list(&set["data"]).iter().flat_map(|article| list(&article["paragraphs"])) {
        let questions = list(&paragraph["qas"]);
        for (at, question) in questions.iter().enumerate() {
            let gold = |at: usize| &questions[at % questions.len()]["answers"][0]["text"];
            let said = |answer: &Value| sentence.replace("{}", answer.as_str().expect("text"));
            let answer = match records.len() % 4 {
                0 => said(gold(at + 1)),
                1 => refusal.to_owned(),
                _ => said(gold(at)),
            };
            let contexts = [&paragraph["context"]];
            records.push(json!({ "id": question["id"], "contexts": contexts, "answer": answer }));
        }
    }
    records
}

#[test]
#[cfg_attr(
    not(has_data_xquad),
    ignore = "needs datasets/fetched/xquad: ragtriage dataset fetch xquad --from COPY"
)]
fn a_readers_faults_are_named_in_german_and_chinese_as_in_english() {
    for (code, sentence, refusal) in READERS {
        let file = fetched("xquad").join(format!("xquad.{code}.json"));
        let config = format!("[dataset]\nformat = \"squad\"\npath = {file:?}\n");
        let records = records(&file, sentence, refusal);
        let lines: Vec<String> = records.iter().map(Value::to_string).collect();
        let project = Project::of(&[("c.toml", &config), ("r.jsonl", &lines.join("\n"))]);
        let import = ["import", "r.jsonl", "c.toml", "--out", "runs", "--name", "r"];
        let outcome = project.call(&import);
        assert_eq!(outcome.code, 0, "{code}: {}", outcome.stderr);
        let summary = project.summary("r");
        let n = records.len() as f64;
        let share = |count: u64| count as f64 / n;
        let declined = summary["faults"]["declined"].as_u64().expect("a count");
        let classes = &summary["classes"];
        assert!((share(class(&summary, "correct")) - 0.5).abs() <= 0.03, "{code}: {classes}");
        assert!((share(declined) - 0.25).abs() <= 0.01, "{code}: {declined}");
        // What is neither correct nor certainly wrong is unsure: no other class.
        let generation = class(&summary, "wrong_answer");
        let unsure = class(&summary, "unsure");
        assert_eq!(class(&summary, "correct") + generation + unsure, records.len() as u64);
        assert!(share(generation) >= 0.39, "{code}: {classes}");
    }
}
