//! An address that answers with JSON, to JSON by `POST` or to `GET`.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Client, RequestBuilder, Url, redirect};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::asked_wait::asked_wait;
use super::mask::Mask;
use super::{Backoff, HttpError, Secret, complaint};
use ragtriage_core::text::address::{is_loopback, shown};
use ragtriage_core::text::causes::root_cause;
use ragtriage_runs::read_file;

/// Default maximum size of an answer: 8 MiB.
pub(crate) const LARGEST_BODY_BYTES: usize = 8 << 20;

/// Number of bytes of an answer from which an error takes its excerpt.
const EXCERPT_BYTES: usize = 1200;

/// Connection timeout, independent of the time allowed for an answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Idle connections are closed before servers close them, so that no call uses a closed one: uvicorn, under vLLM and
/// most Python servers, closes them after five seconds.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);

/// The settings of an endpoint.
#[derive(Clone)]
pub struct EndpointSettings {
    /// URL of the calls, from [`super::address`].
    pub url: Url,
    /// Key sent as a bearer token; one of white space only is ignored.
    pub api_key: Option<Secret>,
    /// Additional headers; one named `authorization` replaces the key's.
    pub headers: Vec<(String, Secret)>,
    /// Timeout of one call.
    pub timeout: Duration,
    /// PEM file of certificate authorities trusted in addition to the system's.
    pub ca_file: Option<PathBuf>,
    /// Maximum size of an answer.
    pub most_bytes: usize,
}

impl EndpointSettings {
    /// Creates settings for calls to `url`, without a key, with a timeout of two minutes.
    #[must_use]
    pub fn new(url: Url) -> Self {
        let timeout = Duration::from_mins(2);
        Self {
            url,
            api_key: None,
            headers: Vec::new(),
            timeout,
            ca_file: None,
            most_bytes: LARGEST_BODY_BYTES,
        }
    }
}

/// A response of any status.
pub struct Response {
    /// The status; never one of a redirect.
    pub status: u16,
    /// The whole body, without the secrets that the server was sent.
    pub body: Vec<u8>,
    /// The wait that the server asks for before the next call, if any; a successful answer may ask for one, too.
    pub retry_after: Option<Duration>,
}

impl Response {
    /// Returns true if the status is a success.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// A client for one address.
pub struct JsonEndpoint {
    client: Client,
    url: Url,
    shown_url: String,
    headers: HeaderMap,
    mask: Mask,
    timeout: Duration,
    most_bytes: usize,
}

impl JsonEndpoint {
    /// Checks the settings and creates the client, without calling the address.
    pub fn new(settings: EndpointSettings) -> Result<Self, HttpError> {
        let headers = headers(&settings)?;
        let EndpointSettings { url, api_key, headers: named, timeout, ca_file, most_bytes } =
            settings;
        let has_secret =
            headers.len() > 1 || !url.username().is_empty() || url.password().is_some();
        if url.scheme() == "http" && has_secret && !is_loopback(&url) {
            return Err(HttpError::KeyInClear { host: url.host_str().unwrap_or("").to_owned() });
        }
        let mask = Mask::new(&url, api_key.iter().chain(named.iter().map(|(_, value)| value)));
        let client = client(&url, ca_file)?;
        Ok(Self { client, shown_url: shown(&url), url, headers, mask, timeout, most_bytes })
    }

    /// Returns the address without its secrets.
    #[must_use]
    pub fn shown_url(&self) -> &str {
        &self.shown_url
    }

    /// Makes one call, whose answer may have any status but a redirect's.
    pub async fn send(&self, body: &impl Serialize) -> Result<Response, HttpError> {
        let body = serde_json::to_vec(body).expect("what is sent has string keys only");
        self.answer(self.client.post(self.url.clone()).body(body)).await
    }

    /// Makes one call without a body, otherwise as [`Self::send`].
    pub async fn get(&self) -> Result<Response, HttpError> {
        self.answer(self.client.get(self.url.clone())).await
    }

    async fn answer(&self, request: RequestBuilder) -> Result<Response, HttpError> {
        let response = request
            .headers(self.headers.clone())
            .timeout(self.timeout)
            .send()
            .await
            .map_err(|error| self.broken(error))?;
        let status = response.status();
        if status.is_redirection() {
            return Err(HttpError::Redirected {
                url: self.shown_url.clone(),
                status: status.as_u16(),
            });
        }
        let retry_after = asked_wait(response.headers(), SystemTime::now());
        Ok(Response { status: status.as_u16(), body: self.body(response).await?, retry_after })
    }

    /// Calls with retries until there is a successful answer, and parses it.
    pub async fn post<T: DeserializeOwned>(
        &self,
        body: &impl Serialize,
        backoff: &Backoff,
    ) -> Result<T, HttpError> {
        let done = backoff.run(|| self.call(body), HttpError::verdict).await;
        done.map_err(|failure| HttpError::final_of(failure, &self.shown_url, backoff))
    }

    async fn call<T: DeserializeOwned>(&self, body: &impl Serialize) -> Result<T, HttpError> {
        let answer = self.send(body).await?;
        if !answer.is_success() {
            return Err(self.status(&answer));
        }
        serde_json::from_slice(&answer.body)
            .map_err(|error| self.unreadable(&error.to_string(), &answer.body))
    }

    /// Creates the error of an unsuccessful answer.
    #[must_use]
    pub fn status(&self, answer: &Response) -> HttpError {
        let Response { status, body, retry_after } = answer;
        let excerpt = self.excerpt(&complaint(body));
        HttpError::Status {
            url: self.shown_url.clone(),
            status: *status,
            excerpt,
            retry_after: *retry_after,
        }
    }

    /// Creates the error of an answer of an unexpected form.
    #[must_use]
    pub fn unreadable(&self, reason: &str, body: &[u8]) -> HttpError {
        let start = &body[..body.len().min(EXCERPT_BYTES)];
        HttpError::Unreadable {
            url: self.shown_url.clone(),
            reason: self.excerpt(reason),
            excerpt: self.excerpt(&String::from_utf8_lossy(start)),
        }
    }

    /// Returns a short excerpt of a server's text: one line, without echoed secrets and control or bidi characters.
    #[must_use]
    pub fn excerpt(&self, text: &str) -> String {
        self.mask.excerpt(text)
    }

    /// Returns a text put together from a response without the secrets that the server was sent.
    #[must_use]
    pub fn hide(&self, text: String) -> String {
        self.mask.text(text)
    }

    async fn body(&self, mut response: reqwest::Response) -> Result<Vec<u8>, HttpError> {
        let too_large =
            || HttpError::TooLarge { url: self.shown_url.clone(), most_bytes: self.most_bytes };
        let promised = response.content_length();
        if promised.is_some_and(|n_bytes| n_bytes > self.most_bytes as u64) {
            return Err(too_large());
        }
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| self.broken(error))? {
            if body.len() + piece.len() > self.most_bytes {
                return Err(too_large());
            }
            body.extend_from_slice(&piece);
        }
        Ok(self.mask.body(body))
    }

    /// Creates the error of a transport failure, without its URL.
    fn broken(&self, error: reqwest::Error) -> HttpError {
        let (url, error) = (self.shown_url.clone(), error.without_url());
        let reason = self.excerpt(&root_cause(&error));
        HttpError::of_transport(
            &error,
            url,
            reason,
            CONNECT_TIMEOUT.min(self.timeout),
            self.timeout,
        )
    }
}

/// Returns the content type, the key and the configured headers; the latter two are marked sensitive.
fn headers(settings: &EndpointSettings) -> Result<HeaderMap, HttpError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let key = settings.api_key.iter().map(|key| key.expose().trim()).find(|key| !key.is_empty());
    if let Some(key) = key {
        headers
            .insert(AUTHORIZATION, sensitive(&format!("Bearer {key}")).ok_or(HttpError::BadKey)?);
    }
    for (name, value) in &settings.headers {
        let header = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| HttpError::BadHeaderName { name: name.escape_debug().to_string() })?;
        let value = sensitive(value.expose());
        let value = value.ok_or_else(|| HttpError::BadHeaderValue { name: name.clone() })?;
        headers.insert(header, value);
    }
    Ok(headers)
}

fn sensitive(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn client(url: &Url, ca_file: Option<PathBuf>) -> Result<Client, HttpError> {
    let mut builder = crate::client::builder()
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .user_agent(concat!("ragtriage/", env!("CARGO_PKG_VERSION")));
    if let Some(path) = ca_file {
        let pem = match read_file(&path) {
            Ok(pem) => pem,
            Err(source) => return Err(HttpError::CaFile { path, source }),
        };
        let certificates = Certificate::from_pem_bundle(&pem).unwrap_or_default();
        if certificates.is_empty() {
            return Err(HttpError::NoCertificate { path });
        }
        builder = builder.tls_certs_merge(certificates);
    } else if url.scheme() == "http" {
        // Certificates are not used (unless a proxy uses TLS: name its authority in the CA file), so this must work in
        // a container without any.
        builder = builder.tls_certs_only([]);
    }
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| HttpError::Client { reason: root_cause(&error) })
}
