//! Downloads of pinned models from the Hugging Face hub, or from a mirror with equal paths.

use std::path::Path;
use std::time::Duration;

use super::part::PartialFile;
use ragtriage_core::text::causes::with_causes;
use ragtriage_encoder::checkpoint::{FILES, Pin, PlaceTried};
use ragtriage_http::{Backoff, Downloader, FileRequest, OnDownload, Partial, address};

/// An unreachable hub is given up quickly: a run waits for it.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Time limit for one file, across interruptions.
const DEADLINE: Duration = Duration::from_hours(6);
/// Maximum size of a file of a pinned model.
const MOST_BYTES: u64 = 4 << 30;

/// Fetches each file of `pin` that is missing or wrong in `folder`; the error contains the URL and the
/// reason.
pub(super) async fn fetch(
    hub: &str,
    pin: &Pin,
    folder: &Path,
    on_download: OnDownload<'_>,
) -> Result<(), PlaceTried> {
    for (file, expected) in FILES.into_iter().zip(pin.sha256) {
        let url = format!("{}/{}/resolve/main/{file}", hub.trim_end_matches('/'), pin.name);
        let fetched = fetch_file(&url, file, expected, folder, on_download).await;
        fetched.map_err(|why| PlaceTried { place: format!("`{url}`"), why })?;
    }
    Ok(())
}

async fn fetch_file(
    url: &str,
    file: &str,
    expected: &str,
    folder: &Path,
    on_download: OnDownload<'_>,
) -> Result<(), String> {
    let url = address(url).map_err(|error| with_causes(&error))?;
    let part = PartialFile::create(folder, file).map_err(|error| with_causes(&error))?;
    let mut partial = Partial::fresh(part.path()).map_err(|error| with_causes(&error))?;
    let wanted = FileRequest { file, most_bytes: MOST_BYTES, backoff: Backoff::new(1, DEADLINE) };
    let downloader =
        Downloader::new(&url, None, CONNECT_TIMEOUT).map_err(|error| with_causes(&error))?;
    downloader
        .fetch(&wanted, &mut partial, on_download)
        .await
        .map_err(|error| with_causes(&error))?;
    part.finish(expected).map_err(|error| with_causes(&error))
}
