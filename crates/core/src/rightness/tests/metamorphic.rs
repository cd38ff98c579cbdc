//! Gold answers in sentences and formats are as right as bare ones.

use std::path::Path;

use crate::rightness::{Correctness, auto};
use crate::types::{Question, QuestionKind};

/// Sentences around a gold answer `X`.
const SENTENCES: &[&str] = &[
    "The answer is X.",
    "According to the passages, X.",
    "It is X [1].",
    "Based on the context, the correct answer is **X**.",
    "Answer: X",
    "Final answer: X.",
    "The correct answer is X, as the first passage says.",
    "X, according to passage 2.",
    "X. This is stated in the first passage.",
    "It's X.",
    "So the answer is: X",
    "The passages say that it is X.",
    "As stated in the document, it is X.",
    "In short: X.",
    "From the context it follows that the answer is X.",
    "I found the answer in passage 3: X.",
    "That would be X.",
    "The context gives X as the answer.",
    "Passage 4 says: X.",
    "The final answer is therefore X.",
];

/// Formats of a gold answer `X`.
const FORMATS: &[&str] = &[
    "**X**",
    "X [1]",
    "X [1][2]",
    "{\"answer\": \"X\"}",
    "- X",
    "```\nX\n```",
    "`X`",
    "\"X\"",
    "# Answer\nX",
    "X\n\nExplanation: the passages state this directly.",
    "1. X",
    "<answer>X</answer>",
    "(X)",
    "Answer: **X** [3]",
];

fn wrapped(template: &str, gold: &str) -> String {
    let gold = if template.starts_with('{') {
        gold.replace('\\', "\\\\").replace('"', "\\\"")
    } else {
        gold.to_owned()
    };
    template.replace('X', &gold)
}

/// Returns the wrapped gold answers that are judged other than right, with their number.
fn misjudged(questions: &[Question]) -> (usize, Vec<String>) {
    let (mut n, mut missed) = (0, Vec::new());
    for question in questions {
        for gold in &question.answers {
            for template in ["X"].iter().chain(SENTENCES).chain(FORMATS) {
                n += 1;
                let answer = wrapped(template, gold);
                let judgment = auto(question, &answer, 0.0, 0.6);
                if judgment.correctness != Correctness::Right {
                    missed.push(format!(
                        "{} {:?}: {answer:?} => {} ({})",
                        question.text, question.answers, judgment.correctness, judgment.reason
                    ));
                }
            }
        }
    }
    (n, missed)
}

#[test]
fn every_gold_answer_of_the_runbooks_is_right_in_every_wrapping() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/runbooks/questions.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let questions: Vec<Question> = text
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let mut question = Question::new("q".into(), line["text"].as_str().unwrap().to_owned());
            question.kind = serde_json::from_value(line["kind"].clone()).unwrap();
            if let Some(answers) = line["answers"].as_array() {
                question.answers =
                    answers.iter().map(|answer| answer.as_str().unwrap().to_owned()).collect();
            }
            question
        })
        .filter(|question| matches!(question.kind, QuestionKind::Span | QuestionKind::YesNo))
        .collect();
    assert!(questions.len() > 200);
    let (n, missed) = misjudged(&questions);
    assert!(missed.is_empty(), "{} of {n}:\n{}", missed.len(), missed.join("\n"));
}
