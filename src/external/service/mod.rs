//! A RAG that answers over HTTP: `POST` of `{"id", "question"}`, back comes the object that [`super::recorded`] describes.
//!
//! Redirects are not followed, an unencrypted connection carries no key except to this machine, and calls to this machine
//! pass by the proxies of the environment. What is transient is tried again, after half a second and then twice as long
//! each time, or as long as the service asks for.

mod error;

use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, Url, redirect};
use serde_json::json;

pub use error::ServiceError;

use super::recorded::{self, Answer, Recorded};
use super::{Position, Rag};
use crate::text::causes::root_cause;
use crate::text::{address, column, retry_after, sanitize};
use crate::types::Question;

/// A larger answer is not read on: 8 MiB.
const LARGEST_BODY_BYTES: usize = 8 << 20;
/// Characters of a service's complaint that an error keeps.
const EXCERPT_CHARS: usize = 300;
/// What is shorter in a URL is no secret: hiding it would only garble messages.
const LEAST_SECRET_BYTES: usize = 4;
/// A connection that is not made by then will not be, whatever the time allowed for an answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The wait before the second try; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// A service that asks for a longer wait is not waited for.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// Where and how to ask. Not `Debug`: it holds a key, and the URL may.
#[derive(Clone)]
pub struct ServiceSettings {
    /// Where questions are posted.
    pub url: String,
    /// Sent as a bearer token.
    pub api_key: Option<String>,
    /// Time for one call.
    pub timeout: Duration,
    /// How often what is transient is tried again.
    pub retries: u32,
    /// Whether an answer must come with the contexts.
    pub answers: bool,
}

/// A service, one question a call.
pub struct Service {
    client: Client,
    url: Url,
    shown_url: String,
    headers: HeaderMap,
    /// What no error may show, the longest first.
    secrets: Vec<String>,
    settings: ServiceSettings,
}

impl Service {
    /// Checks the settings and makes the client. Nothing is called yet.
    ///
    /// # Errors
    /// `BadUrl`, `BadKey`, `KeyInClear`, `Client`.
    pub fn new(settings: ServiceSettings) -> Result<Self, ServiceError> {
        let bad = |reason: String| ServiceError::BadUrl { reason };
        let url = Url::parse(settings.url.trim()).map_err(|error| bad(format!("is no URL: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(bad("must begin with `http://` or `https://`".into()));
        }
        let secret = settings.api_key.as_deref().map(str::trim).filter(|key| !key.is_empty()).map(str::to_owned);
        let secrets = secrets(&url, secret.as_deref());
        let has_secret = secret.is_some() || !url.username().is_empty() || url.password().is_some();
        if url.scheme() == "http" && has_secret && !address::is_loopback(&url) {
            return Err(ServiceError::KeyInClear { host: url.host_str().unwrap_or("").to_owned() });
        }
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(key) = &secret {
            let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| ServiceError::BadKey)?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let mut builder = Client::builder()
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .user_agent(concat!("ragxray/", env!("CARGO_PKG_VERSION")));
        if url.scheme() == "http" {
            builder = builder.tls_certs_only([]); // no certificate is looked at: a machine without any must do
        }
        if address::is_loopback(&url) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| ServiceError::Client { reason: root_cause(&error) })?;
        Ok(Self { client, shown_url: address::shown(&url), url, headers, secrets, settings })
    }

    /// One call. A wait that the service asks for stands beside its complaint.
    async fn call(&self, question: &Question) -> Result<Recorded, (ServiceError, Option<Duration>)> {
        let body = json!({ "id": question.id, "question": question.text }).to_string();
        let request = self.client.post(self.url.clone()).headers(self.headers.clone()).body(body);
        let response =
            request.timeout(self.settings.timeout).send().await.map_err(|error| (self.broken(error), None))?;
        let (status, url) = (response.status(), self.shown_url.clone());
        if status.is_redirection() {
            return Err((ServiceError::Redirected { url, status: status.as_u16() }, None));
        }
        let wait = retry_after(response.headers());
        let body = self.body(response).await.map_err(|error| (error, None))?;
        if !status.is_success() {
            let excerpt = self.excerpt(&String::from_utf8_lossy(&body));
            return Err((ServiceError::Status { url, status: status.as_u16(), excerpt }, wait));
        }
        self.read(question, &body).map_err(|error| (error, None))
    }

    fn read(&self, question: &Question, body: &[u8]) -> Result<Recorded, ServiceError> {
        let position = Position { file: self.shown_url.clone(), line: None };
        let recorded = recorded::object(&position, &String::from_utf8_lossy(body))
            .map_err(|error| ServiceError::Unreadable { reason: self.excerpt(&error.to_string()) })?;
        let recorded = Recorded { error: recorded.error.map(|error| self.excerpt(&error)), ..recorded };
        let url = || self.shown_url.clone();
        if let Some(id) = recorded.id.as_deref().filter(|id| *id != question.id.as_str()) {
            let (asked, answered) = (question.id.to_string(), self.excerpt(id));
            return Err(ServiceError::OtherQuestion { url: url(), asked, answered });
        }
        if self.settings.answers && recorded.error.is_none() && recorded.answer == Answer::Unsaid {
            return Err(ServiceError::NoAnswer { url: url() });
        }
        Ok(recorded)
    }

    async fn body(&self, mut response: Response) -> Result<Vec<u8>, ServiceError> {
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| self.broken(error))? {
            body.extend_from_slice(&piece);
            if body.len() > LARGEST_BODY_BYTES {
                return Err(ServiceError::TooLarge { url: self.shown_url.clone() });
            }
        }
        Ok(body)
    }

    /// A transport failure, without the URL that it carries.
    fn broken(&self, error: reqwest::Error) -> ServiceError {
        let (url, error) = (self.shown_url.clone(), error.without_url());
        let reason = self.excerpt(&root_cause(&error));
        if error.is_timeout() {
            ServiceError::TimedOut { url, after: self.settings.timeout }
        } else if error.is_connect() {
            ServiceError::Unreachable { url, reason }
        } else {
            ServiceError::Broken { url, reason }
        }
    }

    /// A short piece of what the service wrote: one line, without a secret, should it echo one.
    fn excerpt(&self, text: &str) -> String {
        let hidden = self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "***"));
        sanitize::shortened(&hidden, EXCERPT_CHARS)
    }
}

/// The key, and the user info and query values of `url` as they stand there and decoded; short ones (`v=2`) hide nothing.
fn secrets(url: &Url, key: Option<&str>) -> Vec<String> {
    let values =
        url.query().unwrap_or_default().split('&').map(|pair| pair.split_once('=').map_or(pair, |pair| pair.1));
    let as_written = [url.username(), url.password().unwrap_or_default()].into_iter().chain(values);
    let mut secrets: Vec<String> =
        as_written.flat_map(|text| [text.to_owned(), column::decode(text).into_owned()]).collect();
    secrets.retain(|secret| secret.len() >= LEAST_SECRET_BYTES);
    secrets.extend(key.map(str::to_owned));
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets
}

#[async_trait]
impl Rag for Service {
    async fn ask(&self, question: &Question) -> Result<Recorded, ServiceError> {
        let mut wait = FIRST_WAIT;
        for _ in 0..self.settings.retries {
            match self.call(question).await {
                Err((error, asked)) if error.is_transient() => {
                    let wait_now = asked.unwrap_or(wait);
                    if wait_now > LONGEST_WAIT {
                        return Err(error);
                    }
                    tokio::time::sleep(wait_now).await;
                    wait *= 2;
                }
                done => return done.map_err(|(error, _)| error),
            }
        }
        self.call(question).await.map_err(|(error, _)| error)
    }
}

/// The wait that the service asks for, where it says so in seconds; its date form is not read.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    retry_after::seconds(headers.get(RETRY_AFTER)?.to_str().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Kind;

    fn made(url: &str, api_key: Option<&str>) -> Result<Service, ServiceError> {
        let api_key = api_key.map(str::to_owned);
        let timeout = Duration::from_secs(1);
        Service::new(ServiceSettings { url: url.to_owned(), api_key, timeout, retries: 0, answers: true })
    }

    fn refused(url: &str, api_key: Option<&str>) -> String {
        made(url, api_key).err().expect("refused").to_string()
    }

    #[test]
    fn an_address_that_is_none_and_a_key_in_clear_are_refused() {
        assert_eq!(refused("ftp://h/x", None), "`external.url` must begin with `http://` or `https://`");
        assert!(refused("nonsense", None).starts_with("`external.url` is no URL"));
        assert_eq!(refused("http://example.com/ask", Some("k")), "the key would be sent unencrypted to `example.com`");
        assert!(made("http://127.0.0.1:1/ask", Some("k")).is_ok());
        assert!(made("https://example.com/ask", Some("k")).is_ok());
        assert_eq!(refused("https://example.com", Some("a\nb")), ServiceError::BadKey.to_string());
    }

    #[test]
    fn a_key_that_the_service_echoes_is_not_shown() {
        let Ok(service) = made("http://127.0.0.1:1/ask", Some("sk-123 ")) else { panic!("refused") };
        assert_eq!(service.excerpt("bad key sk-123\nhere"), "bad key *** here");
        let url = "https://user:pa%3Ass@h/ask?v=2&token=abcd%2Fef";
        let Ok(service) = made(url, None) else { panic!("refused") };
        let said = "v2: user with pa:ss (pa%3Ass) and abcd/ef";
        assert_eq!(service.excerpt(said), "v2: *** with *** (***) and ***");
    }

    #[test]
    fn what_the_service_says_in_an_answer_is_hidden_and_cut_as_well() {
        let Ok(service) = made("http://127.0.0.1:1/ask", Some("sk-123")) else { panic!("refused") };
        let question = Question {
            id: "q".into(),
            text: "which?".to_owned(),
            kind: Kind::Span,
            answers: vec![],
            evidence: vec![],
            relevant: [].into(),
            required: vec![],
            forbidden: vec![],
            tags: vec![],
            split: None,
        };
        let long = format!("{{\"error\": \"Bearer sk-123 {}\"}}", "x".repeat(1000));
        let error = service.read(&question, long.as_bytes()).expect("reads").error.expect("one");
        assert!(error.starts_with("Bearer *** xxx") && error.chars().count() == EXCERPT_CHARS, "{error}");
        for body in ["\"sk-123\"", "{\"contexts\": [], \"arms\": {\"sk-123\": 1}}"] {
            let refused = service.read(&question, body.as_bytes()).expect_err("no answer").to_string();
            assert!(!refused.contains("sk-123"), "{refused}");
        }
    }
}
