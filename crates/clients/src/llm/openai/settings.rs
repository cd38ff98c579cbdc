//! The settings of an endpoint, and their validation.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

use super::LARGEST_ANSWER_BYTES;
use crate::Error;
use crate::cache::key;
use crate::http::{EndpointSettings, ServiceNames};
use crate::llm::Secret;
use crate::services::{bad_setting, check_positive};
use ragtriage_core::text::hex::hex;

/// Headers that identify the caller: responses do not depend on them.
const WHO_ASKS: [&str; 3] = ["authorization", "api-key", "x-api-key"];

/// The parameter that `OpenAI`'s reasoning models expect instead of `max_tokens`.
pub(super) const MAX_COMPLETION_TOKENS: &str = "max_completion_tokens";

/// The settings of a chat model. Not `Debug`: the URL may hold user info.
#[derive(Clone)]
pub struct OpenAiSettings {
    /// [`GENERATION`](crate::services::GENERATION) or [`JUDGE`](crate::services::JUDGE).
    pub names: &'static ServiceNames,
    /// Calls are sent to `<base_url>/chat/completions`, so it ends in `/v1` for most servers.
    pub base_url: String,
    /// The model's name on the server.
    pub model: String,
    /// Sent as a bearer token.
    pub api_key: Option<Secret>,
    /// Further headers; one named `authorization` replaces the key's.
    pub headers: Vec<(String, Secret)>,
    /// Fields added to the body, overriding other settings; with `max_completion_tokens`, `max_tokens` is not sent.
    pub extra_body: Map<String, Value>,
    /// `None`: the server's default, as for `max_tokens`.
    pub temperature: Option<f64>,
    /// Maximum number of answer tokens, as counted by the server.
    pub max_tokens: Option<u32>,
    /// Timeout of one call.
    pub timeout: Duration,
    /// Deadline of one prompt, including all calls and waits.
    pub deadline: Duration,
    /// Maximum number of concurrent calls.
    pub concurrency: usize,
    /// PEM file of certificate authorities trusted in addition to the system's.
    pub ca_file: Option<PathBuf>,
}

impl OpenAiSettings {
    /// Returns the settings of the endpoint of chat completions.
    pub(super) fn endpoint(&self) -> Result<EndpointSettings, Error> {
        Ok(EndpointSettings {
            api_key: self.api_key.clone(),
            headers: self.headers.clone(),
            timeout: self.timeout,
            ca_file: self.ca_file.clone(),
            most_bytes: LARGEST_ANSWER_BYTES,
            ..EndpointSettings::new(&self.base_url, self.names)?
        })
    }
}

/// Returns the maximum number of answer tokens set by a body with these fields; `None` if the server
/// decides.
#[must_use]
pub fn most_completion_tokens(
    extra_body: &Map<String, Value>,
    max_tokens: Option<u32>,
) -> Option<u64> {
    [MAX_COMPLETION_TOKENS, "max_tokens"]
        .iter()
        .find_map(|name| extra_body.get(*name)?.as_u64())
        .or(max_tokens.map(u64::from))
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
        ("timeout_s", settings.timeout.is_zero(), "must be above 0"),
        ("deadline_s", settings.deadline.is_zero(), "must be above 0"),
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
        (
            "extra_body",
            body.get("stream").is_some_and(|stream| stream != &Value::Bool(false)),
            "must not ask for a `stream`: answers are read whole",
        ),
    ];
    match wrong.into_iter().find(|(_, is_wrong, _)| *is_wrong) {
        Some((setting, _, problem)) => Err(bad_setting(settings.names, setting, problem)),
        None => check_positive(settings.names, &[("concurrency", settings.concurrency)]),
    }
}
