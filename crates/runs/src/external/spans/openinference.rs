//! The `OpenInference` conventions (`openinference.span.kind`, `retrieval.documents.0.document.content`, ...).

use std::mem::take;

use serde_json::Value;

use super::attributes::{Attributes, indexed, item};
use super::content::{self, number, string};
use super::document::{Document, documents};
use super::span::{Kind, Span, names_a_reranker};

/// The attribute that every span of this convention has.
pub(super) const KIND: &str = "openinference.span.kind";

/// Reads what `attributes` say of the span; the texts of documents are taken.
pub(super) fn fill(span: &mut Span, attributes: &mut Attributes) {
    span.kind = match attributes
        .get(KIND)
        .and_then(Value::as_str)
        .unwrap_or("")
        .to_ascii_uppercase()
        .as_str()
    {
        "RETRIEVER" => Kind::Retriever,
        "RERANKER" => Kind::Reranker,
        "LLM" => Kind::Model,
        _ => Kind::Other,
    };
    span.query = string(attributes, &["reranker.query"])
        .or_else(|| attributes.get("input.value").and_then(content::question));
    match span.kind {
        Kind::Retriever => {
            span.documents =
                listed(attributes, "retrieval.documents").or_else(|| output(attributes));
        }
        Kind::Reranker => {
            span.documents =
                listed(attributes, "reranker.output_documents").or_else(|| output(attributes));
            span.offered = listed(attributes, "reranker.input_documents");
        }
        Kind::Model => model(span, attributes),
        Kind::Other => {
            if names_a_reranker(&span.name)
                && let Some(found) = output(attributes)
            {
                (span.kind, span.documents) = (Kind::Reranker, Some(found));
            }
            span.answer = attributes.get("output.value").and_then(content::answer);
        }
    }
}

/// Returns the documents of the output as JSON.
fn output(attributes: &Attributes) -> Option<Vec<Document>> {
    documents(attributes.get("output.value")?, false)
}

/// Returns the documents listed under `prefix`; `None`: there are none.
fn listed(attributes: &mut Attributes, prefix: &str) -> Option<Vec<Document>> {
    let items = indexed(attributes, prefix);
    let found = items.into_values().map(|fields| {
        let (mut text, mut id, mut score, mut metadata) = (None, None, None, None);
        for (name, value) in fields {
            match (name, value) {
                ("document.content", Value::String(content)) => text = Some(take(content)),
                ("document.id", Value::String(own)) => id = Some(take(own)),
                ("document.id", Value::Number(own)) => id = Some(own.to_string()),
                ("document.score", value) => score = value.as_f64(),
                ("document.metadata", value) => metadata = Some(value.take()),
                _ => {}
            }
        }
        Document::new(text, id, score, metadata.as_ref())
    });
    let found: Vec<Document> = found.collect();
    (!found.is_empty()).then_some(found)
}

fn model(span: &mut Span, attributes: &Attributes) {
    let prompts = || attributes.get("llm.prompts").and_then(content::prompt);
    span.prompt = messages(attributes, "llm.input_messages")
        .or_else(prompts)
        .or_else(|| texts(attributes, "llm.prompts", "prompt.text"))
        .or_else(|| attributes.get("input.value").and_then(content::prompt));
    span.answer = messages(attributes, "llm.output_messages")
        .or_else(|| texts(attributes, "llm.choices", "completion.text"))
        .or_else(|| attributes.get("output.value").and_then(content::answer));
    let usage = &mut span.usage;
    for (name, key) in [
        ("prompt_tokens", "llm.token_count.prompt"),
        ("completion_tokens", "llm.token_count.completion"),
    ] {
        content::add(usage, name, content::count(attributes, &[key]));
    }
    content::add(usage, "cost_usd", number(attributes, &["llm.cost.total"]));
    content::add(usage, "model", string(attributes, &["llm.model_name"]));
    content::add(usage, "finish_reason", string(attributes, &["llm.finish_reason"]));
}

/// Returns the texts of the messages under `prefix`.
fn messages(attributes: &Attributes, prefix: &str) -> Option<String> {
    let texts: Vec<String> = indexed(attributes, prefix)
        .values()
        .filter_map(|fields| {
            if let Some(text) = item(fields, "message.content").and_then(content::prompt) {
                return Some(text);
            }
            let parts = fields.iter().filter(|(key, _)| {
                key.starts_with("message.contents.") && key.ends_with(".message_content.text")
            });
            let text: String = parts.filter_map(|(_, value)| value.as_str()).collect();
            (!text.trim().is_empty()).then_some(text)
        })
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// Returns the texts under `prefix.N.name`.
fn texts(attributes: &Attributes, prefix: &str, name: &str) -> Option<String> {
    let items = indexed(attributes, prefix);
    let texts: Vec<&str> =
        items.values().filter_map(|fields| item(fields, name)?.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}
