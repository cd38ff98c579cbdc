//! Fetches a file by `GET`: follows redirects that do not drop encryption, and retries transient failures from the start.
//!
//! No redirect target learns the address that led to it, whose query may hold a token. With user info in the address no redirect
//! is followed; a bearer key goes to the first host and port only. [`install`] checks the file's hash.

use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use reqwest::header::{ACCEPT_ENCODING, AUTHORIZATION, HeaderValue};
use reqwest::{Client, Url, redirect};

use crate::Error;
use crate::error::Fault;
use crate::http::{
    Backoff, CONNECT_TIMEOUT, Secret, asked_wait, builder, key_in_clear, parse, sensitive,
    transport,
};
use ragtriage_core::text::address::{is_loopback, shown};
use ragtriage_core::text::causes::root_cause;
use ragtriage_encoder::checkpoint::sha256_of_file;
use tempfile::NamedTempFile;

/// Maximum time without data in the middle of a file.
const SILENCE: Duration = Duration::from_secs(30);
/// Time limit for a file, all tries together.
const DEADLINE: Duration = Duration::from_hours(6);
/// Maximum number of redirects in a row.
const MOST_REDIRECTS: usize = 5;

/// The progress of a download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Download<'a> {
    /// Name of the file.
    pub file: &'a str,
    /// Bytes received so far.
    pub bytes: u64,
    /// Total bytes, if the server reports them.
    pub total: Option<u64>,
}

/// Called as bytes arrive.
pub type OnDownload<'a> = &'a (dyn Fn(Download<'_>) + Send + Sync);

/// The file to download.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub url: &'a str,
    /// Sent as a bearer token to the host and port of `url`, not to others that it redirects to.
    pub key: Option<&'a Secret>,
    /// Its name, for progress reports.
    pub file: &'a str,
    /// Maximum size: a larger file is not fetched, whatever size the server reports.
    pub most_bytes: u64,
    pub tries: u32,
}

/// Writes the whole of `wanted` to the file at `path`, which exists.
///
/// # Errors
/// An address that is none; a key or user info that would go over the network unencrypted; a permanent failure, or the last
/// transient one.
pub(super) async fn download(
    wanted: &Wanted<'_>,
    path: &Path,
    on_download: OnDownload<'_>,
) -> Result<(), Error> {
    let url = parse(wanted.url, "").map_err(|reason| {
        Error::new(format!("the address {reason}"))
            .hinting("write it like `https://example.org/file`")
    })?;
    let has_user = !url.username().is_empty() || url.password().is_some();
    if url.scheme() == "http" && (has_user || wanted.key.is_some()) && !is_loopback(&url) {
        return Err(key_in_clear(&url));
    }
    let key = wanted.key.map(|key| {
        sensitive(&format!("Bearer {}", key.expose())).ok_or_else(|| {
            Error::new("the key contains characters that are not allowed in a header")
                .hinting("check the variable with the key for a line feed at its end")
        })
    });
    let key = key.transpose()?;
    let client = builder(&url)
        .redirect(redirects(has_user))
        .referer(false)
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(SILENCE)
        .build()
        .map_err(|error| {
            Error::new(format!("cannot make an HTTP client: {}", root_cause(&error)))
        })?;
    let one_try = || one_try(&client, &url, key.as_ref(), wanted, path, on_download);
    Backoff::new(wanted.tries, DEADLINE).run(one_try).await
}

/// Downloads a file to `target`. It gets its name when its hash is correct, where one is known.
pub(super) async fn install(
    wanted: &Wanted<'_>,
    target: &Path,
    sha256: Option<&str>,
    on_download: OnDownload<'_>,
) -> Result<(), Error> {
    let part = part(target)?;
    download(wanted, part.path(), on_download).await?;
    let found = sha256_of_file(part.path())?;
    if let Some(expected) = sha256.filter(|expected| *expected != found) {
        let target = target.display();
        return Err(Error::new(format!("`{target}` has sha256 {found}, expected {expected}"))
            .hinting("try again; if the hash still differs, the file has changed at its address"));
    }
    part.as_file().sync_all().map_err(Error::disk(target))?;
    part.persist(target).map(drop).map_err(|error| Error::disk(target)(error.error))
}

/// Creates a temporary file next to `target`, removed unless it gets that name; its permissions are those of any new file.
pub(super) fn part(target: &Path) -> Result<NamedTempFile, Error> {
    let unwritable = Error::disk(target);
    let folder = target.parent().unwrap_or(target);
    fs::create_dir_all(folder).map_err(unwritable)?;
    let mut part = tempfile::Builder::new();
    part.prefix(".").suffix(".part").permissions(Permissions::from_mode(0o666));
    part.tempfile_in(folder).map_err(unwritable)
}

async fn one_try(
    client: &Client,
    url: &Url,
    key: Option<&HeaderValue>,
    wanted: &Wanted<'_>,
    path: &Path,
    on_download: OnDownload<'_>,
) -> Result<(), Error> {
    let unwritable = Error::disk(path);
    let mut file = File::options().write(true).truncate(true).open(path).map_err(unwritable)?;
    let shown = shown(url);
    let mut request = client.get(url.clone()).header(ACCEPT_ENCODING, "identity");
    if let Some(key) = key {
        request = request.header(AUTHORIZATION, key.clone());
    }
    let mut response = request.send().await.map_err(|error| broken(&shown, error))?;
    let status = response.status();
    if status.as_u16() != 200 {
        let name = status.canonical_reason().unwrap_or("a status without a name");
        let code = status.as_u16();
        let message = format!("`{shown}` answered with status {code}: {name}");
        let error = Error::of(Fault::Status(code), message);
        let wait = asked_wait(response.headers(), SystemTime::now());
        // A publisher that limits its rate takes tries as well: its deadline is hours.
        let fault = error.fault.filter(|_| !error.is_limited());
        return Err(Error { fault, wait, ..error });
    }
    let too_large = || {
        let most = wanted.most_bytes >> 20;
        let message = format!("the response of `{shown}` is larger than {most} MiB");
        Error::of(Fault::AnswerTooLarge, message)
    };
    let total = response.content_length();
    if total.is_some_and(|total| total > wanted.most_bytes) {
        return Err(too_large());
    }
    let mut bytes = 0;
    while let Some(piece) = response.chunk().await.map_err(|error| broken(&shown, error))? {
        bytes += piece.len() as u64;
        if bytes > wanted.most_bytes {
            return Err(too_large());
        }
        file.write_all(&piece).map_err(unwritable)?;
        on_download(Download { file: wanted.file, bytes, total });
    }
    Ok(())
}

fn broken(url: &str, error: reqwest::Error) -> Error {
    let error = error.without_url();
    let reason = root_cause(&error);
    if error.is_redirect() {
        let message = format!("the redirect of `{url}` is not followed: {reason}");
        return Error::of(Fault::Redirected, message);
    }
    let (fault, message) = transport(&error, url, &reason, SILENCE);
    Error::of(fault, message)
}

/// Follows the redirects that [`refusal`] allows; none if the first address `has_user` info, which reqwest passes on to
/// the same host.
fn redirects(has_user: bool) -> redirect::Policy {
    redirect::Policy::custom(move |attempt| match refusal(attempt.previous(), attempt.url()) {
        _ if has_user => {
            attempt.error("the user name and password in the address would be sent along")
        }
        Some(reason) => attempt.error(reason),
        None => attempt.follow(),
    })
}

/// Returns the reason for not following the redirects from `previous`, the first address included, to `next`.
fn refusal(previous: &[Url], next: &Url) -> Option<&'static str> {
    let was_encrypted = previous.iter().any(|url| url.scheme() == "https");
    match next.scheme() {
        _ if previous.contains(next) => Some("the redirects form a loop"),
        _ if previous.len() > MOST_REDIRECTS => Some("more than 5 redirects in a row"),
        "http" if was_encrypted => Some("it leads from `https` to `http`"),
        "http" | "https" => None,
        _ => Some("it leads to a scheme other than `http` and `https`"),
    }
}

#[cfg(test)]
mod tests {
    use wiremock::matchers::any;
    use wiremock::{Mock, MockServer, ResponseTemplate};

    use super::*;

    #[tokio::test]
    async fn a_try_begins_with_an_empty_file_and_a_large_one_is_not_fetched() {
        let server = MockServer::start().await;
        let answer = ResponseTemplate::new(200).set_body_string("abc");
        Mock::given(any()).respond_with(answer).mount(&server).await;
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "more than that").expect("written");
        let url = server.uri();
        let wanted = Wanted { url: &url, key: None, file: "set", most_bytes: 3, tries: 1 };
        download(&wanted, file.path(), &|_| ()).await.expect("three bytes");
        assert_eq!(std::fs::read_to_string(file.path()).expect("there"), "abc");
        let wanted = Wanted { most_bytes: 2, ..wanted };
        let error = download(&wanted, file.path(), &|_| ()).await.expect_err("three bytes");
        assert_eq!(error.fault, Some(Fault::AnswerTooLarge));
    }

    #[tokio::test]
    async fn a_key_goes_unencrypted_to_this_machine_only() {
        let key = Secret::new("k".to_owned());
        let file = tempfile::NamedTempFile::new().expect("a file");
        for (url, key) in [("http://example.org/x", Some(&key)), ("http://u:p@example.org", None)] {
            let wanted = Wanted { url, key, file: "set", most_bytes: 3, tries: 1 };
            let error = download(&wanted, file.path(), &|_| ()).await.expect_err("in clear");
            assert!(error.to_string().starts_with("the key would be sent unencrypted"), "{error}");
        }
    }

    async fn redirecting(to: String) -> MockServer {
        let server = MockServer::start().await;
        let answer = ResponseTemplate::new(302).insert_header("location", to);
        Mock::given(any()).respond_with(answer).mount(&server).await;
        server
    }

    #[tokio::test]
    async fn a_redirect_takes_no_token_and_no_password_along() {
        let elsewhere = MockServer::start().await;
        let answer = ResponseTemplate::new(200).set_body_string("abc");
        Mock::given(any()).respond_with(answer).mount(&elsewhere).await;
        let server = redirecting(format!("{}/file", elsewhere.uri())).await;
        let file = tempfile::NamedTempFile::new().expect("a file");
        let key = Secret::new("hush".to_owned());
        let url = format!("{}/file?token=hush", server.uri());
        let wanted = Wanted { url: &url, key: Some(&key), file: "set", most_bytes: 3, tries: 1 };
        download(&wanted, file.path(), &|_| ()).await.expect("a file");
        let sent = server.received_requests().await.expect("recorded");
        assert!(sent[0].headers.contains_key("authorization"));
        let requests = elsewhere.received_requests().await.expect("recorded");
        let [request] = &requests[..] else { panic!("{requests:?}") };
        // The same machine, another port.
        assert!(!request.headers.contains_key("authorization"));
        assert!(!request.headers.contains_key("referer") && request.url.query().is_none());

        let url = server.uri().replacen("://", "://user:pass@", 1);
        let wanted = Wanted { url: &url, key: None, ..wanted };
        let error = download(&wanted, file.path(), &|_| ()).await.expect_err("not followed");
        let reason = "the user name and password in the address would be sent along";
        assert!(error.to_string().ends_with(reason), "{error}");
        assert_eq!(error.fault, Some(Fault::Redirected));
        assert_eq!(elsewhere.received_requests().await.expect("recorded").len(), 1);
    }

    fn refused(previous: &[&str], next: &str) -> Option<&'static str> {
        let url = |text: &&str| Url::parse(text).expect("a URL");
        refusal(&previous.iter().map(url).collect::<Vec<_>>(), &url(&next))
    }

    #[test]
    fn redirects_that_stay_encrypted_and_end_are_followed_and_no_others() {
        assert_eq!(refused(&["http://a"], "http://b"), None);
        assert_eq!(refused(&["http://a"], "https://a"), None);
        assert_eq!(refused(&["https://a", "https://b"], "https://c/?x=1"), None);
        let six = ["http://1", "http://2", "http://3", "http://4", "http://5", "http://6"];
        assert_eq!(refused(&six[..5], "http://7"), None);
        assert_eq!(refused(&six, "http://7"), Some("more than 5 redirects in a row"));
        let circle = refused(&["http://a", "http://b"], "http://a");
        assert_eq!(circle, Some("the redirects form a loop"));
        let downgrade = refused(&["http://a", "https://b"], "http://c");
        assert_eq!(downgrade, Some("it leads from `https` to `http`"));
        assert!(refused(&["http://a"], "file:///etc/passwd").is_some());
    }
}
