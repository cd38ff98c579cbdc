//! The client of one service: its calls with JSON, limited in number, and repeated by the endpoint's policy.
//!
//! A call holds its permit while it waits for a retry, which reduces the load.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, ClientBuilder, RequestBuilder, Url, redirect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;

use super::complaint::Complaint;
use super::mask::Mask;
use super::{Backoff, Endpoint, ServiceNames};
use crate::Error;
use crate::error::Fault;
use ragtriage_core::text::address::{is_loopback, shown};
use ragtriage_core::text::causes::root_cause;
use ragtriage_core::text::{retry_after, sanitize};
use ragtriage_core::types::ErrorKind;
use ragtriage_data::run::read_file;

/// Maximum size of an answer: 64 MiB are 800 vectors of 4,096 numbers, 20 characters each.
const LARGEST_ANSWER_BYTES: usize = 64 << 20;
/// Number of bytes of an answer from which an error takes its excerpt.
const EXCERPT_BYTES: usize = 1200;
/// Number of characters of a text shown in an error.
const START_CHARS: usize = 60;
/// Connection timeout, independent of the time allowed for an answer.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Idle connections are closed before servers close them, so that no call uses a closed one: uvicorn, under vLLM and
/// most Python servers, closes them after five seconds.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);

/// A response of any status.
pub(crate) struct Response {
    /// The status; never one of a redirect.
    pub status: u16,
    /// The whole body, without the secrets that the server was sent.
    pub body: Vec<u8>,
    /// The wait that the server asks for before the next call.
    pub retry_after: Option<Duration>,
    /// Wall time of the call.
    pub seconds: f64,
}

impl Response {
    /// Returns true if the status is a success.
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// A client for one address.
pub(crate) struct Client {
    inner: reqwest::Client,
    url: Url,
    shown_url: String,
    pub(crate) names: &'static ServiceNames,
    headers: HeaderMap,
    mask: Mask,
    timeout: Duration,
    permits: Semaphore,
    backoff: Backoff,
}

impl Client {
    /// Checks the settings and creates the client, without calling the address.
    pub(crate) fn new(endpoint: &Endpoint) -> Result<Self, Error> {
        let url = endpoint.address()?;
        let headers = headers(endpoint)?;
        let has_secret =
            headers.len() > 1 || !url.username().is_empty() || url.password().is_some();
        if url.scheme() == "http" && has_secret && !is_loopback(&url) {
            return Err(key_in_clear(&url));
        }
        let named = endpoint.headers.iter().map(|(_, value)| value);
        let permits = endpoint.concurrency.clamp(1, Semaphore::MAX_PERMITS);
        Ok(Self {
            inner: client(&url, endpoint.ca_file.as_deref())?,
            shown_url: shown(&url),
            mask: Mask::new(&url, endpoint.api_key.iter().chain(named)),
            url,
            names: endpoint.names,
            headers,
            timeout: endpoint.timeout,
            permits: Semaphore::new(permits),
            backoff: endpoint.backoff,
        })
    }

    /// Returns the address without its secrets.
    pub(crate) fn shown_url(&self) -> &str {
        &self.shown_url
    }

    /// Makes `call` until it succeeds, a failure is final, or tries or time are used up; no more at once than the endpoint allows.
    pub(crate) async fn retried<T, F: Future<Output = Result<T, Error>>>(
        &self,
        call: impl Fn() -> F,
    ) -> Result<T, Error> {
        let _permit = self.permits.acquire().await.expect("the semaphore is never closed");
        self.backoff.run(call).await
    }

    /// Makes one call, whose answer may have any status but a redirect's.
    pub(crate) async fn send(&self, body: &impl Serialize) -> Result<Response, Error> {
        let body = serde_json::to_vec(body).expect("what is sent has string keys only");
        self.answer(self.inner.post(self.url.clone()).body(body)).await
    }

    /// Makes one call without a body, otherwise as [`Self::send`].
    pub(crate) async fn get(&self) -> Result<Response, Error> {
        self.answer(self.inner.get(self.url.clone())).await
    }

    /// Sends `request` about `texts`, with retries, and parses the successful answer; a call with too many texts is
    /// [`ErrorKind::TooLong`], with a message about the first text.
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        request: &impl Serialize,
        texts: &[String],
    ) -> Result<T, Error> {
        let call = || async {
            let answer = self.send(request).await?;
            if !answer.is_success() {
                return Err(self.complained(&answer, Complaint::fault_of_batch));
            }
            serde_json::from_slice(&answer.body)
                .map_err(|error| self.unreadable(&error.to_string(), &answer.body))
        };
        self.retried(call).await.map_err(|error| {
            if error.kind != ErrorKind::TooLong {
                return error;
            }
            let text = texts.first().map_or("", String::as_str);
            let (n_chars, start) =
                (text.chars().count(), sanitize::shortened(text, START_CHARS));
            let table = self.names.table;
            let message = format!(
                "a text of {n_chars} characters that begins with `{start}` is too long for the model of `{table}`: {error}"
            );
            let hint = "lower `chunking.size`, or let the server truncate texts";
            Error { kind: ErrorKind::TooLong, ..Error::new(message).hinting(hint) }
        })
    }

    async fn answer(&self, request: RequestBuilder) -> Result<Response, Error> {
        let clock = Instant::now();
        let response = request
            .headers(self.headers.clone())
            .timeout(self.timeout)
            .send()
            .await
            .map_err(|error| self.broken(error))?;
        let status = response.status();
        if status.is_redirection() {
            // It would receive the text and the key.
            let (url, status) = (&self.shown_url, status.as_u16());
            let message = format!("`{url}` redirects to another address: status {status}");
            return Err(self.failed(Fault::Redirected, message));
        }
        let retry_after = asked_wait(response.headers(), SystemTime::now());
        let body = self.body(response).await?;
        let seconds = clock.elapsed().as_secs_f64();
        Ok(Response { status: status.as_u16(), body, retry_after, seconds })
    }

    async fn body(&self, mut response: reqwest::Response) -> Result<Vec<u8>, Error> {
        let too_large = || {
            let (url, most) = (&self.shown_url, LARGEST_ANSWER_BYTES >> 20);
            let message = format!("the response of `{url}` is larger than {most} MiB");
            self.failed(Fault::AnswerTooLarge, message)
        };
        let promised = response.content_length();
        if promised.is_some_and(|n_bytes| n_bytes > LARGEST_ANSWER_BYTES as u64) {
            return Err(too_large());
        }
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| self.broken(error))? {
            if body.len() + piece.len() > LARGEST_ANSWER_BYTES {
                return Err(too_large());
            }
            body.extend_from_slice(&piece);
        }
        Ok(self.mask.body(body))
    }

    /// Creates the error of an unsuccessful answer.
    pub(crate) fn status(&self, answer: &Response) -> Error {
        self.complained(answer, Complaint::fault)
    }

    fn complained(&self, answer: &Response, fault: impl Fn(&Complaint) -> Fault) -> Error {
        let complaint = Complaint::read(answer.status, &answer.body);
        let (url, status) = (&self.shown_url, complaint.status);
        let excerpt = self.excerpt(&complaint.message);
        let message = format!("`{url}` answered with status {status}: {excerpt}");
        Error { wait: answer.retry_after, ..self.failed(fault(&complaint), message) }
    }

    /// Creates the error of an answer of an unexpected form.
    pub(crate) fn unreadable(&self, reason: &str, body: &[u8]) -> Error {
        let start = String::from_utf8_lossy(&body[..body.len().min(EXCERPT_BYTES)]);
        let (url, reason, excerpt) = (&self.shown_url, self.excerpt(reason), self.excerpt(&start));
        let message = format!("the response of `{url}` cannot be read: {reason}: {excerpt}");
        self.failed(Fault::Unreadable, message)
    }

    /// Creates the error of an answer that is not what was asked for.
    pub(crate) fn wrong_answer(&self, what: &str) -> Error {
        let hint = self.names.hint(Fault::Unreadable).map(Into::into);
        Error { hint, ..Error::contract(&self.shown_url, what) }
    }

    /// Returns a short excerpt of a server's text: one line, without echoed secrets and control or bidi characters.
    pub(crate) fn excerpt(&self, text: &str) -> String {
        self.mask.excerpt(text)
    }

    /// Returns a text put together from a response without the secrets that the server was sent. Without its line breaks too if one
    /// of them separates a secret.
    pub(crate) fn hide(&self, text: String) -> String {
        let text = self.mask.text(text);
        let joined = text.replace('\n', "");
        let hidden = self.mask.text(joined.clone());
        if hidden == joined { text } else { hidden }
    }

    /// Creates the error of a transport failure, without its URL.
    fn broken(&self, error: reqwest::Error) -> Error {
        let error = error.without_url();
        let reason = self.excerpt(&root_cause(&error));
        let (fault, message) = transport(&error, &self.shown_url, &reason, self.timeout);
        self.failed(fault, message)
    }

    fn failed(&self, fault: Fault, message: String) -> Error {
        Error { hint: self.names.hint(fault).map(Into::into), ..Error::of(fault, message) }
    }
}

/// Returns the wait that a server asks for.
pub(crate) fn asked_wait(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name| headers.get(name)?.to_str().ok();
    match text("retry-after-ms").and_then(retry_after::seconds) {
        Some(thousands) => Some(thousands / 1_000),
        None => retry_after::wait(text("retry-after")?, now),
    }
}

/// Returns the fault of a transport failure, and its message: `reason` is that of the error. `timeout` is that of an answer.
pub(crate) fn transport(
    error: &reqwest::Error,
    url: &str,
    reason: &str,
    timeout: Duration,
) -> (Fault, String) {
    if error.is_connect() && error.is_timeout() {
        let seconds = CONNECT_TIMEOUT.min(timeout).as_secs_f64();
        let message = format!("`{url}` cannot be reached: no connection within {seconds} s");
        (Fault::Unreachable, message)
    } else if error.is_timeout() {
        let seconds = timeout.as_secs_f64();
        (Fault::TimedOut, format!("`{url}` did not respond within {seconds} s"))
    } else if error.is_connect() && reason.to_lowercase().contains("certificate") {
        (Fault::Untrusted, format!("the certificate of `{url}` is not trusted: {reason}"))
    } else if error.is_connect() {
        (Fault::Unreachable, format!("`{url}` cannot be reached: {reason}"))
    } else {
        (Fault::Interrupted, format!("the connection to `{url}` was interrupted: {reason}"))
    }
}

/// Creates the error of a key that would go over the network unencrypted.
pub(crate) fn key_in_clear(url: &Url) -> Error {
    let host = url.host_str().unwrap_or_default();
    Error::new(format!("the key would be sent unencrypted to `{host}`"))
        .hinting("use `https`; plain `http` with a key is for this machine only")
}

/// Returns the content type, the key and the configured headers; the latter two are marked sensitive.
fn headers(endpoint: &Endpoint) -> Result<HeaderMap, Error> {
    let hint = "check the variable for a line feed at its end";
    let refused = "with characters that are not allowed in a header";
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let key = endpoint.api_key.iter().map(|key| key.expose().trim()).find(|key| !key.is_empty());
    if let Some(key) = key {
        let key = sensitive(&format!("Bearer {key}")).ok_or_else(|| {
            let problem = format!("names a key {refused}");
            endpoint.names.bad_setting("api_key_env", &problem).hinting(hint)
        })?;
        headers.insert(AUTHORIZATION, key);
    }
    for (name, value) in &endpoint.headers {
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| {
            let problem = format!("has the invalid header name `{}`", name.escape_debug());
            endpoint.names.bad_setting("headers_env", &problem)
        })?;
        let value = sensitive(value.expose()).ok_or_else(|| {
            let problem = format!("names a value of `{name}` {refused}");
            endpoint.names.bad_setting("headers_env", &problem).hinting(hint)
        })?;
        headers.insert(header, value);
    }
    Ok(headers)
}

pub(crate) fn sensitive(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn client(url: &Url, ca_file: Option<&Path>) -> Result<reqwest::Client, Error> {
    let mut builder = builder(url)
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_TIMEOUT);
    if let Some(path) = ca_file {
        let shown = path.display();
        let pem = read_file(path).map_err(|source| {
            Error::new(format!("cannot read the CA file `{shown}`")).caused_by(source)
        })?;
        let certificates = Certificate::from_pem_bundle(&pem).unwrap_or_default();
        if certificates.is_empty() {
            return Err(Error::new(format!("`http.ca_file` has no certificate: `{shown}`")));
        }
        builder = builder.tls_certs_merge(certificates);
    } else if url.scheme() == "http" {
        // Certificates are not used (unless a proxy uses TLS: name its authority in the CA file), so this must work in
        // a container without any.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| {
        Error::new(format!("cannot make an HTTP client: {}", root_cause(&error)))
            .hinting("name a PEM file of certificate authorities in `http.ca_file`")
    })
}

/// Returns a builder of clients for `url`, whose TLS uses `ring`, which the gRPC client of the vector store uses too.
pub(crate) fn builder(url: &Url) -> ClientBuilder {
    // Fails if a provider is already installed, which is then this one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder =
        reqwest::Client::builder().user_agent(concat!("ragtriage/", env!("CARGO_PKG_VERSION")));
    if is_loopback(url) { builder.no_proxy() } else { builder }
}

#[cfg(test)]
mod tests {
    use reqwest::header::RETRY_AFTER;

    use super::*;

    #[test]
    fn the_wait_is_what_the_server_says_it_is() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_741_305_590);
        let mut headers = HeaderMap::new();
        assert_eq!(asked_wait(&headers, now), None);
        for (value, seconds) in [("2", 2), ("Fri, 07 Mar 2025 00:00:00 GMT", 10)] {
            headers.insert(RETRY_AFTER, HeaderValue::from_static(value));
            assert_eq!(asked_wait(&headers, now), Some(Duration::from_secs(seconds)));
        }
        headers.insert("retry-after-ms", HeaderValue::from_static("1500"));
        assert_eq!(asked_wait(&headers, now), Some(Duration::from_millis(1_500)));
    }
}
