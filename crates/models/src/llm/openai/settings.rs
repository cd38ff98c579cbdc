//! The settings of an endpoint, and which values of them cannot be.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::cache::key;
use crate::llm::{LlmError, Secret};
use ragtriage_core::text::hex::hex;

/// Headers that say who asks: what is answered does not depend on them.
const WHO_ASKS: [&str; 3] = ["authorization", "api-key", "x-api-key"];

/// What `OpenAI`'s reasoning models want instead of `max_tokens`, which they refuse.
pub(super) const MAX_COMPLETION_TOKENS: &str = "max_completion_tokens";

/// Where and how to call. Not `Debug`: the URL may hold user info.
#[derive(Clone)]
pub struct OpenAiSettings {
    /// The calls go to `<base_url>/chat/completions`; so it ends in `/v1` for most servers.
    pub base_url: String,
    /// The model's name, as the server knows it.
    pub model: String,
    /// Sent as a bearer token.
    pub api_key: Option<Secret>,
    /// Further headers; one named `authorization` replaces the key's.
    pub headers: Vec<(String, Secret)>,
    /// Fields put into the body, over those of the other settings; with `max_completion_tokens` no `max_tokens` is sent.
    pub extra_body: Map<String, Value>,
    /// Left to the server where `None`, as are the next three.
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    pub top_p: Option<f64>,
    /// For servers that sample repeatably.
    pub seed: Option<i64>,
    /// The answer's limit, in the server's tokens.
    pub max_tokens: Option<u32>,
    /// Texts that end the answer.
    pub stop: Vec<String>,
    /// Time for one call.
    pub timeout: Duration,
    /// Time for one prompt, all calls and waits between them.
    pub deadline: Duration,
    /// Calls that run at once, to begin with.
    pub concurrency: usize,
    /// Calls that run at once at most.
    pub most_concurrency: usize,
    /// PEM file of certificate authorities trusted besides the system's.
    pub ca_file: Option<PathBuf>,
}

/// Most tokens of an answer, as a body with these fields says it; `None` where that is left to the server.
#[must_use]
pub fn most_completion_tokens(
    extra_body: &Map<String, Value>,
    max_tokens: Option<u32>,
) -> Option<u64> {
    let named = |name| extra_body.get(name).and_then(Value::as_u64);
    named(MAX_COMPLETION_TOKENS)
        .or_else(|| named("max_tokens"))
        .or(max_tokens.map(u64::from))
}

/// What a fingerprint says of the headers, which may choose a gateway's provider: ` headers ` and a hash of all but those that only say
/// who asks; nothing without any.
pub(super) fn hashed_headers(headers: &[(String, Secret)]) -> String {
    let mut told: Vec<(String, &str)> = headers
        .iter()
        .map(|(name, value)| (name.to_lowercase(), value.expose()))
        .collect();
    told.retain(|(name, _)| !WHO_ASKS.contains(&name.as_str()));
    told.sort_unstable();
    let parts: Vec<&str> = told
        .iter()
        .flat_map(|(name, value)| [name.as_str(), value])
        .collect();
    if parts.is_empty() {
        return String::new();
    }
    format!(" headers {}", hex(&key(&parts)))
}

/// Whether a field somewhere in the body is named like a secret and holds text: it would stand in the run's record.
fn holds_secret(value: &Value) -> bool {
    let is_secret = |(name, value): (&String, &Value)| {
        let name = name.to_lowercase();
        let named = ["key", "token", "password", "secret", "authorization"]
            .iter()
            .any(|end| name.ends_with(end));
        (named && value.is_string()) || holds_secret(value)
    };
    match value {
        Value::Object(fields) => fields.iter().any(is_secret),
        Value::Array(values) => values.iter().any(holds_secret),
        _ => false,
    }
}

/// Refuses values that cannot be.
pub(super) fn check(settings: &OpenAiSettings) -> Result<(), LlmError> {
    let bad = |setting, reason: &str| {
        Err(LlmError::BadSetting {
            setting,
            reason: reason.to_owned(),
        })
    };
    if settings.model.is_empty() {
        return bad("model", "is empty");
    }
    if settings.timeout.is_zero() {
        return bad("timeout_s", "must be above 0");
    }
    if settings.deadline.is_zero() {
        return bad("deadline_s", "must be above 0");
    }
    if holds_secret(&Value::Object(settings.extra_body.clone())) {
        return bad(
            "extra_body",
            "holds a key, token, password or secret, which runs would record: send it by `headers_env`",
        );
    }
    if settings.extra_body.get("n").is_some_and(|n| n != 1) {
        return bad(
            "extra_body",
            "must not ask for several answers (`n`): one is read; `generation.repeat` asks again",
        );
    }
    if settings.extra_body.contains_key("messages") {
        return bad(
            "extra_body",
            "must not have `messages`: those are the prompt",
        );
    }
    if settings
        .extra_body
        .get("stream")
        .is_some_and(|stream| stream != &Value::Bool(false))
    {
        return bad(
            "extra_body",
            "must not ask for a `stream`: answers are read whole",
        );
    }
    Ok(())
}
