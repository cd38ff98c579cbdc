//! Estimates of space, compared with what the engine takes.

use super::*;
use crate::vector::Vector;
use ragtriage_core::config::Hnsw;
use ragtriage_core::types::Similarity;

const MIB: u64 = 1 << 20;

fn spec(expected_points: usize) -> CollectionSpec {
    let vector = VectorSpec::Dense { dimension: 256, similarity: Similarity::Dot };
    CollectionSpec::new("ab".to_owned(), "dense", vector, expected_points)
}

/// Points of 1,024 bytes of vector, and no payload.
fn sizes(points: u64) -> Sizes {
    Sizes { points, vectors: points * 1_024, payloads: 0 }
}

fn disk(n_stored: u64) -> Disk {
    Disk { n_stored, logged: 0, has_costly_holes: false }
}

/// 1,024 points are stored in 1,024 (1,024 + 384) bytes = 1.375 MiB and logged in 1,024 (1,280 + 128) = 1.375 MiB.
#[test]
fn the_bound_is_what_is_stored_and_logged() {
    let need = Need::new(&spec(4_096), sizes(1_024), sizes(1_024), disk(0));
    assert_eq!(need.batch, 11 * MIB / 4);
    assert_eq!(need.total, 11 * MIB + BASE);
}

#[test]
fn the_log_counts_up_to_two_files_and_a_batch() {
    let need = |logged| {
        let disk = Disk { logged, ..disk(0) };
        Need::new(&spec(102_400), sizes(1_024), sizes(1_024), disk).total
    };
    // 100 batches are stored in 137.5 MiB.
    assert_eq!(need(0), 137 * MIB + MIB / 2 + 16 * MIB + 11 * MIB / 8 + BASE);
    assert_eq!(need(16 * MIB), 137 * MIB + MIB / 2 + 11 * MIB / 8 + BASE);
}

#[test]
fn each_batch_takes_from_the_bound_what_it_may_write() {
    let (first, second) = (
        Need::new(&spec(4_096), sizes(1_024), sizes(1_024), disk(0)),
        Need::new(&spec(4_096), sizes(2_048), sizes(1_024), disk(1_024)),
    );
    assert_eq!(first.total - first.batch, second.total);
    let last = Need::new(&spec(4_096), sizes(4_096), sizes(1_024), disk(3_072));
    assert_eq!(last.batch, last.total);
}

/// A graph with m = 16 takes 12 * 16 + 64 = 256 bytes per point.
#[test]
fn a_graph_needs_a_second_copy() {
    let hnsw = Some(Hnsw { m: 16, from_points: 1, ..Hnsw::default() });
    let graph = CollectionSpec { hnsw, ..spec(4_096) };
    let [plain, graph] =
        [spec(4_096), graph].map(|spec| Need::new(&spec, sizes(1_024), sizes(1_024), disk(0)));
    assert_eq!(graph.total - plain.total, 11 * MIB / 2 + MIB + BASE);
    assert_eq!(graph.batch, plain.batch);
}

#[test]
fn in_memory_the_file_of_vectors_counts_as_a_whole() {
    let disk = Disk { has_costly_holes: true, ..disk(0) };
    let need = Need::new(&spec(1_024), sizes(1_024), sizes(1_024), disk);
    // 32 MiB less the vectors, which are counted already.
    assert_eq!(need.total, 11 * MIB / 4 + 31 * MIB + BASE);
}

#[test]
fn payloads_count_as_json() {
    let point = Point {
        number: 0,
        vector: Vector::Dense(vec![0.5; 256]),
        chunk_id: "d#0".to_owned(),
        doc_id: "d".to_owned(),
        range: (0, 9),
        metadata: std::sync::Arc::default(),
    };
    let json = r#"{"chunk_id":"d#0","doc_id":"d","start":0,"end":9,"metadata":{}}"#;
    let expected = Sizes { points: 2, vectors: 2_048, payloads: 2 * json.len() as u64 };
    assert_eq!(Sizes::of(&[point.clone(), point]), expected);
}
