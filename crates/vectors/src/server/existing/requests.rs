//! Requests to an existing collection.

use std::collections::HashMap;

use qdrant_client::qdrant::{
    Condition, DenseVector, Document, Filter as GrpcFilter, Fusion, PrefetchQuery, Query,
    QueryPoints, ScrollPoints, SearchParams, VectorInput, WithPayloadSelector, vector_input,
};
use ragtriage_core::config::{CollectionFusion, CollectionMode, CollectionSettings};

use crate::SearchMode;
use crate::existing::ExistingSearch;
use crate::filter::Demands;
use crate::server::wire;

/// Requests a page of the points that pass the filter, with the payload fields that are read, and with their vectors if
/// `with_vectors` is set.
pub(super) fn page(
    settings: &CollectionSettings,
    offset: Option<wire::Id>,
    limit: u32,
    with_vectors: bool,
) -> ScrollPoints {
    let CollectionSettings { text, document, start, end, .. } = settings;
    let paths = [Some(text), document.as_ref(), start.as_ref(), end.as_ref()];
    // The first key of a path: a selector of nested fields would miss keys that have a dot.
    let mut keys: Vec<String> = paths
        .into_iter()
        .flatten()
        .filter(|path| !path.is_empty())
        .flat_map(|path| [path.clone(), path.split('.').next().unwrap_or(path).to_owned()])
        .collect();
    keys.sort_unstable();
    keys.dedup();
    let quoted: Vec<String> = keys.iter().map(|key| format!("\"{key}\"")).collect();
    let quoted: Vec<&str> = quoted.iter().map(String::as_str).collect();
    ScrollPoints {
        collection_name: settings.name.clone(),
        filter: filter(settings),
        offset,
        limit: Some(limit),
        with_payload: Some(WithPayloadSelector::from(quoted)),
        with_vectors: Some(with_vectors.into()),
        ..ScrollPoints::default()
    }
}

/// Requests one point with its whole payload.
pub(super) fn one_point(settings: &CollectionSettings, id: wire::Id) -> ScrollPoints {
    ScrollPoints {
        collection_name: settings.name.clone(),
        filter: Some(GrpcFilter::must([Condition::has_id([id])])),
        limit: Some(1),
        with_payload: Some(true.into()),
        with_vectors: Some(false.into()),
        ..ScrollPoints::default()
    }
}

/// Requests the best points for a question.
pub(super) fn query(settings: &CollectionSettings, search: &ExistingSearch<'_>) -> QueryPoints {
    let params = SearchParams {
        exact: Some(settings.exact || search.mode == SearchMode::Exact),
        hnsw_ef: settings.ef.map(|ef| ef as u64),
        ..SearchParams::default()
    };
    let filter = filter(settings);
    let dense = Some(settings.using.clone()).filter(|name| !name.is_empty());
    let sparse = Some(settings.sparse_using.clone());
    let base = QueryPoints {
        collection_name: settings.name.clone(),
        limit: Some(search.limit as u64),
        with_payload: Some(false.into()),
        with_vectors: Some(false.into()),
        ..QueryPoints::default()
    };
    let prefetch = |query, using| PrefetchQuery {
        query: Some(query),
        using,
        filter: filter.clone(),
        params: Some(params.clone()),
        limit: Some(search.candidates as u64),
        ..PrefetchQuery::default()
    };
    match settings.mode {
        CollectionMode::Dense => QueryPoints {
            query: Some(nearest(search)),
            using: dense,
            filter: filter.clone(),
            params: Some(params.clone()),
            ..base
        },
        CollectionMode::Sparse => QueryPoints {
            query: Some(terms(settings, search)),
            using: sparse,
            filter: filter.clone(),
            params: Some(params.clone()),
            ..base
        },
        CollectionMode::Hybrid => QueryPoints {
            prefetch: vec![
                prefetch(nearest(search), dense),
                prefetch(terms(settings, search), sparse),
            ],
            query: Some(Query::new_fusion(match settings.fusion {
                CollectionFusion::Rrf => Fusion::Rrf,
                CollectionFusion::Dbsf => Fusion::Dbsf,
            })),
            ..base
        },
    }
}

/// Compares with the question's dense vector.
fn nearest(search: &ExistingSearch<'_>) -> Query {
    let data = search.vector.unwrap_or_default().to_vec();
    Query::new_nearest(VectorInput {
        variant: Some(vector_input::Variant::Dense(DenseVector { data })),
    })
}

/// Compares with the sparse vector that the server makes of the question.
fn terms(settings: &CollectionSettings, search: &ExistingSearch<'_>) -> Query {
    let document = Document {
        text: search.text.to_owned(),
        model: settings.sparse_model.clone(),
        options: HashMap::new(),
    };
    Query::new_nearest(VectorInput { variant: Some(vector_input::Variant::Document(document)) })
}

/// Returns the filter on payload fields; `None` if every point passes.
fn filter(settings: &CollectionSettings) -> Option<GrpcFilter> {
    let filter = Some(&settings.filter).filter(|filter| !filter.is_empty())?;
    Some(wire::translated(&Demands::by_path(filter, str::to_owned)))
}
