//! Judges 7,405 sentences by the rule `auto`: `cargo bench --bench rightness`, after `ragtriage dataset fetch qa_scores`.

#![allow(clippy::print_stdout, reason = "a bench's figures are its output")]

use std::time::Instant;

use ragtriage_core::language::Language;
use ragtriage_core::measure::answer::Scorer;
use ragtriage_core::rightness::{Correctness, Judge, RightRule};
use ragtriage_core::types::{Question, QuestionKind, Stance};
use serde_json::Value;

const GOLD: &str = "datasets/fetched/qa_scores/hotpot_dev_gold_7405.json";

fn main() {
    let Ok(text) = std::fs::read_to_string(GOLD) else {
        println!("{GOLD} is missing: `ragtriage dataset fetch qa_scores`");
        return;
    };
    let gold: Vec<Value> = serde_json::from_str(&text).expect("an array");
    let asked: Vec<(Question, String)> = gold.iter().map(question).collect();
    let judge =
        Judge { rule: RightRule::Auto, scorer: Scorer::Hotpotqa, language: Language::english() };
    let start = Instant::now();
    let judgments = asked
        .iter()
        .filter_map(|(question, answer)| judge.judge(question, answer, Stance::Answered));
    let n_right = judgments.filter(|judgment| judgment.correctness == Correctness::Right).count();
    let seconds = start.elapsed().as_secs_f64();
    println!("{} sentences in {seconds:.3} s on one core, {n_right} right", asked.len());
}

fn question(gold: &Value) -> (Question, String) {
    let text = |key: &str| gold[key].as_str().unwrap_or_default().to_owned();
    let answer = text("answer");
    let kind = match answer.as_str() {
        "yes" | "no" => QuestionKind::YesNo,
        _ => QuestionKind::Span,
    };
    let sentence = format!("According to the passages, the answer is {answer}.");
    let question = Question {
        kind,
        answers: vec![answer],
        ..Question::new(text("_id").into(), text("question"))
    };
    (question, sentence)
}
