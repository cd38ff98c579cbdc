//! Chat completions of any OpenAI-compatible server: `OpenAI`, Azure, vLLM, Ollama, llama.cpp, LM Studio, gateways.
//!
//! [`connect`] gives the generator that the pipeline uses: [`OpenAi`], one call a prompt, inside [`Retrying`].
//! Streaming is not asked for.

mod settings;
mod wire;

use async_trait::async_trait;
use serde_json::{Map, Value};

pub use self::settings::OpenAiSettings;
use self::settings::check;
use super::retry::Retrying;
use super::{ErrorClass, Generator, LlmError, Prompt, Reply};
use crate::http::{Answer, Backoff, EndpointSettings, JsonEndpoint, LARGEST_BODY_BYTES, address, hashed_query};

/// A prompt's deadline in units of the time for one call.
pub const DEADLINE_CALLS: u32 = 3;

/// Part of the fingerprint: raised whenever a change here makes another reply of the same answer.
const REPLY_VERSION: u32 = 1;

/// The generator for a server: retries and limits included. Nothing is called yet.
pub fn connect(settings: &OpenAiSettings) -> Result<Retrying<OpenAi>, LlmError> {
    let backoff = Backoff::new(4, settings.timeout.saturating_mul(DEADLINE_CALLS));
    Retrying::new(OpenAi::new(settings)?, settings.concurrency, backoff)
}

/// A server's model, one call a prompt.
pub struct OpenAi {
    model: String,
    fingerprint: String,
    endpoint: JsonEndpoint,
    body: Map<String, Value>,
}

impl OpenAi {
    /// Checks the settings and makes the client.
    pub fn new(settings: &OpenAiSettings) -> Result<Self, LlmError> {
        check(settings)?;
        let endpoint = JsonEndpoint::new(EndpointSettings {
            url: address(&settings.base_url, "/chat/completions")?,
            api_key: settings.api_key.clone(),
            headers: settings.headers.clone(),
            timeout: settings.timeout,
            ca_file: settings.ca_file.clone(),
            most_bytes: LARGEST_BODY_BYTES,
        })?;
        let body = wire::body(settings);
        let fingerprint = fingerprint(&settings.base_url, &endpoint, &body);
        Ok(Self { model: settings.model.clone(), fingerprint, endpoint, body })
    }

    /// A server's complaint.
    fn complaint(&self, answer: &Answer) -> LlmError {
        let complaint = wire::complaint(&answer.body);
        let status = if answer.status == 200 { complaint.status.unwrap_or(answer.status) } else { answer.status };
        let (url, excerpt) = (self.endpoint.shown_url().to_owned(), self.endpoint.excerpt(&complaint.message));
        match wire::class(status, &complaint) {
            ErrorClass::Transient => LlmError::Busy { url, status, excerpt, retry_after: answer.retry_after },
            ErrorClass::Permanent | ErrorClass::Spent => LlmError::Rejected { url, status, excerpt },
            ErrorClass::TooLong => LlmError::TooLong { url, status, excerpt },
            ErrorClass::Refused => LlmError::Refused { url, status, excerpt },
        }
    }
}

/// What a reply depends on besides the messages. User info and headers, which say who asks and not what, are no part of it.
fn fingerprint(base_url: &str, endpoint: &JsonEndpoint, body: &Map<String, Value>) -> String {
    let (url, query, body) = (endpoint.shown_url(), hashed_query(base_url), Value::Object(body.clone()));
    format!("openai v{REPLY_VERSION} {url}{query} {body}")
}

#[async_trait]
impl Generator for OpenAi {
    fn name(&self) -> &str {
        &self.model
    }

    fn fingerprint(&self) -> Option<&str> {
        Some(&self.fingerprint)
    }

    async fn generate(&self, prompt: &Prompt) -> Result<Reply, LlmError> {
        let mut body = self.body.clone();
        body.insert("messages".into(), wire::messages(prompt));
        let answer = self.endpoint.send(&body).await?;
        if !answer.is_success() || wire::is_complaint(&answer.body) {
            return Err(self.complaint(&answer));
        }
        wire::reply(&answer.body).map_err(|reason| self.endpoint.unreadable(&reason, &answer.body).into())
    }
}

#[cfg(test)]
mod tests;
