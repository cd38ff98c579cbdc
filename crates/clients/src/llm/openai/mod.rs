//! Chat completions of any OpenAI-compatible server: `OpenAI`, Azure, vLLM, Ollama, llama.cpp, LM Studio, gateways.
//!
//! [`connect`] returns the generator that the pipeline uses: [`OpenAi`], one call per prompt, wrapped in `WithAllowance` if
//! there is a limit, and in `Retrying`. Streaming is not requested; if a server streams nevertheless, the stream is assembled.

mod settings;
mod smallest;
mod stream;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};

use self::settings::check;
pub(crate) use self::settings::holds_secret;
pub use self::settings::{OpenAiSettings, most_completion_tokens};
pub use self::smallest::ask_one_token;
use self::wire::ComplaintClass;
use super::allowance::{Allowance, WithAllowance};
use super::retry::Retrying;
use super::{Completion, Generator};
use crate::Error;
use crate::calls::{CallPolicy, Pause};
use crate::http::{Backoff, JsonEndpoint, Kind, Response, Retry, ServiceNames, hashed_query};
use ragtriage_core::prompt::Prompt;
use ragtriage_core::types::ErrorKind;

/// Part of the fingerprint: raised whenever a change here changes what is sent or how a reply is read.
const VERSION: u32 = 1;
/// Number of failed attempts, unrelated to the server's load, after which a prompt fails.
const TRIES: u32 = 4;
/// Maximum size of a response: 32 MiB hold 8,192 tokens with the log-probabilities of 20 alternatives each. Text alone is far
/// smaller, but a paid response should be read.
const LARGEST_ANSWER_BYTES: usize = 32 << 20;

/// Creates the generator for a server, with retries, and with `allowance` if the run has a limit. Makes no calls.
pub fn connect(
    settings: &OpenAiSettings,
    allowance: Option<Arc<Allowance>>,
) -> Result<Arc<dyn Generator>, Error> {
    let server = OpenAi::new(settings)?;
    let backoff = Backoff::new(TRIES, settings.deadline);
    let policy = CallPolicy::new(settings.concurrency, server.pause.clone(), backoff);
    Ok(match allowance {
        None => Arc::new(Retrying { inner: server, policy }),
        Some(allowance) => {
            Arc::new(Retrying { inner: WithAllowance::new(server, allowance), policy })
        }
    })
}

/// A server's model, one call per prompt.
pub struct OpenAi {
    names: &'static ServiceNames,
    model: String,
    fingerprint: String,
    endpoint: JsonEndpoint,
    body: Map<String, Value>,
    /// The pause requested by responses.
    pause: Pause,
}

impl OpenAi {
    /// Checks the settings and creates the client.
    pub fn new(settings: &OpenAiSettings) -> Result<Self, Error> {
        check(settings)?;
        let endpoint = JsonEndpoint::new(settings.endpoint()?)?;
        let (model, body, pause) =
            (settings.model.clone(), wire::body(settings), Pause::new(settings.deadline));
        let (url, query) = (endpoint.shown_url(), hashed_query(&settings.base_url));
        let headers = settings::hashed_headers(&settings.headers);
        let fingerprint =
            format!("openai v{VERSION} {url}{query}{headers} {}", Value::Object(body.clone()));
        Ok(Self { names: settings.names, model, fingerprint, endpoint, body, pause })
    }

    /// Returns the error of a server's error response.
    fn complaint(&self, answer: &Response) -> Error {
        let complaint = wire::complaint(&answer.body);
        // Gateways answer with status 200.
        let status = complaint.status.filter(|_| answer.status == 200).unwrap_or(answer.status);
        let class = wire::class(status, &complaint);
        let (url, excerpt) = (self.endpoint.shown_url(), self.endpoint.excerpt(&complaint.message));
        let words = match class {
            ComplaintClass::Busy => format!("`{url}` is busy or failing"),
            ComplaintClass::TooLong => format!("the prompt is too long for `{url}`"),
            ComplaintClass::Refused => format!("`{url}` refused the prompt"),
            ComplaintClass::Rejected => format!("`{url}` rejected the call"),
        };
        let error = Error::new(format!("{words}: status {status}: {excerpt}"));
        let table = self.names.table;
        let hint = self.names.hint(Kind::Status(status)).map(Into::into);
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
                Error { kind, hint: parameter_hint(kind, self.names).map(Into::into), ..error }
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
        let mut body = self.body.clone();
        body.insert("messages".into(), wire::messages(prompt));
        let mut answer = self.endpoint.send(&body).await?;
        self.pause.after(&answer);
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
