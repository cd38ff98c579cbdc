//! Sets of wrong and right answers, one JSON object in a line.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

use crate::measure::answer::{Scorer, score};
use crate::rightness::{Correctness, Judgment, auto};
use crate::types::{Question, QuestionKind};

#[derive(Deserialize)]
pub(super) struct Item {
    question: String,
    kind: QuestionKind,
    #[serde(default)]
    golds: Vec<String>,
    answer: String,
    category: String,
}

pub(super) fn judged(item: &Item) -> Judgment {
    let mut question = Question::new("q".into(), item.question.clone());
    question.kind = item.kind;
    question.answers.clone_from(&item.golds);
    let f1 = score(&item.answer, &item.golds, Scorer::Squad2).f1;
    auto(&question, &item.answer, f1, 0.6)
}

pub(super) fn items(path: &Path) -> Vec<Item> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the items judged other than expected, in lines by category.
fn report(items: &[Item], wanted: bool) -> (usize, String) {
    let mut out = String::new();
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut missed = 0;
    for item in items {
        let judgment = judged(item);
        let bad = (judgment.correctness == Correctness::Right) != wanted;
        let count = counts.entry(&item.category).or_default();
        count.0 += usize::from(bad);
        count.1 += 1;
        missed += usize::from(bad);
        if bad {
            writeln!(
                out,
                "{} | {} | {:?} | {:?} => {} ({})",
                item.category,
                item.question,
                item.golds,
                item.answer,
                judgment.correctness,
                judgment.reason
            )
            .unwrap();
        }
    }
    writeln!(out, "{missed} of {}: {counts:?}", items.len()).unwrap();
    (missed, out)
}

/// Writes the misjudged items of the sets under `RIGHTNESS_SETS` to `misjudged.txt` there.
#[test]
fn development_sets_are_reported() {
    let Some(folder) = std::env::var_os("RIGHTNESS_SETS") else {
        return;
    };
    let folder = Path::new(&folder);
    let (_, wrong) = report(&items(&folder.join("wrong.jsonl")), false);
    let (_, right) = report(&items(&folder.join("right.jsonl")), true);
    let out = std::env::var_os("RIGHTNESS_OUT").unwrap();
    std::fs::write(out, format!("{wrong}\n{right}")).unwrap();
}
