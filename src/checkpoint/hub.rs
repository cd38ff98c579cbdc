//! Fetching a pinned model from the Hugging Face hub, or from a mirror that answers the same paths.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use futures_util::StreamExt;
use reqwest::Client;

use super::error::{Attempt, CheckpointError};
use super::part::Part;
use super::pin::{FILES, Pin};
use super::source::{Download, OnDownload};
use crate::text::causes::with_causes;

/// An unreachable hub is given up quickly: there is another way to the same bytes.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest silence in the middle of a file.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Fetches each file of `pin` that `folder` does not have right; the error says which URL failed and why.
pub(super) async fn fetch(hub: &str, pin: &Pin, folder: &Path, on_download: OnDownload<'_>) -> Result<(), Attempt> {
    let hub = hub.trim_end_matches('/');
    let built = Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(READ_TIMEOUT)
        .user_agent(concat!("ragxray/", env!("CARGO_PKG_VERSION")))
        .build();
    let client = built.map_err(|error| Attempt { place: format!("`{hub}`"), why: with_causes(&error) })?;
    for (file, expected) in FILES.into_iter().zip(pin.sha256) {
        let url = format!("{hub}/{}/resolve/main/{file}", pin.name);
        fetch_file(&client, &url, file, expected, folder, on_download)
            .await
            .map_err(|why| Attempt { place: format!("`{url}`"), why })?;
    }
    Ok(())
}

async fn fetch_file(
    client: &Client,
    url: &str,
    file: &str,
    expected: &str,
    folder: &Path,
    on_download: OnDownload<'_>,
) -> Result<(), String> {
    let answer = client.get(url).send().await.and_then(reqwest::Response::error_for_status);
    let answer = answer.map_err(|error| with_causes(&error.without_url()))?;
    let total = answer.content_length();
    let mut part = Part::create(folder, file).map_err(|error| with_causes(&error))?;
    let mut bytes = 0;
    let mut body = answer.bytes_stream();
    while let Some(piece) = body.next().await {
        let piece = piece.map_err(|error| with_causes(&error.without_url()))?;
        part.write_all(&piece)
            .map_err(|source| with_causes(&CheckpointError::Write { path: part.target().to_owned(), source }))?;
        bytes += piece.len() as u64;
        on_download(Download { file, bytes, total });
    }
    part.finish(expected).map_err(|error| with_causes(&error))
}
