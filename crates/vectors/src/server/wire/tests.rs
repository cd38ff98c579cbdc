//! Requests as a server would receive them.

use super::*;
use ragtriage_core::config::Hnsw;

fn spec() -> CollectionSpec {
    let vector = VectorShape { dimension: 3, similarity: Similarity::Cosine, many: false };
    CollectionSpec::new("ab".to_owned(), "dense", vector, 2)
}

#[test]
fn nothing_is_built_before_the_last_point_and_without_a_graph_never() {
    let threshold = |spec: &CollectionSpec| {
        let made = creation("ragtriage_ab", spec)
            .optimizers_config
            .and_then(|config| config.indexing_threshold);
        (made, indexing_kb(spec, true))
    };
    assert_eq!(threshold(&spec()), (Some(0), 0));
    let hnsw = Some(Hnsw { m: 32, ef_construct: 200, ..Hnsw::default() });
    let graph = CollectionSpec { hnsw, ..spec() };
    assert_eq!(threshold(&graph), (Some(0), 10));
    let made = creation("ragtriage_ab", &graph).hnsw_config.expect("a graph");
    assert_eq!(
        (made.m, made.ef_construct, made.full_scan_threshold),
        (Some(32), Some(200), Some(10))
    );
}
