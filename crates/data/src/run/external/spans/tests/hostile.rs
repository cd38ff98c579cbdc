//! Spans as they should not be: missing, repeated, out of order, of other services, of the wrong types, far too large.

use serde_json::{Map, Value, json};

use super::{Fields, checked};
use crate::run::external::input::Input;
use crate::run::{Error, Kind};

/// A trace of one question: spans as OTLP/JSON, with attributes as an object.
fn otlp(spans: &[Value]) -> String {
    let spans: Vec<Value> = spans
        .iter()
        .map(|span| {
            let mut span = span.clone();
            let attributes = span["attributes"].take();
            let pairs = attributes.as_object().into_iter().flatten();
            span["attributes"] =
                pairs.map(|(key, value)| json!({"key": key, "value": any_value(value)})).collect();
            span
        })
        .collect();
    json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).to_string()
}

fn any_value(value: &Value) -> Value {
    match value {
        Value::String(text) => json!({"stringValue": text}),
        Value::Array(items) => {
            json!({"arrayValue": {"values": items.iter().map(any_value).collect::<Vec<_>>()}})
        }
        Value::Number(number) if number.is_f64() => json!({"doubleValue": number}),
        Value::Number(number) => json!({"intValue": number.to_string()}),
        other => json!({"boolValue": other}),
    }
}

/// A span of trace `t`: id, parent, start, end and attributes.
fn span(id: &str, parent: &str, times: [u64; 2], attributes: &Value) -> Value {
    let [start, end] = times.map(|time| (1_795_559_313_000_000_000 + time).to_string());
    json!({"traceId": "t", "spanId": id, "parentSpanId": parent, "name": id,
        "startTimeUnixNano": start, "endTimeUnixNano": end, "attributes": attributes})
}

fn root(answer: &str) -> Value {
    span(
        "root",
        "",
        [0, 100],
        &json!({"openinference.span.kind": "CHAIN", "input.value": "q?", "output.value": answer}),
    )
}

fn retriever(parent: &str, times: [u64; 2], texts: &[&str]) -> Value {
    let mut attributes = json!({"openinference.span.kind": "RETRIEVER", "input.value": "q?"});
    for (at, text) in texts.iter().enumerate() {
        attributes[format!("retrieval.documents.{at}.document.content")] = json!(text);
    }
    span("search", parent, times, &attributes)
}

fn model(id: &str, parent: &str, start: u64, answer: &str) -> Value {
    let attributes = json!({"openinference.span.kind": "LLM", "llm.input_messages.0.message.content": format!("prompt of {id}"),
        "llm.output_messages.0.message.content": answer});
    span(id, parent, [start, start + 1], &attributes)
}

fn read_text(text: &str) -> Result<Fields, Error> {
    let input = Input::new("f.jsonl", text.to_owned()).expect("text");
    checked(&input, &|text| text == "q?" || text == "r?")
}

fn only(text: &str) -> Map<String, Value> {
    let mut traces = read_text(text).expect("traces");
    assert_eq!(traces.records.len(), 1);
    traces.records.remove(0)
}

fn notes(traces: &Fields) -> Vec<String> {
    traces.notes.iter().map(ToString::to_string).collect()
}

#[test]
fn spans_without_their_parents_are_still_one_question() {
    let record =
        only(&otlp(&[model("m", "gone", 5, "a"), retriever("gone too", [1, 2], &["x", "y"])]));
    assert_eq!(
        (&record["question"], &record["answer"], &record["prompt"]),
        (&json!("q?"), &json!("a"), &json!("prompt of m"))
    );
    assert_eq!(record["stages"]["search"]["hits"], json!([{"text": "x"}, {"text": "y"}]));
}

#[test]
fn spans_that_all_have_one_id_are_counted_in_the_error() {
    let spans = [retriever("", [1, 2], &["x"]), model("m", "", 5, "a"), root("a")];
    let spans = spans.map(|mut span| {
        span["spanId"] = json!("one");
        span
    });
    let error = read_text(&otlp(&spans)).expect_err("only the root is left");
    assert_eq!(
        error.to_string(),
        "`f.jsonl` has no span of a retriever, reranker or model (spans: 3, traces: 1, left out for the id of a later span: 2)"
    );
}

#[test]
fn a_clock_that_runs_backwards_gives_no_time_and_changes_no_order() {
    let late = span(
        "rerank",
        "search",
        [90, 80],
        &json!({"openinference.span.kind": "RERANKER",
        "reranker.output_documents.0.document.content": "x"}),
    );
    let record = only(&otlp(&[
        root("a"),
        retriever("root", [50, 40], &["x", "y"]),
        late,
        model("m", "root", 1, "a"),
    ]));
    for (_, stage) in record["stages"].as_object().expect("stages") {
        assert_eq!(stage.get("seconds"), None);
    }
    assert_eq!(record["answer"], "a");
}

#[test]
fn without_a_retriever_the_reranker_s_input_are_the_candidates() {
    let reranker = span(
        "rerank",
        "root",
        [1, 2],
        &json!({"openinference.span.kind": "RERANKER", "reranker.query": "q?",
        "reranker.input_documents.0.document.content": "x", "reranker.input_documents.1.document.content": "y",
        "reranker.output_documents.0.document.content": "y"}),
    );
    let record = only(&otlp(&[root("a"), reranker]));
    let stages = record["stages"].as_object().expect("stages");
    assert_eq!(stages.keys().collect::<Vec<_>>(), ["rerank input", "rerank"]);
    assert_eq!(
        stages["rerank input"],
        json!({"role": "retriever", "hits": [{"text": "x"}, {"text": "y"}], "query": "q?"})
    );
    assert_eq!(stages["rerank"]["hits"], json!([{"text": "y"}]));
    assert_eq!(record["answer"], "a", "the root's, where no model is recorded");
}

#[test]
fn the_answer_is_the_call_that_the_root_returned_else_the_last() {
    let spans = [
        root("a"),
        model("first", "root", 1, "b"),
        model("second", "root", 2, " a\n"),
        model("judge", "root", 3, "yes"),
    ];
    assert_eq!(only(&otlp(&spans))["prompt"], "prompt of second");
    let spans =
        [root("something else"), model("first", "root", 1, "b"), model("second", "root", 2, "c")];
    assert_eq!(only(&otlp(&spans))["answer"], "c");
}

#[test]
fn what_is_not_read_is_not_stored() {
    let mut search = retriever("root", [1, 2], &["x"]);
    for key in [
        "http.request.header.authorization",
        "user.id",
        "metadata",
        "llm.invocation_parameters",
        "retrieval.documents.0.document.vector",
    ] {
        search["attributes"][key] = json!("SECRET");
    }
    search["attributes"]["retrieval.documents.0.document.metadata"] =
        json!("{\"api_key\": \"SECRET\", \"source\": \"d\"}");
    search["events"] = json!([{"name": "e", "attributes": [{"key": "token", "value": {"stringValue": "SECRET"}}]}]);
    let traces = read_text(&otlp(&[root("a"), search])).expect("traces");
    assert_eq!(
        traces.records[0]["stages"]["search"]["hits"],
        json!([{"text": "x", "doc_id": "d"}])
    );
    assert!(!format!("{:?}", traces.records).contains("SECRET"));
}

#[test]
fn spans_of_other_services_and_repeated_spans_are_counted() {
    let other = json!({"traceId": "u", "spanId": "1", "name": "GET /health", "attributes": {}});
    let text = [
        otlp(&[root("a"), retriever("root", [1, 2], &["x"])]),
        otlp(&[root("a"), other]),
        json!({"hello": 1}).to_string(),
    ]
    .join("\n");
    let traces = read_text(&text).expect("traces");
    assert_eq!(traces.records.len(), 1);
    assert_eq!(
        notes(&traces),
        [
            "1 object of the file that is no span",
            "1 span with the id of a later span of its trace, left out",
            "1 trace without a span of a retriever, reranker or model, left out",
        ]
    );
}

#[test]
fn a_file_without_any_rag_says_what_it_has() {
    let error =
        read_text(&otlp(&[span("a", "", [0, 1], &json!({})), span("b", "a", [0, 1], &json!({}))]))
            .expect_err("no RAG");
    assert_eq!(
        error.to_string(),
        "`f.jsonl` has no span of a retriever, reranker or model (spans: 2, traces: 1)"
    );
    let jaeger = json!({"data": [{"traceID": "1", "spans": [{"traceID": "1", "spanID": "2", "operationName": "o"}]}]});
    assert_eq!(
        read_text(&jaeger.to_string()).expect_err("Jaeger").to_string(),
        "`f.jsonl` has no span of a retriever, reranker or model (spans: 0, traces: 0)"
    );
    let error = read_text("{\"resourceSpans\": []}\n{\"resourceSpans\": [}").expect_err("broken");
    assert_eq!(error.to_string(), "`f.jsonl` line 2 column 20: not a JSON object: expected value");
}

#[test]
fn values_of_the_wrong_type_are_as_good_as_missing() {
    for wrong in [json!(7), json!(null), json!({"a": [1]}), json!([]), json!(true)] {
        let mut search = span("search", "root", [1, 2], &json!({}));
        search["name"] = wrong.clone();
        search["startTimeUnixNano"] = wrong.clone();
        search["events"] = wrong.clone();
        search["status"] = wrong.clone();
        search["attributes"] = json!({"openinference.span.kind": "RETRIEVER", "input.value": wrong, "output.value": "{\"documents\": 3}",
            "retrieval.documents.0.document.content": wrong, "retrieval.documents.x.document.content": "x",
            "retrieval.documents.1.document.content": "y", "retrieval.documents.1.document.metadata": wrong});
        let traces = read_text(&otlp(&[root("a"), search])).expect("traces");
        assert_eq!(
            traces.records[0]["stages"],
            json!({}),
            "the first document has neither text nor id"
        );
        assert!(notes(&traces)[0].starts_with("1 "));
    }
    for line in [
        json!({"resourceSpans": 7}),
        json!({"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": 1, "spanId": ""}, 3, "x", null, [true]]}]}]}),
        json!({"id": {}, "run_type": 4, "inputs": 1}),
        json!({"id": "1", "run_type": "chain", "child_runs": [1, {"run_type": "llm"}]}),
    ] {
        let error = read_text(&line.to_string()).expect_err("no span of a RAG");
        assert_eq!(error.kind, Kind::NotTraces, "{error}");
    }
}

#[test]
fn a_failed_question_has_its_reason() {
    let mut failed = model("m", "root", 3, "");
    failed["status"] = json!({"code": 2, "message": "timeout"});
    let mut root = root("");
    root["status"] = json!({"code": "STATUS_CODE_ERROR"});
    root["events"] = json!([{"name": "exception", "attributes": [{"key": "exception.message", "value": {"stringValue": "no answer in time"}}]}]);
    let record = only(&otlp(&[root, retriever("root", [1, 2], &["x"]), failed.clone()]));
    assert_eq!((record.get("answer"), &record["error"]), (None, &json!("no answer in time")));
    let record = only(&otlp(&[retriever("", [1, 2], &["x"]), failed]));
    assert_eq!(record["error"], "timeout");
}

#[test]
fn of_two_traces_of_a_question_the_first_counts() {
    let first = otlp(&[root("a"), retriever("root", [1, 2], &["x"]), model("m", "root", 3, "a")]);
    let second = otlp(&[root("b"), retriever("root", [1, 2], &["y"]), model("m", "root", 3, "b")])
        .replace("\"t\"", "\"u\"");
    let traces = read_text(&format!("{first}\n{second}")).expect("traces");
    let record = &traces.records[0];
    assert_eq!(
        (&record["answer"], &record["stages"]["search"]["hits"]),
        (&json!("a"), &json!([{"text": "x"}]))
    );
    assert_eq!(
        notes(&traces),
        [
            "1 trace of a question that another trace asks: the one with the most stages counts, and the first answer"
        ]
    );
}

#[test]
fn a_question_that_no_span_records_is_counted_and_one_of_no_data_set_is_left_to_the_reader() {
    let mut search = retriever("", [1, 2], &["x"]);
    search["attributes"]["input.value"] = json!("");
    let traces = read_text(&otlp(&[search.clone()])).expect("traces");
    assert_eq!(
        (traces.records.len(), notes(&traces)),
        (0, vec!["1 trace that records no question, left out".to_owned()])
    );
    search["attributes"]["input.value"] = json!(" another? ");
    assert_eq!(only(&otlp(&[search]))["question"], "another?");
}

#[test]
fn a_chain_of_ten_thousand_spans_and_ten_megabytes_of_text_are_read() {
    let mut spans = vec![retriever("9999", [1, 2], &["x".repeat(10 << 20).as_str()])];
    spans.extend((0..10_000).map(|at: u32| {
        let parent = at.checked_sub(1).map_or(String::new(), |parent| parent.to_string());
        json!({"traceId": "t", "spanId": at.to_string(), "parentSpanId": parent, "attributes": {}})
    }));
    let record = only(&otlp(&spans));
    assert_eq!(
        record["stages"]["search"]["hits"][0]["text"].as_str().map(str::len),
        Some(10 << 20)
    );
    let deep = format!("{{\"resourceSpans\": {}1{}}}", "[".repeat(1000), "]".repeat(1000));
    assert_eq!(
        read_text(&deep).expect_err("too deep").to_string(),
        "`f.jsonl` line 1 column 145: not a JSON object: recursion limit exceeded"
    );
}
