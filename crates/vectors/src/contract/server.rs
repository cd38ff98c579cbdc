//! Conditions that only a server can cause: a collection that others changed, one made by hand.

use qdrant_client::qdrant::{
    CreateCollectionBuilder, DeletePointsBuilder, Distance, PointStruct, PointsIdsList,
    UpsertPointsBuilder, VectorParamsBuilder, VectorsConfigBuilder,
};

use super::oracle::{DIMENSION, dense};
use super::{Remote, StoreKind, remote, spec};
use ragtriage_core::hint::Hint;

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
    let wanted = "has layout `unknown`, expected `format 3, 5 points, vector `dense` of 8 dimensions, cosine`";
    assert!(error.to_string().ends_with(wanted), "{error}");
    kind.clean(&spec).await;
}

#[tokio::test]
#[cfg_attr(not(has_qdrant_server), ignore = "needs RAGTRIAGE_QDRANT_URL")]
async fn points_that_others_deleted_are_stored_again_and_those_that_they_added_are_named() {
    let Some(kind) = remote() else { return };
    let spec = spec(30);
    let points = dense(30, DIMENSION);
    let collection = Remote::collection(&spec);
    let store = kind.open(&spec).await.expect("made");
    store.upsert(&points).await.expect("stored");
    let ids = PointsIdsList { ids: vec![3.into(), 17.into()] };
    let request = DeletePointsBuilder::new(&collection).points(ids).wait(true);
    kind.client().delete_points(request).await.expect("deleted");
    assert_eq!(store.missing().await.expect("listed"), [3, 17]);
    store.upsert(&[points[3].clone(), points[17].clone()]).await.expect("stored");
    assert!(store.missing().await.expect("listed").is_empty());
    let no_vectors = std::collections::HashMap::<String, Vec<f32>>::new();
    let point = PointStruct::new(1_000, no_vectors, qdrant_client::Payload::new());
    let request = UpsertPointsBuilder::new(&collection, vec![point]).wait(true);
    kind.client().upsert_points(request).await.expect("added");
    let error = store.missing().await.expect_err("one is too many");
    assert!(error.to_string().ends_with("holds unknown points, such as `1000`"), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.starts_with("delete collection")));
    kind.clean(&spec).await;
}
