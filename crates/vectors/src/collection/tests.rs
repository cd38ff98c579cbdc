//! Names, layouts and refusals of collections.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use ragtriage_core::types::Similarity;

fn spec() -> CollectionSpec {
    let vector = VectorSpec { dimension: 3, similarity: Similarity::Cosine, many: false };
    CollectionSpec {
        hnsw: Some(Hnsw::default()),
        ..CollectionSpec::new("00ff".to_owned(), "dense", vector, 10)
    }
}

fn point(number: u32) -> Point {
    Point {
        number,
        vector: vec![0.0; 3],
        chunk_id: format!("d#{number}"),
        doc_id: "d".to_owned(),
        range: (2, 7),
        metadata: Arc::default(),
    }
}

#[test]
fn a_content_that_is_no_hash_cannot_leave_the_cache_folder() {
    for content in ["", "../x", "FF", "a/b"] {
        let error =
            CollectionSpec { content: content.to_owned(), ..spec() }.check().expect_err("refused");
        assert!(
            error.to_string().starts_with(&format!("`collection's content` is {content},")),
            "{error}"
        );
    }
    spec().check().expect("hex is accepted");
}

#[test]
fn a_small_collection_gets_no_graph() {
    assert_eq!(spec().graph(), None);
    assert_eq!(
        CollectionSpec { expected_points: 100_000, ..spec() }.graph(),
        Some(Hnsw::default())
    );
    assert_eq!(CollectionSpec { expected_points: 100_000, hnsw: None, ..spec() }.graph(), None);
}

#[test]
fn what_changes_points_or_graph_changes_the_name_and_what_does_not_leaves_it() {
    let base = CollectionSpec { expected_points: 100_000, ..spec() };
    let hnsw = Hnsw::default();
    let scalar = Quantization { kind: QuantizationKind::Scalar, ..Quantization::default() };
    let same = [
        CollectionSpec { hnsw: Some(Hnsw { ef: 7, from_points: 5, ..hnsw }), ..base.clone() },
        CollectionSpec {
            quantization: Quantization { quantile: 0.5, ..Quantization::default() },
            ..base.clone()
        },
    ];
    for spec in same {
        assert_eq!(spec.name(), base.name(), "{spec:?}");
    }
    let others = [
        CollectionSpec { content: "00fe".to_owned(), ..base.clone() },
        CollectionSpec { vector_name: "other".to_owned(), ..base.clone() },
        CollectionSpec {
            vector: VectorSpec { dimension: 3, similarity: Similarity::Cosine, many: true },
            ..base.clone()
        },
        CollectionSpec { expected_points: 100_001, ..base.clone() },
        CollectionSpec { hnsw: None, ..base.clone() },
        CollectionSpec { hnsw: Some(Hnsw { m: 8, ..hnsw }), ..base.clone() },
        CollectionSpec {
            hnsw: Some(Hnsw { from_points: 100_001, m: 8, ..hnsw }),
            quantization: scalar,
            ..base.clone()
        },
        CollectionSpec { quantization: scalar, ..base.clone() },
        CollectionSpec {
            quantization: Quantization { always_ram: false, ..scalar },
            ..base.clone()
        },
        CollectionSpec {
            placement: Placement { shards: Some(2), ..Placement::default() },
            ..base.clone()
        },
    ];
    let mut names: Vec<String> =
        others.iter().map(CollectionSpec::name).chain([base.name()]).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), others.len() + 1);
}

#[test]
fn the_name_is_pinned() {
    let spec = spec();
    assert_eq!(spec.layout(), "format 2, 10 points, vector `dense` of 3 dimensions, cosine");
    // printf '%s' 'format 2, 10 points, vector `dense` of 3 dimensions, cosine' | sha256sum | cut -c 1-16
    assert_eq!(spec.name(), "00ff-eee3bcb040230d77");
}

#[test]
fn a_point_beyond_the_collection_is_refused_by_name() {
    spec().check_points(&[point(9)]).expect("the last one");
    let error = spec().check_points(&[point(9), point(10)]).expect_err("beyond");
    assert!(
        error.to_string().starts_with("chunk `d#10` has number 10, but collection `00ff-"),
        "{error}"
    );
}

#[test]
fn a_payload_holds_ids_range_and_metadata() {
    let metadata =
        BTreeMap::from([("year".to_owned(), json!(2024)), ("a\"b".to_owned(), json!(["x", null]))]);
    let point = Point { metadata: Arc::new(metadata), ..point(1) };
    assert_eq!(
        Value::Object(payload(&point)),
        json!({
            "chunk_id": "d#1", "doc_id": "d", "start": 2, "end": 7,
            "metadata": { "year": 2024, "a%22b": ["x", null] },
        })
    );
}

#[test]
fn batches_hold_as_much_as_they_may_and_no_point_twice() {
    // A point here has 3 components of 4 bytes: 12 bytes.
    let points: Vec<Point> = (0..5).map(point).collect();
    let sizes = |bytes, most| {
        batches(&points, bytes, most).iter().map(|batch| batch.len()).collect::<Vec<_>>()
    };
    assert_eq!(sizes(24, 10), [2, 2, 1]);
    assert_eq!(sizes(1_000, 3), [3, 2]);
    assert_eq!(sizes(1, 10), [1, 1, 1, 1, 1]);
    assert_eq!(sizes(1_000, 10), [5]);
    assert!(batches(&[], 10, 10).is_empty());
}

#[test]
fn what_was_not_found_is_absent() {
    assert_eq!(absent(5, &[3, 0, 9]), [1, 2, 4]);
    assert!(absent(2, &[1, 0]).is_empty());
}
