//! Texts and numbers in the inputs and outputs of spans: strings, messages, parts of messages, and JSON in strings.

use std::borrow::Cow;

use serde_json::Value;

use super::mapping::paths;
use crate::run::external::recorded::{MOST, RecordedUsage};

/// Returns the value of the JSON in a string, else the value itself.
pub(super) fn parsed(value: &Value) -> Cow<'_, Value> {
    match value {
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            match serde_json::from_str(text) {
                Ok(inner) => Cow::Owned(inner),
                Err(_) => Cow::Borrowed(value),
            }
        }
        _ => Cow::Borrowed(value),
    }
}

/// Returns the question in a span's input: of several messages, the last.
pub(super) fn question(value: &Value) -> Option<String> {
    FieldText { keys: paths("keys", "question"), every: false }.text(parsed(value).as_ref())
}

/// Returns the text of a model's input: every message.
pub(super) fn prompt(value: &Value) -> Option<String> {
    FieldText { keys: paths("keys", "prompt"), every: true }.text(parsed(value).as_ref())
}

/// Returns the text of an output: of several messages, the last. A list of documents has none.
pub(super) fn answer(value: &Value) -> Option<String> {
    FieldText { keys: paths("keys", "answer"), every: false }.text(parsed(value).as_ref())
}

struct FieldText {
    keys: &'static [String],
    /// All messages count, not only the last.
    every: bool,
}

impl FieldText {
    fn text(&self, value: &Value) -> Option<String> {
        let text = match value {
            Value::String(text) => Some(text.clone()),
            Value::Array(items) if items.iter().all(is_part) => {
                Some(items.iter().filter_map(|part| self.text(part)).collect::<String>())
            }
            Value::Array(items) if self.every => {
                let texts: Vec<String> = items.iter().filter_map(|item| self.text(item)).collect();
                Some(texts.join("\n\n"))
            }
            Value::Array(items) => items.iter().rev().find_map(|item| self.text(item)),
            Value::Object(fields) if fields.contains_key("page_content") => None,
            Value::Object(fields) => self
                .keys
                .iter()
                .filter_map(|key| fields.get(key))
                .find_map(|inner| self.text(inner)),
            _ => None,
        };
        text.filter(|text| !text.trim().is_empty())
    }
}

/// Returns true for a part of one message: a string, or an object with a text and no role.
fn is_part(value: &Value) -> bool {
    match value {
        Value::String(_) => true,
        Value::Object(fields) => {
            let kind = fields.get("type").and_then(Value::as_str);
            let is_text = matches!(kind, Some("text" | "input_text" | "output_text"));
            (is_text || fields.contains_key("message_content")) && !fields.contains_key("role")
        }
        _ => false,
    }
}

/// Returns a string, or a whole number as text.
pub(super) fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        _ => None,
    }
}

/// Returns a number, or that of a text.
pub(super) fn amount(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}

/// Returns what `read` finds under the first path that it finds something under (`mapping.rs`).
pub(super) fn first<T>(
    value: &Value,
    paths: &[impl AsRef<str>],
    mut read: impl FnMut(&Value) -> Option<T>,
) -> Option<T> {
    paths.iter().find_map(|path| at(value, path.as_ref(), &mut read))
}

fn at<T>(value: &Value, path: &str, read: &mut impl FnMut(&Value) -> Option<T>) -> Option<T> {
    if path.is_empty() {
        return if value.is_null() { None } else { read(value) };
    }
    if let Some(key) = path.strip_prefix("**.") {
        return find(value, key).and_then(read);
    }
    let (key, rest) = path.split_once('.').unwrap_or((path, ""));
    at(parsed(value).get(key)?, rest, read)
}

/// Returns the first value under `key`, at any depth, that is not null.
fn find<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    match value {
        Value::Object(fields) => match fields.get(key) {
            Some(found) if !found.is_null() => Some(found),
            _ => fields.values().find_map(|inner| find(inner, key)),
        },
        Value::Array(items) => items.iter().find_map(|inner| find(inner, key)),
        _ => None,
    }
}

/// Adds the token counts of an object, or of its JSON, to a usage that lacks them.
pub(super) fn add_tokens(usage: &mut RecordedUsage, tokens: &Value) {
    let count = |keys: &[&str]| Some(measured(first(tokens, keys, amount)?)? as u64);
    usage.prompt_tokens = usage
        .prompt_tokens
        .or_else(|| count(&["prompt_tokens", "input_tokens", "input", "promptTokens", "prompt"]));
    usage.completion_tokens = usage.completion_tokens.or_else(|| {
        count(&["completion_tokens", "output_tokens", "output", "completionTokens", "completion"])
    });
}

/// Returns a count, a cost or a time that a record may have.
pub(super) fn measured(amount: f64) -> Option<f64> {
    (0.0..=f64::from(MOST)).contains(&amount).then_some(amount)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_question_is_found_in_every_form_of_an_input() {
        for input in [
            json!("q?"),
            json!({"question": "q?", "top_k": 3}),
            json!({"input": "q?", "chat_history": []}),
            json!({"query_bundle": {"query_str": "q?", "embedding": null}}),
            json!("{\"query\": \"q?\"}"),
            json!({"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "q?"}]}),
            json!({"messages": [[{"lc": 1, "kwargs": {"content": "q?", "type": "human"}}]]}),
            json!([{"role": "user", "parts": [{"type": "text", "content": "q?"}]}]),
            json!({"args": ["q?"], "kwargs": {}}),
        ] {
            assert_eq!(question(&input).as_deref(), Some("q?"), "{input}");
        }
        for other in [
            json!(null),
            json!(1),
            json!({}),
            json!({"question": " "}),
            json!([{"page_content": "a"}]),
        ] {
            assert_eq!(question(&other), None, "{other}");
        }
    }

    #[test]
    fn a_prompt_is_every_message_and_an_answer_the_last() {
        let messages = json!([{"role": "system", "content": "s"}, {"role": "user", "content": [{"type": "text", "text": "u"}, {"type": "text", "text": "v"}]}]);
        assert_eq!(prompt(&messages).as_deref(), Some("s\n\nuv"));
        for output in [
            json!({"generations": [[{"text": "a", "message": {"kwargs": {"content": "a"}}}]], "llm_output": null}),
            json!({"choices": [{"message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}]}),
            json!({"response": "a", "source_nodes": ["n"]}),
            json!([{"role": "assistant", "parts": [{"type": "text", "content": "a"}]}]),
            json!({"output": {"answer": "a", "documents": []}}),
        ] {
            assert_eq!(answer(&output).as_deref(), Some("a"), "{output}");
        }
        assert_eq!(answer(&json!({"documents": [{"page_content": "a"}]})), None);
    }

    #[test]
    fn tokens_are_counted_by_any_name() {
        for fields in [
            json!({"input_tokens": 60, "output_tokens": 3}),
            json!({"promptTokens": "60", "completionTokens": 3.0}),
            json!({"input": 60, "output": 3, "total": 63}),
        ] {
            let mut usage = RecordedUsage::default();
            add_tokens(&mut usage, &fields);
            assert_eq!((usage.prompt_tokens, usage.completion_tokens), (Some(60), Some(3)));
        }
        let mut usage = RecordedUsage::default();
        add_tokens(&mut usage, &json!({"input_tokens": -1, "output_tokens": "many"}));
        assert_eq!(usage, RecordedUsage::default());
    }
}
