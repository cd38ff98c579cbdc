//! Planted causes of `not_retrieved` in the runbooks, with BM25: each must be named for at least 95% of the questions it was planted in.

use serde_json::{Value, json};

use crate::project::Project;

/// The questions of the runbooks with one evidence group, changed.
fn changed(project: &Project, change: impl Fn(usize, &mut Value)) -> Vec<Value> {
    let mut questions: Vec<Value> = project
        .read("datasets/runbooks/questions.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a question"))
        .collect();
    questions.retain(|question| question["evidence"].as_array().is_some_and(|it| it.len() == 1));
    questions.iter_mut().enumerate().for_each(|(at, question)| change(at, question));
    let lines = questions.iter().map(|question| format!("{question}\n"));
    project.write("datasets/runbooks/questions.jsonl", lines.collect::<String>());
    questions
}

/// Runs retrieval alone; counts the questions of class `not_retrieved` by cause.
fn causes(project: &Project, more: &[&str]) -> Value {
    let run = ["run", "--name", "planted", "--out", "runs", "--set", "generation.generator=none"];
    let outcome = project.call(&[&run, more].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    project.summary("planted")["causes"].take()
}

fn count(causes: &Value, cause: &str) -> usize {
    causes[cause]["count"].as_u64().expect("a count") as usize
}

#[test]
fn a_question_whose_words_were_replaced_is_a_fault_of_the_query() {
    let project = Project::runbooks();
    let questions = changed(&project, |at, question| {
        question["text"] = json!(format!("Zqx{at} vorp klindt muurf{at}?"));
    });
    let causes = causes(&project, &[]);
    assert!(
        count(&causes, "query") * 100 >= questions.len() * 95,
        "{causes} of {}",
        questions.len()
    );
}

#[test]
fn words_of_an_untitled_document_that_no_question_has_are_a_fault_of_the_vocabulary() {
    let project = Project::runbooks();
    let questions = changed(&project, |at, question| {
        question["text"] = json!(format!("Zqx{at} vorp klindt muurf{at}?"));
    });
    // Without titles in the chunks, most of them share no word with the title of their document.
    let causes = causes(&project, &["--set", "chunking.title_prefix=false"]);
    assert_eq!(count(&causes, "index"), 0, "{causes}");
    assert!(count(&causes, "vocabulary") * 10 > questions.len(), "{causes}");
}

#[test]
fn documents_that_were_not_indexed_are_a_fault_of_the_index() {
    let project = Project::runbooks();
    let questions = changed(&project, |_, _| ());
    let doc = |question: &Value| question["evidence"][0][0]["doc"].as_str().map(str::to_owned);
    let mut docs: Vec<String> = questions.iter().filter_map(doc).collect();
    docs.sort();
    docs.dedup();
    // The chunks of every third gold document are left out.
    let left_out: Vec<&String> = docs.iter().step_by(3).collect();
    let mut chunks = String::new();
    let corpus = std::fs::read_dir(project.path("datasets/runbooks/corpus")).expect("there");
    for entry in corpus {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("named").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("text");
        if !left_out.contains(&&name) && !text.trim().is_empty() {
            chunks += &json!({"doc_id": name, "start": 0, "end": text.len()}).to_string();
            chunks.push('\n');
        }
    }
    project.write("chunks.jsonl", chunks);
    let file = ["--set", "chunking.strategy=file", "--set", "chunking.file=chunks.jsonl"];
    let causes = causes(&project, &file);
    let is_planted = |question: &&Value| {
        let members = question["evidence"][0].as_array().expect("a group").iter();
        members
            .filter_map(|it| it["doc"].as_str())
            .all(|doc| left_out.iter().any(|out| *out == doc))
    };
    let n_planted = questions.iter().filter(is_planted).count();
    assert!(n_planted > 20, "{n_planted}");
    assert!(count(&causes, "index") * 100 >= n_planted * 95, "{causes} of {n_planted}");
    let others = count(&causes, "query") + count(&causes, "vocabulary");
    assert!(count(&causes, "index") <= n_planted + others, "{causes}");
}
