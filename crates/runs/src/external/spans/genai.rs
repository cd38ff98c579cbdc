//! OpenTelemetry's `GenAI` conventions (`gen_ai.operation.name`, `gen_ai.retrieval.documents`, `gen_ai.input.messages`).
//!
//! Structured values may be JSON strings. Messages of versions before 1.37 (`gen_ai.prompt.0.content`,
//! `gen_ai.completion.0.content`) are read as well.

use super::attributes::{Attributes, indexed, item};
use super::content::{self, string};
use super::document::documents;
use super::span::{Kind, Span, names_a_reranker};

/// Reads what `attributes` say of the span; one without any of this convention is another service's.
pub(super) fn fill(span: &mut Span, attributes: &Attributes) {
    let operation = string(attributes, &["gen_ai.operation.name"]).unwrap_or_default();
    span.query = string(attributes, &["gen_ai.retrieval.query.text"]);
    span.kind = match operation.as_str() {
        "retrieval" => Kind::Retriever,
        "chat" | "text_completion" | "generate_content" => Kind::Model,
        "" if attributes.contains_key("gen_ai.request.model") => Kind::Model,
        operation if names_a_reranker(operation) => Kind::Reranker,
        _ => Kind::Other,
    };
    match span.kind {
        Kind::Retriever | Kind::Reranker => {
            span.documents = attributes
                .get("gen_ai.retrieval.documents")
                .and_then(|found| documents(found, false));
        }
        Kind::Model => model(span, attributes),
        Kind::Other => {
            let input = attributes.get("gen_ai.input.messages");
            span.query = span.query.take().or_else(|| input.and_then(content::question));
            span.answer = attributes.get("gen_ai.output.messages").and_then(content::answer);
        }
    }
}

fn model(span: &mut Span, attributes: &Attributes) {
    let text = |key: &str| attributes.get(key).and_then(content::prompt);
    let parts: Vec<String> = [
        text("gen_ai.system_instructions"),
        text("gen_ai.input.messages")
            .or_else(|| older(attributes, "gen_ai.prompt"))
            .or_else(|| text("gen_ai.prompt")),
    ]
    .into_iter()
    .flatten()
    .collect();
    span.prompt = (!parts.is_empty()).then(|| parts.join("\n\n"));
    span.query = attributes.get("gen_ai.input.messages").and_then(content::question);
    let output = attributes.get("gen_ai.output.messages");
    span.answer = output
        .and_then(content::answer)
        .or_else(|| older(attributes, "gen_ai.completion"))
        .or_else(|| attributes.get("gen_ai.completion").and_then(content::answer));
    let usage = &mut span.usage;
    for (name, keys) in [
        ("prompt_tokens", ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"]),
        ("completion_tokens", ["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"]),
    ] {
        content::add(usage, name, content::count(attributes, &keys));
    }
    content::add(
        usage,
        "model",
        string(attributes, &["gen_ai.response.model", "gen_ai.request.model"]),
    );
    let reasons = attributes.get("gen_ai.response.finish_reasons").map(content::parsed);
    let reason = reasons.as_deref().and_then(|reasons| reasons.get(0).unwrap_or(reasons).as_str());
    content::add(usage, "finish_reason", reason);
}

/// Returns the messages under `prefix.N.content`.
fn older(attributes: &Attributes, prefix: &str) -> Option<String> {
    let items = indexed(attributes, prefix);
    let texts: Vec<String> =
        items.values().filter_map(|fields| content::prompt(item(fields, "content")?)).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}
