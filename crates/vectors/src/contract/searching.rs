//! Search results and their scores.

use super::oracle::{DIMENSION, assert_best, brute_force, dense, exact, multi};
use super::{StoreKind, spec};
use crate::{CollectionSpec, Point, VectorSearch};
use ragtriage_core::types::{Similarity, VectorShape};

pub(super) async fn exact_search_is_the_order_of_comparing_with_all(kind: &impl StoreKind) {
    for similarity in Similarity::ALL {
        let vector = VectorShape { dimension: DIMENSION, similarity, many: false };
        let spec = CollectionSpec { vector, ..spec(60) };
        let (store, points) = (kind.open(&spec).await.expect("made"), dense(61, DIMENSION));
        let query = &points[60].vector;
        store.upsert(&points[..60]).await.expect("stored");
        let expected = brute_force(&points[..60], query, vector);
        assert_best(&store.search(exact(query, 7)).await.expect("searched"), &expected, 7);
        kind.clean(&spec).await;
    }
}

pub(super) async fn a_limit_beyond_the_size_gives_all_and_none_gives_none(kind: &impl StoreKind) {
    let spec = spec(5);
    let (store, points) = (kind.open(&spec).await.expect("made"), dense(5, DIMENSION));
    store.upsert(&points).await.expect("stored");
    let query = &points[2].vector;
    let found = store.search(exact(query, 100)).await.expect("searched");
    assert_best(&found, &brute_force(&points, query, spec.vector), 100);
    assert_eq!(store.search(exact(query, 0)).await.expect("searched"), []);
    kind.clean(&spec).await;
}

pub(super) async fn multivectors_are_compared_by_their_best_rows(kind: &impl StoreKind) {
    for similarity in Similarity::ALL {
        let vector = VectorShape { dimension: DIMENSION, similarity, many: true };
        let spec =
            CollectionSpec { vector, vector_name: "late_interaction".to_owned(), ..spec(50) };
        let (store, points) = (kind.open(&spec).await.expect("made"), multi(51));
        store.upsert(&points[..50]).await.expect("stored");
        let query = &points[50].vector;
        let expected = brute_force(&points[..50], query, vector);
        assert_best(&store.search(exact(query, 50)).await.expect("searched"), &expected, 50);
        kind.clean(&spec).await;
    }
}

pub(super) async fn only_allowed_points_are_found(kind: &impl StoreKind) {
    let n = 200;
    let spec = spec(n as usize);
    let points = dense(n, DIMENSION);
    let store = kind.open(&spec).await.expect("made");
    store.upsert(&points).await.expect("stored");
    let third: Vec<u32> = (0..n).filter(|number| number % 3 == 1).collect();
    let allowed: Vec<Point> = third.iter().map(|&number| points[number as usize].clone()).collect();
    for query in &points[..10] {
        let search = VectorSearch { allowed: Some(&third), ..exact(&query.vector, 20) };
        let found = store.search(search).await.expect("searched");
        assert_best(&found, &brute_force(&allowed, &query.vector, spec.vector), 20);
        let none = VectorSearch { allowed: Some(&[]), ..search };
        assert_eq!(store.search(none).await.expect("searched"), []);
    }
    kind.clean(&spec).await;
}
