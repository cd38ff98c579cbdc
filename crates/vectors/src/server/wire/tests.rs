//! Requests as a server would receive them.

use super::*;

#[test]
fn no_graph_is_built() {
    let vector = VectorShape { dimension: 3, similarity: Similarity::Cosine, many: false };
    let spec = CollectionSpec::new("ab".to_owned(), "dense", vector, 2);
    let made = creation("ragtriage_ab", &spec);
    assert_eq!(made.hnsw_config.expect("set").m, Some(0));
    assert_eq!(made.optimizers_config.expect("set").indexing_threshold, Some(0));
}
