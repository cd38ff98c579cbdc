//! Conversion to and from the server's types.

use std::collections::HashMap;

use qdrant_client::Payload;
use qdrant_client::qdrant::point_id::PointIdOptions;
use qdrant_client::qdrant::{
    Condition, CreateCollection, DenseVector, Distance, Filter as GrpcFilter, HnswConfigDiff,
    MultiDenseVector, MultiVectorComparator, MultiVectorConfig, NamedVectors, OptimizersConfigDiff,
    PointId, PointStruct, Query, QueryPoints, ScrollPoints, SearchParams, UpdateMode, UpsertPoints,
    Value, Vector as GrpcVector, VectorInput, VectorParams, VectorParamsMap, VectorsConfig,
    vector_input, vectors_config,
};

use crate::collection::CollectionSpec;
use crate::{Point, VectorSearch};
use ragtriage_core::types::{Similarity, VectorShape};

/// Key of a collection's metadata that holds its layout.
const LAYOUT: &str = "ragtriage_layout";

/// Creates a collection for which the server builds no graph.
pub(super) fn creation(collection: &str, spec: &CollectionSpec) -> CreateCollection {
    let named = HashMap::from([(spec.vector_name.clone(), vector_params(spec.vector))]);
    let named = vectors_config::Config::ParamsMap(VectorParamsMap { map: named });
    CreateCollection {
        collection_name: collection.to_owned(),
        vectors_config: Some(VectorsConfig { config: Some(named) }),
        hnsw_config: Some(HnswConfigDiff { m: Some(0), ..HnswConfigDiff::default() }),
        optimizers_config: Some(OptimizersConfigDiff {
            indexing_threshold: Some(0), // never
            ..OptimizersConfigDiff::default()
        }),
        metadata: HashMap::from([(LAYOUT.to_owned(), Value::from(spec.layout()))]),
        ..CreateCollection::default()
    }
}

fn vector_params(vector: VectorShape) -> VectorParams {
    let VectorShape { dimension, similarity, many } = vector;
    let comparator = MultiVectorComparator::MaxSim.into();
    let distance = match similarity {
        Similarity::Cosine => Distance::Cosine,
        Similarity::Dot => Distance::Dot,
    };
    VectorParams {
        size: dimension as u64,
        distance: distance.into(),
        multivector_config: many.then_some(MultiVectorConfig { comparator }),
        ..VectorParams::default()
    }
}

/// Returns the layout that a collection was created with, if it is recorded (by servers from 1.16 on).
pub(super) fn found_layout(metadata: &HashMap<String, Value>) -> Option<String> {
    metadata.get(LAYOUT)?.as_str().cloned()
}

/// Adds the missing points.
pub(super) fn insertion(collection: &str, spec: &CollectionSpec, points: &[Point]) -> UpsertPoints {
    UpsertPoints {
        collection_name: collection.to_owned(),
        wait: Some(true),
        points: points.iter().map(|point| point_struct(spec, point)).collect(),
        update_mode: Some(UpdateMode::InsertOnly.into()),
        ..UpsertPoints::default()
    }
}

fn point_struct(spec: &CollectionSpec, point: &Point) -> PointStruct {
    let vector: GrpcVector = if spec.vector.many {
        multi(&point.vector, spec.vector.dimension).into()
    } else {
        DenseVector { data: point.vector.clone() }.into()
    };
    let vectors = NamedVectors { vectors: HashMap::from([(spec.vector_name.clone(), vector)]) };
    PointStruct::new(u64::from(point.number), vectors, Payload::new())
}

fn multi(rows: &[f32], dimension: usize) -> MultiDenseVector {
    MultiDenseVector {
        vectors: rows.chunks(dimension).map(|row| DenseVector { data: row.to_vec() }).collect(),
    }
}

pub(super) fn query(
    collection: &str,
    spec: &CollectionSpec,
    search: &VectorSearch<'_>,
) -> QueryPoints {
    let &VectorSearch { vector, limit, allowed } = search;
    let variant = if spec.vector.many {
        vector_input::Variant::MultiDense(multi(vector, spec.vector.dimension))
    } else {
        vector_input::Variant::Dense(DenseVector { data: vector.to_vec() })
    };
    let vector = VectorInput { variant: Some(variant) };
    QueryPoints {
        collection_name: collection.to_owned(),
        query: Some(Query::new_nearest(vector)),
        using: Some(spec.vector_name.clone()),
        filter: allowed.map(|numbers| {
            let ids = numbers.iter().map(|number| u64::from(*number));
            GrpcFilter::must([Condition::has_id(ids)])
        }),
        params: Some(SearchParams { exact: Some(true), ..SearchParams::default() }),
        limit: Some(limit as u64),
        with_payload: Some(false.into()),
        with_vectors: Some(false.into()),
        ..QueryPoints::default()
    }
}

pub(super) fn number(id: &PointId) -> Option<u32> {
    match id.point_id_options.as_ref()? {
        PointIdOptions::Num(number) => u32::try_from(*number).ok(),
        PointIdOptions::Uuid(_) => None,
    }
}

/// Formats an id.
pub(super) fn shown(id: &PointId) -> String {
    match &id.point_id_options {
        Some(PointIdOptions::Num(number)) => number.to_string(),
        Some(PointIdOptions::Uuid(uuid)) => uuid.clone(),
        None => "an id of no kind".to_owned(),
    }
}

/// Requests a page of ids, from `offset` on.
pub(super) fn page(collection: &str, offset: u64, limit: u32) -> ScrollPoints {
    ScrollPoints {
        collection_name: collection.to_owned(),
        offset: Some(offset.into()),
        limit: Some(limit),
        with_payload: Some(false.into()),
        with_vectors: Some(false.into()),
        ..ScrollPoints::default()
    }
}

#[cfg(test)]
mod tests;
