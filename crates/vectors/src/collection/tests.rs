//! Names, layouts and refusals of collections.

use super::*;
use ragtriage_core::types::Similarity;

fn spec() -> CollectionSpec {
    let vector = VectorShape { dimension: 3, similarity: Similarity::Cosine, many: false };
    CollectionSpec::new("00ff".to_owned(), "dense", vector, 10)
}

fn point(number: u32) -> Point {
    Point { number, vector: vec![0.0; 3] }
}

#[test]
fn a_content_that_is_no_hash_cannot_leave_the_cache_folder() {
    for content in ["", "../x", "FF", "a/b"] {
        let error =
            CollectionSpec { content: content.to_owned(), ..spec() }.check().expect_err("refused");
        assert!(
            error
                .to_string()
                .starts_with(&format!("collection `{content}` cannot be made: its names")),
            "{error}"
        );
    }
    spec().check().expect("hex is accepted");
}

#[test]
fn what_changes_points_changes_the_name() {
    let base = spec();
    let others = [
        CollectionSpec { content: "00fe".to_owned(), ..base.clone() },
        CollectionSpec { vector_name: "other".to_owned(), ..base.clone() },
        CollectionSpec { vector: VectorShape { many: true, ..base.vector }, ..base.clone() },
        CollectionSpec { expected_points: 11, ..base.clone() },
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
    assert_eq!(spec.layout(), "format 3, 10 points, vector `dense` of 3 dimensions, cosine");
    // printf '%s' 'format 3, 10 points, vector `dense` of 3 dimensions, cosine' | sha256sum | cut -c 1-16
    assert_eq!(spec.name(), "00ff-03e8e98bf582751a");
}

#[test]
fn a_point_beyond_the_collection_is_refused_by_name() {
    spec().check_points(&[point(9)]).expect("the last one");
    let error = spec().check_points(&[point(9), point(10)]).expect_err("beyond");
    assert!(
        error.to_string().starts_with("chunk 10 is beyond the 10 points of collection `00ff-"),
        "{error}"
    );
}
