//! The sources of a checkpoint: a folder, the model cache, the caches of hub models, the Hugging Face hub, in this order.
//!
//! A pinned model's files are hashed on every opening and never used unverified; downloads are written under a
//! temporary name, hashed, and renamed, so that several processes may share the cache. Models that are not
//! pinned are not downloaded, since their bytes could not be verified.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::fetch::DEFAULT_REVISION;
use super::hub;
use super::locations::ModelSource;
use super::name::HubName;
use ragtriage_core::text::causes::with_causes;
use ragtriage_encoder::Kind;
use ragtriage_encoder::checkpoint::{Checkpoint, CheckpointError, PINS, Pin, PlaceTried};
use ragtriage_http::OnDownload;

/// A reference to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelRef {
    /// By its name on the Hugging Face hub, such as `sentence-transformers/all-MiniLM-L6-v2`.
    Named(String),
    /// The named model, only in this folder.
    NamedIn(String, PathBuf),
    /// Any checkpoint in this folder.
    Folder(PathBuf),
}

impl ModelRef {
    /// Parses a setting: a folder under `base` if it exists or the text looks like a path, else a name.
    pub fn parse(text: &str, base: &Path) -> Self {
        let path = base.join(text);
        if path.is_dir()
            || Path::new(text).is_absolute()
            || text.starts_with('.')
            || text.contains('\\')
        {
            Self::Folder(path)
        } else {
            Self::Named(text.to_owned())
        }
    }
}

/// Locates the model, downloading it if it is pinned and missing.
///
/// Errors: [`Kind::Missing`] with everything tried; [`Kind::Damaged`] for a pinned model's
/// file in a named folder, or in the cache if it cannot be fetched again.
pub async fn locate(
    model: &ModelRef,
    source: &ModelSource,
    on_download: OnDownload<'_>,
) -> Result<Checkpoint, CheckpointError> {
    match model {
        ModelRef::Folder(folder) => open(folder, None).await,
        ModelRef::NamedIn(name, folder) => open(folder, pin_of(name)).await,
        ModelRef::Named(name) => named(name, source, on_download).await,
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
        .map_err(CheckpointError::interrupted)?
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
        created.map_err(CheckpointError::write(&folder))?;
        match hub::fetch(&source.hub.url, pin, &folder, on_download).await {
            Ok(()) => return open(&folder, Some(pin)).await,
            Err(attempt) => attempts.push(attempt),
        }
    } else if let Some(why) = skipped {
        attempts.push(PlaceTried { place: "the network".to_owned(), why: why.to_owned() });
        if let Some(error) = damaged {
            return Err(error);
        }
    }
    Err(CheckpointError::missing(name, &folder, &attempts))
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
    use crate::model::locations::{HUB, Hub};
    use ragtriage_core::hint::Hint;
    use ragtriage_encoder::checkpoint::FILES;

    const MINILM: &str = "sentence-transformers/all-MiniLM-L6-v2";

    #[test]
    fn a_setting_that_reads_like_a_path_is_a_folder() {
        assert_eq!(ModelRef::parse(MINILM, Path::new("")), ModelRef::Named(MINILM.to_owned()));
        assert_eq!(
            ModelRef::parse("./models/mine", Path::new("")),
            ModelRef::Folder("./models/mine".into())
        );
        assert_eq!(
            ModelRef::parse("/models/mine", Path::new("config")),
            ModelRef::Folder("/models/mine".into())
        );
    }

    #[tokio::test]
    async fn offline_says_what_was_not_tried_and_how_to_get_the_model() {
        let cache = tempfile::tempdir().unwrap();
        let source =
            ModelSource { cache_dir: cache.path().to_owned(), hub: Hub::at(HUB), offline: true };
        let error =
            locate(&ModelRef::Named(MINILM.to_owned()), &source, &|_| ()).await.unwrap_err();
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
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.json"), "{}").unwrap();
        let source = ModelSource { cache_dir: "unused".into(), hub: Hub::at(HUB), offline: true };
        let model = ModelRef::NamedIn(MINILM.to_owned(), folder.path().to_owned());
        let error = locate(&model, &source, &|_| ()).await.unwrap_err();
        // sha256 of "{}" by sha256sum.
        let expected = format!(
            "`{}` has sha256 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a, \
             expected 953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            folder.path().join("config.json").display()
        );
        assert_eq!(error.to_string(), expected);
    }

    #[tokio::test]
    async fn a_model_without_a_pin_is_not_fetched() {
        let cache = tempfile::tempdir().unwrap();
        let source =
            ModelSource { cache_dir: cache.path().to_owned(), hub: Hub::at(HUB), offline: false };
        let error =
            locate(&ModelRef::Named("some/model".to_owned()), &source, &|_| ()).await.unwrap_err();
        assert!(error.to_string().contains("no pinned hash"), "{error}");
    }

    #[tokio::test]
    async fn what_the_hub_sends_is_kept_only_if_its_hash_is_right() {
        let cache = tempfile::tempdir().unwrap();
        let server = MockServer::start().await;
        let url = format!("/{MINILM}/resolve/main/config.json");
        let answer = ResponseTemplate::new(200).set_body_string("{}");
        Mock::given(path(url.as_str())).respond_with(answer).mount(&server).await;
        let pin = pin_of(MINILM).unwrap();
        let attempt = hub::fetch(&server.uri(), pin, cache.path(), &|_| ()).await.unwrap_err();
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
        hub::fetch(&server.uri(), &pin, cache.path(), &|_| ()).await.unwrap();
        let hashes = Checkpoint::open(cache.path(), Some(&pin))
            .unwrap()
            .files
            .into_iter()
            .map(|(_, hash)| hash);
        assert_eq!(hashes.collect::<Vec<_>>(), pin.sha256);
        assert_eq!(std::fs::read_dir(cache.path()).unwrap().count(), 3);
    }
}
