//! The files of the instrumentation packages (`tests/data/spans`), read as records. Expected values are those of the
//! script that made them (`script.py`).

mod forms;
mod hostile;

use std::path::Path;

use serde_json::{Map, Value, json};

use super::*;
use crate::run::external::recorded::RecordedAttempt;

/// A question with its documents and answers.
type Asked = (&'static str, [&'static str; 4], [&'static str; 2], &'static [&'static str]);

/// Questions with the documents retrieved, those that the reranker left, and the answers.
const SCRIPT: [Asked; 5] = [
    (
        "When does the harbour office open?",
        ["ferry", "harbour", "museum", "library"],
        ["harbour", "ferry"],
        &["7 am"],
    ),
    (
        "How much is a ticket for a child?",
        ["ferry", "harbour", "prices", "museum"],
        ["ferry", "harbour"],
        &["5 euros"],
    ),
    (
        "Who built the old lighthouse?",
        ["museum", "harbour", "ferry", "library"],
        ["museum", "harbour"],
        &["Carl Lund"],
    ),
    (
        "How many books may a member borrow?",
        ["library", "museum", "ferry", "bus"],
        ["library", "museum"],
        &["20 books"],
    ),
    (
        "On which day is the museum closed?",
        ["museum", "bus", "ferry", "library"],
        ["museum", "bus"],
        &["Tuesday", "Monday"],
    ),
];

/// The beginning of each document's text.
const BEGINNINGS: [(&str, &str); 7] = [
    ("harbour", "The harbour office"),
    ("ferry", "The ferry leaves"),
    ("prices", "An adult pays"),
    ("museum", "The town museum"),
    ("library", "A member of the library"),
    ("lighthouse", "The old lighthouse"),
    ("bus", "Line 14"),
];

fn file(name: &str) -> Input {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/spans");
    Input::read(&folder.join(name)).expect("a file of the repository")
}

/// Records as JSON, and counts.
#[derive(Debug)]
struct Fields {
    pub records: Vec<Map<String, Value>>,
    pub notes: Vec<Note>,
}

fn checked(input: &Input, is_question: &(dyn Fn(&str) -> bool + Sync)) -> Result<Fields, Error> {
    let (records, notes) = read(input, is_question, &|_| true)?;
    Ok(Fields { records: records.iter().map(fields).collect(), notes })
}

/// Returns the parts of an object that are there.
fn object<const N: usize>(parts: [(&str, Value); N]) -> Map<String, Value> {
    let parts = parts.into_iter().filter(|(_, value)| !value.is_null());
    parts.map(|(key, value)| (key.to_owned(), value)).collect()
}

fn fields(record: &Recorded) -> Map<String, Value> {
    let mut stages = Map::new();
    for stage in &record.stages {
        let hits = stage.hits.iter().flatten().map(|hit| {
            object([
                ("text", json!(hit.text)),
                ("doc_id", json!(hit.doc_id)),
                ("title", json!(hit.title)),
                ("score", json!(hit.score)),
            ])
        });
        let call = json!(object([
            ("role", json!(stage.role().name())),
            ("hits", json!(hits.collect::<Vec<_>>())),
            ("query", json!(stage.query)),
            ("seconds", json!(stage.seconds)),
        ]));
        match stages.get_mut(&stage.name) {
            None => drop(stages.insert(stage.name.clone(), call)),
            Some(Value::Array(calls)) => calls.push(call),
            Some(first) => *first = json!([first.take(), call]),
        }
    }
    let attempt = |attempt: &RecordedAttempt| {
        let usage = &attempt.usage;
        let usage = object([
            ("prompt_tokens", json!(usage.prompt_tokens)),
            ("completion_tokens", json!(usage.completion_tokens)),
            ("cost_usd", json!(usage.cost_usd)),
            ("seconds", json!(usage.seconds)),
            ("model", json!(usage.model)),
            ("finish_reason", json!(usage.finish)),
        ]);
        let error = attempt.error.as_ref().map(|error| &error.message);
        object([("answer", json!(attempt.text)), ("usage", json!(usage)), ("error", json!(error))])
    };
    let mut fields = object([
        ("question", json!(record.question)),
        ("stages", json!(stages)),
        ("prompt", json!(record.prompt)),
        ("error", json!(record.error.as_ref().map(|error| &error.message))),
    ]);
    fields.extend(record.answer.iter().flat_map(attempt));
    fields
}

fn of_file(name: &str) -> Fields {
    let input = file(name);
    assert!(is_export(input.text()), "{name}");
    checked(&input, &|text| SCRIPT.iter().any(|line| line.0 == text)).expect(name)
}

/// Returns the documents of a stage's hits, by their texts.
fn documents(stage: &Value) -> Vec<&'static str> {
    let hits = stage["hits"].as_array().expect("hits").iter();
    hits.map(|hit| {
        let text = hit["text"].as_str().expect("a text");
        BEGINNINGS.iter().find(|(_, beginning)| text.starts_with(beginning)).expect(text).0
    })
    .collect()
}

fn notes(traces: &Fields) -> Vec<String> {
    traces.notes.iter().map(ToString::to_string).collect()
}

#[test]
fn every_package_s_spans_give_the_scripted_stages_and_answers() {
    for (name, retriever, reranker) in [
        ("otlp-langchain.jsonl", "ScriptedRetriever", "ContextualCompressionRetriever"),
        (
            "console-llama-index.json",
            "ScriptedRetriever.retrieve",
            "ScriptedReranker._postprocess_nodes",
        ),
        ("langsmith.jsonl", "ScriptedRetriever", "ContextualCompressionRetriever"),
        ("otlp-langfuse.jsonl", "search", "rerank"),
        ("langfuse-observations.json", "search", "rerank"),
        ("langfuse-trace.json", "search", "rerank"),
    ] {
        let read = of_file(name);
        assert_eq!(read.records.len(), SCRIPT.len(), "{name}");
        for ((question, found, ranked, answers), record) in SCRIPT.iter().zip(&read.records) {
            assert_eq!(record["question"], **question, "{name}");
            let stages = record["stages"].as_object().expect("stages");
            assert_eq!(stages.keys().collect::<Vec<_>>(), [retriever, reranker], "{name}");
            assert_eq!(
                (&stages[retriever]["role"], &stages[reranker]["role"]),
                (&json!("retriever"), &json!("ranking"))
            );
            assert_eq!(documents(&stages[retriever]), found, "{name}");
            assert_eq!(documents(&stages[reranker]), ranked, "{name}");
            assert_eq!(stages[retriever]["query"], **question, "{name}");
            assert!(stages[retriever]["seconds"].as_f64().expect("seconds") >= 0.0);
            assert_eq!(stages[reranker]["hits"][0]["score"], 4.5, "{name}");
            assert_eq!(stages[retriever]["hits"][0]["doc_id"], found[0], "{name}");
            let prompt = record["prompt"].as_str().expect("a prompt");
            assert!(
                prompt.contains(question)
                    && prompt.contains(
                        BEGINNINGS.iter().find(|(id, _)| *id == ranked[0]).expect("known").1
                    )
            );
            assert_eq!(record["answer"], answers[0], "{name}");
        }
        assert!(!format!("{:?}", read.records).contains("not-a-real-secret"), "{name}");
    }
}

#[test]
fn tokens_cost_model_and_finish_reason_are_those_of_the_script() {
    for (name, expected) in [
        (
            "otlp-langchain.jsonl",
            json!({"prompt_tokens": 60, "completion_tokens": 3, "finish_reason": "stop"}),
        ),
        (
            "langsmith.jsonl",
            json!({"prompt_tokens": 60, "completion_tokens": 3, "model": "scripted-1", "finish_reason": "stop"}),
        ),
        (
            "langsmith-traceable.json",
            json!({"prompt_tokens": 60, "completion_tokens": 3, "finish_reason": "stop"}),
        ),
        (
            "otlp-genai.jsonl",
            json!({"prompt_tokens": 60, "completion_tokens": 3, "model": "scripted-1", "finish_reason": "stop"}),
        ),
        ("console-llama-index.json", json!({"model": "scripted-1"})),
        (
            "otlp-langfuse.jsonl",
            json!({"prompt_tokens": 60, "completion_tokens": 3, "cost_usd": 0.0002, "model": "scripted-1"}),
        ),
        (
            "langfuse-observations.json",
            json!({"prompt_tokens": 60, "completion_tokens": 3, "cost_usd": 0.0002, "model": "scripted-1"}),
        ),
    ] {
        let mut usage = of_file(name).records[0]["usage"].clone();
        let seconds = usage.as_object_mut().expect("an object").shift_remove("seconds");
        assert!(
            seconds.and_then(|seconds| seconds.as_f64()).is_some_and(|seconds| seconds >= 0.0),
            "{name}"
        );
        assert_eq!(usage, expected, "{name}");
    }
}

#[test]
fn traceable_functions_of_langsmith_are_read_with_their_child_runs() {
    let read = of_file("langsmith-traceable.json");
    assert_eq!(read.records.len(), 5);
    for ((question, found, _, answers), record) in SCRIPT.iter().zip(&read.records) {
        assert_eq!(
            (&record["question"], &record["answer"]),
            (&json!(question), &json!(answers[0]))
        );
        assert_eq!(documents(&record["stages"]["search"]), found);
    }
    assert_eq!(notes(&read), [""; 0]);
}

#[test]
fn queries_that_a_model_wrote_are_calls_of_one_stage_and_it_does_not_answer() {
    let read = of_file("otlp-multi-query.jsonl");
    let record = &read.records[0];
    assert_eq!(record["answer"], "12 books", "not the queries that the model wrote");
    let stages = record["stages"].as_object().expect("stages");
    let calls = stages["ScriptedRetriever"].as_array().expect("two calls");
    let queries: Vec<&Value> = calls.iter().map(|call| &call["query"]).collect();
    assert_eq!(queries, ["member borrow books", "books at a time"]);
    assert_eq!(
        (documents(&calls[0]), documents(&calls[1])),
        (vec!["museum", "library"], vec!["library", "bus"])
    );
    assert_eq!(stages["MultiQueryRetriever"]["role"], "ranking");
    assert_eq!(documents(&stages["MultiQueryRetriever"]), ["museum", "library", "bus"]);
}

#[test]
fn genai_documents_are_ids_and_those_without_any_are_counted() {
    let read = of_file("otlp-genai.jsonl");
    let record = &read.records[0];
    let stage = &record["stages"]["retrieval handbook"];
    assert_eq!(stage["hits"][0], json!({"doc_id": "ferry", "score": 0.9}));
    assert_eq!(record["answer"], "7 am");
    assert!(
        record["prompt"]
            .as_str()
            .expect("a prompt")
            .starts_with("You answer.\n\nAnswer from the context.")
    );
    let read = of_file("otlp-genai-langchain.jsonl");
    assert_eq!(read.records[0]["stages"], json!({}));
    assert_eq!(
        notes(&read)[0],
        "6 retrievers and rerankers whose documents have no text or id, or are not recorded: their stages are unknown"
    );
}
