//! An existing collection on the test double with a read-only key: its points, its rankings, its defects.

use std::collections::HashMap;
use std::time::Duration;

use qdrant_client::Qdrant;
use qdrant_client::qdrant::{
    CollectionInfo, CreateCollectionBuilder, DeletePointsBuilder, Distance, Fusion,
    GetCollectionInfoResponse, Modifier, NamedVectors, PointStruct, PointsIdsList, Query,
    QueryResponse, SparseVectorConfig, SparseVectorParams, UpsertPointsBuilder,
    Vector as GrpcVector, VectorParams, VectorParamsMap, VectorsConfig, vectors_config,
};
use ragtriage_core::config::{CollectionMode, CollectionSettings};
use ragtriage_core::hint::Hint;
use serde_json::json;

use super::{ServerCollection, query};
use crate::existing::{ExistingCollection, ExistingSearch, StoredPassage};
use crate::server::double::{Double, Fault, payload};
use crate::{Error, Kind, SearchMode, Server};

const NAME: &str = "docs";

/// Texts with their dense vectors of two components.
const POINTS: [(&str, [f32; 2]); 4] = [
    ("red apples", [1.0, 0.0]),
    ("green pears", [0.0, 1.0]),
    ("red pears", [0.8, 0.6]),
    ("blue plums", [-1.0, 0.0]),
];

/// Returns a double that holds the points 10 to 13 and refuses to write.
async fn double(distance: Distance) -> Double {
    let double = Double::start();
    let client = client(&double);
    let params = VectorParams { size: 2, distance: distance.into(), ..VectorParams::default() };
    let dense = VectorParamsMap { map: [("text".to_owned(), params)].into() };
    let idf = SparseVectorParams { index: None, modifier: Some(Modifier::Idf.into()) };
    let request = CreateCollectionBuilder::new(NAME)
        .vectors_config(VectorsConfig { config: Some(vectors_config::Config::ParamsMap(dense)) })
        .sparse_vectors_config(SparseVectorConfig { map: [("terms".to_owned(), idf)].into() });
    client.create_collection(request).await.expect("made");
    let numbered = (10..).zip(POINTS);
    let points = numbered.map(|(id, (text, row))| point(id, text, &row)).collect();
    store(&client, points).await;
    double.state().is_read_only = true;
    double.set_faults(Vec::new());
    double
}

fn client(double: &Double) -> Qdrant {
    let server = double.server(Duration::from_secs(10));
    Qdrant::from_url(&server.url).skip_compatibility_check().build().expect("a client")
}

fn point(id: u64, text: &str, row: &[f32]) -> PointStruct {
    let fields = json!({ "text": text, "meta": { "source": format!("doc{id}") } });
    let vectors: HashMap<String, GrpcVector> = [("text".to_owned(), row.to_vec().into())].into();
    PointStruct::new(id, NamedVectors { vectors }, payload(fields))
}

async fn store(client: &Qdrant, points: Vec<PointStruct>) {
    let request = UpsertPointsBuilder::new(NAME, points).wait(true);
    client.upsert_points(request).await.expect("stored");
}

fn settings(mode: CollectionMode) -> CollectionSettings {
    CollectionSettings {
        name: NAME.to_owned(),
        mode,
        using: "text".to_owned(),
        sparse_using: "terms".to_owned(),
        document: Some("meta.source".to_owned()),
        ..CollectionSettings::default()
    }
}

fn server(double: &Double) -> Server {
    let server = double.server(Duration::from_secs(2));
    Server { settings: "retrieval.collection", ..server }
}

async fn open(double: &Double, settings: &CollectionSettings) -> Result<ServerCollection, Error> {
    ServerCollection::open(&server(double), settings, Some(2)).await
}

async fn refused(double: &Double, settings: &CollectionSettings) -> Error {
    match open(double, settings).await {
        Ok(collection) => collection.read().await.expect_err("refused"),
        Err(error) => error,
    }
}

fn search<'a>(text: &'a str, vector: &'a [f32]) -> ExistingSearch<'a> {
    ExistingSearch { text, vector: Some(vector), candidates: 3, limit: 4, mode: SearchMode::Exact }
}

#[tokio::test]
async fn passages_are_read_and_ranked_by_calls_that_read_only() {
    let double = double(Distance::Dot).await;
    let collection = open(&double, &settings(CollectionMode::Dense)).await.expect("opened");
    let content = collection.read().await.expect("read");
    let first = StoredPassage {
        point: "10".to_owned(),
        text: Some("red apples".to_owned()),
        document: Some("doc10".to_owned()),
        offsets: None,
    };
    assert_eq!(content.passages.len(), 4);
    assert_eq!(content.passages[0], first);
    // Dot products with (0.6, 0.8): 0.6, 0.8, 0.96, -0.6.
    let found = collection.search(search("", &[0.6, 0.8])).await.expect("searched");
    let order: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(order, ["12", "11", "10", "13"]);
    assert!((found[0].1 - 0.96).abs() < 1e-6, "{found:?}");
    let read_only = ["Collections/get", "Points/count", "Points/query", "Points/scroll"];
    assert_eq!(double.called(), read_only);
}

#[test]
fn a_hybrid_query_is_one_call_that_the_server_fuses() {
    let asked = query(&settings(CollectionMode::Sparse), &search("pears", &[]));
    assert_eq!((asked.using.as_deref(), asked.limit), (Some("terms"), Some(4)));
    let asked = query(&settings(CollectionMode::Hybrid), &search("plums", &[1.0, 0.0]));
    let halves = asked.prefetch.iter().map(|half| (half.using.as_deref(), half.limit));
    assert!(halves.eq([(Some("text"), Some(3)), (Some("terms"), Some(3))]));
    assert_eq!(asked.query, Some(Query::new_fusion(Fusion::Rrf)));
    assert_eq!((asked.using, asked.limit), (None, Some(4)));
}

#[tokio::test]
async fn of_distances_the_smallest_is_best() {
    let double = double(Distance::Euclid).await;
    let collection = open(&double, &settings(CollectionMode::Dense)).await.expect("opened");
    // The double ranks by the dot product; of the four products with (-1, 0) the negatives are the distances here.
    double.set_faults(vec![Fault::answer("Points/query", 0..1, |answer: &mut QueryResponse| {
        answer.result.reverse();
    })]);
    let found = collection.search(search("", &[-1.0, 0.0])).await.expect("searched");
    let found: Vec<(&str, f32)> = found.iter().map(|(id, score)| (id.as_str(), *score)).collect();
    assert_eq!(found, [("10", 1.0), ("12", 0.8), ("11", 0.0), ("13", -1.0)]);
}

#[tokio::test]
async fn vectors_that_do_not_fit_are_answered_with_those_that_there_are() {
    let double = double(Distance::Cosine).await;
    let has = "it has `text` (2 dimensions, cosine), sparse `terms`";
    let other = CollectionSettings { using: String::new(), ..settings(CollectionMode::Dense) };
    let error = refused(&double, &other).await;
    assert_eq!(
        error.to_string(),
        format!("collection `docs` has no dense vector without a name; {has}")
    );
    let other =
        CollectionSettings { sparse_using: "bm25".to_owned(), ..settings(CollectionMode::Hybrid) };
    let error = refused(&double, &other).await;
    assert_eq!(error.to_string(), format!("collection `docs` has no sparse vector `bm25`; {has}"));
    let settings_384 = settings(CollectionMode::Dense);
    let opened = ServerCollection::open(&server(&double), &settings_384, Some(384)).await;
    let error = opened.err().expect("refused");
    assert_eq!(
        error.to_string(),
        format!(
            "questions have 384 dimensions, but vector `text` of collection `docs` does not; {has}"
        )
    );
    assert!(error.hint().is_some_and(|hint| hint.contains("`retrieval.dense.model`")));
    let elsewhere =
        CollectionSettings { name: "dogs".to_owned(), ..settings(CollectionMode::Dense) };
    let error = refused(&double, &elsewhere).await;
    assert!(error.to_string().ends_with("has no collection `dogs`"), "{error:?}");
}

#[tokio::test]
async fn a_collection_that_changes_in_use_is_an_error() {
    let double = double(Distance::Dot).await;
    let collection = open(&double, &settings(CollectionMode::Dense)).await.expect("opened");
    let before = collection.read().await.expect("read");
    double.state().is_read_only = false;
    let client = client(&double);
    store(&client, vec![point(14, "new", &[1.0, 1.0])]).await;
    let error = collection.search(search("", &[1.0, 0.0])).await.expect_err("changed");
    assert_eq!(
        error.to_string(),
        "collection `docs` changed while it was in use: it has 5 points, it had 4"
    );
    // Another vector for the same passage is another content.
    delete(&client, vec![13, 14]).await;
    store(&client, vec![point(13, "blue plums", &[0.0, -1.0])]).await;
    let after = open(&double, &settings(CollectionMode::Dense)).await.expect("opened");
    let after = after.read().await.expect("read");
    assert_eq!(after.passages, before.passages);
    assert_ne!(after.vectors_sha256, before.vectors_sha256);
}

async fn delete(client: &Qdrant, ids: Vec<u64>) {
    let ids = PointsIdsList { ids: ids.into_iter().map(Into::into).collect() };
    let request = DeletePointsBuilder::new(NAME).points(ids).wait(true);
    client.delete_points(request).await.expect("deleted");
}

#[tokio::test]
async fn no_hint_advises_to_change_the_collection() {
    let double = double(Distance::Dot).await;
    let collection = open(&double, &settings(CollectionMode::Dense)).await.expect("opened");
    double.set_faults(vec![Fault::answer("Points/query", 0..9, |answer: &mut QueryResponse| {
        answer.result.reverse();
    })]);
    let error = collection.search(search("", &[1.0, 0.0])).await.expect_err("unordered");
    assert_eq!(error.kind, Kind::Permanent);
    double.state().collections.clear();
    let gone = collection.search(search("", &[1.0, 0.0])).await.expect_err("gone");
    assert_eq!(gone.kind, Kind::Changed, "{gone:?}");
    for error in [error, gone] {
        let hint = error.hint().expect("advice");
        assert!(!hint.contains("delete") && !hint.contains("vector_store"), "{hint}");
    }
}

#[tokio::test]
async fn a_collection_of_several_pages_is_read_whole() {
    let double = double(Distance::Dot).await;
    double.state().is_read_only = false;
    let client = client(&double);
    // 4 points are there; pages have 1,000.
    let more = (100..2_100).map(|id| point(id, "many", &[0.0, 0.1])).collect();
    store(&client, more).await;
    let collection = open(&double, &settings(CollectionMode::Dense)).await.expect("opened");
    let content = collection.read().await.expect("read");
    assert_eq!(content.passages.len(), 2_004);
    assert_eq!(content.passages[2_003].point, "2099");
}

#[tokio::test]
async fn the_graph_of_a_collection_is_described() {
    let double = double(Distance::Dot).await;
    double.set_faults(vec![Fault::answer(
        "Collections/get",
        0..9,
        |answer: &mut GetCollectionInfoResponse| {
            let info: &mut CollectionInfo = answer.result.as_mut().expect("described");
            info.indexed_vectors_count = Some(4);
        },
    )]);
    let indexed = open(&double, &settings(CollectionMode::Dense)).await.expect("opened");
    let index = indexed.index().expect("a graph");
    // Qdrant's defaults.
    assert_eq!((index.m, index.ef_construct, index.ef), (16, 100, 100));
}
