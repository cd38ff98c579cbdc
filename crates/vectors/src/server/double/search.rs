//! Queries: nearest vectors by exact search, and Qdrant's fusion of prefetched rankings.

use std::collections::HashMap;

use qdrant_client::qdrant::condition::ConditionOneOf;
use qdrant_client::qdrant::{
    CollectionInfo, Distance, Filter, Fusion, Query, QueryPoints, QueryResponse, ScoredPoint,
    SparseVector, query, vector_input, vectors_config,
};
use tonic::Status;

use super::compare::ranked;
use super::{State, Stored};

/// Returns true if a scroll with `filter` lists point `id`.
pub(super) fn is_listed(id: u64, filter: Option<&Filter>) -> Result<bool, Status> {
    let Some(filter) = filter else {
        return Ok(true);
    };
    match filter.must.first().map(|condition| &condition.condition_one_of) {
        Some(Some(ConditionOneOf::HasId(ids))) => Ok(ids.has_id.contains(&id.into())),
        _ => Err(no_filters()),
    }
}

fn no_filters() -> Status {
    Status::invalid_argument("the test double has no filters")
}

pub(super) fn searched(state: &mut State, request: QueryPoints) -> Result<QueryResponse, Status> {
    let stored = state.find(&request.collection_name)?;
    if request.filter.is_some() {
        return Err(no_filters());
    }
    let using = request.using.unwrap_or_default();
    let query = request.query.and_then(|query| query.variant);
    let found = match query {
        Some(query::Variant::Fusion(fusion)) if fusion == i32::from(Fusion::Rrf) => {
            let mut rankings = Vec::with_capacity(request.prefetch.len());
            for prefetch in request.prefetch {
                let using = prefetch.using.unwrap_or_default();
                let mut ranking = nearest(stored, prefetch.query, &using)?;
                ranking.truncate(prefetch.limit.unwrap_or(10) as usize);
                rankings.push(ranking);
            }
            fused(&rankings)
        }
        variant => nearest(stored, Some(Query { variant }), &using)?,
    };
    let limit = request.limit.unwrap_or(10) as usize;
    let point = |(id, score): (u64, f32)| ScoredPoint {
        id: Some(id.into()),
        score,
        ..ScoredPoint::default()
    };
    Ok(QueryResponse {
        result: found.into_iter().take(limit).map(point).collect(),
        ..QueryResponse::default()
    })
}

fn nearest(stored: &Stored, query: Option<Query>, using: &str) -> Result<Vec<(u64, f32)>, Status> {
    let variant = query.and_then(|query| query.variant);
    let Some(query::Variant::Nearest(nearest)) = variant else {
        return Err(Status::invalid_argument("the test double finds neighbours only"));
    };
    let query = match nearest.variant {
        Some(vector_input::Variant::Document(document)) => {
            vector_input::Variant::Sparse(terms(&document.text))
        }
        Some(query) => query,
        None => return Err(Status::invalid_argument("no vector")),
    };
    let distance = distance(&stored.info, using)?;
    let points = stored.points.iter();
    let vectors = points.filter_map(|(&id, point)| Some((id, point.vectors.get(using)?)));
    Ok(ranked(&vectors.collect::<Vec<_>>(), stored.points.len(), &query, distance))
}

/// Qdrant's reciprocal rank fusion: 1 / (2 + rank), ranks from 0.
fn fused(rankings: &[Vec<(u64, f32)>]) -> Vec<(u64, f32)> {
    let mut scores: HashMap<u64, f32> = HashMap::new();
    for ranking in rankings {
        for (rank, (id, _)) in ranking.iter().enumerate() {
            *scores.entry(*id).or_default() += 1.0 / (2.0 + rank as f32);
        }
    }
    let mut fused: Vec<(u64, f32)> = scores.into_iter().collect();
    fused.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    fused
}

/// Converts a text to a sparse vector: one term per distinct word, by FNV-1a. Qdrant's own encoder also stems and hashes
/// otherwise.
pub(crate) fn terms(text: &str) -> SparseVector {
    let hash = |word: &str| {
        word.bytes()
            .fold(2_166_136_261_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619))
    };
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let mut indices: Vec<u32> = words.filter(|word| !word.is_empty()).map(hash).collect();
    indices.sort_unstable();
    indices.dedup();
    SparseVector { values: vec![1.0; indices.len()], indices }
}

/// Returns the distance of a dense vector; that of sparse vectors is the dot product.
fn distance(info: &CollectionInfo, using: &str) -> Result<Distance, Status> {
    let params = info.config.as_ref().and_then(|config| config.params.as_ref());
    let sparse = params.and_then(|params| params.sparse_vectors_config.as_ref());
    if sparse.is_some_and(|sparse| sparse.map.contains_key(using)) {
        return Ok(Distance::Dot);
    }
    let dense = match params.and_then(|params| params.vectors_config.as_ref()?.config.as_ref()) {
        Some(vectors_config::Config::ParamsMap(map)) => map.map.get(using),
        Some(vectors_config::Config::Params(params)) => Some(params).filter(|_| using.is_empty()),
        None => None,
    };
    let missing = || Status::invalid_argument(format!("Not existing vector name error: {using}"));
    Ok(dense.ok_or_else(missing)?.distance())
}
