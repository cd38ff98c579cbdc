//! Chat completions of any OpenAI-compatible server: `OpenAI`, Azure, vLLM, Ollama, llama.cpp, LM Studio, gateways.
//!
//! Streaming is not requested; if a server streams nevertheless, the stream is assembled.

mod settings;
mod stream;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};

pub(crate) use self::settings::holds_secret;
use self::settings::{MAX_COMPLETION_TOKENS, check};
pub use self::settings::{OpenAiSettings, most_completion_tokens};
use self::wire::ComplaintClass;
use super::allowance::Allowance;
use super::{Completion, Generator};
use crate::Error;
use crate::error::Fault;
use crate::http::{Client, Response, Retry, ServiceNames};
use ragtriage_core::prompt::Prompt;
use ragtriage_core::types::ErrorKind;

/// Part of the fingerprint: raised whenever a change here changes what is sent or how a reply is read.
const VERSION: u32 = 1;

/// A server's model as a [`Generator`], with the endpoint's retries.
pub struct OpenAi {
    model: String,
    fingerprint: String,
    client: Client,
    body: Map<String, Value>,
    allowance: Option<Arc<Allowance>>,
}

impl OpenAi {
    /// Checks the settings and creates the client, with `allowance` if the run has a limit. Makes no calls.
    pub fn new(
        settings: &OpenAiSettings,
        allowance: Option<Arc<Allowance>>,
    ) -> Result<Self, Error> {
        check(settings)?;
        let OpenAiSettings { endpoint, model, .. } = settings;
        let (client, body) = (Client::new(endpoint)?, wire::body(settings));
        let (url, query) = (client.shown_url(), endpoint.hashed_query());
        let headers = settings::hashed_headers(&endpoint.headers);
        let fingerprint =
            format!("openai v{VERSION} {url}{query}{headers} {}", Value::Object(body.clone()));
        Ok(Self { model: model.clone(), fingerprint, client, body, allowance })
    }

    /// Makes one call.
    async fn call(&self, prompt: &Prompt) -> Result<Completion, Error> {
        let mut body = self.body.clone();
        body.insert("messages".into(), wire::messages(prompt));
        let mut answer = self.client.send(&body).await?;
        if let Some(whole) = stream::whole(&answer.body) {
            answer.body = whole.map_err(|reason| self.client.unreadable(&reason, &answer.body))?;
        }
        if !answer.is_success() || wire::is_complaint(&answer.body) {
            return Err(self.complaint(&answer));
        }
        let reply = wire::reply(&answer.body)
            .map_err(|reason| self.client.unreadable(&reason, &answer.body))?;
        // The pieces of a stream, or the parts of a content, may spell a key together.
        Ok(Completion { text: self.client.hide(reply.text), ..reply })
    }

    /// Returns the error of a server's error response.
    fn complaint(&self, answer: &Response) -> Error {
        let complaint = wire::complaint(&answer.body);
        // Gateways answer with status 200.
        let status = complaint.status.filter(|_| answer.status == 200).unwrap_or(answer.status);
        let class = wire::class(status, &complaint);
        let (url, excerpt) = (self.client.shown_url(), self.client.excerpt(&complaint.message));
        let words = match class {
            ComplaintClass::Busy => format!("`{url}` is busy or failing"),
            ComplaintClass::TooLong => format!("the prompt is too long for `{url}`"),
            ComplaintClass::Refused => format!("`{url}` refused the prompt"),
            ComplaintClass::Rejected => format!("`{url}` rejected the call"),
        };
        let error = Error::new(format!("{words}: status {status}: {excerpt}"));
        let table = self.client.names.table;
        let hint = self.client.names.hint(Fault::Status(status)).map(Into::into);
        match class {
            ComplaintClass::Busy if status == 429 => Error {
                kind: ErrorKind::Transient,
                retry: Retry::Limited(answer.retry_after),
                hint,
                ..error
            },
            ComplaintClass::Busy => Error {
                kind: ErrorKind::Transient,
                retry: Retry::Again(answer.retry_after),
                ..error
            },
            ComplaintClass::TooLong => {
                let hint =
                    format!("lower `{table}.context_tokens`, or raise the server's context length");
                Error { kind: ErrorKind::TooLong, ..error.hinting(hint) }
            }
            ComplaintClass::Refused => Error { is_refusal: true, ..error },
            ComplaintClass::Rejected if matches!(status, 400 | 422) => {
                let kind = wire::refused_parameter(&complaint).unwrap_or(ErrorKind::Permanent);
                Error {
                    kind,
                    hint: parameter_hint(kind, self.client.names).map(Into::into),
                    ..error
                }
            }
            ComplaintClass::Rejected if matches!(status, 401 | 403..=405) => {
                Error { hint, ..error }
            }
            ComplaintClass::Rejected => error,
        }
    }
}

/// Returns the setting that replaces a parameter which a server rejects, as `OpenAI`'s reasoning models do: they expect
/// `max_completion_tokens`, and only the temperature 1.
pub(super) fn parameter_hint(kind: ErrorKind, names: &ServiceNames) -> Option<String> {
    let table = names.table;
    match kind {
        ErrorKind::RejectsMaxTokens => Some(format!(
            "set `{table}.extra_body = {{ max_completion_tokens = 2048 }}` to replace `max_tokens`; add `temperature = 1` there if the temperature is refused as well"
        )),
        ErrorKind::RejectsTemperature => Some(format!(
            "set `{table}.extra_body = {{ temperature = 1 }}` to replace `{table}.temperature`"
        )),
        _ => None,
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

    async fn generate(&self, prompt: &Prompt) -> Result<Completion, Error> {
        let call = || async {
            match &self.allowance {
                None => self.call(prompt).await,
                Some(allowance) => allowance.spend(prompt, self.call(prompt)).await,
            }
        };
        self.client.retried(call).await
    }
}

/// Makes one call, of a few prompt tokens and at most one answer token.
///
/// # Errors
/// A failed call.
pub async fn ask_one_token(settings: &OpenAiSettings) -> Result<(), Error> {
    let mut settings = OpenAiSettings { max_tokens: 1, ..settings.clone() };
    for name in [MAX_COMPLETION_TOKENS, "max_tokens"] {
        if let Some(most) = settings.extra_body.get_mut(name) {
            *most = 1.into();
        }
    }
    let prompt = Prompt {
        question: String::new(),
        passages: Vec::new(),
        system: String::new(),
        user: "Hi".to_owned(),
    };
    OpenAi::new(&settings, None)?.call(&prompt).await.map(drop)
}

#[cfg(test)]
mod tests;
