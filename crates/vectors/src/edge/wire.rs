//! Conversion to and from the embedded engine's types.

use std::collections::HashMap;

use qdrant_edge::{
    Condition, ConditionalInsertOperation, Distance, EdgeConfig, EdgeVectorParams,
    Filter as EdgeFilter, HasIdCondition, MultiVectorComparator, MultiVectorConfig, NamedQuery,
    PointId, PointInsertOperations, PointOperations, PointStructPersisted, QueryEnum, QueryRequest,
    ScoredPoint, ScoringQuery, SearchParams, TypedMultiDenseVector, UpdateMode, UpdateOperation,
    VectorInternal, VectorPersisted, VectorStructPersisted, WalOptions, WithPayloadInterface,
    WithVector,
};

use crate::collection::CollectionSpec;
use crate::{Neighbour, Point, VectorSearch};
use ragtriage_core::types::Similarity;

/// Bytes of a file of the engine's log. At most three such files remain (see `engine.rs`).
const LOG_FILE: usize = 8 << 20;

pub(super) fn config(spec: &CollectionSpec) -> EdgeConfig {
    let log = WalOptions { segment_capacity: LOG_FILE, ..WalOptions::default() };
    let config = EdgeConfig::builder().wal_options(log);
    let distance = match spec.vector.similarity {
        Similarity::Cosine => Distance::Cosine,
        Similarity::Dot => Distance::Dot,
    };
    let mut vector = EdgeVectorParams::builder(spec.vector.dimension, distance);
    if spec.vector.many {
        let comparator = MultiVectorComparator::MaxSim;
        vector = vector.multivector_config(MultiVectorConfig { comparator });
    }
    config.vector(spec.vector_name.as_str(), vector.build()).build()
}

/// Adds the missing points.
pub(super) fn insertion(spec: &CollectionSpec, points: &[Point]) -> UpdateOperation {
    let points = points.iter().map(|point| persisted(spec, point)).collect();
    UpdateOperation::PointOperation(PointOperations::UpsertPointsConditional(
        ConditionalInsertOperation {
            points_op: PointInsertOperations::PointsList(points),
            condition: EdgeFilter::default(),
            update_mode: Some(UpdateMode::InsertOnly),
        },
    ))
}

fn persisted(spec: &CollectionSpec, point: &Point) -> PointStructPersisted {
    let vector = if spec.vector.many {
        let rows = point.vector.chunks(spec.vector.dimension);
        VectorPersisted::MultiDense(rows.map(<[f32]>::to_vec).collect())
    } else {
        VectorPersisted::Dense(point.vector.clone())
    };
    PointStructPersisted {
        id: PointId::NumId(u64::from(point.number)),
        vector: VectorStructPersisted::Named(HashMap::from([(spec.vector_name.clone(), vector)])),
        payload: None,
    }
}

pub(super) fn query(spec: &CollectionSpec, search: &VectorSearch<'_>) -> QueryRequest {
    let &VectorSearch { vector, limit, allowed } = search;
    let vector = if spec.vector.many {
        VectorInternal::MultiDense(TypedMultiDenseVector {
            flattened_vectors: vector.to_vec(),
            dim: spec.vector.dimension,
        })
    } else {
        VectorInternal::Dense(vector.to_vec())
    };
    let filter = allowed.map(|numbers| {
        let ids = numbers.iter().map(|number| PointId::NumId(u64::from(*number)));
        EdgeFilter::new_must(Condition::HasId(ids.collect::<HasIdCondition>()))
    });
    QueryRequest {
        prefetches: Vec::new(),
        query: Some(ScoringQuery::Vector(QueryEnum::Nearest(NamedQuery::new(
            vector,
            spec.vector_name.as_str(),
        )))),
        filter,
        score_threshold: None,
        limit,
        offset: 0,
        params: Some(SearchParams { exact: true, ..SearchParams::default() }),
        with_vector: WithVector::Bool(false),
        with_payload: WithPayloadInterface::Bool(false),
    }
}

/// Converts a found point; every id in a collection is one of our numbers.
pub(super) fn neighbour(point: &ScoredPoint) -> Option<Neighbour> {
    match point.id {
        PointId::NumId(id) => Some(Neighbour { number: id.try_into().ok()?, score: point.score }),
        PointId::Uuid(_) => None,
    }
}
