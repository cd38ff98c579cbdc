//! An address that answers with JSON, to JSON by `POST` or to `GET`.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Client, ClientBuilder, RequestBuilder, Url, redirect};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::address::parse;
use super::asked_wait::asked_wait;
use super::mask::Mask;
use super::{Error, Kind, Secret, complaint};
use ragtriage_core::text::address::{is_loopback, shown};
use ragtriage_core::text::causes::root_cause;
use ragtriage_data::run::read_file;

/// Default maximum size of an answer: 8 MiB.
pub(crate) const LARGEST_BODY_BYTES: usize = 8 << 20;

/// Number of bytes of an answer from which an error takes its excerpt.
const EXCERPT_BYTES: usize = 1200;

/// Connection timeout, independent of the time allowed for an answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Idle connections are closed before servers close them, so that no call uses a closed one: uvicorn, under vLLM and
/// most Python servers, closes them after five seconds.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);

/// The names of a service's settings, for errors and hints.
#[derive(Debug)]
pub struct ServiceNames {
    /// The table of its settings.
    pub table: &'static str,
    /// The setting of its address.
    pub url: &'static str,
    /// An address.
    pub example: &'static str,
    /// Appended to the address.
    pub path: &'static str,
    /// The kind of server that must run there.
    pub server: &'static str,
    /// Commands that start such a server, in parentheses.
    pub commands: &'static str,
    /// True if a file of certificate authorities can be set.
    pub has_ca_file: bool,
}

/// The settings of an endpoint.
#[derive(Clone)]
pub struct EndpointSettings {
    /// URL of the calls.
    pub url: Url,
    pub names: &'static ServiceNames,
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
    /// Creates settings for calls to `base` with the path of its service appended, without a key, with a timeout of two
    /// minutes.
    pub fn new(base: &str, names: &'static ServiceNames) -> Result<Self, Error> {
        let ServiceNames { table, url, example, path, .. } = names;
        let url = parse(base, path).map_err(|reason| {
            let appended =
                if path.is_empty() { String::new() } else { format!("; `{path}` is appended") };
            let hint = format!("write it like `{example}`{appended}");
            Error::local(format!("`{table}.{url}` {reason}"), hint)
        })?;
        let timeout = Duration::from_mins(2);
        Ok(Self {
            url,
            names,
            api_key: None,
            headers: Vec::new(),
            timeout,
            ca_file: None,
            most_bytes: LARGEST_BODY_BYTES,
        })
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
    names: &'static ServiceNames,
    headers: HeaderMap,
    mask: Mask,
    timeout: Duration,
    most_bytes: usize,
}

impl JsonEndpoint {
    /// Checks the settings and creates the client, without calling the address.
    pub fn new(settings: EndpointSettings) -> Result<Self, Error> {
        let headers = headers(&settings)?;
        let EndpointSettings { url, names, api_key, headers: named, timeout, ca_file, most_bytes } =
            settings;
        let has_secret =
            headers.len() > 1 || !url.username().is_empty() || url.password().is_some();
        if url.scheme() == "http" && has_secret && !is_loopback(&url) {
            return Err(Error::key_in_clear(url.host_str()));
        }
        let mask = Mask::new(&url, api_key.iter().chain(named.iter().map(|(_, value)| value)));
        let client = client(&url, ca_file, names)?;
        Ok(Self { client, shown_url: shown(&url), url, names, headers, mask, timeout, most_bytes })
    }

    /// Returns the address without its secrets.
    #[must_use]
    pub fn shown_url(&self) -> &str {
        &self.shown_url
    }

    /// Makes one call, whose answer may have any status but a redirect's.
    pub async fn send(&self, body: &impl Serialize) -> Result<Response, Error> {
        let body = serde_json::to_vec(body).expect("what is sent has string keys only");
        self.answer(self.client.post(self.url.clone()).body(body)).await
    }

    /// Makes one call without a body, otherwise as [`Self::send`].
    pub async fn get(&self) -> Result<Response, Error> {
        self.answer(self.client.get(self.url.clone())).await
    }

    async fn answer(&self, request: RequestBuilder) -> Result<Response, Error> {
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
            return Err(self.hinted(Error::new(Kind::Redirected, message)));
        }
        let retry_after = asked_wait(response.headers(), SystemTime::now());
        Ok(Response { status: status.as_u16(), body: self.body(response).await?, retry_after })
    }

    /// Makes one call and parses its successful answer.
    pub async fn call<T: DeserializeOwned>(&self, body: &impl Serialize) -> Result<T, Error> {
        let answer = self.send(body).await?;
        if !answer.is_success() {
            return Err(self.status(&answer));
        }
        serde_json::from_slice(&answer.body)
            .map_err(|error| self.unreadable(&error.to_string(), &answer.body))
    }

    /// Creates the error of an unsuccessful answer.
    #[must_use]
    pub fn status(&self, answer: &Response) -> Error {
        let excerpt = self.excerpt(&complaint(&answer.body));
        let error = Error::status(&self.shown_url, answer.status, &excerpt, answer.retry_after);
        self.hinted(error)
    }

    /// Creates the error of an answer of an unexpected form.
    #[must_use]
    pub fn unreadable(&self, reason: &str, body: &[u8]) -> Error {
        let start = String::from_utf8_lossy(&body[..body.len().min(EXCERPT_BYTES)]);
        let (url, reason, excerpt) = (&self.shown_url, self.excerpt(reason), self.excerpt(&start));
        let message = format!("the response of `{url}` cannot be read: {reason}: {excerpt}");
        self.hinted(Error::new(Kind::Unreadable, message))
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

    async fn body(&self, mut response: reqwest::Response) -> Result<Vec<u8>, Error> {
        let too_large =
            || self.hinted(Error::answer_too_large(&self.shown_url, self.most_bytes as u64));
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
    fn broken(&self, error: reqwest::Error) -> Error {
        let error = error.without_url();
        let reason = self.excerpt(&root_cause(&error));
        let connect_timeout = CONNECT_TIMEOUT.min(self.timeout);
        let (url, timeout) = (&self.shown_url, self.timeout);
        self.hinted(Error::of_transport(&error, url, &reason, connect_timeout, timeout))
    }

    fn hinted(&self, error: Error) -> Error {
        Error { hint: self.names.hint(error.kind), ..error }
    }
}

impl ServiceNames {
    /// Returns the remedy for a failed call.
    #[must_use]
    pub fn hint(&self, kind: Kind) -> Option<String> {
        let Self { table, url, path, server, commands, has_ca_file, .. } = self;
        Some(match kind {
            Kind::Unreachable => {
                format!("start the server{commands} or correct `{table}.{url}`")
            }
            Kind::TimedOut => {
                format!("raise `{table}.timeout_s` or lower `{table}.concurrency`")
            }
            Kind::Untrusted if *has_ca_file => format!(
                "name the PEM file of its certificate authority, or of a self-signed certificate without `CA:TRUE`, in `{table}.ca_file`"
            ),
            Kind::Redirected => {
                format!("set `{table}.{url}` to the target of the redirect, if you trust it")
            }
            Kind::Status(401 | 403) => {
                format!("`{table}.api_key_env` names the variable with the key")
            }
            Kind::Status(404 | 405) if !path.is_empty() => format!(
                "`{path}` is appended to `{table}.{url}`; check the address and the model name"
            ),
            Kind::Status(429) => format!("lower `{table}.concurrency`"),
            Kind::Interrupted | Kind::Unreadable | Kind::AnswerTooLarge | Kind::Status(_) => {
                format!("check that {server} runs at `{table}.{url}`")
            }
            Kind::Untrusted | Kind::WrongPart | Kind::RequestTooLarge | Kind::Local => {
                return None;
            }
        })
    }
}

/// Returns the content type, the key and the configured headers; the latter two are marked sensitive.
fn headers(settings: &EndpointSettings) -> Result<HeaderMap, Error> {
    let table = settings.names.table;
    let hint = "check the variable for a line feed at its end";
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let key = settings.api_key.iter().map(|key| key.expose().trim()).find(|key| !key.is_empty());
    if let Some(key) = key {
        let key = sensitive(&format!("Bearer {key}")).ok_or_else(|| {
            let message = format!(
                "`{table}.api_key_env` names a key with characters that are not allowed in a header"
            );
            Error::local(message, hint)
        })?;
        headers.insert(AUTHORIZATION, key);
    }
    for (name, value) in &settings.headers {
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| {
            let name = name.escape_debug();
            let message = format!("`{table}.headers_env` has the invalid header name `{name}`");
            Error::new(Kind::Local, message)
        })?;
        let value = sensitive(value.expose()).ok_or_else(|| {
            let message = format!(
                "`{table}.headers_env` names a value of `{name}` with characters that are not allowed in a header"
            );
            Error::local(message, hint)
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

fn client(url: &Url, ca_file: Option<PathBuf>, names: &ServiceNames) -> Result<Client, Error> {
    let mut builder = builder()
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_TIMEOUT);
    if let Some(path) = ca_file {
        let pem = read_file(&path).map_err(|source| Error::ca_file(&path, source))?;
        let certificates = Certificate::from_pem_bundle(&pem).unwrap_or_default();
        if certificates.is_empty() {
            let (table, path) = (names.table, path.display());
            let message = format!("`{table}.ca_file` has no certificate: `{path}`");
            return Err(Error::new(Kind::Local, message));
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
    builder.build().map_err(|error| Error {
        hint: names.hint(Kind::Untrusted),
        ..Error::client(&root_cause(&error))
    })
}

/// Returns a builder whose TLS uses `ring`, which the gRPC client of the vector store uses too.
pub(crate) fn builder() -> ClientBuilder {
    // Fails if a provider is already installed, which is then this one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().user_agent(concat!("ragtriage/", env!("CARGO_PKG_VERSION")))
}
