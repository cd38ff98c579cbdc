//! The settings of an endpoint, checked, and what of them is secret.

use std::path::PathBuf;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};

use crate::llm::{LlmError, Secret};

/// The shortest part of a header's or query's value that is hidden on its own (the key in `Bearer KEY`).
const SHORTEST_HIDDEN_BYTES: usize = 8;

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
    /// Fields put into the body, over those of the other settings.
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
    /// Time for one call; a prompt with its retries gets [`super::DEADLINE_CALLS`] times that.
    pub timeout: Duration,
    /// Calls that run at once.
    pub concurrency: usize,
    /// PEM file of certificate authorities trusted besides the system's.
    pub ca_file: Option<PathBuf>,
}

/// Refuses values that cannot be.
pub(super) fn check(settings: &OpenAiSettings) -> Result<(), LlmError> {
    let bad = |setting, reason: &str| Err(LlmError::BadSetting { setting, reason: reason.to_owned() });
    if settings.model.is_empty() {
        return bad("model", "is empty");
    }
    if settings.timeout.is_zero() {
        return bad("timeout_s", "must be above 0");
    }
    if settings.extra_body.contains_key("messages") {
        return bad("extra_body", "must not have `messages`: those are the prompt");
    }
    if settings.extra_body.get("stream").is_some_and(|stream| stream != &Value::Bool(false)) {
        return bad("extra_body", "must not ask for a `stream`: answers are read whole");
    }
    Ok(())
}

/// The content type, then whatever is secret.
pub(super) fn headers(settings: &OpenAiSettings) -> Result<HeaderMap, LlmError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let key = settings.api_key.iter().map(|key| key.expose().trim()).find(|key| !key.is_empty());
    if let Some(key) = key {
        headers.insert(AUTHORIZATION, sensitive("api_key", "the key", &format!("Bearer {key}"))?);
    }
    for (name, value) in &settings.headers {
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| LlmError::BadSetting {
            setting: "headers",
            reason: format!("has `{}`, which is no header's name", name.escape_debug()),
        })?;
        headers.insert(header, sensitive("headers", name, value.expose())?);
    }
    Ok(headers)
}

fn sensitive(setting: &'static str, name: &str, value: &str) -> Result<HeaderValue, LlmError> {
    let mut value = HeaderValue::from_str(value).map_err(|_| LlmError::BadSetting {
        setting,
        reason: format!("holds characters that no header may have (in {name})"),
    })?;
    value.set_sensitive(true);
    Ok(value)
}

/// What no error may show, longest first so that none is hidden in part: keys, headers, and what the URL holds of both.
pub(super) fn secrets(settings: &OpenAiSettings, url: &Url) -> Vec<String> {
    let values = settings.api_key.iter().chain(settings.headers.iter().map(|(_, value)| value)).map(Secret::expose);
    let mut secrets: Vec<String> = Vec::new();
    for value in values.map(str::trim).chain(url.password()).chain([url.username()]) {
        secrets.push(value.to_owned());
        secrets.extend(value.split_whitespace().filter(|part| part.len() >= SHORTEST_HIDDEN_BYTES).map(str::to_owned));
    }
    let query = url.query_pairs().map(|(_, value)| value.into_owned());
    secrets.extend(query.filter(|value| value.len() >= SHORTEST_HIDDEN_BYTES));
    secrets.retain(|secret| !secret.is_empty());
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets
}
