//! What a run made of each question, held against what was done to it.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

use super::seen;
use crate::project::Project;

/// The least share of the questions of a kind that must be named as they should.
const LEAST: f64 = 0.99;

/// What a trace says: `generation/reader`, `packing +prompt_truncated`.
fn label(trace: &Value) -> String {
    let text = |key: &str| trace[key].as_str().unwrap_or_default();
    let mut label = text("class").to_owned();
    if !text("fault").is_empty() {
        let _ = write!(label, "/{}", text("fault"));
    }
    for flag in trace["flags"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        // Those that no planted fault causes describe circumstances.
        if flag == "prompt_truncated" {
            let _ = write!(label, " +{flag}");
        }
    }
    label
}

/// Asserts that of the questions of each expected label at least [`LEAST`] have it; shows the confusion where not.
pub fn assert_named(project: &Project, run: &str, expected: &BTreeMap<String, String>) {
    let withheld = assert_tallied(project, run, expected, None);
    assert_eq!(withheld, 0);
}

/// As [`assert_named`], over the questions that are not left unclear; gives back how many are. Right answers never are.
pub fn assert_claims(project: &Project, run: &str, expected: &BTreeMap<String, String>) -> usize {
    assert_tallied(project, run, expected, Some("unclear"))
}

fn assert_tallied(
    project: &Project,
    run: &str,
    expected: &BTreeMap<String, String>,
    withheld: Option<&str>,
) -> usize {
    let mut found: BTreeMap<&str, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    let traces = project.traces(run);
    assert_eq!(traces.len(), expected.len(), "a trace a question");
    for trace in &traces {
        let id = trace["question"]["id"].as_str().expect("an id");
        let reason = trace["reason"].as_str().expect("a sentence");
        found
            .entry(&expected[id])
            .or_default()
            .entry(label(trace))
            .or_default()
            .push(format!("{id}: {reason}"));
    }
    let mut confusion = String::new();
    let (mut all_named, mut n_withheld) = (true, 0);
    for (expected, labels) in &mut found {
        let is_open = |label: &str| withheld.is_some_and(|open| label.starts_with(open));
        let open: Vec<String> = labels
            .extract_if(.., |label, _| is_open(label))
            .flat_map(|(_, questions)| questions)
            .collect();
        if let Some(first) = open.first() {
            assert!(!expected.starts_with("correct"), "{first}");
            n_withheld += open.len();
            let _ = writeln!(confusion, "{expected}: {} left open, such as {first}", open.len());
        }
        let n: usize = labels.values().map(Vec::len).sum();
        let n_named = labels.get(*expected).map_or(0, Vec::len);
        all_named &= n_named as f64 >= LEAST * n as f64;
        let _ = writeln!(confusion, "{expected}: {n_named} of {n}");
        for (label, questions) in labels.iter().filter(|(label, _)| *label != *expected) {
            let _ =
                writeln!(confusion, "    {} as {label}, such as {}", questions.len(), questions[0]);
        }
    }
    assert!(all_named, "\n{confusion}");
    seen(&format!("{run}\n{confusion}"));
    n_withheld
}
