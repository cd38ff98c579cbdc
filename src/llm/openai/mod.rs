//! Chat completions of any OpenAI-compatible server: `OpenAI`, Azure, vLLM, Ollama, llama.cpp, LM Studio, gateways.
//!
//! [`connect`] gives the generator that the pipeline uses: [`OpenAi`], one call a prompt, inside [`Retrying`].
//! Redirects are not followed, an unencrypted connection carries no key except to this machine, and calls to
//! this machine pass by the proxies of the environment. Streaming is not asked for.

mod address;
mod settings;
mod wire;

use std::fs;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Certificate, Client, Response, Url, redirect};
use serde_json::{Map, Value};

pub use self::settings::OpenAiSettings;
use self::settings::{check, headers, secrets};
use super::retry::{Patience, Retrying};
use super::{ErrorClass, Generator, LlmError, Prompt, Reply};
use crate::text::address::{is_loopback, shown};
use crate::text::causes::root_cause;
use crate::text::retry_after;

/// A larger answer is not read on: 8 MiB.
const LARGEST_BODY_BYTES: usize = 8 << 20;

/// Characters of a server's complaint that an error keeps.
const EXCERPT_CHARS: usize = 300;

/// A connection that is not made by then will not be, whatever the time allowed for an answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A prompt's deadline in units of the time for one call.
pub const DEADLINE_CALLS: u32 = 3;

/// The generator for a server: retries and limits included. Nothing is called yet.
pub fn connect(settings: &OpenAiSettings) -> Result<Retrying<OpenAi>, LlmError> {
    let patience = Patience {
        concurrency: settings.concurrency,
        tries: 4,
        first_wait: Duration::from_millis(500),
        longest_wait: Duration::from_secs(30),
        deadline: settings.timeout.saturating_mul(DEADLINE_CALLS),
    };
    Retrying::new(OpenAi::new(settings)?, patience)
}

/// A server's model, one call a prompt.
pub struct OpenAi {
    model: String,
    client: Client,
    url: Url,
    shown_url: String,
    headers: HeaderMap,
    /// What no error may show.
    secrets: Vec<String>,
    body: Map<String, Value>,
    timeout: Duration,
}

impl OpenAi {
    /// Checks the settings and makes the client.
    pub fn new(settings: &OpenAiSettings) -> Result<Self, LlmError> {
        check(settings)?;
        let url = address::endpoint(&settings.base_url)?;
        let headers = headers(settings)?;
        let has_secret = headers.len() > 1 || !url.username().is_empty() || url.password().is_some();
        if url.scheme() == "http" && has_secret && !is_loopback(&url) {
            return Err(LlmError::KeyInClear { host: url.host_str().unwrap_or("").to_owned() });
        }
        Ok(Self {
            model: settings.model.clone(),
            client: client(settings, &url)?,
            shown_url: shown(&url),
            secrets: secrets(settings, &url),
            headers,
            body: wire::body(settings),
            timeout: settings.timeout,
            url,
        })
    }

    /// A transport failure, without the URL that it carries.
    fn broken(&self, error: reqwest::Error) -> LlmError {
        let url = self.shown_url.clone();
        let error = error.without_url();
        let reason = self.excerpt(&root_cause(&error));
        if error.is_timeout() {
            LlmError::TimedOut { url, after: self.timeout }
        } else if error.is_connect() && reason.to_lowercase().contains("certificate") {
            LlmError::Untrusted { url, reason }
        } else if error.is_connect() {
            LlmError::Unreachable { url, reason }
        } else {
            LlmError::Broken { url, reason }
        }
    }

    /// A server's complaint.
    fn complaint(&self, http_status: u16, body: &[u8], retry_after: Option<Duration>) -> LlmError {
        let complaint = wire::complaint(body);
        let status = if http_status == 200 { complaint.status.unwrap_or(http_status) } else { http_status };
        let (url, excerpt) = (self.shown_url.clone(), self.excerpt(&complaint.message));
        match wire::class(status, &complaint) {
            ErrorClass::Transient => LlmError::Busy { url, status, excerpt, retry_after },
            ErrorClass::Permanent => LlmError::Rejected { url, status, excerpt },
            ErrorClass::TooLong => LlmError::TooLong { url, status, excerpt },
            ErrorClass::Refused => LlmError::Refused { url, status, excerpt },
        }
    }

    fn unreadable(&self, reason: &str, body: &[u8]) -> LlmError {
        let start = &body[..body.len().min(4 * EXCERPT_CHARS)];
        LlmError::Unreadable {
            url: self.shown_url.clone(),
            reason: self.excerpt(reason),
            excerpt: self.excerpt(&String::from_utf8_lossy(start)),
        }
    }

    /// A short piece of what a server wrote: no secret that it echoes, one line, no control or bidi characters.
    fn excerpt(&self, text: &str) -> String {
        let hidden = self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "***"));
        let plain: String = hidden.chars().map(|c| if is_unprintable(c) { ' ' } else { c }).collect();
        let words: Vec<&str> = plain.split_whitespace().collect();
        let line = words.join(" ");
        match line.char_indices().nth(EXCERPT_CHARS) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }

    async fn body(&self, mut response: Response) -> Result<Vec<u8>, LlmError> {
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| self.broken(error))? {
            body.extend_from_slice(&piece);
            if body.len() > LARGEST_BODY_BYTES {
                return Err(self.unreadable("it is larger than 8 MiB", &body));
            }
        }
        Ok(body)
    }
}

#[async_trait]
impl Generator for OpenAi {
    fn name(&self) -> &str {
        &self.model
    }

    async fn generate(&self, prompt: &Prompt) -> Result<Reply, LlmError> {
        let mut body = self.body.clone();
        body.insert("messages".into(), wire::messages(prompt));
        let request = self.client.post(self.url.clone()).headers(self.headers.clone()).timeout(self.timeout);
        let request = request.body(Value::Object(body).to_string());
        let response = request.send().await.map_err(|error| self.broken(error))?;
        let status = response.status();
        let retry_after = retry_after(response.headers());
        if status.is_redirection() {
            return Err(LlmError::Redirected { url: self.shown_url.clone(), status: status.as_u16() });
        }
        let body = self.body(response).await?;
        if !status.is_success() || wire::is_complaint(&body) {
            return Err(self.complaint(status.as_u16(), &body, retry_after));
        }
        wire::reply(&body).map_err(|reason| self.unreadable(&reason, &body))
    }
}

fn client(settings: &OpenAiSettings, url: &Url) -> Result<Client, LlmError> {
    let mut builder = Client::builder()
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("ragxray/", env!("CARGO_PKG_VERSION")));
    if let Some(path) = &settings.ca_file {
        let pem = fs::read(path).map_err(|source| LlmError::CaFile { path: path.clone(), source })?;
        let certificates = Certificate::from_pem_bundle(&pem).unwrap_or_default();
        if certificates.is_empty() {
            let reason = format!("holds no certificate: `{}`", path.display());
            return Err(LlmError::BadSetting { setting: "ca_file", reason });
        }
        builder = builder.tls_certs_merge(certificates);
    } else if url.scheme() == "http" {
        // No certificate is looked at (unless a proxy is itself behind TLS: name its authority in `ca_file`), and a
        // container without any must do.
        builder = builder.tls_certs_only([]);
    }
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| LlmError::Client { reason: root_cause(&error) })
}

/// The wait that the server asks for, where it says so in seconds; its date form is not read.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    retry_after::seconds(headers.get(RETRY_AFTER)?.to_str().ok()?)
}

fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests;
