//! Checks of the vector store: the embedded engine, or Qdrant servers.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::check::Check;
use crate::environment::scratch_parent;
use crate::failure::Failure;
use ragtriage_core::config::VectorStoreKind;
use ragtriage_core::text::address::shown_url;
use ragtriage_core::types::{RetrieverName, Similarity};
use ragtriage_pipeline::settings::Resolved;
use ragtriage_pipeline::settings::assemble::recipients::uses_vector_store;
use ragtriage_pipeline::settings::assemble::{Environment, probe};
use ragtriage_pipeline::settings::cache_folder::ScratchFolder;
use ragtriage_vectors::{
    CollectionSpec, Kind, Point, QDRANT_EDGE, SearchMode, VectorPlace, VectorSearch, VectorSpec,
    open_or_create,
};

pub async fn checks(resolved: &Resolved, environment: &Environment) -> Vec<Check> {
    let settings = &resolved.settings;
    if settings.external.url.is_some() {
        return Vec::new();
    }
    let mut checks = Vec::new();
    let is_embedded = settings.vector_store.kind == VectorStoreKind::Embedded;
    let is_used = uses_vector_store(settings);
    if is_embedded {
        checks.push(match engine().await {
            Err(IndexError::NotBuiltIn { .. }) if !is_used => {
                Check::note(ENGINE, "not built in, and not used by this configuration")
            }
            result => Check::new(
                ENGINE,
                match result {
                    Ok(true) => Ok(format!("Qdrant Edge {QDRANT_EDGE} stores and finds a vector")),
                    Ok(false) => {
                        Err(Failure::bare("the engine did not find the vector that it stored"))
                    }
                    Err(error) => Err(error.into()),
                },
            ),
        });
    } else if is_used {
        let found = probe::vector_server(resolved, environment).await;
        checks.push(server("Qdrant server", &settings.vector_store.url, found));
    }
    if settings.retrieval.retrievers.contains(&RetrieverName::Collection) {
        let found = probe::collection(resolved, environment).await;
        let url = &settings.retrieval.collection.url;
        checks.push(server("Qdrant collection", url, found));
    }
    checks
}

const ENGINE: &str = "embedded engine";

fn server<E: Into<Failure>>(subject: &'static str, url: &str, version: Result<String, E>) -> Check {
    let fact =
        version.map(|version| format!("Qdrant {version} at {}: key accepted", shown_url(url)));
    Check::new(subject, fact.map_err(Into::into))
}

/// Stores a vector in a temporary folder; true if it is found.
async fn engine() -> Result<bool, IndexError> {
    let folder = ScratchFolder::new(&scratch_parent());
    let place = VectorPlace::Embedded(folder.path().to_owned());
    let vector = VectorSpec { dimension: 2, similarity: Similarity::Dot, many: false };
    let spec = CollectionSpec::new("d0c".to_owned(), "dense", vector, 1);
    let store = open_or_create(&place, &spec).await?;
    let vector = vec![0.6, 0.8];
    let point = Point {
        number: 0,
        vector: vector.clone(),
        chunk_id: "doctor#0".to_owned(),
        doc_id: "doctor".to_owned(),
        range: (0, 1),
        metadata: Arc::new(BTreeMap::new()),
    };
    store.upsert(&[point]).await?;
    let search = VectorSearch { vector: &vector, limit: 1, mode: SearchMode::Exact, filter: None };
    Ok(matches!(store.search(search).await?.as_slice(), [found] if found.number == 0))
}
