//! The contract of [`VectorStore`], clause by clause, over every implementation: the embedded store always, the server
//! where `RAGXRAY_QDRANT_URL` names one (and `RAGXRAY_QDRANT_API_KEY` its key, if it has one).

use std::env;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use tempfile::TempDir;

use super::{
    CollectionSpec, Distance, EmbeddedStore, IndexError, Neighbour, Point, SearchMode, Server, ServerStore, VectorStore,
};

const DIMENSION: usize = 8;

/// Makes stores of one kind, all over the same cache or server.
#[async_trait]
trait Kind: Sync {
    async fn open(&self, spec: &CollectionSpec) -> Result<Box<dyn VectorStore>, IndexError>;

    /// Removes what outlives the test.
    async fn clean(&self, spec: &CollectionSpec);
}

struct Embedded(TempDir);

#[async_trait]
impl Kind for Embedded {
    async fn open(&self, spec: &CollectionSpec) -> Result<Box<dyn VectorStore>, IndexError> {
        Ok(Box::new(EmbeddedStore::open_or_create(self.0.path(), spec).await?))
    }

    async fn clean(&self, _: &CollectionSpec) {}
}

struct Remote(Server);

#[async_trait]
impl Kind for Remote {
    async fn open(&self, spec: &CollectionSpec) -> Result<Box<dyn VectorStore>, IndexError> {
        Ok(Box::new(ServerStore::open_or_create(&self.0, spec).await?))
    }

    async fn clean(&self, spec: &CollectionSpec) {
        ServerStore::open_or_create(&self.0, spec).await.expect("it is there").delete().await.expect("deleted");
    }
}

#[expect(clippy::unnecessary_wraps, reason = "as `remote`")]
fn embedded() -> Option<Embedded> {
    Some(Embedded(tempfile::tempdir().expect("a folder")))
}

fn remote() -> Option<Remote> {
    let url = env::var("RAGXRAY_QDRANT_URL").ok()?;
    let api_key = env::var("RAGXRAY_QDRANT_API_KEY").ok();
    Some(Remote(Server { url, api_key, timeout: Duration::from_secs(20) }))
}

/// A collection that no other test uses, in this process or another.
fn spec(expected_points: usize) -> CollectionSpec {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("{:08x}{:08x}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    CollectionSpec { name, dimension: DIMENSION, distance: Distance::Cosine, expected_points, hnsw: None }
}

/// `n` points whose components come from a linear congruential generator (Knuth's MMIX), in -1 to 1.
fn points(n: u32) -> Vec<Point> {
    let mut state = 20_261_121_u64;
    let mut component = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let point = |number| Point {
        number,
        vector: (0..DIMENSION).map(|_| component()).collect(),
        chunk_id: format!("doc#{number}"),
        doc_id: "doc".to_owned(),
        range: (number as usize * 10, number as usize * 10 + 9),
    };
    (0..n).map(point).collect()
}

/// Numbers and similarities by comparing with every point, best first.
fn brute_force(points: &[Point], query: &[f32], distance: Distance) -> Vec<(u32, f64)> {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    let score = |vector: &[f32]| match distance {
        Distance::Dot => dot(vector, query),
        Distance::Cosine => dot(vector, query) / (dot(vector, vector) * dot(query, query)).sqrt(),
    };
    let mut all: Vec<(u32, f64)> = points.iter().map(|point| (point.number, score(&point.vector))).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

fn assert_best(found: &[Neighbour], expected: &[(u32, f64)]) {
    let numbers: Vec<u32> = found.iter().map(|neighbour| neighbour.number).collect();
    assert_eq!(numbers, expected.iter().map(|&(number, _)| number).collect::<Vec<_>>());
    for (neighbour, (_, score)) in found.iter().zip(expected) {
        assert!((f64::from(neighbour.score) - score).abs() < 1e-5, "{neighbour:?} is not {score}");
    }
}

async fn an_empty_collection_has_no_neighbours(kind: &impl Kind) {
    let spec = spec(3);
    let store = kind.open(&spec).await.expect("made");
    assert_eq!(store.count().await.expect("counted"), 0);
    assert_eq!(store.search(&[1.0; DIMENSION], 5, SearchMode::Exact).await.expect("searched"), []);
    assert_eq!(store.search(&[1.0; DIMENSION], 5, SearchMode::Approximate).await.expect("searched"), []);
    kind.clean(&spec).await;
}

async fn exact_search_is_the_order_of_comparing_with_all(kind: &impl Kind) {
    for distance in Distance::ALL {
        let spec = CollectionSpec { distance, ..spec(60) };
        let (store, points) = (kind.open(&spec).await.expect("made"), points(61));
        let query = &points[60].vector;
        store.upsert(&points[..60]).await.expect("stored");
        let expected = brute_force(&points[..60], query, distance);
        let found = store.search(query, 7, SearchMode::Exact).await.expect("searched");
        assert_best(&found, &expected[..7]);
        kind.clean(&spec).await;
    }
}

async fn a_limit_beyond_the_size_gives_all_and_none_gives_none(kind: &impl Kind) {
    let spec = spec(5);
    let (store, points) = (kind.open(&spec).await.expect("made"), points(5));
    store.upsert(&points).await.expect("stored");
    let query = &points[2].vector;
    let found = store.search(query, 100, SearchMode::Exact).await.expect("searched");
    assert_best(&found, &brute_force(&points, query, Distance::Cosine));
    assert_eq!(store.search(query, 0, SearchMode::Exact).await.expect("searched"), []);
    kind.clean(&spec).await;
}

async fn upserting_twice_changes_nothing_and_upserting_otherwise_replaces(kind: &impl Kind) {
    let spec = spec(20);
    let (store, mut points) = (kind.open(&spec).await.expect("made"), points(20));
    store.upsert(&points).await.expect("stored");
    store.upsert(&points).await.expect("stored again");
    assert_eq!(store.count().await.expect("counted"), 20);
    let other = points[19].vector.clone();
    points[0].vector.clone_from(&other);
    points.truncate(19);
    store.upsert(&points[..1]).await.expect("replaced");
    assert_eq!(store.count().await.expect("counted"), 20);
    let found = store.search(&other, 2, SearchMode::Exact).await.expect("searched");
    let mut numbers: Vec<u32> = found.iter().map(|neighbour| neighbour.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 19]);
    kind.clean(&spec).await;
}

async fn a_whole_collection_is_there_when_opened_again(kind: &impl Kind) {
    let spec = spec(40);
    let points = points(41);
    let store = kind.open(&spec).await.expect("made");
    store.upsert(&points[..25]).await.expect("stored");
    store.upsert(&points[25..40]).await.expect("the rest stored");
    drop(store);
    let store = kind.open(&spec).await.expect("opened");
    assert_eq!(store.count().await.expect("counted"), 40);
    let query = &points[40].vector;
    let found = store.search(query, 40, SearchMode::Exact).await.expect("searched");
    assert_best(&found, &brute_force(&points[..40], query, Distance::Cosine));
    kind.clean(&spec).await;
}

async fn a_vector_that_does_not_fit_is_refused_and_nothing_written(kind: &impl Kind) {
    let spec = spec(3);
    let store = kind.open(&spec).await.expect("made");
    let mut points = points(3);
    points[2].vector.pop();
    let error = store.upsert(&points).await.expect_err("one is too short");
    assert!(matches!(error, IndexError::Dimension { found: 7, wanted: 8, .. }), "{error}");
    points[2].vector.push(f32::NAN);
    let error = store.upsert(&points).await.expect_err("one is no number");
    assert!(matches!(error, IndexError::NotFinite { .. }), "{error}");
    assert_eq!(store.count().await.expect("counted"), 0);
    let error = store.search(&[1.0; 9], 1, SearchMode::Exact).await.expect_err("too long");
    assert_eq!(
        error.to_string(),
        format!("the vector of `the question` has 9 dimensions, but collection `{}` has 8", spec.name)
    );
    kind.clean(&spec).await;
}

async fn a_collection_of_another_shape_is_an_error_that_names_both(kind: &impl Kind) {
    let made = spec(4);
    let store = kind.open(&made).await.expect("made");
    store.upsert(&points(4)).await.expect("stored");
    drop(store);
    let wanted = CollectionSpec { dimension: 9, distance: Distance::Dot, ..made.clone() };
    let Err(error) = kind.open(&wanted).await else { panic!("it has another shape") };
    let text = error.to_string();
    assert!(text.ends_with("holds vectors of 8 dimensions, cosine, but 9 dimensions, dot are wanted"), "{text}");
    kind.clean(&made).await;
}

async fn two_may_be_open_at_once(kind: &impl Kind) {
    let spec = spec(30);
    let points = points(31);
    let (first, second) = (kind.open(&spec).await.expect("made"), kind.open(&spec).await.expect("made"));
    let (one, two) = tokio::join!(first.upsert(&points[..30]), second.upsert(&points[..30]));
    one.expect("stored");
    two.expect("stored");
    let query = &points[30].vector;
    let expected = brute_force(&points[..30], query, Distance::Cosine);
    for store in [first, second] {
        assert_best(&store.search(query, 9, SearchMode::Exact).await.expect("searched"), &expected[..9]);
    }
    kind.clean(&spec).await;
}

macro_rules! contract {
    ($kind:ident: $($clause:ident),* $(,)?) => {
        mod $kind {
            $(
                #[tokio::test]
                async fn $clause() {
                    if let Some(kind) = super::$kind() {
                        super::$clause(&kind).await;
                    }
                }
            )*
        }
    };
}

macro_rules! contracts {
    ($($kind:ident)*) => {
        $(contract!(
            $kind: an_empty_collection_has_no_neighbours, exact_search_is_the_order_of_comparing_with_all,
            a_limit_beyond_the_size_gives_all_and_none_gives_none,
            upserting_twice_changes_nothing_and_upserting_otherwise_replaces,
            a_whole_collection_is_there_when_opened_again, a_vector_that_does_not_fit_is_refused_and_nothing_written,
            a_collection_of_another_shape_is_an_error_that_names_both, two_may_be_open_at_once,
        );)*
    };
}

contracts!(embedded remote);
