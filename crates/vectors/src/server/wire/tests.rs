//! Requests as a server would receive them.

use super::*;

fn spec() -> CollectionSpec {
    let vector = VectorSpec { dimension: 3, similarity: Similarity::Cosine, many: false };
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
    let hnsw = Some(Hnsw { m: 32, ef_construct: 200, from_points: 2, ..Hnsw::default() });
    let graph = CollectionSpec { hnsw, ..spec() };
    assert_eq!(threshold(&graph), (Some(0), 10));
    let made = creation("ragtriage_ab", &graph).hnsw_config.expect("a graph");
    assert_eq!(
        (made.m, made.ef_construct, made.full_scan_threshold),
        (Some(32), Some(200), Some(10))
    );
    let scalar = Quantization { kind: QuantizationKind::Scalar, ..Quantization::default() };
    assert_eq!(threshold(&CollectionSpec { quantization: scalar, ..spec() }), (Some(0), 10));
}

#[test]
fn placement_passes_through() {
    let placement = Placement { shards: Some(6), replicas: Some(2), write_consistency: Some(1) };
    let made = creation("ragtriage_ab", &CollectionSpec { placement, ..spec() });
    assert_eq!(
        (made.shard_number, made.replication_factor, made.write_consistency_factor),
        (Some(6), Some(2), Some(1))
    );
    let made = creation("ragtriage_ab", &spec());
    assert_eq!(
        (made.shard_number, made.replication_factor, made.write_consistency_factor),
        (None, None, None)
    );
}

#[test]
fn what_is_made_has_the_vector_that_is_asked_for_and_no_other() {
    let similarity = Similarity::Dot;
    let specs = [
        spec().vector,
        VectorSpec { dimension: 3, similarity, many: false },
        VectorSpec { dimension: 3, similarity, many: true },
    ]
    .map(|vector| CollectionSpec { vector, ..spec() });
    for (i, made) in specs.iter().enumerate() {
        let CreateCollection { vectors_config, .. } = creation("ragtriage_ab", made);
        let params = CollectionParams { vectors_config, ..CollectionParams::default() };
        for (j, wanted) in specs.iter().enumerate() {
            assert_eq!(has_vector(&params, wanted), i == j, "{made:?} {wanted:?}");
        }
    }
}

#[test]
fn a_listing_asks_as_many_replicas_as_must_confirm_a_write() {
    let asked = page("ragtriage_ab", 0, 10, 2).read_consistency;
    assert_eq!(asked, Some(Factor(2).into()));
}
