//! The page's data: what `report` packs into the file, read back as a browser reads it.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::project::Project;

/// A question whose gold is two chunks long, one without evidence, one that nothing answers.
const QUESTIONS: &str = r#"{"id": "q1", "text": "How long does alpha wait?", "answers": ["six minutes"], "evidence": [[{"doc": "a", "quotes": ["𝄞 six minutes"]}]], "tags": ["t"]}
{"id": "q/2 <b>", "text": "Who never waits?", "answers": ["Beta"], "evidence": [[{"doc": "b", "quotes": ["Beta never waits."]}]]}
{"id": "q3", "text": "What colour is gamma?", "kind": "unanswerable"}
"#;
const CORPUS: &str = r#"{"id": "a", "title": "A\n title", "text": "Alpha: é 𝄞 six minutes."}
{"id": "b", "title": "B", "text": "Beta never waits. Not Alpha, who waits \"six minutes\"."}
{"id": "c", "title": "", "text": "Nothing to see, no wait."}
"#;

fn project() -> Project {
    let project = Project::new();
    project.write("data/corpus.jsonl", CORPUS);
    project.write("data/questions.jsonl", QUESTIONS);
    project
}

/// A block of a page by its element's id.
fn block(page: &str, id: &str) -> Value {
    let open = format!("<script type=\"application/octet-stream\" id=\"{id}\">");
    let from = page.find(&open).unwrap_or_else(|| panic!("no block {id}")) + open.len();
    let base64 = &page[from..from + page[from..].find('<').expect("the element ends")];
    let bytes = STANDARD.decode(base64).expect("base64");
    let mut json = String::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut json).expect("gzip of UTF-8");
    serde_json::from_str(&json).expect("JSON")
}

/// All blocks' JSON behind one another.
fn decoded(page: &str) -> String {
    let ids = page.split("<script type=\"application/octet-stream\" id=\"").skip(1);
    ids.map(|rest| block(page, rest.split('"').next().expect("an id")).to_string()).collect()
}

#[test]
fn the_page_is_written_beside_the_run_and_its_path_is_all_that_is_printed() {
    let project = project();
    project.good("r", &[]);
    let of_run = project.read("runs/r/report.html");
    let outcome = project.call(&["report", "runs/r"]);
    assert_eq!((outcome.code, &*outcome.stdout, &*outcome.stderr), (0, "runs/r/report.html\n", ""));
    assert!(project.read("runs/r/report.html") == of_run, "the run wrote the same page");
}

#[test]
fn the_index_holds_every_question_with_its_class_scores_and_answer() {
    let project = project();
    let reader = project.reader_sets();
    let mut sets: Vec<&str> = reader.iter().map(String::as_str).collect();
    sets.extend(["--set", "generation.prompt=free"]);
    project.good("r", &sets);
    let index = block(&project.read("runs/r/report.html"), "rx-index");
    let run = &index["run"];
    assert_eq!(run["name"], "r");
    let rows = run["rows"].as_array().expect("rows");
    let traces = project.traces("r");
    assert_eq!(rows.len(), 3);
    for (row, trace) in rows.iter().zip(&traces) {
        for (name, expected) in [
            ("class", &trace["class"]),
            ("id", &trace["question"]["id"]),
            ("kind", &trace["question"]["kind"]),
        ] {
            assert_eq!(&row[name], expected);
        }
    }
    assert_eq!((&rows[0]["gold"], &rows[0]["tags"]), (&json!("six minutes"), &json!(["t"])));
    let metrics = run["metrics"].as_array().expect("metrics");
    let lines = project.read("runs/r/outcomes.jsonl");
    for (row, line) in rows.iter().zip(lines.lines()) {
        let line: Value = serde_json::from_str(line).expect("a row");
        for (at, metric) in metrics.iter().enumerate() {
            let cell = line.get(metric.as_str().expect("a name")).expect("a metric of the run");
            // Six digits are kept.
            let (shown, exact) = (row["scores"][at].as_f64(), cell.as_f64());
            let is_near =
                shown.zip(exact).is_none_or(|(shown, exact)| (shown - exact).abs() <= 5e-6 * exact);
            assert!(shown.is_some() == exact.is_some() && is_near, "{metric} of {line}: {shown:?}");
        }
    }
    assert!(
        metrics.contains(&json!("EM@5")) && metrics.contains(&json!("AnswerF1")),
        "{metrics:?}"
    );
}

#[test]
fn without_texts_no_word_of_corpus_golds_or_answers_is_left() {
    let project = project();
    project.good("r", &[]);
    let outcome = project.call(&["report", "runs/r", "--no-text"]);
    let file = "runs/r/report-no-text.html";
    assert_eq!((outcome.code, outcome.stdout.trim()), (0, file), "{}", outcome.stderr);
    let page = project.read(file);
    let all = decoded(&page) + &page;
    for word in ["minutes", "Beta", "see, no", "𝄞"] {
        assert!(!all.contains(word), "{word} is in the page");
    }
    assert!(all.contains("How long does alpha wait?"), "questions stay");
    let shown = project.call(&["report", "runs/r", "--no-text", "--format", "md"]).stdout;
    assert!(!shown.is_empty() && !shown.contains("minutes"), "{shown}");
    assert!(
        decoded(&project.read("runs/r/report.html")).contains("minutes"),
        "the page with texts is still there"
    );
}
