//! Vectors on a Qdrant server, by `qdrant-client` over gRPC.
//!
//! Every call here may be repeated without harm (creating tolerates what exists, points are replaced), so transient
//! failures are retried with growing waits. The client's check of the server's version is switched off: it prints to
//! stdout and adds a connection; a server that is too old answers with a status that says so.
//!
//! Left out until they are needed: shards, replicas, quantization, filters.

mod address;
mod failure;

use std::collections::HashMap;
use std::future::Future;
use std::time::Duration;

use async_trait::async_trait;
use qdrant_client::qdrant::point_id::PointIdOptions;
use qdrant_client::qdrant::{
    CountPointsBuilder, CreateCollection, CreateCollectionBuilder, Distance as GrpcDistance, GetCollectionInfoResponse,
    HnswConfigDiffBuilder, OptimizersConfigDiffBuilder, PointStruct, Query, QueryPoints, QueryPointsBuilder,
    ScoredPoint, SearchParamsBuilder, UpsertPointsBuilder, Value, VectorParams, VectorParamsBuilder, VectorParamsMap,
    VectorsConfig, vectors_config,
};
use qdrant_client::{Payload, Qdrant, QdrantError};

use super::collection::{CollectionSpec, Distance, Hnsw, QUESTION, shape};
use super::error::IndexError;
use super::{Neighbour, Point, SearchMode, VectorStore};
pub use address::Server;
use failure::Failure;

/// Stands before the collection's name, so that a shared server shows whose it is.
const PREFIX: &str = "ragxray_";

/// The name of the one vector that a point has.
const VECTOR: &str = "dense";

/// Bytes of vectors per upsert: far below what a server accepts in one message.
const BATCH_BYTES: usize = 1 << 20;

/// The waits before the second, third and fourth attempt.
const WAITS: [Duration; 3] = [Duration::from_millis(200), Duration::from_millis(800), Duration::from_millis(3_200)];

/// The longest wait that a server may ask for.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// The least size, in KB of vectors, from which the server builds a graph once we ask it for one.
const GRAPH_FROM_KB: u64 = 10;

/// A collection on a server.
pub struct ServerStore {
    client: Qdrant,
    url: String,
    collection: String,
    spec: CollectionSpec,
}

impl ServerStore {
    /// Opens the collection `ragxray_<spec.name>` on `server`, or makes it, empty.
    ///
    /// # Errors
    /// A parameter out of range; a URL without scheme or port; nobody there; a wrong key; a collection of another
    /// dimension or distance.
    pub async fn open_or_create(server: &Server, spec: &CollectionSpec) -> Result<Self, IndexError> {
        spec.check()?;
        let store = Self {
            client: client(server)?,
            url: server.url.clone(),
            collection: format!("{PREFIX}{}", spec.name),
            spec: spec.clone(),
        };
        // A server that is not there is said at once, so this first call is not retried.
        if !store.attempt("look for a collection", &[], || store.client.collection_exists(&store.collection)).await? {
            store.create().await?;
        }
        let info = store.retry("describe a collection", || store.client.collection_info(&store.collection)).await?;
        store.check_shape(info)?;
        Ok(store)
    }

    async fn create(&self) -> Result<(), IndexError> {
        let made =
            self.retry("create a collection", || self.client.create_collection(creation(&self.collection, &self.spec)));
        match made.await {
            Ok(_) => Ok(()),
            // Another process may have made it in between; servers name that case differently.
            Err(error) => {
                let exists = self.retry("look for a collection", || self.client.collection_exists(&self.collection));
                if exists.await? { Ok(()) } else { Err(error) }
            }
        }
    }

    fn check_shape(&self, info: GetCollectionInfoResponse) -> Result<(), IndexError> {
        let vectors = info
            .result
            .and_then(|info| info.config?.params?.vectors_config?.config)
            .ok_or(IndexError::Answer { url: self.url.clone(), what: "the collection's vector settings" })?;
        let found = match vectors {
            vectors_config::Config::ParamsMap(map) => map.map.get(VECTOR).map(found_shape),
            vectors_config::Config::Params(params) => Some(format!("{}, unnamed", found_shape(&params))),
        };
        let (found, wanted) = (found.unwrap_or_else(|| format!("no vector `{VECTOR}`")), self.spec.shape());
        if found == wanted {
            return Ok(());
        }
        Err(IndexError::Mismatch { collection: self.collection.clone(), place: self.url.clone(), found, wanted })
    }

    /// Asks until the server answers, at most four times.
    async fn retry<T, F>(&self, action: &'static str, call: impl Fn() -> F) -> Result<T, IndexError>
    where
        F: Future<Output = Result<T, QdrantError>>,
    {
        self.attempt(action, &WAITS, call).await
    }

    /// Asks once, and once more after each of `waits` while the failure is one that may pass.
    async fn attempt<T, F>(
        &self,
        action: &'static str,
        waits: &[Duration],
        call: impl Fn() -> F,
    ) -> Result<T, IndexError>
    where
        F: Future<Output = Result<T, QdrantError>>,
    {
        let mut waits = waits.iter();
        let mut attempts = 1;
        loop {
            let failure = match call().await {
                Ok(answer) => return Ok(answer),
                Err(error) => Failure::of(&error),
            };
            match waits.next() {
                Some(&wait) if failure.may_pass() => {
                    tokio::time::sleep(failure.asked_wait.unwrap_or(wait).min(MAX_WAIT)).await;
                    attempts += 1;
                }
                _ => return Err(failure.into_error(&self.url, action, attempts)),
            }
        }
    }

    /// Removes the collection from the server, after a test.
    #[cfg(test)]
    pub(super) async fn delete(self) -> Result<(), IndexError> {
        self.retry("delete a collection", || self.client.delete_collection(&self.collection)).await.map(drop)
    }
}

#[async_trait]
impl VectorStore for ServerStore {
    async fn count(&self) -> Result<usize, IndexError> {
        let request = || self.client.count(CountPointsBuilder::new(&self.collection).exact(true));
        let counted = self.retry("count points", request).await?.result;
        let counted = counted.ok_or(IndexError::Answer { url: self.url.clone(), what: "a count" })?;
        Ok(usize::try_from(counted.count).unwrap_or(usize::MAX))
    }

    async fn upsert(&self, points: &[Point]) -> Result<(), IndexError> {
        for point in points {
            self.spec.check_vector(&point.vector, &point.chunk_id)?;
        }
        let batch = (BATCH_BYTES / (self.spec.dimension * size_of::<f32>())).clamp(16, 1_000);
        for points in points.chunks(batch) {
            let points: Vec<PointStruct> = points.iter().map(point_struct).collect();
            let request =
                || self.client.upsert_points(UpsertPointsBuilder::new(&self.collection, points.clone()).wait(true));
            self.retry("store points", request).await?;
        }
        Ok(())
    }

    async fn search(&self, vector: &[f32], limit: usize, mode: SearchMode) -> Result<Vec<Neighbour>, IndexError> {
        self.spec.check_vector(vector, QUESTION)?;
        if limit == 0 {
            return Ok(Vec::new());
        }
        let request = query(&self.collection, vector, limit, mode);
        let found = self.retry("search", || self.client.query(request.clone())).await?;
        Ok(found.result.iter().filter_map(neighbour).collect())
    }
}

impl Failure {
    /// What the client says, without its types.
    fn of(error: &QdrantError) -> Self {
        match error {
            QdrantError::ResponseError { status } => {
                Self { code: status.code() as i32, message: status.message().to_owned(), asked_wait: None }
            }
            QdrantError::ResourceExhaustedError { status, retry_after_seconds } => Self {
                code: status.code() as i32,
                message: status.message().to_owned(),
                asked_wait: Some(Duration::from_secs(*retry_after_seconds)),
            },
            other => Self { code: 2, message: other.to_string(), asked_wait: None },
        }
    }
}

/// A client that has not connected yet.
fn client(server: &Server) -> Result<Qdrant, IndexError> {
    let Server { url, api_key, timeout } = server;
    server.check()?;
    let built = Qdrant::from_url(url)
        .api_key(api_key.clone())
        .timeout(*timeout)
        .connect_timeout(*timeout)
        .skip_compatibility_check()
        .build();
    // The address was checked: it has neither user nor key in it.
    built.map_err(|error| IndexError::Url { url: url.clone(), reason: error.to_string() })
}

fn creation(collection: &str, spec: &CollectionSpec) -> CreateCollection {
    let distance = match spec.distance {
        Distance::Cosine => GrpcDistance::Cosine,
        Distance::Dot => GrpcDistance::Dot,
    };
    let vector = VectorParamsBuilder::new(spec.dimension as u64, distance).build();
    let vectors =
        vectors_config::Config::ParamsMap(VectorParamsMap { map: HashMap::from([(VECTOR.to_owned(), vector)]) });
    let request = CreateCollectionBuilder::new(collection).vectors_config(VectorsConfig { config: Some(vectors) });
    match spec.graph() {
        Some(Hnsw { m, ef_construct, from_points: _ }) => request
            .hnsw_config(
                HnswConfigDiffBuilder::default()
                    .m(m as u64)
                    .ef_construct(ef_construct as u64)
                    .full_scan_threshold(GRAPH_FROM_KB),
            )
            .optimizers_config(OptimizersConfigDiffBuilder::default().indexing_threshold(GRAPH_FROM_KB))
            .build(),
        // 0 switches the graph off (Qdrant's `collections.proto`, `indexing_threshold`).
        None => request.optimizers_config(OptimizersConfigDiffBuilder::default().indexing_threshold(0)).build(),
    }
}

/// As [`CollectionSpec::shape`] writes it.
fn found_shape(params: &VectorParams) -> String {
    let distance = GrpcDistance::try_from(params.distance).map_or("unknown", |distance| match distance {
        GrpcDistance::Cosine => Distance::Cosine.name(),
        GrpcDistance::Dot => Distance::Dot.name(),
        GrpcDistance::Euclid => "euclid",
        GrpcDistance::Manhattan => "manhattan",
        GrpcDistance::UnknownDistance => "unknown",
    });
    shape(usize::try_from(params.size).unwrap_or(usize::MAX), distance)
}

fn point_struct(point: &Point) -> PointStruct {
    let Point { number, vector, chunk_id, doc_id, range: (start, end) } = point;
    let payload = Payload::from([
        ("chunk_id", Value::from(chunk_id.as_str())),
        ("doc_id", Value::from(doc_id.as_str())),
        ("start", Value::from(*start as i64)),
        ("end", Value::from(*end as i64)),
    ]);
    PointStruct::new(u64::from(*number), HashMap::from([(VECTOR.to_owned(), vector.clone())]), payload)
}

fn query(collection: &str, vector: &[f32], limit: usize, mode: SearchMode) -> QueryPoints {
    QueryPointsBuilder::new(collection)
        .query(Query::new_nearest(vector.to_vec()))
        .using(VECTOR)
        .limit(limit as u64)
        .params(SearchParamsBuilder::default().exact(mode == SearchMode::Exact))
        .with_payload(false)
        .build()
}

/// A found point; every id in a collection is a number of ours.
fn neighbour(point: &ScoredPoint) -> Option<Neighbour> {
    match point.id.as_ref()?.point_id_options.as_ref()? {
        PointIdOptions::Num(number) => Some(Neighbour { number: u32::try_from(*number).ok()?, score: point.score }),
        PointIdOptions::Uuid(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{Ipv4Addr, TcpListener};

    use super::*;

    fn spec() -> CollectionSpec {
        CollectionSpec {
            name: "ab".to_owned(),
            dimension: 3,
            distance: Distance::Cosine,
            expected_points: 2,
            hnsw: None,
        }
    }

    fn loopback() -> (TcpListener, Server) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        (listener, Server { url, api_key: None, timeout: Duration::from_secs(10) })
    }

    #[tokio::test]
    async fn a_port_that_nobody_listens_on_is_an_error_that_names_the_url() {
        let (listener, server) = loopback();
        drop(listener);
        let Err(error) = ServerStore::open_or_create(&server, &spec()).await else { panic!("nobody is there") };
        assert_eq!(error.to_string(), format!("no Qdrant server answers at `{}`", server.url));
    }

    #[tokio::test]
    async fn a_server_that_speaks_no_grpc_is_as_good_as_none() {
        let (listener, server) = loopback();
        std::thread::spawn(move || {
            for mut connection in listener.incoming().flatten() {
                let _ = connection.read(&mut [0; 24]);
                let _ = connection.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
            }
        });
        let Err(error) = ServerStore::open_or_create(&server, &spec()).await else { panic!("it is no Qdrant") };
        assert!(matches!(error, IndexError::Unreachable { .. }), "{error:?}");
    }

    #[test]
    fn a_small_collection_is_made_without_a_graph_and_a_large_one_with() {
        let request = creation("ragxray_ab", &spec());
        assert_eq!(request.optimizers_config.and_then(|config| config.indexing_threshold), Some(0));
        assert_eq!(request.hnsw_config, None);
        let hnsw = Some(Hnsw { m: 32, ef_construct: 200, from_points: 2 });
        let request = creation("ragxray_ab", &CollectionSpec { hnsw, ..spec() });
        assert_eq!(request.optimizers_config.and_then(|config| config.indexing_threshold), Some(10));
        let graph = request.hnsw_config.expect("a graph");
        assert_eq!((graph.m, graph.ef_construct), (Some(32), Some(200)));
    }

    #[test]
    fn what_is_made_has_the_shape_that_is_asked_for() {
        for distance in Distance::ALL {
            let spec = CollectionSpec { distance, ..spec() };
            let Some(vectors_config::Config::ParamsMap(map)) =
                creation("ragxray_ab", &spec).vectors_config.and_then(|vectors| vectors.config)
            else {
                panic!("named vectors")
            };
            assert_eq!(map.map.get(VECTOR).map(found_shape), Some(spec.shape()));
        }
    }
}
