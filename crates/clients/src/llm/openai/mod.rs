//! Chat completions of any OpenAI-compatible server: `OpenAI`, Azure, vLLM, Ollama, llama.cpp, LM Studio, gateways.

mod settings;
mod wire;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};

pub(crate) use self::settings::holds_secret;
use self::settings::{MAX_COMPLETION_TOKENS, check};
pub use self::settings::{OpenAiSettings, most_completion_tokens};
use super::allowance::Allowance;
use super::{Completion, Generator};
use crate::Error;
use crate::http::{Client, is_complaint};
use ragtriage_core::prompt::Prompt;

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
        let answer = self.client.send(&body).await?;
        if !answer.is_success() || is_complaint(&answer.body) {
            return Err(self.client.status(&answer));
        }
        let reply = wire::reply(&answer.body)
            .map_err(|reason| self.client.unreadable(&reason, &answer.body))?;
        // The parts of a content may spell a key together.
        Ok(Completion { text: self.client.hide(reply.text), seconds: answer.seconds, ..reply })
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
