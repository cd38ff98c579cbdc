//! Exact vector search: our embedded store next to `qdrant-edge` called directly, over the same vectors.
//!
//! `cargo bench --bench vectors -- [POINTS] [QUERIES] [FOLDER]`: 100,000 x 384 and 1,000 queries by default. The vectors
//! are seeded and are written as `vectors.f32` and `queries.f32` to FOLDER where one is given, for
//! `benches/peers/vectors.py`, which times numpy over them. Queries are asked by as many tasks as there are cores.
//! Both sides run in turns, three times; the medians count. Left out: HNSW and servers.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::env;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use qdrant_edge::{
    Distance, EdgeConfig, EdgeShard, EdgeVectorParams, NamedQuery, PointId, PointInsertOperations,
    PointOperations, PointStruct, QueryEnum, QueryRequest, ScoringQuery, SearchParams,
    UpdateOperation, VectorInternal, Vectors, WithPayloadInterface, WithVector,
};
use ragtriage_core::types::Similarity;
use ragtriage_vectors::{
    CollectionSpec, EmbeddedStore, Point, SearchMode, Vector, VectorSearch, VectorSpec, VectorStore,
};
use serde_json::json;

const DIMENSION: usize = 384;

/// Points a call, as the pipeline stores them.
const WINDOW: usize = 4_000;

const TURNS: usize = 3;

/// Rows of components in -1 to 1 from a linear congruential generator (Knuth's MMIX).
fn rows(n: usize, mut state: u64) -> Vec<f32> {
    let mut component = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..n * DIMENSION).map(|_| component()).collect()
}

fn main() {
    let arguments: Vec<String> =
        env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let number =
        |i: usize, or: usize| arguments.get(i).map_or(or, |text| text.parse().expect("a number"));
    let (n_points, n_queries) = (number(0, 100_000), number(1, 1_000));
    let (vectors, queries) = (rows(n_points, 1), Arc::new(rows(n_queries, 2)));
    if let Some(folder) = arguments.get(2) {
        write(&Path::new(folder).join("vectors.f32"), &vectors);
        write(&Path::new(folder).join("queries.f32"), &queries);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let store = Arc::new(runtime.block_on(fill_store(folder.path(), &vectors)));
    let edge = Arc::new(fill_edge(folder.path(), &vectors));

    println!("{n_queries} queries over {n_points} x {DIMENSION}, exact, ms a query:");
    for limit in [10, 100] {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..TURNS {
            times[0].push(runtime.block_on(ask_store(&store, &queries, limit)));
            times[1].push(ask_edge(&edge, &queries, limit));
        }
        let [store, edge] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[TURNS / 2] * 1e3 / n_queries as f64
        });
        println!(
            "  top {limit}: our store {store:.3}, qdrant-edge alone {edge:.3}, ratio {:.3}",
            store / edge
        );
    }
}

fn write(path: &Path, values: &[f32]) {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    fs::write(path, bytes).expect("written");
}

fn n_tasks() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

async fn fill_store(folder: &Path, vectors: &[f32]) -> EmbeddedStore {
    let n = vectors.len() / DIMENSION;
    let vector = VectorSpec::Dense { dimension: DIMENSION, similarity: Similarity::Cosine };
    let spec = CollectionSpec::new("00".to_owned(), "dense", vector, n);
    let clock = Instant::now();
    let store = EmbeddedStore::open_or_create(folder, &spec).await.expect("made");
    let point = |(number, row): (u32, &[f32])| Point {
        number,
        vector: Vector::Dense(row.to_vec()),
        chunk_id: format!("d{number}#0"),
        doc_id: format!("d{number}"),
        range: (0, 1),
        metadata: Arc::default(),
    };
    let points: Vec<Point> = (0..).zip(vectors.chunks(DIMENSION)).map(point).collect();
    for window in points.chunks(WINDOW) {
        store.upsert(window).await.expect("stored");
    }
    println!("our store: {n} points in {:.2} s, {WINDOW} a call", clock.elapsed().as_secs_f64());
    store
}

fn fill_edge(folder: &Path, vectors: &[f32]) -> EdgeShard {
    let path = folder.join("edge");
    fs::create_dir(&path).expect("made");
    let params = EdgeVectorParams::builder(DIMENSION, Distance::Cosine).build();
    let clock = Instant::now();
    let shard =
        EdgeShard::new(&path, EdgeConfig::builder().vector("dense", params).build()).expect("made");
    let rows: Vec<(usize, &[f32])> = vectors.chunks(DIMENSION).enumerate().collect();
    for window in rows.chunks(1_000) {
        let point = |&(number, row): &(usize, &[f32])| {
            let payload = json!({ "chunk_id": format!("d{number}#0"), "doc_id": format!("d{number}"), "start": 0, "end": 1 });
            PointStruct::new(
                PointId::NumId(number as u64),
                Vectors::new_named([("dense", row)]),
                payload,
            )
            .into()
        };
        let points = PointInsertOperations::PointsList(window.iter().map(point).collect());
        shard
            .update(UpdateOperation::PointOperation(PointOperations::UpsertPoints(points)))
            .expect("stored");
    }
    shard.flush();
    println!("qdrant-edge alone: {:.2} s, flushed once", clock.elapsed().as_secs_f64());
    shard
}

async fn ask_store(store: &Arc<EmbeddedStore>, queries: &Arc<Vec<f32>>, limit: usize) -> f64 {
    let clock = Instant::now();
    let next = Arc::new(AtomicUsize::new(0));
    let tasks = (0..n_tasks()).map(|_| {
        let (store, queries, next) = (Arc::clone(store), Arc::clone(queries), Arc::clone(&next));
        tokio::spawn(async move {
            while let Some(row) =
                queries.chunks(DIMENSION).nth(next.fetch_add(1, Ordering::Relaxed))
            {
                let vector = Vector::Dense(row.to_vec());
                let search =
                    VectorSearch { vector: &vector, limit, mode: SearchMode::Exact, filter: None };
                assert_eq!(store.search(search).await.expect("searched").len(), limit);
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.expect("ended");
    }
    clock.elapsed().as_secs_f64()
}

fn ask_edge(shard: &Arc<EdgeShard>, queries: &Arc<Vec<f32>>, limit: usize) -> f64 {
    let clock = Instant::now();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..n_tasks() {
            scope.spawn(|| {
                while let Some(row) =
                    queries.chunks(DIMENSION).nth(next.fetch_add(1, Ordering::Relaxed))
                {
                    assert_eq!(shard.query(request(row, limit)).expect("searched").len(), limit);
                }
            });
        }
    });
    clock.elapsed().as_secs_f64()
}

fn request(row: &[f32], limit: usize) -> QueryRequest {
    let nearest = QueryEnum::Nearest(NamedQuery::new(VectorInternal::Dense(row.to_vec()), "dense"));
    QueryRequest {
        prefetches: Vec::new(),
        query: Some(ScoringQuery::Vector(nearest)),
        filter: None,
        score_threshold: None,
        limit,
        offset: 0,
        params: Some(SearchParams { exact: true, ..SearchParams::default() }),
        with_vector: WithVector::Bool(false),
        with_payload: WithPayloadInterface::Bool(false),
    }
}
