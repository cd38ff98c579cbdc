//! Conditions that only a server can cause: a collection lost in use, one made by hand, strict mode, a required key.

use std::time::Duration;

use qdrant_client::qdrant::{
    CreateCollectionBuilder, Distance, GetPointsBuilder, StrictModeConfigBuilder,
    UpdateCollectionBuilder, VectorParamsBuilder, VectorsConfigBuilder,
};
use serde_json::json;

use super::oracle::{DIMENSION, approximate, dense, exact};
use super::{Remote, StoreKind, remote, spec};
use crate::{CollectionSpec, Server, ServerStore, VectorSearch, VectorSpec};
use ragtriage_core::config::Hnsw;
use ragtriage_core::types::{Filter, Similarity};

#[tokio::test]
#[cfg_attr(not(has_qdrant_server), ignore = "needs RAGTRIAGE_QDRANT_URL")]
async fn a_collection_that_is_deleted_while_it_is_in_use_is_said_to_be_gone() {
    let Some(kind) = remote() else { return };
    let spec = spec(5);
    let (store, points) = (kind.open(&spec).await.expect("made"), dense(5, DIMENSION));
    store.upsert(&points).await.expect("stored");
    kind.clean(&spec).await;
    let errors = [
        store.search(exact(&points[0].vector, 1)).await.expect_err("gone"),
        store.upsert(&points).await.expect_err("gone"),
        store.missing().await.expect_err("gone"),
    ];
    for error in errors {
        assert!(error.kind == crate::Kind::Changed, "{error:?}");
        assert!(
            error.to_string().starts_with(&format!("collection `{}`", Remote::collection(&spec))),
            "{error}"
        );
    }
}

#[tokio::test]
#[cfg_attr(not(has_qdrant_server), ignore = "needs RAGTRIAGE_QDRANT_URL")]
async fn a_collection_made_by_hand_under_our_name_is_told_apart() {
    let Some(kind) = remote() else { return };
    let spec = spec(5);
    let mut vectors = VectorsConfigBuilder::default();
    vectors.add_named_vector_params("dense", VectorParamsBuilder::new(9, Distance::Dot));
    let request = CreateCollectionBuilder::new(Remote::collection(&spec)).vectors_config(vectors);
    kind.client().create_collection(request).await.expect("made");
    let Err(error) = kind.open(&spec).await else { panic!("it is another") };
    let wanted = "has layout `vectors of another kind`, expected `format 2, 5 points, vector `dense` of 8 dimensions, cosine`";
    assert!(error.to_string().ends_with(wanted), "{error}");
    kind.clean(&spec).await;
}

#[tokio::test]
#[cfg_attr(not(has_qdrant_server), ignore = "needs RAGTRIAGE_QDRANT_URL")]
async fn a_strict_server_is_given_the_indexes_that_it_wants() {
    let Some(kind) = remote() else { return };
    let spec = spec(30);
    let mut points = dense(30, DIMENSION);
    for point in &mut points {
        let fields = [
            ("team", json!("ops")),
            ("year", json!(point.number)),
            ("live", json!(point.number > 9)),
        ];
        let fields = fields.into_iter().map(|(field, value)| (field.to_owned(), value));
        point.metadata = std::sync::Arc::new(fields.collect());
    }
    let store = kind.open(&spec).await.expect("made");
    store.upsert(&points).await.expect("stored");
    let strict =
        StrictModeConfigBuilder::default().enabled(true).unindexed_filtering_retrieve(false);
    let request =
        UpdateCollectionBuilder::new(Remote::collection(&spec)).strict_mode_config(strict);
    kind.client().update_collection(request).await.expect("made strict");
    let filter: Filter = toml::from_str(
        "team = [\"ops\", \"web\"]\nyear = { gte = 5, lt = 20 }\nlive = { not = [false] }",
    )
    .expect("a filter");
    let found = store
        .search(VectorSearch { filter: Some(&filter), ..exact(&points[0].vector, 30) })
        .await
        .expect("searched");
    let mut numbers = super::oracle::numbers(&found);
    numbers.sort_unstable();
    assert_eq!(numbers, (10..20).collect::<Vec<u32>>());
    kind.clean(&spec).await;
}

#[tokio::test]
#[cfg_attr(not(has_qdrant_server), ignore = "needs RAGTRIAGE_QDRANT_URL")]
async fn a_payload_is_stored_as_it_is_described() {
    let Some(kind) = remote() else { return };
    let spec = spec(1);
    let mut points = dense(1, DIMENSION);
    let metadata =
        json!({ "year": 2024, "score": 0.5, "tags": ["a", null, true], "deep": { "er": [1] } });
    points[0].metadata =
        std::sync::Arc::new(serde_json::from_value(metadata.clone()).expect("a map"));
    kind.open(&spec).await.expect("made").upsert(&points).await.expect("stored");
    let request =
        GetPointsBuilder::new(Remote::collection(&spec), vec![0.into()]).with_payload(true);
    let found = kind.client().get_points(request).await.expect("found");
    let payload = &found.result[0].payload;
    // The client prints its values as JSON.
    let json = |field: &str| serde_json::from_str(&payload[field].to_string()).expect("JSON");
    let read: serde_json::Map<String, serde_json::Value> =
        payload.keys().map(|field| (field.clone(), json(field))).collect();
    let stored =
        json!({ "chunk_id": "doc#0", "doc_id": "doc", "start": 0, "end": 9, "metadata": metadata });
    assert_eq!(serde_json::Value::Object(read), stored);
    kind.clean(&spec).await;
}

#[tokio::test]
#[cfg_attr(not(has_qdrant_server), ignore = "needs RAGTRIAGE_QDRANT_URL")]
async fn a_graph_that_takes_too_long_is_said_and_found_ready_later() {
    let Some(kind) = remote() else { return };
    let vector = VectorSpec { dimension: 32, similarity: Similarity::Cosine, many: false };
    let hnsw = Some(Hnsw { from_points: 1, ..Hnsw::default() });
    let spec = CollectionSpec { vector, hnsw, ..spec(10_000) };
    let points = dense(10_000, 32);
    let server = Server { indexing_timeout: Duration::ZERO, ..kind.0.clone() };
    let hasty = Remote(server);
    let store = hasty.open(&spec).await.expect("made");
    store.upsert(&points).await.expect("stored");
    let error =
        store.search(approximate(&points[0].vector, 1)).await.expect_err("it is being built");
    let start =
        format!("the Qdrant server at `{}` was still indexing collection `ragtriage_", kind.0.url);
    assert!(
        error.to_string().starts_with(&start) && error.to_string().ends_with("after 0 s"),
        "{error}"
    );
    let patient = kind.open(&spec).await.expect("opened");
    assert!(patient.graph_in_use().await.expect("described"));
    let found = patient.search(approximate(&points[7].vector, 1)).await.expect("searched");
    assert_eq!(super::oracle::numbers(&found), [7]);
    kind.clean(&spec).await;
}

#[tokio::test]
#[cfg_attr(not(has_qdrant_server), ignore = "needs RAGTRIAGE_QDRANT_URL")]
async fn a_wrong_key_is_refused_where_the_server_has_one() {
    let Some(Remote(server)) = remote().filter(|kind| kind.0.api_key.is_some()) else {
        return;
    };
    for api_key in [None, Some("wrong-key-of-the-test".to_owned())] {
        let Err(error) =
            ServerStore::open_or_create(&Server { api_key, ..server.clone() }, &spec(1)).await
        else {
            panic!("the server has a key")
        };
        assert!(error.to_string().contains("refused the API key"), "{error:?}");
        assert!(!format!("{error:?}").contains("wrong-key"), "{error:?}");
    }
}
