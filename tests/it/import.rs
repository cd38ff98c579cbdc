//! What another RAG recorded becomes a run: the same numbers as a run of ours has, and every slip named by file and line.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::project::Project;
use crate::run_files::{self, class, metric};

/// What ours recorded, as another RAG would have: its packed passages with their scores, its answers.
fn record_of(project: &Project, run: &str, context: impl Fn(&Value) -> Value) -> String {
    let mut passages: BTreeMap<String, Value> = BTreeMap::new();
    for line in project.read(&format!("runs/{run}/passages.jsonl")).lines() {
        let passage: Value = serde_json::from_str(line).expect("JSON");
        passages.insert(passage["id"].as_str().expect("an id").to_owned(), passage);
    }
    let contexts = |ids: Vec<&Value>| -> Vec<Value> {
        ids.into_iter().map(|id| context(&passages[id.as_str().expect("an id")])).collect()
    };
    let mut record = String::new();
    for trace in project.traces(run) {
        let stages = trace["stages"].as_array().expect("stages");
        let packed = &stages.last().expect("packed")["hits"];
        let mut line = json!({
            "id": trace["question"]["id"],
            "contexts": contexts(packed.as_array().expect("hits").iter().map(|hit| &hit["id"]).collect()),
            "conditions": {},
        });
        for condition in trace["conditions"].as_array().expect("conditions") {
            let attempt = &condition["attempts"][0];
            match condition["condition"].as_str().expect("a name") {
                "retrieved" => line["answer"] = attempt["raw"].clone(),
                name => {
                    let shown =
                        contexts(attempt["passages"].as_array().expect("ids").iter().collect());
                    line["conditions"][name] =
                        json!({ "answer": attempt["raw"], "contexts": shown });
                }
            }
        }
        record.push_str(&line.to_string());
        record.push('\n');
    }
    record
}

/// A passage of ours as another RAG writes it.
type Form = fn(&Value) -> Value;

fn import(project: &Project, args: &[&str]) -> crate::project::Outcome {
    project.call(&[&["import", "--out", "runs"], args].concat())
}

fn good(project: &Project, name: &str, args: &[&str]) -> Value {
    let outcome = import(project, &[&["--name", name], args].concat());
    assert_eq!(outcome.code, 0, "{}{}", outcome.stdout, outcome.stderr);
    run_files::check(project, name);
    project.summary(name)
}

#[test]
fn what_our_own_run_recorded_comes_back_with_the_same_numbers() {
    let project = Project::runbooks();
    let outcome = project.call(&["run", "--out", "runs", "--name", "own"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let own = project.summary("own");
    let forms: [(&str, Form); 3] = [
        ("named", |passage| json!({ "text": passage["text"], "doc_id": passage["doc"] })),
        ("titled", |passage| {
            let text = format!(
                "{}\n{}",
                passage["title"].as_str().unwrap_or(""),
                passage["text"].as_str().expect("text")
            );
            json!({ "text": text, "title": passage["title"] })
        }),
        ("squeezed", |passage| {
            let words: Vec<&str> =
                passage["text"].as_str().expect("text").split_whitespace().collect();
            json!({ "text": words.join(" "), "doc_id": "an id of another store" })
        }),
    ];
    let lost = ["not_retrieved", "ranked_low", "not_packed", "split", "not_in_prompt"];
    for (name, form) in forms {
        project.write("record.jsonl", record_of(&project, "own", form));
        let imported = good(&project, name, &["record.jsonl"]);
        for at in ["@1", "@3", "@5", "@prompt"] {
            assert_eq!(
                metric(&imported, &format!("EM{at}")),
                metric(&own, &format!("EM{at}")),
                "{name} {at}"
            );
        }
        for answers in ["AnswerEM", "AnswerF1", "AnswerPrecision", "AnswerRecall"] {
            assert_eq!(metric(&imported, answers), metric(&own, answers), "{name}");
        }
        for same in [
            "correct",
            "correct_without_evidence",
            "wrong_answer",
            "hallucinated",
            "declined",
            "not_in_corpus",
        ] {
            assert_eq!(class(&imported, same), class(&own, same), "{name}: {same}");
        }
        // The prompt is all that is recorded: the same questions did not arrive, at a stage that is not known.
        let n_lost = |summary: &Value| lost.iter().map(|name| class(summary, name)).sum::<u64>();
        assert_eq!(n_lost(&imported), n_lost(&own), "{name}");
        for stage in ["not_retrieved", "ranked_low", "not_packed"] {
            assert_eq!(class(&imported, stage), 0, "{name}: {stage}");
        }
    }
}

#[test]
fn an_imported_run_is_reported_without_our_pipelines_settings() {
    let project = Project::new();
    project.write("r.jsonl", RECORD);
    good(&project, "r", &["r.jsonl", "c.toml"]);
    let report = project.call(&["report", "runs/r", "--format", "terminal"]).stdout;
    assert!(report.contains("results `r.jsonl`") && !report.contains("Chunking  "), "{report}");
    assert!(
        report.contains("prompts come from an external RAG")
            && !report.contains("no generator answers"),
        "{report}"
    );
    let run = project.json("runs/r/run.json");
    assert_eq!(
        (&run["external"]["kind"], &run["external"]["from"]),
        (&json!("results"), &json!("r.jsonl"))
    );
    // Compared with itself by its own files: the run's ranking and judgments, the documents by first occurrence.
    assert_eq!(project.read("runs/r/qrels.trec"), "q1 0 a 1\nq2 0 b 1\n");
    assert_eq!(project.read("runs/r/retrieval.trec"), "q1 Q0 a 1 1 r\nq2 Q0 a 1 1 r\n");
}

/// q1 has its gold and the correct answer, by plain text; q2 has the other document and a wrong one.
const RECORD: &str = r#"{"id": "q1", "contexts": ["Alpha waits six minutes."], "answer": "six minutes"}
{"question": "Who never waits?", "contexts": [{"text": "Alpha waits", "doc_id": "a"}], "answer": "Alpha"}
"#;

#[test]
fn standard_input_is_read_as_the_file_is() {
    let project = Project::new();
    project.write("r.jsonl", RECORD);
    let summary = good(&project, "file", &["r.jsonl", "c.toml"]);
    assert_eq!((class(&summary, "correct"), class(&summary, "not_in_prompt")), (1, 1));
    let args = ["import", "-", "c.toml", "--out", "runs", "--name", "stdin", "--json"];
    let output = project.command(&args).write_stdin(RECORD).output().expect("starts");
    let printed: Value = serde_json::from_slice(&output.stdout).expect("summary.json alone");
    assert_eq!(run_files::timeless(printed), run_files::timeless(summary));
}

#[test]
fn a_trec_run_is_joined_with_the_golds_of_its_documents() {
    let project = Project::new();
    project.write("r.trec", "q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\nq2 Q0 b 1 3 t\n");
    let one = good(&project, "one", &["r.trec", "c.toml", "--set", "retrieval.k=1"]);
    assert_eq!(
        (class(&one, "ranked_low"), class(&one, "delivered")),
        (1, 1),
        "`a` came second of k = 1"
    );
    let two = good(&project, "two", &["r.trec", "c.toml", "--set", "retrieval.k=2"]);
    assert_eq!(class(&two, "delivered"), 2);
    // Reciprocal ranks 1/2 and 1.
    assert_eq!(metric(&two, "RR"), (0.75, 2));
}

#[test]
fn our_own_trec_file_comes_back_with_the_same_document_metrics() {
    let project = Project::runbooks();
    assert_eq!(project.call(&["run", "--out", "runs", "--name", "own"]).code, 0);
    let own = project.summary("own");
    let imported = good(&project, "trec", &["runs/own/retrieval.trec"]);
    for name in ["Recall@1", "Recall@5", "nDCG@10", "RR", "AP"] {
        assert_eq!(metric(&imported, name), metric(&own, name), "{name}");
    }
}

#[test]
fn a_context_that_stands_nowhere_is_counted_and_gold_text_in_it_is_not_lost() {
    let project = Project::new();
    project.write(
        "data/corpus.jsonl",
        r#"{"id": "a", "text": "Alpha waits six minutes. Nobody knows why."}"#,
    );
    let question = |id, answer, quote| json!({ "id": id, "text": id, "answers": [answer], "evidence": [[{ "doc": "a", "quotes": [quote] }]] });
    let long = question("q1", "six minutes", "Alpha waits six minutes. Nobody");
    let short = question("q2", "six", "six");
    project.write("data/questions.jsonl", format!("{long}\n{short}\n"));
    // q1: rewritten, but the gold of five words is in it; q2: the gold is one word, which may be from anywhere.
    project.write(
        "r.jsonl",
        "{\"id\": \"q1\", \"contexts\": [\"* Alpha waits   six minutes. Nobody!\"]}\n\
         {\"id\": \"q2\", \"contexts\": [\"Sixty cooks, or six.\"]}\n",
    );
    let summary = good(&project, "r", &["r.jsonl", "c.toml"]);
    assert_eq!((class(&summary, "delivered"), class(&summary, "unclear")), (1, 1));
    let notes = project.notes("r");
    assert!(notes.contains("1 context that is in no document: "), "{notes}");
    assert!(
        notes.contains("1 context that is in no document as it is, placed on the gold"),
        "{notes}"
    );
}

#[test]
fn questions_and_lines_without_the_other_are_counted() {
    let project = Project::new();
    project.write(
        "r.jsonl",
        "{\"id\": \"q1\", \"contexts\": []}\n{\"id\": \"q9\", \"contexts\": []}\n",
    );
    let summary = good(&project, "partial", &["r.jsonl", "c.toml", "--partial"]);
    assert_eq!(summary["n_questions"], 1);
    let report = project.call(&["report", "runs/partial", "--format", "terminal"]).stdout;
    assert!(report.contains("1 question of the data set without a result"), "{report}");
}

#[test]
fn of_several_places_in_a_document_the_nearest_to_the_offset_counts_else_all() {
    let project = Project::new();
    let document = json!({"id": "a", "title": "A", "text": "Wait. Go. Wait. Go."});
    let evidence = json!([[{"doc": "a", "quotes": ["Go. Wait."]}]]);
    let question = json!({"id": "q1", "text": "What?", "answers": ["Wait"], "evidence": evidence});
    project.write("data/corpus.jsonl", document.to_string());
    project.write("data/questions.jsonl", question.to_string());
    let places = |name: &str, context: Value| {
        project.write("r.jsonl", json!({"id": "q1", "contexts": [context]}).to_string());
        good(&project, name, &["r.jsonl", "c.toml"]);
        let traces = project.traces(name);
        let stages = traces[0]["stages"].as_array().expect("stages");
        let hits = stages[stages.len() - 1]["hits"].as_array().expect("hits");
        hits.iter().map(|hit| hit["id"].to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(places("all", json!("Wait.")), r#""a#0-5" "a#10-15""#);
    // One byte off, with and without the document's name.
    let near = json!({"text": "Wait.", "start": 9, "end": 14});
    assert_eq!(places("near", near.clone()), r#""a#10-15""#);
    let mut named = near;
    named["doc_id"] = "a".into();
    assert_eq!(places("named", named), r#""a#10-15""#);
}

#[test]
fn each_blank_passage_keeps_its_rank() {
    let project = Project::new();
    let contexts = json!(["", " ", "Alpha waits six minutes."]);
    let lines = ["q1", "q2"].map(|id| json!({ "id": id, "contexts": contexts }).to_string() + "\n");
    project.write("r.jsonl", lines.concat());
    let summary = good(&project, "r", &["r.jsonl", "c.toml", "--set", "evaluation.ks=[1, 2, 3]"]);
    // The document of `q1` has rank 3, that of `q2` none.
    assert_eq!(metric(&summary, "RR"), (1.0 / 6.0, 2));
    assert_eq!((metric(&summary, "EM@2"), metric(&summary, "EM@3")), ((0.0, 2), (0.5, 2)));
}

#[test]
fn without_passages_of_the_retriever_the_next_step_is_to_record_them() {
    let project = Project::new();
    let step = "next    record the passages that each prompt held, and import again";
    for (name, answers, is_proposed) in [
        ("wrong", ["none", "none"].map(|it| json!({ "answer": it, "stages": {} })), true),
        ("correct", ["Alpha", "Beta"].map(|it| json!({ "answer": it, "stages": {} })), true),
        (
            "with",
            ["none", "none"].map(|it| json!({ "answer": it, "contexts": [{"text": "Beta"}] })),
            false,
        ),
    ] {
        let lines = ["q1", "q2"].into_iter().zip(answers).map(|(id, mut line)| {
            line["id"] = id.into();
            line.to_string() + "\n"
        });
        project.write("r.jsonl", lines.collect::<String>());
        let outcome = import(&project, &["--name", name, "r.jsonl", "c.toml"]);
        assert_eq!(outcome.stdout.contains(step), is_proposed, "{name}: {}", outcome.stdout);
    }
}

#[test]
fn an_imported_run_is_not_gone_on_with() {
    let project = Project::new();
    project.write("r.jsonl", RECORD.replace("\"answer\": \"Alpha\"", "\"error\": \"timeout\""));
    let summary = good(&project, "r", &["r.jsonl", "c.toml"]);
    assert_eq!((class(&summary, "correct"), class(&summary, "failed")), (1, 1));
    let before = project.files("runs/r");
    let refused = "error: run `r` was imported from the results `r.jsonl`: there is nothing to ask";
    project.refuses_with_some_hint(&["run", "c.toml", "--out", "runs", "--resume", "r"], refused);
    project.refuses_with_some_hint(&["run", "--out", "runs", "--resume", "r"], refused);
    assert_eq!(project.files("runs/r"), before);
    let report = project.call(&["report", "runs/r", "--format", "terminal"]).stdout;
    assert!(report.contains("import the file") && !report.contains("--resume"), "{report}");
}

#[test]
fn an_import_replaces_no_run() {
    let project = Project::new();
    project.write("r.jsonl", RECORD);
    good(&project, "r", &["r.jsonl", "c.toml"]);
    let import = ["import", "--out", "runs", "--name", "r", "r.jsonl", "c.toml"];
    let before = project.files("runs/r");
    project.refuses_with_some_hint(&import, "error: run folder `runs/r` already exists");
    assert_eq!(project.files("runs/r"), before);
}

#[test]
fn failures_in_a_row_end_no_import_unless_there_is_nothing_else() {
    let project = Project::new();
    let numbers = 1..=30;
    let question = |n: &i32| {
        json!({ "id": format!("q{n}"), "text": format!("{n}?"), "answers": ["Beta"] }).to_string()
    };
    let lines = |texts: Vec<String>| texts.join("\n");
    project.write("data/questions.jsonl", lines(numbers.clone().map(|n| question(&n)).collect()));
    let failed = |n| json!({ "id": format!("q{n}"), "error": "timeout" }).to_string();
    let mut record: Vec<String> = numbers.map(failed).collect();
    project.write("r.jsonl", lines(record.clone()));
    let args = ["import", "r.jsonl", "c.toml", "--out", "runs", "--name", "r"];
    let refused = "error: all 30 recorded questions failed; last error: the recorded pipeline failed: timeout";
    project.refuses_with_some_hint(&args, refused);
    assert!(!project.path("runs/r").exists());
    record[29] =
        json!({ "id": "q30", "contexts": ["Beta never waits."], "answer": "Beta" }).to_string();
    project.write("r.jsonl", lines(record));
    let summary = good(&project, "r", &["r.jsonl", "c.toml"]);
    assert_eq!((class(&summary, "failed"), class(&summary, "correct")), (29, 1));
}

#[test]
fn a_blank_answer_is_an_empty_reply_and_keys_that_are_not_read_are_noted() {
    let project = Project::new();
    let question = |id| json!({ "id": id, "text": id, "kind": "unanswerable" });
    project.write("data/questions.jsonl", format!("{}\n{}\n", question("q1"), question("q2")));
    project.write(
        "r.jsonl",
        "{\"id\": \"q1\", \"contexts\": [{\"text\": \"Beta never waits.\", \"page\": 3}], \"answer\": \"\"}\n\
         {\"id\": \"q2\", \"contexts\": [], \"answer\": null}\n",
    );
    let summary = good(&project, "r", &["r.jsonl", "c.toml"]);
    assert_eq!(class(&summary, "failed"), 2);
    let notes = project.notes("r");
    assert!(notes.contains("1 line with keys that are not read: `contexts[].page`"), "{notes}");
    assert!(
        notes.contains(
            "1 question without an answer in results with answers: each counts as an empty reply"
        ),
        "{notes}"
    );
}

#[test]
fn citations_are_scored_by_the_gold_evidence() {
    let project = Project::new();
    let [a, b] = [("a", "Alpha waits six minutes."), ("b", "Beta never waits.")]
        .map(|(doc, text)| json!({ "doc_id": doc, "text": text }));
    // Of the three that the first answer cites one is gold, one is not, and one is not in the prompt. The second cites what is not
    // gold.
    let lines = [
        json!({"id": "q1", "contexts": [a, b], "answer": "six minutes [1] (Document 2) [7], [1]"}),
        json!({"id": "q2", "contexts": [b, a], "answer": "In 1999 [A]"}),
    ];
    project.write("results.jsonl", lines.map(|line| line.to_string()).join("\n"));
    let metrics = r#"evaluation.metrics=["CitationPrecision", "CitationRecall", "UncitedValues"]"#;
    let summary = good(&project, "cited", &["results.jsonl", "c.toml", "--set", metrics]);
    let [(precision, n), recall] =
        ["CitationPrecision", "CitationRecall"].map(|name| metric(&summary, name));
    assert!((precision - 1.0 / 6.0).abs() < 1e-12 && n == 2, "{precision}, {n}");
    assert_eq!(recall, (0.5, 2));
    // `six minutes` is in `a`, which the first answer cites; 1999 is not there.
    assert_eq!(metric(&summary, "UncitedValues"), (0.5, 2));
    // A repeated context has two numbers.
    let line = json!({"id": "q1", "contexts": [b, b, a], "answer": "six minutes [3]"});
    project.write("repeated.jsonl", line.to_string());
    let args = ["repeated.jsonl", "c.toml", "--partial", "--set", metrics];
    let summary = good(&project, "repeated", &args);
    let names = ["CitationPrecision", "CitationRecall", "UncitedValues"];
    assert_eq!(names.map(|name| metric(&summary, name)), [(1.0, 1), (1.0, 1), (0.0, 1)]);
}
