//! Storing points: durability, rejected points, changes by others.

use super::oracle::{DIMENSION, assert_best, brute_force, dense, exact, numbers};
use super::{StoreKind, spec};
use crate::{CollectionSpec, Point, VectorSpec, VectorStore};
use ragtriage_core::config::Placement;
use ragtriage_core::hint::Hint;
use ragtriage_core::types::Similarity;

/// Asks for the neighbours of `points[of]` and compares with all of `points`.
async fn assert_holds(store: &dyn VectorStore, spec: &CollectionSpec, points: &[Point], of: usize) {
    assert_eq!(store.count().await.expect("counted"), points.len());
    let query = &points[of].vector;
    let found = store.search(exact(query, points.len())).await.expect("searched");
    assert_best(&found, &brute_force(points, query, spec.vector), points.len());
}

pub(super) async fn an_empty_collection_misses_everything_and_has_no_neighbours(
    kind: &impl StoreKind,
) {
    let spec = spec(3);
    let store = kind.open(&spec).await.expect("made");
    assert_eq!(store.count().await.expect("counted"), 0);
    assert_eq!(store.missing().await.expect("listed"), [0, 1, 2]);
    let query = vec![1.0; DIMENSION];
    assert_eq!(store.search(exact(&query, 5)).await.expect("searched"), []);
    assert_eq!(store.search(super::oracle::approximate(&query, 5)).await.expect("searched"), []);
    assert!(!store.graph_in_use().await.expect("described"));
    kind.clean(&spec).await;
}

pub(super) async fn upserting_twice_changes_nothing(kind: &impl StoreKind) {
    let spec = spec(20);
    let (store, points) = (kind.open(&spec).await.expect("made"), dense(21, DIMENSION));
    store.upsert(&points[..15]).await.expect("stored");
    store.upsert(&points[..15]).await.expect("stored again");
    // A number identifies its content, so an existing point is not replaced.
    let other = Point { number: 3, ..points[20].clone() };
    store.upsert(&[other]).await.expect("left alone");
    store.upsert(&points[10..20]).await.expect("the rest stored");
    store.upsert(&points[..20]).await.expect("stored once more");
    assert_holds(&*store, &spec, &points[..20], 3).await;
    kind.clean(&spec).await;
}

pub(super) async fn a_whole_collection_is_there_when_opened_again(kind: &impl StoreKind) {
    let spec = spec(40);
    let points = dense(40, DIMENSION);
    let store = kind.open(&spec).await.expect("made");
    store.upsert(&points[..25]).await.expect("stored");
    store.upsert(&points[25..]).await.expect("the rest stored");
    drop(store);
    let store = kind.open(&spec).await.expect("opened");
    assert!(store.missing().await.expect("listed").is_empty());
    assert_holds(&*store, &spec, &points, 39).await;
    kind.clean(&spec).await;
}

pub(super) async fn a_filling_that_was_broken_off_goes_on(kind: &impl StoreKind) {
    let spec = spec(2_500);
    let points = dense(2_500, DIMENSION);
    let store = kind.open(&spec).await.expect("made");
    store.upsert(&points[1_200..]).await.expect("stored");
    store.upsert(&points[..7]).await.expect("stored");
    drop(store);
    let store = kind.open(&spec).await.expect("opened");
    let missing = store.missing().await.expect("listed");
    assert_eq!(missing, (7..1_200).collect::<Vec<u32>>());
    let rest: Vec<Point> = missing.iter().map(|&number| points[number as usize].clone()).collect();
    store.upsert(&rest).await.expect("the rest stored");
    assert!(store.missing().await.expect("listed").is_empty());
    assert_holds(&*store, &spec, &points, 100).await;
    kind.clean(&spec).await;
}

pub(super) async fn a_vector_that_does_not_fit_is_refused_and_nothing_written(
    kind: &impl StoreKind,
) {
    let spec = spec(3);
    let store = kind.open(&spec).await.expect("made");
    let mut points = dense(3, DIMENSION);
    points[2].vector = vec![1.0; 7];
    let error = store.upsert(&points).await.expect_err("one is too short");
    assert!(error.to_string().contains("has 7 dimensions, but collection"), "{error}");
    points[2].vector = vec![f32::NAN; DIMENSION];
    let error = store.upsert(&points).await.expect_err("one is no number");
    assert!(error.to_string().ends_with("not finite"), "{error}");
    points[2] = Point { number: 3, ..points[1].clone() };
    let error = store.upsert(&points).await.expect_err("one is beyond");
    assert!(error.to_string().ends_with("was made for 3 points"), "{error}");
    assert_eq!(store.count().await.expect("counted"), 0);
    let error = store.search(exact(&[1.0; 9], 1)).await.expect_err("too long");
    assert_eq!(
        error.to_string(),
        format!(
            "the vector of `the question` has 9 dimensions, but collection `{}` has 8",
            spec.name()
        )
    );
    kind.clean(&spec).await;
}

pub(super) async fn a_changed_layout_is_another_collection(kind: &impl StoreKind) {
    let made = spec(4);
    let store = kind.open(&made).await.expect("made");
    store.upsert(&dense(4, DIMENSION)).await.expect("stored");
    let dot = VectorSpec { dimension: DIMENSION, similarity: Similarity::Dot, many: false };
    let others = [
        CollectionSpec { vector: dot, ..made.clone() },
        CollectionSpec { expected_points: 5, ..made.clone() },
        CollectionSpec {
            placement: Placement { shards: Some(2), ..Placement::default() },
            ..made.clone()
        },
    ];
    for other in others {
        let store = kind.open(&other).await.expect("made beside it");
        assert_eq!(store.count().await.expect("counted"), 0, "{other:?}");
        kind.clean(&other).await;
    }
    assert!(store.missing().await.expect("listed").is_empty());
    kind.clean(&made).await;
}

pub(super) async fn points_that_others_deleted_are_missing_and_filled_again(kind: &impl StoreKind) {
    let spec = spec(30);
    let points = dense(30, DIMENSION);
    let store = kind.open(&spec).await.expect("made");
    store.upsert(&points).await.expect("stored");
    drop(store);
    kind.lose(&spec, &[3, 17]).await;
    let store = kind.open(&spec).await.expect("opened");
    assert_eq!(store.missing().await.expect("listed"), [3, 17]);
    store.upsert(&[points[3].clone(), points[17].clone()]).await.expect("stored");
    assert!(store.missing().await.expect("listed").is_empty());
    assert_holds(&*store, &spec, &points, 17).await;
    kind.clean(&spec).await;
}

pub(super) async fn a_point_that_is_not_ours_is_named(kind: &impl StoreKind) {
    let spec = spec(5);
    let store = kind.open(&spec).await.expect("made");
    store.upsert(&dense(5, DIMENSION)).await.expect("stored");
    drop(store);
    kind.plant(&spec, 1_000).await;
    let store = kind.open(&spec).await.expect("opened");
    let error = store.missing().await.expect_err("one is too many");
    assert!(error.to_string().ends_with("holds unknown points, such as `1000`"), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.starts_with("delete collection")));
    kind.clean(&spec).await;
}

pub(super) async fn two_may_fill_at_once(kind: &impl StoreKind) {
    let spec = spec(3_000);
    let points = dense(3_000, DIMENSION);
    let (first, second) =
        (kind.open(&spec).await.expect("made"), kind.open(&spec).await.expect("made"));
    let (one, two) = tokio::join!(first.upsert(&points), second.upsert(&points));
    one.expect("stored");
    two.expect("stored");
    let query = &points[30].vector;
    let expected = brute_force(&points, query, spec.vector);
    for store in [first, second] {
        assert!(store.missing().await.expect("listed").is_empty());
        let found = store.search(exact(query, 9)).await.expect("searched");
        assert_best(&found, &expected, 9);
        assert_eq!(numbers(&found)[0], 30);
    }
    kind.clean(&spec).await;
}
