//! Model checkpoints: found in a folder or a cache, or downloaded and verified.
//!
//! [`locate`] is for a run: it downloads only what it can verify, by the hashes of a pinned model, which are hashed on every
//! opening. [`fetch`] takes any model of the hub. Downloads are written under a temporary name, hashed, and renamed, so that
//! several processes may share the cache. The `hf-hub` crate is not used: its 300 dependencies bring a second provider of
//! cryptography and QUIC, while limits, and the masking of keys are in `http`.

mod hub;

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

pub use hub::{FetchedModel, HubName, fetch};

use super::download::{OnDownload, Wanted, install};
use crate::http::Secret;
use hub::{DEFAULT_REVISION, MOST_BYTES, Snapshot};
use ragtriage_core::text::causes::with_causes;
use ragtriage_encoder::Kind;
use ragtriage_encoder::checkpoint::{Checkpoint, CheckpointError, FILES, PINS, Pin, PlaceTried};
use ragtriage_encoder::error;

/// The Hugging Face hub.
pub const HUB: &str = "https://huggingface.co";

/// The locations that models are cached in and downloaded from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSource {
    /// The cache directory; models are in `models/<name>/` under it.
    pub cache_dir: PathBuf,
    /// The hub.
    pub hub: Hub,
    /// Disables downloads.
    pub offline: bool,
}

impl ModelSource {
    /// Returns the cache that downloads go to, in the layout of the hub's cache.
    fn own_cache(&self) -> PathBuf {
        self.cache_dir.join("models")
    }

    /// Returns the model at `revision` from the user's hub cache, else from our own.
    fn cached(&self, name: &str, revision: &str) -> Option<Snapshot> {
        let caches = self.hub.cache.iter().cloned().chain([self.own_cache()]);
        caches.into_iter().find_map(|cache| hub::find(&cache, name, revision))
    }
}

/// The Hugging Face hub, or a mirror of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hub {
    /// Its base URL, without a trailing slash; [`HUB`] by default.
    pub url: String,
    /// The user's key. It is sent to the host of `url` only.
    pub key: Option<Secret>,
    /// The user's cache of hub models, which other programs fill; never written.
    pub cache: Option<PathBuf>,
}

impl Hub {
    /// Returns the address of a path on the hub.
    fn url_of(&self, path: &str) -> String {
        format!("{}/{path}", self.url.trim_end_matches('/'))
    }

    /// Creates a hub without key and cache.
    #[must_use]
    pub fn at(url: &str) -> Self {
        Self { url: url.to_owned(), key: None, cache: None }
    }
}

/// Locates the model of a setting, downloading it if it is pinned and missing: the checkpoint in a folder under `base` if that exists
/// or `model` looks like a path, else the one of that name on the hub.
///
/// Errors: everything tried, if the model is in no place; [`Kind::Damaged`] for a pinned model's file in the cache if it cannot be
/// fetched again.
pub async fn locate(
    model: &str,
    base: &Path,
    source: &ModelSource,
    on_download: OnDownload<'_>,
) -> Result<Checkpoint, CheckpointError> {
    let folder = base.join(model);
    let is_path = Path::new(model).is_absolute() || model.starts_with('.') || model.contains('\\');
    if is_path || !model.is_empty() && folder.is_dir() {
        open(&folder, None).await
    } else {
        named(model, source, on_download).await
    }
}

fn pin_of(name: &str) -> Option<&'static Pin> {
    PINS.iter().find(|pin| pin.name == name)
}

/// Returns true if this program knows the hashes of the model of that name.
#[must_use]
pub fn is_pinned(name: &str) -> bool {
    pin_of(name).is_some()
}

/// Hashing blocks for about 50 ms.
async fn open(folder: &Path, pin: Option<&'static Pin>) -> Result<Checkpoint, CheckpointError> {
    let folder = folder.to_owned();
    tokio::task::spawn_blocking(move || Checkpoint::open(&folder, pin))
        .await
        .map_err(error::interrupted)?
}

async fn named(
    name: &str,
    source: &ModelSource,
    on_download: OnDownload<'_>,
) -> Result<Checkpoint, CheckpointError> {
    let folder = source.cache_dir.join("models").join(name);
    let pin = pin_of(name);
    let mut attempts = Vec::new();
    let mut damaged = None;
    match open(&folder, pin).await {
        Ok(checkpoint) => return Ok(checkpoint),
        Err(error) => {
            attempts
                .push(PlaceTried { place: "the model cache".to_owned(), why: with_causes(&error) });
            damaged = Some(error).filter(|error| error.kind == Kind::Damaged).or(damaged);
        }
    }
    if let Some(found) = in_hub_cache(name, source) {
        match open(&found, pin).await {
            Ok(checkpoint) => return Ok(checkpoint),
            Err(error) => attempts.push(PlaceTried {
                place: format!("the hub cache `{}`", found.display()),
                why: with_causes(&error),
            }),
        }
    }
    let skipped = match pin {
        None => Some("not tried: this model has no pinned hash"),
        Some(_) if source.offline => Some("not tried in offline mode"),
        Some(_) => None,
    };
    if let (Some(pin), None) = (pin, skipped) {
        let created = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        created.map_err(error::write(&folder))?;
        match fetch_pinned(&source.hub, pin, &folder, on_download).await {
            Ok(()) => return open(&folder, Some(pin)).await,
            Err(attempt) => attempts.push(attempt),
        }
    } else if let Some(why) = skipped {
        attempts.push(PlaceTried { place: "the network".to_owned(), why: why.to_owned() });
        if let Some(error) = damaged {
            return Err(error);
        }
    }
    Err(error::missing(name, &folder, &attempts))
}

/// Fetches each file of `pin`; the error contains the URL and the reason.
async fn fetch_pinned(
    hub: &Hub,
    pin: &Pin,
    folder: &Path,
    on_download: OnDownload<'_>,
) -> Result<(), PlaceTried> {
    for (file, expected) in FILES.into_iter().zip(pin.sha256) {
        let url = hub.url_of(&format!("{}/resolve/main/{file}", pin.name));
        let target = folder.join(file);
        // One try: a run waits for it.
        let wanted = Wanted { url: &url, key: None, file, most_bytes: MOST_BYTES, tries: 1 };
        let fetched = install(&wanted, &target, Some(expected), on_download).await;
        fetched
            .map_err(|error| PlaceTried { place: format!("`{url}`"), why: with_causes(&error) })?;
    }
    Ok(())
}

/// Returns the folder of the model in the user's hub cache, or in ours.
fn in_hub_cache(name: &str, source: &ModelSource) -> Option<PathBuf> {
    let parsed = HubName::parse(name).ok()?;
    let revision = parsed.revision.as_deref().unwrap_or(DEFAULT_REVISION);
    source.cached(&parsed.name, revision).map(|found| found.folder)
}

#[cfg(test)]
mod tests {
    use wiremock::matchers::path;
    use wiremock::{Mock, MockServer, ResponseTemplate};

    use super::*;
    use ragtriage_core::hint::Hint;

    const MINILM: &str = "sentence-transformers/all-MiniLM-L6-v2";

    #[tokio::test]
    async fn a_setting_that_reads_like_a_path_is_a_folder() {
        let cache = tempfile::tempdir().unwrap();
        let source =
            ModelSource { cache_dir: cache.path().to_owned(), hub: Hub::at(HUB), offline: true };
        for (model, file) in [
            ("./models/mine", "config/./models/mine/config.json"),
            ("/no/models/mine", "/no/models/mine/config.json"),
        ] {
            let error = locate(model, Path::new("config"), &source, &|_| ()).await.unwrap_err();
            assert!(error.to_string().contains(file), "{error}");
        }
    }

    #[tokio::test]
    async fn offline_says_what_was_not_tried_and_how_to_get_the_model() {
        let cache = tempfile::tempdir().unwrap();
        let source =
            ModelSource { cache_dir: cache.path().to_owned(), hub: Hub::at(HUB), offline: true };
        let error = locate(MINILM, Path::new(""), &source, &|_| ()).await.unwrap_err();
        let folder = cache.path().join("models").join(MINILM);
        let expected = format!(
            "model `{MINILM}` was not found: the model cache: cannot read `{}`: No such file or directory (os error 2); \
             the network: not tried in offline mode",
            folder.join("config.json").display()
        );
        assert_eq!(error.to_string(), expected);
        assert!(error.hint().unwrap().contains(&folder.display().to_string()));
    }

    #[tokio::test]
    async fn a_pinned_models_file_with_other_bytes_is_named_with_both_hashes() {
        let cache = tempfile::tempdir().unwrap();
        let file = cache.path().join("models").join(MINILM).join("config.json");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "{}").unwrap();
        let source =
            ModelSource { cache_dir: cache.path().to_owned(), hub: Hub::at(HUB), offline: true };
        let error = locate(MINILM, Path::new(""), &source, &|_| ()).await.unwrap_err();
        // sha256 of "{}" by sha256sum.
        let expected = format!(
            "`{}` has sha256 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a, \
             expected 953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            file.display()
        );
        assert_eq!(error.to_string(), expected);
    }

    #[tokio::test]
    async fn a_model_without_a_pin_is_not_fetched() {
        let cache = tempfile::tempdir().unwrap();
        let source =
            ModelSource { cache_dir: cache.path().to_owned(), hub: Hub::at(HUB), offline: false };
        let error = locate("some/model", Path::new(""), &source, &|_| ()).await.unwrap_err();
        assert!(error.to_string().contains("no pinned hash"), "{error}");
    }

    #[tokio::test]
    async fn what_the_hub_sends_is_kept_only_if_its_hash_is_correct() {
        let cache = tempfile::tempdir().unwrap();
        let server = MockServer::start().await;
        let url = format!("/{MINILM}/resolve/main/config.json");
        let answer = ResponseTemplate::new(200).set_body_string("{}");
        Mock::given(path(url.as_str())).respond_with(answer).mount(&server).await;
        let pin = pin_of(MINILM).unwrap();
        let attempt =
            fetch_pinned(&Hub::at(&server.uri()), pin, cache.path(), &|_| ()).await.unwrap_err();
        assert_eq!(attempt.place, format!("`{}{url}`", server.uri()));
        assert!(
            attempt.why.contains("has sha256 44136fa3") && attempt.why.contains(pin.sha256[0]),
            "{}",
            attempt.why
        );
        assert_eq!(std::fs::read_dir(cache.path()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn the_hubs_files_land_under_their_names() {
        // sha256 of "one", "two" and "three" by sha256sum.
        let pin = Pin {
            name: "a/b",
            sha256: [
                "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
                "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3",
                "8b5b9db0c13db24256c829aa364aa90c6d2eba318b9232a4ab9313b954d3555f",
            ],
            recipe: PINS[0].recipe.clone(),
        };
        let server = MockServer::start().await;
        for (file, body) in FILES.into_iter().zip(["one", "two", "three"]) {
            let answer = ResponseTemplate::new(200).set_body_string(body);
            Mock::given(path(format!("/a/b/resolve/main/{file}")))
                .respond_with(answer)
                .mount(&server)
                .await;
        }
        let cache = tempfile::tempdir().unwrap();
        fetch_pinned(&Hub::at(&server.uri()), &pin, cache.path(), &|_| ()).await.unwrap();
        let hashes = Checkpoint::open(cache.path(), Some(&pin))
            .unwrap()
            .files
            .into_iter()
            .map(|(_, hash)| hash);
        assert_eq!(hashes.collect::<Vec<_>>(), pin.sha256);
        assert_eq!(std::fs::read_dir(cache.path()).unwrap().count(), 3);
    }
}
