//! The settings of an endpoint, and their validation.

use serde_json::{Map, Value};

use crate::Error;
use crate::cache::key;
use crate::http::{Endpoint, Secret};
use ragtriage_core::text::hex::hex;

/// Headers that identify the caller: responses do not depend on them.
const WHO_ASKS: [&str; 3] = ["authorization", "api-key", "x-api-key"];

/// The parameter that `OpenAI`'s reasoning models expect instead of `max_tokens`.
pub(super) const MAX_COMPLETION_TOKENS: &str = "max_completion_tokens";

/// The settings of a chat model.
#[derive(Clone)]
pub struct OpenAiSettings {
    /// The server, [`GENERATION`](crate::http::GENERATION) or [`JUDGE`](crate::http::JUDGE); its address ends in `/v1` for most.
    pub endpoint: Endpoint,
    /// The model's name on the server.
    pub model: String,
    /// Fields added to the body, overriding other settings; with `max_completion_tokens`, `max_tokens` is not sent.
    pub extra_body: Map<String, Value>,
    /// The sampling temperature.
    pub temperature: f64,
    /// Maximum number of answer tokens, as counted by the server.
    pub max_tokens: u32,
}

/// Returns the maximum number of answer tokens set by a body with these fields.
#[must_use]
pub fn most_completion_tokens(extra_body: &Map<String, Value>, max_tokens: u32) -> u64 {
    [MAX_COMPLETION_TOKENS, "max_tokens"]
        .iter()
        .find_map(|name| extra_body.get(*name)?.as_u64())
        .unwrap_or(max_tokens.into())
}

/// Returns the part of a fingerprint for the headers, which may choose a gateway's provider: ` headers ` and a hash of all but
/// those that only say who asks; nothing without any.
pub(super) fn hashed_headers(headers: &[(String, Secret)]) -> String {
    let mut told: Vec<(String, &str)> =
        headers.iter().map(|(name, value)| (name.to_lowercase(), value.expose())).collect();
    told.retain(|(name, _)| !WHO_ASKS.contains(&name.as_str()));
    told.sort_unstable();
    let parts: Vec<&str> = told.iter().flat_map(|(name, value)| [name.as_str(), value]).collect();
    if parts.is_empty() {
        return String::new();
    }
    format!(" headers {}", hex(&key(&parts)))
}

/// Returns true if any field of the body is named like a secret and holds text: it would be written to the run's manifest.
pub(crate) fn holds_secret(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| (value.is_string() && names_secret(name)) || holds_secret(value)),
        Value::Array(values) => values.iter().any(holds_secret),
        _ => false,
    }
}

fn names_secret(field: &str) -> bool {
    let field = field.to_lowercase();
    ["key", "token", "password", "secret", "authorization"].iter().any(|end| field.ends_with(end))
}

/// Rejects invalid values.
pub(super) fn check(settings: &OpenAiSettings) -> Result<(), Error> {
    let body = &settings.extra_body;
    let wrong = [
        ("model", settings.model.is_empty(), "is empty"),
        (
            "extra_body",
            holds_secret(&Value::Object(body.clone())),
            "holds a key, token, password or secret, which runs would record: send it by `headers_env`",
        ),
        (
            "extra_body",
            body.get("n").is_some_and(|n| n != 1),
            "must not ask for several answers (`n`): one is read",
        ),
        (
            "extra_body",
            body.contains_key("messages"),
            "must not have `messages`: those are the prompt",
        ),
    ];
    match wrong.into_iter().find(|(_, is_wrong, _)| *is_wrong) {
        Some((setting, _, problem)) => Err(settings.endpoint.names.bad_setting(setting, problem)),
        None => Ok(()),
    }
}
