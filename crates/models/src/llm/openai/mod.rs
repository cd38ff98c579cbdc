//! Chat completions of any OpenAI-compatible server: `OpenAI`, Azure, vLLM, Ollama, llama.cpp, LM Studio, gateways.
//!
//! [`connect`] returns the generator that the pipeline uses: [`OpenAi`], one call per prompt, wrapped in [`WithAllowance`] if
//! there is a limit, and in [`Retrying`]. Streaming is not requested; if a server streams nevertheless, the stream is assembled.

mod models;
mod settings;
mod stream;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};

pub use self::models::{ListedModel, ModelList, ask_one_token, list_models};
use self::settings::check;
pub(crate) use self::settings::holds_secret;
pub use self::settings::{OpenAiSettings, most_completion_tokens};
use super::allowance::{Allowance, WithAllowance};
use super::pause::Pause;
use super::retry::Retrying;
use super::{Completion, ErrorClass, Generator, LlmError};
use ragtriage_core::prompt::Prompt;
use ragtriage_http::{Backoff, EndpointSettings, JsonEndpoint, Response, address, hashed_query};

/// Part of the fingerprint: raised whenever a change here changes what is sent or how a reply is read.
const VERSION: u32 = 1;
/// Appended to the base URL.
const PATH: &str = "/chat/completions";
/// Number of failed attempts, unrelated to the server's load, after which a prompt fails.
const TRIES: u32 = 4;
/// Maximum size of a response: 32 MiB hold 8,192 tokens with the log-probabilities of 20 alternatives each. Text alone is far
/// smaller, but a paid response should be read.
const LARGEST_ANSWER_BYTES: usize = 32 << 20;

/// Creates the generator for a server, with retries, and with `allowance` if the run has a limit. Makes no calls.
pub fn connect(
    settings: &OpenAiSettings,
    allowance: Option<Arc<Allowance>>,
) -> Result<Arc<dyn Generator>, LlmError> {
    let server = OpenAi::new(settings)?;
    let (concurrency, pause) = (settings.concurrency, server.pause.clone());
    let backoff = Backoff::new(TRIES, settings.deadline);
    Ok(match allowance {
        None => Arc::new(Retrying::new(server, concurrency, pause, backoff)?),
        Some(allowance) => Arc::new(Retrying::new(
            WithAllowance::new(server, allowance),
            concurrency,
            pause,
            backoff,
        )?),
    })
}

/// A server's model, one call per prompt.
pub struct OpenAi {
    model: String,
    fingerprint: String,
    endpoint: JsonEndpoint,
    body: Map<String, Value>,
    /// The pause requested by responses.
    pause: Pause,
}

impl OpenAi {
    /// Checks the settings and creates the client.
    pub fn new(settings: &OpenAiSettings) -> Result<Self, LlmError> {
        check(settings)?;
        let endpoint = JsonEndpoint::new(EndpointSettings {
            url: address(&settings.base_url, PATH)?,
            api_key: settings.api_key.clone(),
            headers: settings.headers.clone(),
            timeout: settings.timeout,
            ca_file: settings.ca_file.clone(),
            most_bytes: LARGEST_ANSWER_BYTES,
        })?;
        let (model, body, pause) =
            (settings.model.clone(), wire::body(settings), Pause::new(settings.deadline));
        let (url, query) = (endpoint.shown_url(), hashed_query(&settings.base_url));
        let headers = settings::hashed_headers(&settings.headers);
        let fingerprint =
            format!("openai v{VERSION} {url}{query}{headers} {}", Value::Object(body.clone()));
        Ok(Self { model, fingerprint, endpoint, body, pause })
    }

    /// Returns the error of a server's error response.
    fn complaint(&self, answer: &Response) -> LlmError {
        let complaint = wire::complaint(&answer.body);
        let status = if answer.status == 200 {
            complaint.status.unwrap_or(answer.status)
        } else {
            answer.status
        };
        let (url, excerpt) =
            (self.endpoint.shown_url().to_owned(), self.endpoint.excerpt(&complaint.message));
        match wire::class(status, &complaint) {
            ErrorClass::Transient => {
                LlmError::Busy { url, status, excerpt, retry_after: answer.retry_after }
            }
            ErrorClass::TooLong => LlmError::TooLong { url, status, excerpt },
            ErrorClass::Refused => LlmError::Refused { url, status, excerpt },
            ErrorClass::Permanent | ErrorClass::Spent => LlmError::Rejected {
                url,
                status,
                excerpt,
                parameter: wire::refused_parameter(&complaint),
            },
        }
    }
}

#[async_trait]
impl Generator for OpenAi {
    fn name(&self) -> &str {
        &self.model
    }

    fn fingerprint(&self) -> Option<&str> {
        Some(&self.fingerprint)
    }

    async fn generate(&self, prompt: &Prompt) -> Result<Completion, LlmError> {
        let mut body = self.body.clone();
        body.insert("messages".into(), wire::messages(prompt));
        let mut answer = self.endpoint.send(&body).await?;
        // A refusal concerns this call first of all.
        if let Some(wait) = answer.retry_after.filter(|_| answer.status != 429) {
            self.pause.ask(wait);
        }
        if let Some(whole) = stream::whole(&answer.body) {
            answer.body =
                whole.map_err(|reason| self.endpoint.unreadable(&reason, &answer.body))?;
        }
        if !answer.is_success() || wire::is_complaint(&answer.body) {
            return Err(self.complaint(&answer));
        }
        let reply = wire::reply(&answer.body)
            .map_err(|reason| self.endpoint.unreadable(&reason, &answer.body))?;
        // The pieces of a stream, or the parts of a content, may spell a key together.
        Ok(Completion { text: self.endpoint.hide(reply.text), ..reply })
    }
}

#[cfg(test)]
mod tests;
