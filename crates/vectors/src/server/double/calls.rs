//! The methods that the store calls; all others are refused as unimplemented.

#![expect(clippy::needless_pass_by_value, reason = "a handler owns its request")]

use qdrant_client::qdrant::collections_server::Collections;
use qdrant_client::qdrant::points_server::Points;
use qdrant_client::qdrant::qdrant_server::Qdrant;
use qdrant_client::qdrant::{
    ChangeAliases, ClearPayloadPoints, CollectionClusterInfoRequest, CollectionClusterInfoResponse,
    CollectionConfig, CollectionExistsRequest, CollectionExistsResponse, CollectionInfo,
    CollectionOperationResponse, CollectionParams, CollectionStatus, CountPoints, CountResponse,
    CountResult, CreateCollection, CreateFieldIndexCollection, CreateShardKeyRequest,
    CreateShardKeyResponse, CreateVectorNameRequest, DeleteCollection, DeleteFieldIndexCollection,
    DeletePayloadPoints, DeletePointVectors, DeletePoints, DeleteShardKeyRequest,
    DeleteShardKeyResponse, DeleteVectorNameRequest, DiscoverBatchPoints, DiscoverBatchResponse,
    DiscoverPoints, DiscoverResponse, FacetCounts, FacetResponse, GetCollectionInfoRequest,
    GetCollectionInfoResponse, GetPoints, GetResponse, HealthCheckReply, HealthCheckRequest,
    ListAliasesRequest, ListAliasesResponse, ListCollectionAliasesRequest, ListCollectionsRequest,
    ListCollectionsResponse, ListShardKeysRequest, ListShardKeysResponse, PointId,
    PointsOperationResponse, QueryBatchPoints, QueryBatchResponse, QueryGroupsResponse,
    QueryPointGroups, QueryPoints, QueryResponse, RecommendBatchPoints, RecommendBatchResponse,
    RecommendGroupsResponse, RecommendPointGroups, RecommendPoints, RecommendResponse,
    RetrievedPoint, ScoredPoint, ScrollPoints, ScrollResponse, SearchBatchPoints,
    SearchBatchResponse, SearchGroupsResponse, SearchMatrixOffsetsResponse,
    SearchMatrixPairsResponse, SearchMatrixPoints, SearchPointGroups, SearchPoints, SearchResponse,
    SetPayloadPoints, UpdateBatchPoints, UpdateBatchResponse, UpdateCollection,
    UpdateCollectionClusterSetupRequest, UpdateCollectionClusterSetupResponse, UpdatePointVectors,
    UpdateResult, UpdateStatus, UpsertPoints, point_id, points_selector, query, vector,
    vector_input, vectors,
};
use tonic::{Request, Response, Status};

use super::{Shared, State, Stored, StoredPoint};

macro_rules! service {
    ($service:ident
        served { $($name:ident = $handle:expr; $request:ident -> $answer:ident,)* }
        refused { $($other:ident: $other_request:ident -> $other_answer:ident,)* }
    ) => {
        #[tonic::async_trait]
        impl $service for Shared {
            $(
                async fn $name(&self, request: Request<$request>) -> Result<Response<$answer>, Status> {
                    self.serve(concat!(stringify!($service), "/", stringify!($name)), request, $handle).await
                }
            )*
            $(
                async fn $other(&self, _: Request<$other_request>) -> Result<Response<$other_answer>, Status> {
                    Err(Status::unimplemented(stringify!($other)))
                }
            )*
        }
    };
}

service!(Collections
    served {
    get = described; GetCollectionInfoRequest -> GetCollectionInfoResponse,
    create = created; CreateCollection -> CollectionOperationResponse,
    update = updated; UpdateCollection -> CollectionOperationResponse,
    delete = dropped; DeleteCollection -> CollectionOperationResponse,
    list = all; ListCollectionsRequest -> ListCollectionsResponse,
    }
    refused {
    update_aliases: ChangeAliases -> CollectionOperationResponse,
    list_collection_aliases: ListCollectionAliasesRequest -> ListAliasesResponse,
    list_aliases: ListAliasesRequest -> ListAliasesResponse,
    collection_exists: CollectionExistsRequest -> CollectionExistsResponse,
    collection_cluster_info: CollectionClusterInfoRequest -> CollectionClusterInfoResponse,
    update_collection_cluster_setup: UpdateCollectionClusterSetupRequest -> UpdateCollectionClusterSetupResponse,
    create_shard_key: CreateShardKeyRequest -> CreateShardKeyResponse,
    delete_shard_key: DeleteShardKeyRequest -> DeleteShardKeyResponse,
    list_shard_keys: ListShardKeysRequest -> ListShardKeysResponse,
    }
);

service!(Qdrant
    served {
    health_check = health; HealthCheckRequest -> HealthCheckReply,
    }
    refused {
    }
);

service!(Points
    served {
    upsert = inserted; UpsertPoints -> PointsOperationResponse,
    delete = deleted; DeletePoints -> PointsOperationResponse,
    scroll = listed; ScrollPoints -> ScrollResponse,
    count = counted; CountPoints -> CountResponse,
    query = searched; QueryPoints -> QueryResponse,
    }
    refused {
    get: GetPoints -> GetResponse,
    update_vectors: UpdatePointVectors -> PointsOperationResponse,
    delete_vectors: DeletePointVectors -> PointsOperationResponse,
    set_payload: SetPayloadPoints -> PointsOperationResponse,
    overwrite_payload: SetPayloadPoints -> PointsOperationResponse,
    delete_payload: DeletePayloadPoints -> PointsOperationResponse,
    clear_payload: ClearPayloadPoints -> PointsOperationResponse,
    create_field_index: CreateFieldIndexCollection -> PointsOperationResponse,
    delete_field_index: DeleteFieldIndexCollection -> PointsOperationResponse,
    create_vector_name: CreateVectorNameRequest -> PointsOperationResponse,
    delete_vector_name: DeleteVectorNameRequest -> PointsOperationResponse,
    search: SearchPoints -> SearchResponse,
    search_batch: SearchBatchPoints -> SearchBatchResponse,
    search_groups: SearchPointGroups -> SearchGroupsResponse,
    recommend: RecommendPoints -> RecommendResponse,
    recommend_batch: RecommendBatchPoints -> RecommendBatchResponse,
    recommend_groups: RecommendPointGroups -> RecommendGroupsResponse,
    discover: DiscoverPoints -> DiscoverResponse,
    discover_batch: DiscoverBatchPoints -> DiscoverBatchResponse,
    update_batch: UpdateBatchPoints -> UpdateBatchResponse,
    query_batch: QueryBatchPoints -> QueryBatchResponse,
    query_groups: QueryPointGroups -> QueryGroupsResponse,
    facet: FacetCounts -> FacetResponse,
    search_matrix_pairs: SearchMatrixPoints -> SearchMatrixPairsResponse,
    search_matrix_offsets: SearchMatrixPoints -> SearchMatrixOffsetsResponse,
    }
);

impl State {
    pub(super) fn find(&mut self, name: &str) -> Result<&mut Stored, Status> {
        let missing =
            || Status::not_found(format!("Not found: Collection `{name}` doesn't exist!"));
        self.collections.get_mut(name).ok_or_else(missing)
    }
}

#[expect(clippy::unnecessary_wraps, reason = "as the other handlers")]
fn health(_: &mut State, _: HealthCheckRequest) -> Result<HealthCheckReply, Status> {
    Ok(HealthCheckReply { version: "1.19.0".to_owned(), ..HealthCheckReply::default() })
}

#[expect(clippy::unnecessary_wraps, reason = "as the other handlers")]
fn all(_: &mut State, _: ListCollectionsRequest) -> Result<ListCollectionsResponse, Status> {
    Ok(ListCollectionsResponse::default())
}

fn done() -> CollectionOperationResponse {
    CollectionOperationResponse { result: true, time: 0.0 }
}

#[expect(clippy::unnecessary_wraps, reason = "as the other handlers")]
fn completed() -> Result<PointsOperationResponse, Status> {
    Ok(PointsOperationResponse {
        result: Some(UpdateResult { operation_id: None, status: UpdateStatus::Completed.into() }),
        ..PointsOperationResponse::default()
    })
}

fn described(
    state: &mut State,
    request: GetCollectionInfoRequest,
) -> Result<GetCollectionInfoResponse, Status> {
    let stored = state.find(&request.collection_name)?;
    Ok(GetCollectionInfoResponse {
        result: Some(CollectionInfo {
            points_count: Some(stored.points.len() as u64),
            ..stored.info.clone()
        }),
        time: 0.0,
    })
}

fn created(
    state: &mut State,
    request: CreateCollection,
) -> Result<CollectionOperationResponse, Status> {
    let name = request.collection_name;
    if state.collections.contains_key(&name) {
        let text = format!("Wrong input: Collection `{name}` already exists!");
        return Err(Status::already_exists(text));
    }
    let params = CollectionParams {
        vectors_config: request.vectors_config,
        sparse_vectors_config: request.sparse_vectors_config,
        ..CollectionParams::default()
    };
    let config = CollectionConfig {
        params: Some(params),
        optimizer_config: request.optimizers_config,
        metadata: request.metadata,
        ..CollectionConfig::default()
    };
    let info = CollectionInfo {
        status: CollectionStatus::Green.into(),
        segments_count: 1,
        config: Some(config),
        ..CollectionInfo::default()
    };
    let points = std::collections::BTreeMap::new();
    state.collections.insert(name, Stored { info, points });
    Ok(done())
}

fn updated(
    state: &mut State,
    request: UpdateCollection,
) -> Result<CollectionOperationResponse, Status> {
    let stored = state.find(&request.collection_name)?;
    if let Some(config) = &mut stored.info.config {
        config.optimizer_config = request.optimizers_config;
    }
    Ok(done())
}

#[expect(clippy::unnecessary_wraps, reason = "as the other handlers")]
fn dropped(
    state: &mut State,
    request: DeleteCollection,
) -> Result<CollectionOperationResponse, Status> {
    state.collections.remove(&request.collection_name);
    Ok(done())
}

/// Inserts the points that are missing, as the store always asks.
fn inserted(state: &mut State, request: UpsertPoints) -> Result<PointsOperationResponse, Status> {
    let stored = state.find(&request.collection_name)?;
    for point in request.points {
        let named = match point.vectors.and_then(|vectors| vectors.vectors_options) {
            Some(vectors::VectorsOptions::Vectors(named)) => named.vectors,
            Some(vectors::VectorsOptions::Vector(vector)) => {
                [(String::new(), vector)].into_iter().collect()
            }
            None => std::collections::HashMap::new(),
        };
        let named = named.into_iter();
        let stored_point = StoredPoint {
            vectors: named.filter_map(|(name, vector)| Some((name, vector.vector?))).collect(),
            payload: point.payload,
        };
        stored.points.entry(number(point.id.as_ref())?).or_insert(stored_point);
    }
    completed()
}

fn number(id: Option<&PointId>) -> Result<u64, Status> {
    match id.and_then(|id| id.point_id_options.as_ref()) {
        Some(point_id::PointIdOptions::Num(number)) => Ok(*number),
        _ => Err(Status::invalid_argument("the test double has numbers only")),
    }
}

fn deleted(state: &mut State, request: DeletePoints) -> Result<PointsOperationResponse, Status> {
    let stored = state.find(&request.collection_name)?;
    let selector = request.points.and_then(|points| points.points_selector_one_of);
    let Some(points_selector::PointsSelectorOneOf::Points(list)) = selector else {
        return Err(Status::invalid_argument("the test double deletes by id"));
    };
    for id in &list.ids {
        stored.points.remove(&number(Some(id))?);
    }
    completed()
}

fn listed(state: &mut State, request: ScrollPoints) -> Result<ScrollResponse, Status> {
    let stored = state.find(&request.collection_name)?;
    let offset = match &request.offset {
        Some(offset) => number(Some(offset))?,
        None => 0,
    };
    let limit = request.limit.unwrap_or(10) as usize;
    let points: Vec<(u64, &StoredPoint)> =
        stored.points.range(offset..).map(|(&id, stored)| (id, stored)).collect();
    let point = |(id, stored): &(u64, &StoredPoint)| RetrievedPoint {
        id: Some((*id).into()),
        payload: stored.payload.clone(),
        vectors: Some(stored.output()),
        ..RetrievedPoint::default()
    };
    Ok(ScrollResponse {
        result: points.iter().take(limit).map(point).collect(),
        next_page_offset: points.get(limit).map(|(id, _)| PointId::from(*id)),
        ..ScrollResponse::default()
    })
}

fn counted(state: &mut State, request: CountPoints) -> Result<CountResponse, Status> {
    let count = state.find(&request.collection_name)?.points.len() as u64;
    Ok(CountResponse { result: Some(CountResult { count }), ..CountResponse::default() })
}

/// Ranks the points by the dot product of a dense vector.
fn searched(state: &mut State, request: QueryPoints) -> Result<QueryResponse, Status> {
    let stored = state.find(&request.collection_name)?;
    let using = request.using.unwrap_or_default();
    let nearest = match request.query.and_then(|query| query.variant) {
        Some(query::Variant::Nearest(nearest)) => nearest.variant,
        _ => None,
    };
    let Some(vector_input::Variant::Dense(asked)) = nearest else {
        return Err(Status::invalid_argument("the test double compares dense vectors only"));
    };
    let mut found = Vec::new();
    for (id, point) in &stored.points {
        if let Some(vector::Vector::Dense(row)) = point.vectors.get(&using) {
            let score = row.data.iter().zip(&asked.data).map(|(a, b)| a * b).sum();
            found.push(ScoredPoint { id: Some((*id).into()), score, ..ScoredPoint::default() });
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found.truncate(request.limit.unwrap_or(10) as usize);
    Ok(QueryResponse { result: found, ..QueryResponse::default() })
}
