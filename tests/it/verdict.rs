//! Data that a verdict must survive, each set made for one case: the sentence that comes out.

use serde_json::{Value, json};

use crate::project::{Outcome, Project, SETTINGS};
use crate::run_files::{self, class};

/// Rows as JSON lines.
fn lines(rows: impl IntoIterator<Item = Value>) -> String {
    let lines: Vec<String> = rows.into_iter().map(|row| row.to_string()).collect();
    lines.join("\n") + "\n"
}

/// A project over these documents and questions, with a record of what another RAG did.
fn recorded(
    n: usize,
    documents: fn(usize) -> Value,
    question: fn(usize) -> Value,
    record: fn(usize) -> Value,
) -> Project {
    Project::of(&[
        ("c.toml", SETTINGS),
        ("data/corpus.jsonl", &lines((0..n).map(documents))),
        ("data/questions.jsonl", &lines((0..n).map(question))),
        ("r.jsonl", &lines((0..n).map(record))),
    ])
}

/// Imports the record as run `r`; the first screen and the summary.
fn imported(project: &Project) -> (Outcome, Value) {
    let args = ["import", "r.jsonl", "c.toml", "--out", "runs", "--name", "r"];
    let outcome = project.call(&args);
    assert_eq!(outcome.code, 0, "{}{}", outcome.stdout, outcome.stderr);
    run_files::check(project, "r");
    (outcome, project.summary("r"))
}

fn text(summary: &Value) -> &str {
    summary["verdict"]["text"].as_str().expect("a verdict")
}

fn cautions(summary: &Value) -> Vec<&str> {
    let cautions = summary["verdict"]["cautions"].as_array().expect("a list");
    cautions.iter().filter_map(Value::as_str).collect()
}

/// A document of one sentence that holds no reference answer word by word.
fn probes(i: usize) -> Value {
    let text =
        format!("Service s{i} restarts after {} failed probes and reports to channel c{i}.", i + 2);
    json!({ "id": format!("d{i}"), "text": text })
}

fn reference(n: usize) -> String {
    format!("It is restarted once {n} probes have failed in a row.")
}

#[test]
fn reference_answers_without_evidence_blame_no_stage() {
    let question = |i: usize| {
        let text = format!("When is service s{i} restarted?");
        json!({ "id": format!("q{i}"), "text": text, "answers": [reference(i + 2)] })
    };
    // The first 88 of 100 are correct, the others name another number.
    let record = |i: usize| {
        let n = if i < 88 { i + 2 } else { i + 1002 };
        json!({ "id": format!("q{i}"), "contexts": [probes(i)["text"]], "answer": reference(n) })
    };
    let project = recorded(100, probes, question, record);
    let (outcome, summary) = imported(&project);
    assert_eq!(
        text(&summary),
        "Is retrieval the bottleneck? No verdict. No question has evidence, a relevance judgment, or a gold answer that a document \
         contains. Add evidence to some of the 100 questions to tell the stages apart."
    );
    let found = ["correct_without_evidence", "unclear", "not_in_corpus"];
    assert_eq!(found.map(|name| class(&summary, name)), [88, 12, 0]);
    let screen = outcome.stdout;
    assert!(!screen.contains("EM@") && screen.contains("AnswerCorrect 0.880 ["), "{screen}");
    assert!(!screen.contains("failure class"), "{screen}");
    assert!(screen.contains("\n    ragtriage dataset label c.toml\n"), "{screen}");
    let full = project.call(&["report", "runs/r", "--format", "terminal"]);
    assert!(!full.stdout.contains("Rule of thumb"), "{}", full.stdout);
}

/// A document of two sections; the second, of more than 300 bytes, holds the port of service `i` at its end.
fn sections(i: usize) -> Value {
    let text = format!("{}\n\n{}", introduction(i), section(i));
    json!({ "id": format!("d{i}"), "text": text })
}

fn introduction(i: usize) -> String {
    format!("Service s{i} belongs to team t{i}. It was written for the warehouse.")
}

fn section(i: usize) -> String {
    let rule = |n| format!("Rule r{i}x{n} of its network has been reviewed by the security team.");
    let rules = (0..6).map(rule).collect::<Vec<_>>().join(" ");
    format!("{rules} {}", port(i))
}

/// The end of a section, which another chunker returned alone.
fn port(i: usize) -> String {
    format!("It listens on port {}.", 1000 + i)
}

/// A question labelled with a whole document.
fn by_document(i: usize) -> Value {
    json!({
        "id": format!("q{i}"), "text": format!("On which port does service s{i} listen?"), "answers": [(1000 + i).to_string()],
        "evidence": [[{ "doc": format!("d{i}") }]],
    })
}

/// The same question labelled with its section.
fn by_section(i: usize) -> Value {
    let mut question = by_document(i);
    question["evidence"] = json!([[{ "doc": format!("d{i}"), "quotes": [section(i)] }]]);
    question
}

/// Correct or wrong ports.
fn ports(i: usize, is_correct: bool) -> String {
    (if is_correct { 1000 + i } else { 5000 + i }).to_string()
}

#[test]
fn a_delivered_part_of_a_section_is_right_or_open_and_never_lost_by_chunking() {
    // The end of the section holds the gold answer: 30 of 40 answers are correct, 10 are wrong.
    let record = |i: usize| json!({ "id": format!("q{i}"), "contexts": [port(i)], "answer": ports(i, i < 30) });
    let (_, summary) = imported(&recorded(40, sections, by_section, record));
    let found = ["correct", "unclear", "split", "correct_without_evidence"];
    assert_eq!(found.map(|name| class(&summary, name)), [30, 10, 0, 0]);
    let caution = "10 questions are unclear: the label is wider than a chunk, and the prompt had a part of it.";
    assert_eq!(cautions(&summary), [caution]);
}

#[test]
fn the_recorded_prompt_decides_what_was_packed() {
    // 50 contexts of which the prompt holds the first 4. Question i has its evidence at rank i + 1 for i < 50: 4 of 60 in
    // the prompt, 46 below it, 10 not at all.
    let record = |i: usize| {
        let others = (1..60).map(|step| (i + step) % 60);
        let mut order: Vec<usize> = others.take(if i < 50 { 49 } else { 50 }).collect();
        if i < 50 {
            order.insert(i, i);
        }
        let contexts: Vec<String> = order.into_iter().map(port).collect();
        let prompt = format!("Context:\n{}\nQuestion: which port?", contexts[..4].join("\n"));
        json!({ "id": format!("q{i}"), "contexts": contexts, "prompt": prompt, "answer": ports(i, i < 4) })
    };
    let document = |i: usize| json!({ "id": format!("d{i}"), "text": port(i) });
    let question = |i: usize| {
        let mut question = by_document(i);
        question["evidence"] = json!([[{ "doc": format!("d{i}"), "quotes": [port(i)] }]]);
        question
    };
    let (outcome, summary) = imported(&recorded(60, document, question, record));
    let stages = summary["losses"]["stages"].as_array().expect("rows");
    let packing = stages.iter().find(|row| row["class"] == "not_in_prompt").expect("a row");
    assert_eq!(packing["complete"], 4, "{stages:?}");
    // Contexts do not show whether what they lack was retrieved.
    let found = ["correct", "wrong_answer", "not_in_prompt", "correct_without_evidence"];
    assert_eq!(found.map(|name| class(&summary, name)), [4, 0, 10, 0], "{}", summary["classes"]);
    let below = class(&summary, "ranked_low") + class(&summary, "not_packed");
    assert_eq!(below, 46);
    // All 4 answers with evidence are correct, so that evidence would bring 46 + 10; but 4 answers tell little. The record does not say
    // whether the contexts were reranked.
    let text = text(&summary);
    let start = "Is retrieval the bottleneck? Undecided. 4 of 60 answerable questions are answered correctly. With complete evidence in \
                 every prompt, about 60 would be; about 56 [";
    assert!(text.starts_with(start) && text.ends_with("may be chance."), "{text}");
    let row = |class: &str| {
        let mut lines = outcome.stdout.lines();
        lines.find(|line| line.trim_start().starts_with(class)).map(str::trim).unwrap_or_default()
    };
    // 4 in the prompt, 46 below it, 10 without evidence in any passage: a stage that is not recorded has no row.
    assert!(row("ranked_low").contains("below the prompt"), "{}", outcome.stdout);
    assert!(row("not_in_prompt").contains("lost, stage unrecorded"), "{}", outcome.stdout);
    assert_eq!(row("not_retrieved"), "");
}

#[test]
fn a_reader_that_repeats_one_wrong_answer_does_not_make_labels_suspect() {
    // All conditions give the port of the first service, from different passages. The gold passages hold the gold answer.
    let record = |i: usize| {
        let others = [port(i), port((i + 1) % 30), port(0)];
        json!({
            "id": format!("q{i}"), "contexts": others, "answer": "1000",
            "conditions": { "oracle": { "answer": "1000", "contexts": [port(i)] }, "closed_book": { "answer": "1000", "contexts": [] } },
        })
    };
    let (_, summary) = imported(&recorded(30, sections, by_document, record));
    assert_eq!(summary["flags"]["label_suspect"], 0, "{}", summary["flags"]);
    // Question 0 is correct by luck.
    assert_eq!((class(&summary, "correct"), class(&summary, "wrong_answer")), (1, 29));
    // Where the gold passages hold the common answer and not the gold answer, the label is suspect: the port is another.
    let mislabelled = |i: usize| {
        let mut question = by_document(i);
        question["answers"] = json!([(7000 + i).to_string()]);
        question
    };
    let record = |i: usize| {
        let answer = ports(i, true);
        json!({
            "id": format!("q{i}"), "contexts": [port(i), port((i + 1) % 30)], "answer": answer,
            "conditions": { "oracle": { "answer": answer, "contexts": [port(i)] } },
        })
    };
    let (_, summary) = imported(&recorded(30, sections, mislabelled, record));
    assert_eq!(summary["flags"]["label_suspect"], 30);
}

/// Imports a record under that name: questions for which `correct` holds have their evidence and are correct, the others neither.
fn import_correct(project: &Project, name: &str, n: usize, correct: impl Fn(usize) -> bool) {
    let rows = (0..n).map(|i| {
        let contexts = if correct(i) { vec![port(i), word(i)] } else { vec![port((i + 1) % n)] };
        json!({ "id": format!("q{i}"), "contexts": contexts, "answer": ports(i, correct(i)) })
    });
    project.write("r.jsonl", lines(rows));
    let outcome = project.call(&["import", "r.jsonl", "c.toml", "--out", "runs", "--name", name]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
}

/// The second half of the evidence of question `i`.
fn word(i: usize) -> String {
    format!("The word of s{i} is w{i}.")
}

/// A comparison of run `b` with run `a`: p of the correct answers. No metric's interval and p may contradict each other.
fn compared(project: &Project) -> f64 {
    let args = [
        "compare",
        "runs/a",
        "runs/b",
        "--json",
        "-m",
        "AnswerCorrect",
        "-m",
        "AnswerF1",
        "-m",
        "EM@5",
        "-m",
        "EvidenceRecall@prompt",
    ];
    let outcome = project.call(&args);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let found: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let metrics = found["pairs"][0]["metrics"].as_array().expect("metrics");
    assert_eq!(metrics.len(), 4);
    for row in metrics {
        let bound = |at: usize| row["ci95"][at].as_f64().expect("a bound");
        let excludes_zero = bound(0) > 0.0 || bound(1) < 0.0;
        let p = row["p"].as_f64().expect("a p");
        assert_eq!(excludes_zero, p < 0.05, "{row}");
    }
    let of_answers = metrics.iter().find(|row| row["metric"] == "AnswerCorrect");
    of_answers.expect("compared")["p"].as_f64().expect("a p")
}

#[test]
fn questions_chained_through_documents_are_apart_and_intervals_agree_with_p() {
    // Document i holds the port of question i and the word of question i - 1: a chain of documents, each range of one question.
    let document = |i: usize| {
        let before = (i + 99) % 100;
        json!({ "id": format!("d{i}"), "text": format!("{} {}", word(before), port(i)) })
    };
    let question = |i: usize| {
        let mut question = by_document(i);
        let next = format!("d{}", (i + 1) % 100);
        question["evidence"] = json!([
            [{ "doc": format!("d{i}"), "quotes": [port(i)] }],
            [{ "doc": next, "quotes": [word(i)] }],
        ]);
        question
    };
    let project = recorded(100, document, question, |_| json!({}));
    import_correct(&project, "a", 100, |i| i < 60);
    let summary = project.summary("a");
    assert_eq!((&summary["n_clusters"], &summary["largest_cluster"]), (&json!(100), &json!(1)));
    // Wins, losses, and the exact two-sided p of their signs: 2 / 2^5; 2 / 2^6; 2 (286 + 78 + 13 + 1) / 2^13;
    // 2 (455 + 105 + 15 + 1) / 2^15.
    for (won, lost, p) in
        [(5, 0, 0.0625), (6, 0, 0.03125), (10, 3, 756.0 / 8192.0), (12, 3, 1152.0 / 32768.0)]
    {
        let _ = std::fs::remove_dir_all(project.path("runs/b"));
        import_correct(&project, "b", 100, |i| (lost..60 + won).contains(&i));
        let found = compared(&project);
        assert!((found - p).abs() < 1e-9, "{won} won, {lost} lost: {found}");
    }
}
