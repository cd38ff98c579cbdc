//! Conversion to and from the server's types.

use std::collections::HashMap;

use qdrant_client::Payload;
use qdrant_client::qdrant::r#match::MatchValue;
use qdrant_client::qdrant::point_id::PointIdOptions;
use qdrant_client::qdrant::quantization_config::Quantization as QuantizationOneOf;
use qdrant_client::qdrant::read_consistency::Value::Factor;
use qdrant_client::qdrant::value::Kind;
use qdrant_client::qdrant::{
    BinaryQuantization, CollectionParams, Condition, CreateCollection, CreateFieldIndexCollection,
    DenseVector, Distance, FieldType, Filter as GrpcFilter, HnswConfigDiff, ListValue,
    MultiDenseVector, MultiVectorComparator, MultiVectorConfig, NamedVectors, OptimizersConfigDiff,
    PointId, PointStruct, QuantizationConfig, QuantizationSearchParams, QuantizationType, Query,
    QueryPoints, Range, ScalarQuantization, ScrollPoints, SearchParams, Struct, UpdateCollection,
    UpdateMode, UpsertPoints, Value, Vector as GrpcVector, VectorInput, VectorParams,
    VectorParamsMap, VectorsConfig, vector_input, vectors_config,
};

use crate::collection::{CollectionSpec, SearchParameters, VectorSpec, payload};
use crate::filter::{Clause, Demands, FieldKind};
use crate::{Point, VectorSearch};
use ragtriage_core::config::{Hnsw, Placement, Quantization, QuantizationKind};
use ragtriage_core::types::{NumberBounds, Similarity};

/// Key of a collection's metadata that holds its layout.
const LAYOUT: &str = "ragtriage_layout";

/// Minimum threshold, in KiB of vectors, that a server accepts for indexing and full scans (`config_diff.rs`,
/// `validate(range(min = 10))`).
const LEAST_KB: usize = 10;

/// Returns the size in KiB from which a segment is indexed once all points are there. 0 means never.
///
/// Graph and quantized copies wait for the last point, as Qdrant advises for bulk uploads; before it nothing is built.
pub(super) fn indexing_kb(spec: &CollectionSpec, is_whole: bool) -> u64 {
    let has_to_build = spec.graph().is_some() || spec.quantized().is_some();
    if is_whole && has_to_build { LEAST_KB as u64 } else { 0 }
}

pub(super) fn creation(collection: &str, spec: &CollectionSpec) -> CreateCollection {
    let Placement { shards, replicas, write_consistency } = spec.placement;
    let named = HashMap::from([(spec.vector_name.clone(), vector_params(spec.vector))]);
    let named = vectors_config::Config::ParamsMap(VectorParamsMap { map: named });
    // Without edges only the graph is left out: the quantized copies are still built.
    let (m, ef_construct) =
        spec.graph().map_or((0, Hnsw::default().ef_construct), |hnsw| (hnsw.m, hnsw.ef_construct));
    CreateCollection {
        collection_name: collection.to_owned(),
        vectors_config: Some(VectorsConfig { config: Some(named) }),
        hnsw_config: Some(HnswConfigDiff {
            m: Some(m as u64),
            ef_construct: Some(ef_construct as u64),
            full_scan_threshold: Some(spec.full_scan_kb(LEAST_KB) as u64),
            ..HnswConfigDiff::default()
        }),
        optimizers_config: Some(optimizers(indexing_kb(spec, false))),
        quantization_config: spec.quantized().map(quantization),
        shard_number: shards,
        replication_factor: replicas,
        write_consistency_factor: write_consistency,
        metadata: HashMap::from([(LAYOUT.to_owned(), Value::from(spec.layout()))]),
        ..CreateCollection::default()
    }
}

fn vector_params(vector: VectorSpec) -> VectorParams {
    let VectorSpec { dimension, similarity, many } = vector;
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

#[expect(deprecated, reason = "servers before 1.19 know `always_ram` alone")]
fn quantization(copies: Quantization) -> QuantizationConfig {
    let Quantization { kind, quantile, always_ram, rescore: _, oversampling: _ } = copies;
    let always_ram = Some(always_ram);
    let quantization = if kind == QuantizationKind::Binary {
        QuantizationOneOf::Binary(BinaryQuantization {
            always_ram,
            ..BinaryQuantization::default()
        })
    } else {
        QuantizationOneOf::Scalar(ScalarQuantization {
            r#type: QuantizationType::Int8.into(),
            quantile: Some(quantile as f32),
            always_ram,
            ..ScalarQuantization::default()
        })
    };
    QuantizationConfig { quantization: Some(quantization) }
}

fn optimizers(indexing_kb: u64) -> OptimizersConfigDiff {
    OptimizersConfigDiff {
        indexing_threshold: Some(indexing_kb),
        ..OptimizersConfigDiff::default()
    }
}

/// Sets the indexing threshold, which also wakes the server's optimizers.
pub(super) fn indexing(collection: &str, kb: u64) -> UpdateCollection {
    UpdateCollection {
        collection_name: collection.to_owned(),
        optimizers_config: Some(optimizers(kb)),
        ..UpdateCollection::default()
    }
}

/// Returns the layout that a collection was created with, if it is recorded (by servers from 1.16 on).
pub(super) fn found_layout(metadata: &HashMap<String, Value>) -> Option<String> {
    metadata.get(LAYOUT)?.as_str().cloned()
}

/// Returns true if a collection has the one vector that is asked for.
pub(super) fn has_vector(params: &CollectionParams, spec: &CollectionSpec) -> bool {
    let vectors = params.vectors_config.as_ref().and_then(|vectors| vectors.config.as_ref());
    let Some(vectors_config::Config::ParamsMap(found)) = vectors else {
        return false;
    };
    let wanted = vector_params(spec.vector);
    found.map.get(&spec.vector_name).is_some_and(|found| {
        (found.size, found.distance, found.multivector_config)
            == (wanted.size, wanted.distance, wanted.multivector_config)
    })
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
    PointStruct::new(u64::from(point.number), vectors, Payload::from(fields(payload(point))))
}

pub(super) fn fields(object: serde_json::Map<String, serde_json::Value>) -> HashMap<String, Value> {
    object.into_iter().map(|(field, value)| (field, json(value))).collect()
}

fn json(value: serde_json::Value) -> Value {
    let kind = match value {
        serde_json::Value::Null => Kind::NullValue(0),
        serde_json::Value::Bool(value) => Kind::BoolValue(value),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(integer) => Kind::IntegerValue(integer),
            None => Kind::DoubleValue(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Kind::StringValue(text),
        serde_json::Value::Array(items) => {
            Kind::ListValue(ListValue { values: items.into_iter().map(json).collect() })
        }
        serde_json::Value::Object(object) => Kind::StructValue(Struct { fields: fields(object) }),
    };
    Value { kind: Some(kind) }
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
    let &VectorSearch { vector, limit, mode, filter } = search;
    let variant = if spec.vector.many {
        vector_input::Variant::MultiDense(multi(vector, spec.vector.dimension))
    } else {
        vector_input::Variant::Dense(DenseVector { data: vector.to_vec() })
    };
    let vector = VectorInput { variant: Some(variant) };
    let SearchParameters { exact, ef, quantization } = spec.parameters(mode);
    let quantization = quantization.map(|(rescore, oversampling)| QuantizationSearchParams {
        ignore: Some(false),
        rescore: Some(rescore),
        oversampling: Some(oversampling),
    });
    QueryPoints {
        collection_name: collection.to_owned(),
        query: Some(Query::new_nearest(vector)),
        using: Some(spec.vector_name.clone()),
        filter: filter.map(|filter| translated(&Demands::of(filter))),
        params: Some(SearchParams {
            hnsw_ef: ef.map(|ef| ef as u64),
            exact: Some(exact),
            quantization,
            ..SearchParams::default()
        }),
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

/// Requests a page of ids that `n_replicas` replicas have, from `offset` on.
pub(super) fn page(collection: &str, offset: u64, limit: u32, n_replicas: u64) -> ScrollPoints {
    ScrollPoints {
        read_consistency: Some(Factor(n_replicas).into()),
        collection_name: collection.to_owned(),
        offset: Some(offset.into()),
        limit: Some(limit),
        with_payload: Some(false.into()),
        with_vectors: Some(false.into()),
        ..ScrollPoints::default()
    }
}

pub(super) fn field_index(
    collection: &str,
    path: &str,
    kind: FieldKind,
) -> CreateFieldIndexCollection {
    let kind = match kind {
        FieldKind::Text => FieldType::Keyword,
        FieldKind::Number => FieldType::Float,
        FieldKind::Bool => FieldType::Bool,
    };
    CreateFieldIndexCollection {
        collection_name: collection.to_owned(),
        wait: Some(true),
        field_name: path.to_owned(),
        field_type: Some(kind.into()),
        ..CreateFieldIndexCollection::default()
    }
}

/// Converts a filter.
pub(super) fn translated(demands: &Demands) -> GrpcFilter {
    let Demands { must, must_not } = demands;
    GrpcFilter {
        must: must
            .iter()
            .map(|clauses: &Vec<Clause>| -> Condition {
                GrpcFilter {
                    should: clauses.iter().map(condition).collect(),
                    ..GrpcFilter::default()
                }
                .into()
            })
            .collect(),
        must_not: must_not.iter().map(condition).collect(),
        ..GrpcFilter::default()
    }
}

fn condition(clause: &Clause) -> Condition {
    match clause {
        Clause::Nothing => Condition::has_id(Vec::<u64>::new()),
        Clause::Texts(path, texts) => Condition::matches(path.as_str(), texts.clone()),
        Clause::Bool(path, value) => Condition::matches(path.as_str(), MatchValue::Boolean(*value)),
        Clause::Within(path, bounds) => {
            let NumberBounds { gt, gte, lt, lte } = *bounds;
            Condition::range(path.as_str(), Range { lt, gt, gte, lte })
        }
    }
}

#[cfg(test)]
mod tests;
