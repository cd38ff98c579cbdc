//! Fetches a file by `GET`: follows redirects, resumes interrupted transfers, retries transient failures.
//!
//! A part is requested with `Range` and `If-Range` (RFC 9110, sections 13.1.5 and 14). A server that supports neither,
//! or has another version by now, sends the whole file, and the download starts over. Tries that made progress are not
//! counted. No redirect target learns the address that led to it, whose query may hold a token. With
//! user info in the address no redirect is followed; a bearer key goes to the first host and port only. Left out: integrity
//! checks; callers check the file's hash.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use reqwest::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_RANGE, ETAG, HeaderMap, HeaderValue, IF_RANGE,
    LAST_MODIFIED, RANGE,
};
use reqwest::{Client, Response, Url};
use tokio::sync::Mutex;

use super::asked_wait::asked_wait;
use super::backoff::CallError;
use super::endpoint::{builder, sensitive};
use super::{Backoff, Error, Kind, Partial, Retry, Secret, redirects};
use ragtriage_core::text::address::{is_loopback, shown};
use ragtriage_core::text::causes::root_cause;

/// Maximum time without data in the middle of a file.
const SILENCE: Duration = Duration::from_secs(30);

/// The progress of a download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Download<'a> {
    /// Name of the file or Python package.
    pub file: &'a str,
    /// Bytes received so far.
    pub bytes: u64,
    /// Total bytes, if the server reports them.
    pub total: Option<u64>,
}

/// Called as bytes arrive.
pub type OnDownload<'a> = &'a (dyn Fn(Download<'_>) + Send + Sync);

/// The file to download.
#[derive(Clone, Copy, Debug)]
pub struct FileRequest<'a> {
    /// Its name, for progress reports.
    pub file: &'a str,
    /// Maximum size: a larger file is not fetched, whatever size the server reports.
    pub most_bytes: u64,
    /// The retry policy.
    pub backoff: Backoff,
}

/// A client for the file at one address.
pub struct Downloader {
    client: Client,
    url: Url,
    /// The value of `Authorization`, which reqwest drops at a redirect to another host or port.
    key: Option<HeaderValue>,
    connect_timeout: Duration,
}

impl Downloader {
    /// Creates a client that sends `key`, if any, as a bearer token to the host and port of `url`; redirects to others are
    /// followed without it, and none after them gets it back. Makes no calls.
    ///
    /// # Errors
    /// A key or user info that would go over the network unencrypted.
    pub fn new(url: &Url, key: Option<&Secret>, connect_timeout: Duration) -> Result<Self, Error> {
        let has_user = !url.username().is_empty() || url.password().is_some();
        if url.scheme() == "http" && (has_user || key.is_some()) && !is_loopback(url) {
            return Err(Error::key_in_clear(url.host_str()));
        }
        let mut builder = builder()
            .redirect(redirects::policy(has_user))
            .referer(false)
            .connect_timeout(connect_timeout)
            .read_timeout(SILENCE);
        if is_loopback(url) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| Error::client(&root_cause(&error)))?;
        let key = key.map(|key| {
            sensitive(&format!("Bearer {}", key.expose())).ok_or_else(|| {
                let message = "the key contains characters that are not allowed in a header";
                let hint = "check the variable with the key for a line feed at its end";
                Error::local(message.to_owned(), hint)
            })
        });
        Ok(Self { client, url: url.clone(), key: key.transpose()?, connect_timeout })
    }

    /// Fetches the whole of `wanted` into `partial`, resuming after the bytes already there.
    ///
    /// # Errors
    /// A permanent failure, or the last transient one; bytes received by then stay in `partial`.
    pub async fn fetch(
        &self,
        wanted: &FileRequest<'_>,
        partial: &mut Partial,
        on_download: OnDownload<'_>,
    ) -> Result<(), Error> {
        let longest = AtomicU64::new(partial.n_bytes());
        // True if the file is longer than after any previous try.
        let has_grown = AtomicBool::new(false);
        let partial = Mutex::new(partial);
        let one_try = || async {
            let partial = &mut **partial.lock().await;
            let done = self.one_try(wanted, partial, on_download).await;
            let before = longest.fetch_max(partial.n_bytes(), Ordering::Relaxed);
            has_grown.store(partial.n_bytes() > before, Ordering::Relaxed);
            done
        };
        let retry = |error: &Error| match error.retry() {
            Retry::Stop => Retry::Stop,
            _ if has_grown.load(Ordering::Relaxed) => Retry::Limited(None),
            retry => retry,
        };
        wanted.backoff.run(one_try, retry).await
    }

    async fn one_try(
        &self,
        wanted: &FileRequest<'_>,
        partial: &mut Partial,
        on_download: OnDownload<'_>,
    ) -> Result<(), Error> {
        let url = shown(&self.url);
        let mut request = self.client.get(self.url.clone()).header(ACCEPT_ENCODING, "identity");
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, key.clone());
        }
        if let Some(version) = partial.version() {
            request = request
                .header(RANGE, format!("bytes={}-", partial.n_bytes()))
                .header(IF_RANGE, version);
        }
        let mut response = request.send().await.map_err(|error| self.broken(&url, error))?;
        let Arrival::Body { end, total } = begin(&response, &url, partial)? else {
            return Ok(());
        };
        let too_large = || Error::answer_too_large(&url, wanted.most_bytes);
        if total.is_some_and(|total| total > wanted.most_bytes) {
            return Err(too_large());
        }
        while let Some(piece) = response.chunk().await.map_err(|error| self.broken(&url, error))? {
            let n_bytes = partial.n_bytes() + piece.len() as u64;
            if n_bytes > wanted.most_bytes {
                return Err(too_large());
            }
            if end.is_some_and(|end| n_bytes > end) {
                return Err(wrong_part(&url, partial));
            }
            partial.append(&piece)?;
            on_download(Download { file: wanted.file, bytes: n_bytes, total });
        }
        match total {
            Some(total) if total != partial.n_bytes() => {
                let reason = "it ended before the file was complete";
                let message = format!("the connection to `{url}` was interrupted: {reason}");
                Err(Error::new(Kind::Interrupted, message))
            }
            _ => Ok(()),
        }
    }

    fn broken(&self, url: &str, error: reqwest::Error) -> Error {
        let error = error.without_url();
        let reason = root_cause(&error);
        if error.is_redirect() {
            let message = format!("the redirect of `{url}` is not followed: {reason}");
            return Error::new(Kind::Redirected, message);
        }
        Error::of_transport(&error, url, &reason, self.connect_timeout, SILENCE)
    }
}

/// The contents of a response.
enum Arrival {
    /// Bytes up to `end`, if they are a part; the file then has this total size, if the server reports it.
    Body { end: Option<u64>, total: Option<u64> },
    /// None: the file is already complete.
    Whole,
}

/// Prepares `partial` for the answer's body. A part that was not asked for, or that belongs to another version, is not joined:
/// the download starts over.
fn begin(response: &Response, url: &str, partial: &mut Partial) -> Result<Arrival, Error> {
    let (status, headers) = (response.status(), response.headers());
    let part =
        headers.get(CONTENT_RANGE).and_then(|value| ContentRange::parse(value.to_str().ok()?));
    match (status.as_u16(), part) {
        (200, _) => {
            partial.begin(version(headers))?;
            let total = response.content_length();
            Ok(Arrival::Body { end: None, total })
        }
        (206, Some(ContentRange::Part { start, end, total }))
            if start == partial.n_bytes() && is_of_version(partial.version(), headers, false) =>
        {
            let (end, total) = (Some(end), total.or(Some(end)));
            Ok(Arrival::Body { end, total })
        }
        (416, Some(ContentRange::None { total }))
            if total == partial.n_bytes() && is_of_version(partial.version(), headers, true) =>
        {
            Ok(Arrival::Whole)
        }
        (206 | 416, _) => Err(wrong_part(url, partial)),
        (code, _) => {
            let name = status.canonical_reason().unwrap_or("a status without a name");
            Err(Error::status(url, code, name, asked_wait(headers, SystemTime::now())))
        }
    }
}

/// Discards `partial`: some of its bytes may be of another version.
fn wrong_part(url: &str, partial: &mut Partial) -> Error {
    match partial.begin(None) {
        Ok(()) => {
            let message = format!("`{url}` sent a different byte range than requested");
            Error::new(Kind::WrongPart, message)
        }
        Err(error) => error,
    }
}

/// Returns true if a response to a request for a part of `version` is of that version. A part must repeat an entity tag but not
/// a date (RFC 9110, section 15.3.7); a refusal may be without either.
fn is_of_version(version: Option<&str>, headers: &HeaderMap, is_refusal: bool) -> bool {
    let Some(version) = version else {
        return false; // no part was asked for
    };
    let is_tag = version.starts_with('"');
    let name = if is_tag { ETAG } else { LAST_MODIFIED };
    match headers.get(name) {
        Some(value) => value == version,
        None => is_refusal || !is_tag,
    }
}

/// Returns the server's name for the content: a strong entity tag (a weak one may denote other bytes), else the date.
fn version(headers: &HeaderMap) -> Option<String> {
    let [tag, date] = [ETAG, LAST_MODIFIED].map(|name| headers.get(name)?.to_str().ok());
    let version = tag.filter(|tag| tag.starts_with('"')).or(date);
    version.map(str::to_owned)
}

/// A `Content-Range`.
#[derive(Debug, PartialEq, Eq)]
enum ContentRange {
    /// `bytes 3-9/10` or `bytes 3-9/*`; `end` is the byte after the last.
    Part { start: u64, end: u64, total: Option<u64> },
    /// `bytes */10`.
    None { total: u64 },
}

impl ContentRange {
    /// Returns `None` for another unit and for numbers that contradict each other.
    fn parse(text: &str) -> Option<Self> {
        let (range, total) = text.trim().strip_prefix("bytes ")?.trim().split_once('/')?;
        if range == "*" {
            let total = total.parse().ok()?;
            return Some(Self::None { total });
        }
        let (start, last) = range.split_once('-')?;
        let (start, last): (u64, u64) = (start.parse().ok()?, last.parse().ok()?);
        let end = last.checked_add(1).filter(|end| start < *end)?;
        let total = match total {
            "*" => None,
            total => Some(total.parse().ok().filter(|total| end <= *total)?),
        };
        Some(Self::Part { start, end, total })
    }
}

#[cfg(test)]
mod tests;
