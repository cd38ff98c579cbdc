//! The body of a request to a service: a template whose placeholders are replaced in the JSON tree.
//!
//! A string that is a placeholder becomes its value, a list for `{contexts}`; within a longer string the placeholder becomes
//! text, contexts separated by blank lines. Quoting is the serialiser's, and a value that looks like a placeholder is not
//! replaced again. As in a prompt template, any other `{name}` of lower-case letters and underscores is an error, and all
//! other braces are literal. Where the service is to retrieve, fields and items that are `{contexts}` or `{condition}` are left out.

use serde_json::{Map, Value, json};

use super::wrong_setting;
use crate::Error;
use crate::llm::openai::holds_secret;
use ragtriage_core::types::Condition;

const PLACEHOLDERS: [&str; 4] = ["id", "question", "contexts", "condition"];

/// The content of a request to a service.
pub(super) struct Asked<'a> {
    /// The question's id.
    pub id: &'a str,
    /// Its text.
    pub question: &'a str,
    /// The condition and its contexts; `None`: the service retrieves.
    pub condition: Option<(Condition, &'a [String])>,
}

/// A request's body with placeholders.
pub(super) struct RequestTemplate(Value);

impl RequestTemplate {
    /// Checks a configured `body`; an empty one is the default. `needs_contexts`: the service is sent contexts.
    pub(super) fn new(body: Map<String, Value>, needs_contexts: bool) -> Result<Self, Error> {
        if body.is_empty() {
            return Ok(Self(json!({
                "id": "{id}", "question": "{question}", "contexts": "{contexts}", "condition": "{condition}",
            })));
        }
        let body = Value::Object(body);
        if holds_secret(&body) {
            return Err(wrong_setting(
                "request",
                "holds a key, token, password or secret, which runs would record: send it by `external.headers_env`",
            ));
        }
        if let Some(name) = unknown(&body) {
            let reason = format!(
                "has the unknown placeholder `{{{name}}}`; there are `{{id}}`, `{{question}}`, `{{contexts}}` and `{{condition}}`"
            );
            return Err(wrong_setting("request", &reason));
        }
        if !mentions(&body, "{question}") {
            let reason = "has no `{question}`";
            return Err(wrong_setting("request", reason));
        }
        if needs_contexts && !mentions(&body, "{contexts}") {
            let reason = "has no `{contexts}`, which `external.answers_contexts` needs";
            return Err(wrong_setting("request", reason));
        }
        Ok(Self(body))
    }

    /// Returns the body for `asked`.
    pub(super) fn body(&self, asked: &Asked<'_>) -> Value {
        filled(&self.0, asked).unwrap_or(Value::Null)
    }
}

/// Returns the first name in braces, in a text of `value`, that is not a placeholder's.
fn unknown(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => text.split('{').skip(1).find_map(|behind| {
            let (name, _) = behind.split_once('}')?;
            let is_name = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
            let is_placeholder = !name.is_empty() && name.bytes().all(is_name);
            (is_placeholder && !PLACEHOLDERS.contains(&name)).then_some(name)
        }),
        Value::Array(items) => items.iter().find_map(unknown),
        Value::Object(fields) => fields.values().find_map(unknown),
        _ => None,
    }
}

fn mentions(value: &Value, placeholder: &str) -> bool {
    match value {
        Value::String(text) => text.contains(placeholder),
        Value::Array(items) => items.iter().any(|item| mentions(item, placeholder)),
        Value::Object(fields) => fields.values().any(|field| mentions(field, placeholder)),
        _ => false,
    }
}

/// Returns a copy of `value` with its placeholders replaced; `None` for one that has no value.
fn filled(value: &Value, asked: &Asked<'_>) -> Option<Value> {
    Some(match value {
        Value::String(text) => match text.as_str() {
            "{contexts}" => json!(asked.condition?.1),
            "{condition}" => json!(asked.condition?.0.name()),
            text => Value::String(inserted(text, asked)),
        },
        Value::Array(items) => items.iter().filter_map(|item| filled(item, asked)).collect(),
        Value::Object(fields) => fields
            .iter()
            .filter_map(|(key, field)| Some((key.clone(), filled(field, asked)?)))
            .collect(),
        other => other.clone(),
    })
}

/// Replaces the placeholders inside a text, from left to right.
fn inserted(text: &str, asked: &Asked<'_>) -> String {
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once('{') {
        filled.push_str(before);
        rest = behind;
        let placeholder = behind.split_once('}');
        let value = placeholder.and_then(|(name, after)| Some((text_of(name, asked)?, after)));
        if let Some((value, after)) = value {
            filled.push_str(&value);
            rest = after;
        } else {
            filled.push('{');
        }
    }
    filled + rest
}

fn text_of(placeholder: &str, asked: &Asked<'_>) -> Option<String> {
    Some(match (placeholder, asked.condition) {
        ("id", _) => asked.id.to_owned(),
        ("question", _) => asked.question.to_owned(),
        ("contexts", condition) => condition.map_or(String::new(), |(_, texts)| texts.join("\n\n")),
        ("condition", condition) => {
            condition.map_or(Condition::Retrieved, |(condition, _)| condition).name().to_owned()
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(body: Value, needs_contexts: bool) -> Result<RequestTemplate, Error> {
        let Value::Object(body) = body else { panic!("an object") };
        RequestTemplate::new(body, needs_contexts)
    }

    fn body(template: Value, condition: Option<(Condition, &[String])>) -> Value {
        let asked = Asked { id: "q1", question: "Who said \"{id}\"\n?", condition };
        let template = self::template(template, false).unwrap_or_else(|error| panic!("{error}"));
        template.body(&asked)
    }

    #[test]
    fn the_default_has_contexts_and_arm_only_for_a_condition() {
        let question = "Who said \"{id}\"\n?";
        assert_eq!(body(json!({}), None), json!({"id": "q1", "question": question}));
        assert_eq!(
            body(json!({}), Some((Condition::ClosedBook, &[]))),
            json!({"id": "q1", "question": question, "contexts": [], "condition": "closed_book"})
        );
    }

    #[test]
    fn placeholders_are_replaced_once_wherever_they_are_and_other_braces_stay() {
        let contexts = ["a {condition}".to_owned(), "b".to_owned()];
        let condition = Some((Condition::Oracle, &contexts[..]));
        let template = json!({
            "input": {"q": "Q {id}: {question} {", "docs": ["{contexts}", 1, null]},
            "joined": "{contexts}|{condition}|{Other}|{{id}}|{\"a\": {}}|{ a }",
        });
        assert_eq!(
            body(template.clone(), condition),
            json!({
                "input": {"q": "Q q1: Who said \"{id}\"\n? {", "docs": [["a {condition}", "b"], 1, null]},
                "joined": "a {condition}\n\nb|oracle|{Other}|{q1}|{\"a\": {}}|{ a }",
            })
        );
        assert_eq!(
            body(template, None),
            json!({"input": {"q": "Q q1: Who said \"{id}\"\n? {", "docs": [1, null]}, "joined": "|retrieved|{Other}|{q1}|{\"a\": {}}|{ a }"})
        );
    }

    #[test]
    fn a_template_without_its_placeholders_or_with_a_key_is_refused() {
        let refused = |body, needs_contexts| match template(body, needs_contexts) {
            Ok(_) => panic!("accepted"),
            Err(error) => error.to_string(),
        };
        assert_eq!(
            refused(json!({"q": "question"}), false),
            "`external.request` has no `{question}`"
        );
        let slip = json!({"q": "{question}", "user": [{"name": "of {nope}"}]});
        assert_eq!(
            refused(slip, false),
            "`external.request` has the unknown placeholder `{nope}`; there are `{id}`, `{question}`, `{contexts}` and `{condition}`"
        );
        let asks = json!({"q": "{question}"});
        assert!(refused(asks.clone(), true).contains("has no `{contexts}`"));
        assert!(template(asks, false).is_ok());
        let keyed = json!({"q": "{question}", "config": [{"api_key": "k"}]});
        assert!(refused(keyed, false).contains("holds a key"));
    }
}
