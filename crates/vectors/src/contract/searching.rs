//! Search results and their scores.

use std::collections::BTreeSet;

use super::oracle::{
    DIMENSION, approximate, assert_best, brute_force, dense, exact, multi, numbers,
};
use super::{StoreKind, spec};
use crate::{CollectionSpec, Point, SearchMode, VectorSearch, VectorStore};
use ragtriage_core::config::Hnsw;
use ragtriage_core::types::{Similarity, VectorShape};

/// Returns the share of the true best ten that approximate search finds, over `queries`.
async fn recall(
    store: &dyn VectorStore,
    spec: &CollectionSpec,
    points: &[Point],
    queries: &[Point],
) -> f64 {
    let mut n_found = 0;
    for query in queries {
        let found = store.search(approximate(&query.vector, 10)).await.expect("searched");
        let best = brute_force(points, &query.vector, spec.vector);
        let best: BTreeSet<u32> = best[..10].iter().map(|&(number, _)| number).collect();
        n_found += numbers(&found).iter().filter(|number| best.contains(number)).count();
    }
    n_found as f64 / (10 * queries.len()) as f64
}

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

/// Number of points and dimension for which the graph is built whatever the engine's thresholds (10 KiB per segment).
const GRAPH: (u32, usize) = (2_000, 16);

pub(super) async fn the_graph_is_followed_as_its_settings_say(kind: &impl StoreKind) {
    let (n, dimension) = GRAPH;
    let all = dense(n + 40, dimension);
    let (points, queries) = all.split_at(n as usize);
    let vector = VectorShape { dimension, similarity: Similarity::Cosine, many: false };
    let good = Hnsw::default();
    // With two edges per node and the least effort, a graph loses neighbours: this shows that the settings arrived.
    let poor = Hnsw { m: 2, ef_construct: 4, ef: 1 };
    let mut recalls = Vec::new();
    for hnsw in [good, poor] {
        let spec = CollectionSpec { vector, hnsw: Some(hnsw), ..spec(points.len()) };
        let store = kind.open(&spec).await.expect("made");
        store.upsert(&points[..700]).await.expect("stored");
        store.upsert(&points[700..]).await.expect("the rest stored");
        recalls.push(recall(&*store, &spec, points, queries).await);
        let query = &queries[0].vector;
        let expected = brute_force(points, query, vector);
        assert_best(&store.search(exact(query, 10)).await.expect("searched"), &expected, 10);
        drop(store);
        let store = kind.open(&spec).await.expect("opened");
        assert!(store.missing().await.expect("listed").is_empty());
        kind.clean(&spec).await;
    }
    assert!(recalls[0] >= 0.98, "recall {recalls:?}");
    assert!(recalls[1] < 0.9, "recall {recalls:?}");
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

pub(super) async fn a_graph_over_multivectors_finds_what_comparing_finds(kind: &impl StoreKind) {
    let vector = VectorShape { dimension: DIMENSION, similarity: Similarity::Cosine, many: true };
    let hnsw = Some(Hnsw::default());
    let all = multi(1_520);
    let (points, queries) = all.split_at(1_500);
    let spec = CollectionSpec { vector, hnsw, ..spec(points.len()) };
    let store = kind.open(&spec).await.expect("made");
    store.upsert(points).await.expect("stored");
    let recall = recall(&*store, &spec, points, queries).await;
    assert!(recall >= 0.95, "recall {recall}");
    kind.clean(&spec).await;
}

/// Of a third of the points: exact search finds the best of them all, the graph its own nearest neighbour.
pub(super) async fn only_allowed_points_are_found(kind: &impl StoreKind) {
    let (n, dimension) = GRAPH;
    let vector = VectorShape { dimension, similarity: Similarity::Cosine, many: false };
    let spec = CollectionSpec { vector, hnsw: Some(Hnsw::default()), ..spec(n as usize) };
    let points = dense(n, dimension);
    let store = kind.open(&spec).await.expect("made");
    store.upsert(&points).await.expect("stored");
    let third: Vec<u32> = (0..n).filter(|number| number % 3 == 1).collect();
    let allowed: Vec<Point> = third.iter().map(|&number| points[number as usize].clone()).collect();
    for query in &points[..10] {
        let search = VectorSearch { allowed: Some(&third), ..exact(&query.vector, 20) };
        let found = store.search(search).await.expect("searched");
        assert_best(&found, &brute_force(&allowed, &query.vector, vector), 20);
        let search = VectorSearch { mode: SearchMode::Approximate, ..search };
        let found = numbers(&store.search(search).await.expect("searched"));
        assert_eq!(found.len(), 20);
        assert!(found.iter().all(|number| number % 3 == 1), "{found:?}");
        assert_eq!(found.contains(&query.number), query.number % 3 == 1);
        let none = VectorSearch { allowed: Some(&[]), ..search };
        assert_eq!(store.search(none).await.expect("searched"), []);
    }
    kind.clean(&spec).await;
}
