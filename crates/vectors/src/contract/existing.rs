//! An existing collection finds what the store that filled it finds, and what the embedded engine finds over the same points.

use ragtriage_core::config::CollectionSettings;

use super::oracle::{DIMENSION, dense, exact};
use super::{Remote, spec};
use crate::existing::{ExistingSearch, StoredPassage};
use crate::server::ServerCollection;
use crate::{ExistingCollection as _, SearchMode, VectorStore};

const POINTS: u32 = 300;

/// Returns the ids and scores of the ten nearest points to each of twenty questions.
async fn by_store(store: &dyn VectorStore) -> Vec<Vec<(String, f32)>> {
    let mut all = Vec::new();
    for question in &questions() {
        let found = store.search(exact(question, 10)).await.expect("searched");
        let found = found.into_iter();
        all.push(found.map(|near| (near.number.to_string(), near.score)).collect());
    }
    all
}

fn questions() -> Vec<Vec<f32>> {
    let points = dense(POINTS + 20, DIMENSION).into_iter();
    points.skip(POINTS as usize).map(|point| point.vector).collect()
}

#[tokio::test]
#[cfg_attr(not(has_qdrant_server), ignore = "needs RAGTRIAGE_QDRANT_URL")]
async fn an_existing_collection_finds_what_its_own_store_finds() {
    use super::StoreKind as _;
    let Some(kind) = super::remote() else { return };
    let spec = spec(POINTS as usize);
    let store = kind.open(&spec).await.expect("made");
    store.upsert(&dense(POINTS, DIMENSION)).await.expect("stored");
    let settings = CollectionSettings {
        name: Remote::collection(&spec),
        using: spec.vector_name.clone(),
        text: String::new(),
        document: Some("doc_id".to_owned()),
        start: Some("start".to_owned()),
        end: Some("end".to_owned()),
        ..CollectionSettings::default()
    };
    let collection =
        ServerCollection::open(&kind.0, &settings, Some(DIMENSION)).await.expect("opened");
    let passages = collection.read().await.expect("read").passages;
    let seventh = StoredPassage {
        point: "7".to_owned(),
        text: None,
        document: Some("doc".to_owned()),
        offsets: Some((70, 79)),
    };
    assert_eq!((passages.len(), &passages[7]), (POINTS as usize, &seventh));
    let mut found = Vec::new();
    for question in &questions() {
        let search = ExistingSearch {
            text: "",
            vector: Some(question),
            candidates: 10,
            limit: 10,
            mode: SearchMode::Exact,
        };
        found.push(collection.search(search).await.expect("searched"));
    }
    assert_eq!(found, by_store(store.as_ref()).await);
    #[cfg(feature = "embedded")]
    same_as_embedded(&found).await;
    kind.clean(&spec).await;
}

/// Compares with the embedded engine: the same order, and scores equal to 1e-6.
#[cfg(feature = "embedded")]
async fn same_as_embedded(found: &[Vec<(String, f32)>]) {
    use super::StoreKind as _;
    let kind = super::embedded().expect("always there");
    let spec = spec(POINTS as usize);
    let store = kind.open(&spec).await.expect("made");
    store.upsert(&dense(POINTS, DIMENSION)).await.expect("stored");
    for (found, embedded) in found.iter().zip(by_store(store.as_ref()).await) {
        let ids = |ranking: &[(String, f32)]| {
            let ids = ranking.iter().map(|(id, _)| id.clone());
            ids.collect::<Vec<String>>()
        };
        assert_eq!(ids(found), ids(&embedded));
        for ((_, found), (_, embedded)) in found.iter().zip(&embedded) {
            assert!((found - embedded).abs() < 1e-6, "{found} {embedded}");
        }
    }
}
