//! Installation of a data set from its publisher: downloaded, verified by its hash, unpacked.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::hash::sha256;
use super::known::{self, Archived, KnownSet, Publisher};
use super::scratch::{self, SetScratch};
use super::unpack::{Refusal, unpack};
use super::{FetchError, wanted};
use ragtriage_core::text::address::shown;
use ragtriage_datasets::DatasetError;
use ragtriage_http::{Backoff, Downloader, FileRequest, Kind, OnDownload, Partial, Url, address};

/// Publishers' servers may be slow or unreachable.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// Attempts without progress.
const TRIES: u32 = 4;
/// Time limit for one set, across interruptions.
const DEADLINE: Duration = Duration::from_hours(6);

/// An installed set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// Its folder.
    pub folder: PathBuf,
    /// The address it came from, without secrets.
    pub url: String,
    /// The sha256 of the download, if there was no published hash to verify it.
    pub unverified: Option<String>,
    /// The publisher's licence.
    pub licence: &'static str,
}

/// Fetches the known data set `name` to `<to_root>/<name>`, from the first of its sources that has the file, or from `url`, which
/// must have an identical file.
///
/// An interrupted download remains in `<to_root>/.<name>.partial`; the next call resumes it. An existing set is an error, or
/// replaced with `force`.
pub async fn fetch(
    name: &str,
    url: Option<&str>,
    to_root: &Path,
    force: bool,
    on_download: OnDownload<'_>,
) -> Result<Fetched, FetchError> {
    fetch_set(known::set(name)?, url, to_root, force, on_download).await
}

async fn fetch_set(
    set: &KnownSet,
    url: Option<&str>,
    to_root: &Path,
    force: bool,
    on_download: OnDownload<'_>,
) -> Result<Fetched, FetchError> {
    let publisher = set.publisher.as_ref().ok_or(FetchError::NoPublisher { name: set.name })?;
    scratch::restore(to_root, set.name);
    let target = known::target(set, to_root, force)?;
    let urls = url.map_or_else(|| publisher.urls.to_vec(), |url| vec![url]);
    let mut causes = Vec::new();
    for url in urls {
        let url = address(url)?;
        match from_source(set, publisher, &url, to_root, &target, on_download).await {
            Ok(fetched) => return Ok(fetched),
            // Another source would fail for the same reason.
            Err(error @ (FetchError::Disk { .. } | FetchError::Dataset(_))) => return Err(error),
            Err(error) => causes.push((shown(&url), Box::new(error))),
        }
    }
    Err(match causes.len() {
        1 => *causes.remove(0).1,
        _ => FetchError::AllFailed { name: set.name, causes },
    })
}

/// Fetches the set from one address and installs it.
async fn from_source(
    set: &KnownSet,
    publisher: &Publisher,
    url: &Url,
    to_root: &Path,
    target: &Path,
    on_download: OnDownload<'_>,
) -> Result<Fetched, FetchError> {
    let downloader = Downloader::new(url, None, CONNECT_TIMEOUT)?;
    fs::create_dir_all(to_root).map_err(DatasetError::write(to_root))?;
    let path = to_root.join(format!(".{}.partial", set.name));
    let mut partial = Partial::resumed(&path, url)?;
    let file = FileRequest {
        file: set.name,
        most_bytes: publisher.most_bytes,
        backoff: Backoff::new(TRIES, DEADLINE),
    };
    if let Err(error) = downloader.fetch(&file, &mut partial, on_download).await {
        if partial.n_bytes() == 0 || error.kind == Kind::AnswerTooLarge {
            partial.remove();
        }
        return Err(error.into());
    }
    let placed = place(set, publisher, &path, &shown(url), to_root, target);
    let is_full = matches!(
        &placed,
        Err(FetchError::Disk { .. } | FetchError::Dataset(DatasetError::Write { .. }))
    );
    if !is_full {
        partial.remove(); // it would fail again the next time
    }
    Ok(Fetched {
        folder: target.to_owned(),
        url: shown(url),
        unverified: placed?,
        licence: publisher.licence,
    })
}

/// Verifies the download and installs the set. Returns its sha256 unless a hash is published.
fn place(
    set: &KnownSet,
    publisher: &Publisher,
    file: &Path,
    url: &str,
    to_root: &Path,
    target: &Path,
) -> Result<Option<String>, FetchError> {
    let disk = |source| FetchError::Disk { path: file.to_owned(), source };
    let unverified = match publisher.hash {
        None => Some(sha256(file).map_err(disk)?),
        Some(hash) => {
            let (found, expected) = (hash.of(file).map_err(disk)?, hash.expected());
            if found != expected {
                return Err(FetchError::Hash {
                    url: url.to_owned(),
                    kind: hash.name(),
                    expected,
                    found,
                });
            }
            None
        }
    };
    let scratch = SetScratch::new(to_root, set.name, "tmp")?;
    match publisher.packed {
        Archived::File(name) => {
            fs::copy(file, scratch.path().join(name)).map(drop).map_err(disk)?;
        }
        packed => unpack(packed, file, set, scratch.path()).map_err(|refusal| match refusal {
            Refusal::Write { path, source } => FetchError::Disk { path, source },
            refusal => FetchError::Archive { url: url.to_owned(), what: refusal.to_string() },
        })?,
    }
    wanted(set, scratch.path()).map_err(|error| match error {
        DatasetError::Layout { expected, .. } => {
            FetchError::Archive { url: url.to_owned(), what: format!("it has no {expected}") }
        }
        other => other.into(),
    })?;
    scratch.install(target)?;
    Ok(unverified)
}

#[cfg(test)]
mod tests {
    use wiremock::matchers::any;
    use wiremock::{Mock, MockServer, ResponseTemplate};

    use super::super::hash::Hash;
    use super::*;
    use ragtriage_core::hint::Hint;

    /// `printf abc | sha256sum`.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    async fn server(answer: ResponseTemplate) -> MockServer {
        let server = MockServer::start().await;
        Mock::given(any()).respond_with(answer).mount(&server).await;
        server
    }

    /// A set of one file with these sources, for as long as the process runs.
    fn set(sources: &[&MockServer]) -> &'static KnownSet {
        let urls = sources.iter().map(|source| &*source.uri().leak());
        let urls: Vec<&'static str> = urls.collect();
        Box::leak(Box::new(KnownSet {
            name: "abc",
            required: &["*.txt"],
            optional: &[],
            publisher: Some(Publisher {
                urls: urls.leak(),
                packed: Archived::File("abc.txt"),
                hash: Some(Hash::Sha256(ABC)),
                most_bytes: 100,
                licence: "none",
            }),
        }))
    }

    #[tokio::test]
    async fn the_next_source_is_asked_when_one_fails_or_sends_other_bytes() {
        let gone = server(ResponseTemplate::new(404)).await;
        let other = server(ResponseTemplate::new(200).set_body_string("abd")).await;
        let right = server(ResponseTemplate::new(200).set_body_string("abc")).await;
        let root = tempfile::tempdir().expect("a folder");
        let set = set(&[&gone, &other, &right]);
        let fetched = fetch_set(set, None, root.path(), false, &|_| ()).await;
        assert_eq!(fetched.expect("fetched").url, shown(&address(&right.uri()).expect("a URL")));
        let text = fs::read_to_string(root.path().join("abc/abc.txt")).expect("installed");
        assert_eq!(text, "abc");
        assert_eq!(right.received_requests().await.expect("recorded").len(), 1);
    }

    #[tokio::test]
    async fn every_source_is_named_with_its_cause_when_all_fail() {
        let gone = server(ResponseTemplate::new(404)).await;
        let other = server(ResponseTemplate::new(200).set_body_string("abd")).await;
        let root = tempfile::tempdir().expect("a folder");
        let error = fetch_set(set(&[&gone, &other]), None, root.path(), false, &|_| ()).await;
        let error = error.expect_err("no source has it");
        let text = error.to_string();
        assert!(text.starts_with("`abc` could not be fetched from any source: "), "{text}");
        for (source, cause) in [(&gone, "status 404"), (&other, "has sha256")] {
            let at = text.find(&source.uri()).unwrap_or_else(|| panic!("{text}"));
            assert!(text[at..].contains(cause), "{cause}: {text}");
        }
        assert_eq!(error.hint().as_deref(), Some("use a local copy of the data set"));
        assert!(!root.path().join("abc").exists());
    }
}
