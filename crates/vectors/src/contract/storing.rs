//! Storing points: durability, rejected points, changes by others.

use super::oracle::{DIMENSION, assert_best, brute_force, dense, exact};
use super::{StoreKind, spec};
use crate::{CollectionSpec, Point, VectorStore};

/// Asks for the neighbours of `points[of]` and compares with all of `points`.
async fn assert_holds(store: &dyn VectorStore, spec: &CollectionSpec, points: &[Point], of: usize) {
    let query = &points[of].vector;
    let found = store.search(exact(query, points.len())).await.expect("searched");
    assert_best(&found, &brute_force(points, query, spec.vector), points.len());
}

pub(super) async fn an_empty_collection_misses_everything_and_has_no_neighbours(
    kind: &impl StoreKind,
) {
    let spec = spec(3);
    let store = kind.open(&spec).await.expect("made");
    assert_eq!(store.missing().await.expect("listed"), [0, 1, 2]);
    let query = vec![1.0; DIMENSION];
    assert_eq!(store.search(exact(&query, 5)).await.expect("searched"), []);
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

pub(super) async fn a_filling_that_was_broken_off_can_be_completed(kind: &impl StoreKind) {
    let spec = spec(2_500);
    let points = dense(2_500, DIMENSION);
    let store = kind.open(&spec).await.expect("made");
    store.upsert(&points[1_200..]).await.expect("stored");
    store.upsert(&points[..7]).await.expect("stored");
    let absent: Vec<u32> = (7..1_200).collect();
    assert_eq!(store.missing().await.expect("listed"), absent);
    drop(store);
    let store = kind.open(&spec).await.expect("opened");
    let missing = store.missing().await.expect("listed");
    assert_eq!(missing, if kind.keeps_points() { absent } else { (0..2_500).collect() });
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
    assert!(error.to_string().contains("has 7 components, but collection"), "{error}");
    points[2].vector = vec![f32::NAN; DIMENSION];
    let error = store.upsert(&points).await.expect_err("one is no number");
    assert!(error.to_string().ends_with("not finite"), "{error}");
    points[2] = Point { number: 3, ..points[1].clone() };
    let error = store.upsert(&points).await.expect_err("one is beyond");
    assert!(error.to_string().contains("beyond the 3 points"), "{error}");
    assert_eq!(store.missing().await.expect("listed"), [0, 1, 2]);
    let error = store.search(exact(&[1.0; 9], 1)).await.expect_err("too long");
    assert_eq!(
        error.to_string(),
        format!(
            "the vector of the question has 9 components, but collection `{}` has 8 dimensions",
            spec.name()
        )
    );
    kind.clean(&spec).await;
}
