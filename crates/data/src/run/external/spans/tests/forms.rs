//! Forms of spans that the files in `tests/data/spans` do not have: other exports, older conventions, other places.

use serde_json::{Map, Value, json};

use super::checked;
use crate::run::external::input::Input;
use crate::run::external::spans::is_export;

fn only(values: &[Value]) -> Map<String, Value> {
    let text: Vec<String> = values.iter().map(Value::to_string).collect();
    let input = Input::new("f", text.join("\n")).expect("text");
    assert!(is_export(input.text()));
    let mut fields = checked(&input, &|text| text == "q?").expect("traces");
    assert_eq!(fields.records.len(), 1);
    fields.records.remove(0)
}

/// An OTLP span of trace `t`.
fn otlp(id: &str, parent: &str, attributes: &[(&str, Value)]) -> Value {
    let attributes: Vec<Value> =
        attributes.iter().map(|(key, value)| json!({"key": key, "value": value})).collect();
    json!({"resourceSpans": [{"scopeSpans": [{"spans": [
        {"traceId": "t", "spanId": id, "parentSpanId": parent, "name": id, "attributes": attributes}]}]}]})
}

fn text(text: &str) -> Value {
    json!({"stringValue": text})
}

#[test]
fn rows_of_langfuse_s_blob_storage_have_json_in_strings_and_empty_strings() {
    let row = |id: &str, parent: &str, kind: &str, input: &str, output: &str| {
        json!({"id": id, "trace_id": "t", "parent_observation_id": parent, "type": kind, "name": id, "level": "DEFAULT",
            "start_time": "2024-05-29 13:46:19.000000", "end_time": "2024-05-29 13:46:20.500000", "input": input, "output": output,
            "provided_model_name": if kind == "GENERATION" { "m" } else { "" }, "total_cost": 0.5, "status_message": "",
            "usage_details": {"input": 7, "output": 2, "total": 9}})
    };
    let record = only(&[
        row("root", "", "SPAN", "{\"question\": \"q?\"}", "a"),
        row("search", "root", "RETRIEVER", "q?", "[\"x\", \"y\"]"),
        row(
            "answer",
            "root",
            "GENERATION",
            "[{\"role\": \"user\", \"content\": \"x q?\"}]",
            "{\"role\": \"assistant\", \"content\": \"a\"}",
        ),
    ]);
    assert_eq!(
        record["stages"],
        json!({"search": {"role": "retriever", "hits": [{"text": "x"}, {"text": "y"}], "query": "q?", "seconds": 1.5}})
    );
    assert_eq!((&record["prompt"], &record["answer"]), (&json!("x q?"), &json!("a")));
    assert_eq!(
        record["usage"],
        json!({"prompt_tokens": 7, "completion_tokens": 2, "cost_usd": 0.5, "model": "m", "seconds": 1.5})
    );
}

#[test]
fn a_downloaded_langfuse_trace_is_the_root_of_its_observations() {
    let observation = json!({"id": "o", "traceId": "t", "type": "RETRIEVER", "name": "search", "startTime": "2024-05-29T13:46:19.000Z",
        "input": "rewritten", "output": {"documents": [{"content": "x"}]}});
    let record = only(&[
        json!({"trace": {"id": "t", "input": {"query": "q?"}, "output": "a"}, "observations": [observation]}),
    ]);
    assert_eq!((&record["question"], &record["answer"]), (&json!("q?"), &json!("a")));
    assert_eq!(record["stages"]["search"]["query"], "rewritten");
}

#[test]
fn runs_of_langsmith_s_command_line_and_of_other_frameworks_are_read() {
    let order = "20261124T222833147485Zt";
    let record = only(&[
        json!({"run_id": "t", "run_type": "chain", "name": "rag", "inputs": {"messages": [{"role": "user", "content": "q?"}]},
            "outputs": {"messages": [{"role": "user", "content": "q?"}, {"role": "assistant", "content": "a"}]}}),
        json!({"run_id": "1", "run_type": "retriever", "name": "search", "dotted_order": format!("{order}.20261124T222833199112Z1"),
            "parent_run_id": "t", "inputs": {"query": "q?"}, "outputs": {"output": ["x", "y", "z"]}}),
        json!({"run_id": "2", "run_type": "tool", "name": "cohere_rerank", "trace_id": "t", "parent_run_id": "t",
            "inputs": {"query": "q?"}, "outputs": {"output": [{"page_content": "y", "metadata": {"relevance_score": 0.9}}]}}),
        json!({"run_id": "3", "run_type": "llm", "name": "m", "trace_id": "t", "parent_run_id": "t", "total_cost": "0.25", "prompt_tokens": 5,
            "inputs": {"prompts": ["y q?"]}, "outputs": {"generations": [{"text": "a"}], "llm_output": {"token_usage": {"completion_tokens": 1}, "model_name": "m"}}}),
    ]);
    assert_eq!(
        record["stages"]["search"]["hits"],
        json!([{"text": "x"}, {"text": "y"}, {"text": "z"}])
    );
    assert_eq!(record["stages"]["cohere_rerank"]["hits"], json!([{"text": "y", "score": 0.9}]));
    assert_eq!((&record["prompt"], &record["answer"]), (&json!("y q?"), &json!("a")));
    assert_eq!(
        record["usage"],
        json!({"prompt_tokens": 5, "completion_tokens": 1, "cost_usd": 0.25, "model": "m"})
    );
}

#[test]
fn older_genai_messages_structured_ones_and_those_in_events_are_read() {
    let kind = ("gen_ai.operation.name", text("chat"));
    let part = json!({"kvlistValue": {"values": [{"key": "type", "value": text("text")}, {"key": "content", "value": text("a")}]}});
    let message = json!({"kvlistValue": {"values": [{"key": "role", "value": text("assistant")}, {"key": "parts", "value": {"arrayValue": {"values": [part]}}}]}});
    let older = otlp(
        "m",
        "",
        &[
            kind.clone(),
            ("gen_ai.prompt.0.content", text("s")),
            ("gen_ai.prompt.1.content", text("q?")),
            ("gen_ai.completion.0.content", text("a")),
            ("gen_ai.usage.prompt_tokens", json!({"intValue": "5"})),
        ],
    );
    let structured = otlp(
        "m",
        "",
        &[
            kind.clone(),
            (
                "gen_ai.input.messages",
                text(
                    "[{\"role\": \"system\", \"content\": \"s\"}, {\"role\": \"user\", \"content\": \"q?\"}]",
                ),
            ),
            ("gen_ai.output.messages", json!({"arrayValue": {"values": [message]}})),
            ("gen_ai.usage.input_tokens", json!({"intValue": 5})),
        ],
    );
    let mut in_event =
        otlp("m", "", &[kind, ("gen_ai.usage.input_tokens", json!({"intValue": "5"}))]);
    let attributes =
        structured["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"].clone();
    in_event["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["events"] =
        json!([{"name": "gen_ai.client.inference.operation.details", "attributes": attributes}]);
    let search = otlp(
        "s",
        "",
        &[
            ("gen_ai.operation.name", text("retrieval")),
            ("gen_ai.retrieval.query.text", text("q?")),
            ("gen_ai.retrieval.documents", text("[{\"id\": \"d\", \"content\": \"x\"}]")),
        ],
    );
    for model in [older, structured, in_event] {
        let record = only(&[search.clone(), model]);
        assert_eq!(
            (&record["question"], &record["prompt"], &record["answer"]),
            (&json!("q?"), &json!("s\n\nq?"), &json!("a"))
        );
        assert_eq!(record["usage"], json!({"prompt_tokens": 5}));
        assert_eq!(record["stages"]["s"]["hits"], json!([{"text": "x", "doc_id": "d"}]));
    }
}

#[test]
fn openinference_prompts_parts_of_messages_and_documents_as_json_are_read() {
    let model = |input: &[(&str, Value)]| {
        let own = [
            ("openinference.span.kind", text("LLM")),
            ("llm.choices.0.completion.text", text("a")),
            ("llm.cost.total", json!({"doubleValue": 0.5})),
        ];
        otlp("m", "root", &[&own[..], input].concat())
    };
    let search = otlp(
        "s",
        "root",
        &[
            ("openinference.span.kind", text("retriever")),
            ("input.value", text("{\"query\": \"q?\"}")),
            (
                "output.value",
                text(
                    "{\"documents\": [{\"page_content\": \"x\", \"metadata\": {\"document_id\": \"d\"}}]}",
                ),
            ),
        ],
    );
    for input in [
        vec![("llm.prompts.0.prompt.text", text("x q?"))],
        vec![("llm.prompts", json!({"arrayValue": {"values": [text("x q?")]}}))],
        vec![
            ("llm.input_messages.0.message.contents.0.message_content.text", text("x ")),
            ("llm.input_messages.0.message.contents.1.message_content.text", text("q?")),
        ],
    ] {
        let record = only(&[model(&input), search.clone()]);
        assert_eq!(
            (&record["prompt"], &record["answer"], &record["usage"]),
            (&json!("x q?"), &json!("a"), &json!({"cost_usd": 0.5}))
        );
        assert_eq!(record["stages"]["s"]["hits"], json!([{"text": "x", "doc_id": "d"}]));
    }
}
