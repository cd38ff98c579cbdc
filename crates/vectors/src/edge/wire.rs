//! Conversion to and from the embedded engine's types.

use std::collections::HashMap;

use qdrant_edge::external::ordered_float::OrderedFloat;
use qdrant_edge::{
    AnyVariants, BinaryQuantizationConfig, Condition, ConditionalInsertOperation, CreateIndex,
    Distance, EdgeConfig, EdgeOptimizersConfig, EdgeVectorParams, FieldCondition,
    FieldIndexOperations, Filter as EdgeFilter, HasIdCondition, HnswIndexConfig, JsonPath, Match,
    MatchAny, MatchValue, MultiVectorComparator, MultiVectorConfig, NamedQuery, Payload,
    PayloadFieldSchema, PayloadSchemaType, PointId, PointInsertOperations, PointOperations,
    PointStructPersisted, QuantizationConfig, QuantizationSearchParams, QueryEnum, QueryRequest,
    Range, ScalarQuantizationConfig, ScalarType, ScoredPoint, ScoringQuery, ScrollRequest,
    SearchParams, TypedMultiDenseVector, UpdateMode, UpdateOperation, ValueVariants,
    VectorInternal, VectorPersisted, VectorStructPersisted, WalOptions, WithPayloadInterface,
    WithVector,
};

use crate::collection::{CollectionSpec, SearchParameters, payload};
use crate::filter::{Clause, Demands, FieldKind};
use crate::{Neighbour, Point, VectorSearch};
use ragtriage_core::config::{Hnsw, Quantization, QuantizationKind};
use ragtriage_core::types::{NumberBounds, Similarity};

/// Minimum size, in KiB of vectors, at which the engine indexes when requested. [`Hnsw::from_points`] alone decides
/// whether we request it.
const INDEX_FROM_KB: usize = 1;

/// Bytes of a file of the engine's log. At most three such files remain (see `engine.rs`).
const LOG_FILE: usize = 8 << 20;

/// Returns true if something must be built once all points are there: graph, quantized copies.
pub(super) fn has_to_build(spec: &CollectionSpec) -> bool {
    spec.graph().is_some() || spec.quantized().is_some()
}

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
    let config = config.vector(spec.vector_name.as_str(), vector.build());
    if !has_to_build(spec) {
        return config.build();
    }
    // Without edges only the graph is left out: the quantized copies are still built.
    let (m, ef_construct) =
        spec.graph().map_or((0, Hnsw::default().ef_construct), |hnsw| (hnsw.m, hnsw.ef_construct));
    let hnsw = HnswIndexConfig {
        m,
        ef_construct,
        full_scan_threshold: spec.full_scan_kb(INDEX_FROM_KB),
        max_indexing_threads: 0, // chosen by the engine
        on_disk: None,
        payload_m: None,
        inline_storage: None,
    };
    let optimizers = EdgeOptimizersConfig {
        indexing_threshold: Some(INDEX_FROM_KB),
        ..EdgeOptimizersConfig::default()
    };
    let config = config.hnsw_config(hnsw).optimizers(optimizers);
    match spec.quantized() {
        Some(copies) => config.quantization_config(quantization(copies)).build(),
        None => config.build(),
    }
}

fn quantization(copies: Quantization) -> QuantizationConfig {
    let Quantization { kind, quantile, always_ram, rescore: _, oversampling: _ } = copies;
    let always_ram = Some(always_ram);
    if kind == QuantizationKind::Binary {
        return BinaryQuantizationConfig { always_ram, encoding: None, query_encoding: None }
            .into();
    }
    ScalarQuantizationConfig {
        r#type: ScalarType::Int8,
        quantile: Some(quantile as f32),
        always_ram,
    }
    .into()
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
        payload: Some(Payload(payload(point))),
    }
}

pub(super) fn query(spec: &CollectionSpec, search: &VectorSearch<'_>) -> QueryRequest {
    let &VectorSearch { vector, limit, mode, filter } = search;
    let vector = if spec.vector.many {
        VectorInternal::MultiDense(TypedMultiDenseVector {
            flattened_vectors: vector.to_vec(),
            dim: spec.vector.dimension,
        })
    } else {
        VectorInternal::Dense(vector.to_vec())
    };
    let SearchParameters { exact, ef, quantization } = spec.parameters(mode);
    let quantization = quantization.map(|(rescore, oversampling)| QuantizationSearchParams {
        ignore: false,
        rescore: Some(rescore),
        oversampling: Some(oversampling),
    });
    QueryRequest {
        prefetches: Vec::new(),
        query: Some(ScoringQuery::Vector(QueryEnum::Nearest(NamedQuery::new(
            vector,
            spec.vector_name.as_str(),
        )))),
        filter: filter.map(|filter| translated(&Demands::of(filter))),
        score_threshold: None,
        limit,
        offset: 0,
        params: Some(SearchParams { hnsw_ef: ef, exact, quantization, ..SearchParams::default() }),
        with_vector: WithVector::Bool(false),
        with_payload: WithPayloadInterface::Bool(false),
    }
}

/// Converts a found point; every id in a collection is one of our numbers.
pub(super) fn neighbour(point: &ScoredPoint) -> Option<Neighbour> {
    Some(Neighbour { number: number(point.id)?, score: point.score })
}

pub(super) fn number(id: PointId) -> Option<u32> {
    match id {
        PointId::NumId(number) => u32::try_from(number).ok(),
        PointId::Uuid(_) => None,
    }
}

/// Requests a page of ids, from `offset` on.
pub(super) fn page(offset: PointId, limit: usize) -> ScrollRequest {
    ScrollRequest {
        offset: Some(offset),
        limit: Some(limit),
        filter: None,
        with_payload: Some(WithPayloadInterface::Bool(false)),
        with_vector: WithVector::Bool(false),
        order_by: None,
    }
}

pub(super) fn field_index(path: &str, kind: FieldKind) -> UpdateOperation {
    let schema = match kind {
        FieldKind::Text => PayloadSchemaType::Keyword,
        FieldKind::Number => PayloadSchemaType::Float,
        FieldKind::Bool => PayloadSchemaType::Bool,
    };
    UpdateOperation::FieldIndexOperation(FieldIndexOperations::CreateIndex(CreateIndex {
        field_name: json_path(path),
        field_schema: Some(PayloadFieldSchema::FieldType(schema)),
    }))
}

pub(super) fn json_path(path: &str) -> JsonPath {
    path.parse().expect("a path of ours quotes what has to be quoted")
}

fn translated(demands: &Demands) -> EdgeFilter {
    let Demands { must, must_not } = demands;
    EdgeFilter {
        should: None,
        min_should: None,
        must: Some(
            must.iter()
                .map(|clauses: &Vec<Clause>| {
                    Condition::Filter(EdgeFilter {
                        should: Some(clauses.iter().map(condition).collect()),
                        ..EdgeFilter::default()
                    })
                })
                .collect(),
        ),
        must_not: Some(must_not.iter().map(condition).collect()),
    }
}

fn condition(clause: &Clause) -> Condition {
    let field = match clause {
        Clause::Nothing => return Condition::HasId(HasIdCondition::from_iter([])),
        Clause::Texts(path, texts) => {
            let any = AnyVariants::Strings(texts.iter().cloned().collect());
            FieldCondition::new_match(json_path(path), Match::Any(MatchAny { any }))
        }
        Clause::Bool(path, value) => FieldCondition::new_match(
            json_path(path),
            Match::Value(MatchValue { value: ValueVariants::Bool(*value) }),
        ),
        Clause::Within(path, bounds) => {
            let NumberBounds { gt, gte, lt, lte } = bounds.to_owned();
            let [gt, gte, lt, lte] = [gt, gte, lt, lte].map(|bound| bound.map(OrderedFloat));
            FieldCondition::new_range(json_path(path), Range { lt, gt, gte, lte })
        }
    };
    Condition::Field(field)
}
