//! `LangSmith`: runs as its SDK and API return them, flat or with `child_runs`.

use serde_json::{Map, Value};

use super::content::{self, number, object, string};
use super::document::documents;
use super::span::{Kind, Span, names_a_reranker};
use super::time::nanoseconds;

/// Appends the span of a run, and those of its child runs, to `spans`; none without an id.
pub(super) fn add_run(spans: &mut Vec<Span>, fields: &Map<String, Value>) {
    let Some(span) = of_run(fields) else { return };
    spans.push(span);
    let children = fields.get("child_runs").and_then(Value::as_array);
    for child in children.into_iter().flatten().filter_map(Value::as_object) {
        add_run(spans, child);
    }
}

fn of_run(fields: &Map<String, Value>) -> Option<Span> {
    let id = string(fields, &["id", "run_id"])?;
    let trace = string(fields, &["trace_id"])
        .or_else(|| first_of_order(fields))
        .unwrap_or_else(|| id.clone());
    let name = string(fields, &["name"]).unwrap_or_default();
    let value = |key: &str| fields.get(key).filter(|value| !value.is_null());
    let (inputs, outputs) = (value("inputs"), value("outputs"));
    let mut span = Span {
        trace,
        id,
        parent: string(fields, &["parent_run_id"]),
        start: nanoseconds(value("start_time")),
        end: nanoseconds(value("end_time")),
        query: inputs.and_then(content::question),
        error: string(fields, &["error"]),
        name,
        ..Span::default()
    };
    match fields.get("run_type").and_then(Value::as_str) {
        Some("retriever") => {
            span.kind = Kind::Retriever;
            span.documents = outputs.and_then(|outputs| documents(outputs, true));
        }
        Some("llm") => {
            span.kind = Kind::Model;
            span.prompt = inputs.and_then(content::prompt);
            span.answer = outputs.and_then(content::answer);
            usage(&mut span.usage, fields, outputs);
        }
        _ => {
            let found = outputs
                .filter(|_| names_a_reranker(&span.name))
                .and_then(|outputs| documents(outputs, true));
            if found.is_some() {
                (span.kind, span.documents) = (Kind::Reranker, found);
                span.offered = inputs.and_then(|inputs| documents(inputs, true));
            }
            span.answer = outputs.and_then(content::answer);
        }
    }
    Some(span)
}

/// Reads tokens, cost, model and finish reason, which frameworks record at different places.
fn usage(usage: &mut Map<String, Value>, fields: &Map<String, Value>, outputs: Option<&Value>) {
    content::add_tokens(usage, fields);
    let extra = object(fields, "extra");
    let metadata = extra.and_then(|extra| object(extra, "metadata"));
    let within = |key: &str| outputs.and_then(|outputs| content::find(outputs, key));
    for tokens in ["usage_metadata", "token_usage", "usage"] {
        if let Some(tokens) = within(tokens).and_then(Value::as_object) {
            content::add_tokens(usage, tokens);
        }
    }
    if let Some(tokens) = metadata.and_then(|metadata| object(metadata, "usage_metadata")) {
        content::add_tokens(usage, tokens);
    }
    content::add(usage, "cost_usd", number(fields, &["total_cost"]));
    let parameters = extra.and_then(|extra| object(extra, "invocation_params"));
    let model = metadata
        .and_then(|metadata| string(metadata, &["ls_model_name"]))
        .or_else(|| within("model_name").and_then(Value::as_str).map(str::to_owned))
        .or_else(|| parameters.and_then(|parameters| string(parameters, &["model", "model_name"])));
    content::add(usage, "model", model);
    content::add(usage, "finish_reason", within("finish_reason").and_then(Value::as_str));
}

/// Returns the id of the root in `dotted_order`: a time and an id, separated by `Z`, for each ancestor.
fn first_of_order(fields: &Map<String, Value>) -> Option<String> {
    let order = fields.get("dotted_order")?.as_str()?;
    let (_, id) = order.split('.').next()?.split_once('Z')?;
    Some(id.to_owned())
}
