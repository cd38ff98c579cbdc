//! Vectors in this process, by `qdrant-edge`: Qdrant's own engine without a server.
//!
//! Every call of the engine blocks, so each runs on tokio's blocking threads. A collection is only taken over from the
//! cache when its slot was marked whole after a flush and still counts all its points; anything else (a filling that was
//! broken off, files that a crash left behind) is thrown away and begins empty. The HNSW graph is built once, when the
//! last point has come, and only for collections as large as the settings say; exact search is the rule.
//!
//! Left out: deleting points, filters, quantization.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use qdrant_edge::{
    CountRequest, Distance as EdgeDistance, EdgeConfig, EdgeOptimizersConfig, EdgeShard, EdgeVectorParams,
    HnswIndexConfig, NamedQuery, OperationResult, PointId, PointInsertOperations, PointOperations, PointStruct,
    PointStructPersisted, QueryEnum, QueryRequest, ScoredPoint, ScoringQuery, SearchParams, UpdateOperation,
    VectorInternal, Vectors, WithPayloadInterface, WithVector,
};
use serde_json::json;

use super::collection::{CollectionSpec, Distance, Hnsw, QUESTION};
use super::error::{Foreign, IndexError};
use super::slot::Slot;
use super::{Neighbour, Point, SearchMode, VectorStore};

/// The name of the one vector that a point has.
const VECTOR: &str = "dense";

/// Points per operation of the engine; one of 384 dimensions is about 2 MB of its log. (The engine keeps that log for
/// good: on disk a collection takes a little over twice the size of its vectors.)
const BATCH: usize = 1_000;

/// The least size, in KB of vectors, from which the engine builds and uses a graph once we ask it for one. Whether we
/// ask is decided by [`Hnsw::from_points`] alone.
const GRAPH_FROM_KB: usize = 1;

/// A collection in a folder of the cache, open in this process.
pub struct EmbeddedStore {
    engine: Arc<Engine>,
    spec: CollectionSpec,
}

/// What the blocking threads share.
struct Engine {
    /// Dropped (and flushed) first, while the slot is still locked.
    shard: EdgeShard,
    /// Held while points are written or flushed: the engine's flush panics when it meets a write.
    writing: Mutex<()>,
    slot: Slot,
}

impl EmbeddedStore {
    /// Opens the collection `spec.name` under the cache folder `dir`, or makes it, empty.
    ///
    /// Several may be open at once, in one process or in many: each then has a copy of its own (see `slot.rs`).
    ///
    /// # Errors
    /// A parameter out of range; a folder that cannot be written; a collection of another dimension or distance.
    pub async fn open_or_create(dir: &Path, spec: &CollectionSpec) -> Result<Self, IndexError> {
        spec.check()?;
        let folder = dir.join(&spec.name);
        let (place, wanted) = (folder.clone(), spec.clone());
        let engine = blocking("open a collection", folder, move || open(&place, &wanted)).await?;
        Ok(Self { engine: Arc::new(engine), spec: spec.clone() })
    }

    /// Runs `work` on the engine, off tokio's own threads.
    async fn with_engine<T: Send + 'static>(
        &self,
        action: &'static str,
        work: impl FnOnce(&Engine) -> Result<T, IndexError> + Send + 'static,
    ) -> Result<T, IndexError> {
        let engine = Arc::clone(&self.engine);
        blocking(action, self.engine.slot.engine(), move || work(&engine)).await
    }

    /// As [`Self::with_engine`], for what writes. The engine panics where the disk refuses a write, and would again
    /// when it is dropped: it is then never dropped.
    async fn writing<T: Send + 'static>(
        &self,
        action: &'static str,
        work: impl FnOnce(&Engine) -> Result<T, IndexError> + Send + 'static,
    ) -> Result<T, IndexError> {
        let done = self
            .with_engine(action, |engine| {
                let _alone = engine.writing.lock().unwrap_or_else(PoisonError::into_inner);
                work(engine)
            })
            .await;
        if self.engine.writing.is_poisoned() {
            mem::forget(Arc::clone(&self.engine));
        }
        done
    }
}

#[async_trait]
impl VectorStore for EmbeddedStore {
    async fn count(&self) -> Result<usize, IndexError> {
        self.with_engine("count points", Engine::count).await
    }

    async fn upsert(&self, points: &[Point]) -> Result<(), IndexError> {
        for point in points {
            self.spec.check_vector(&point.vector, &point.chunk_id)?;
        }
        self.writing("store points", |engine| engine.slot.mark_incomplete()).await?;
        for batch in points.chunks(BATCH) {
            let batch = batch.iter().map(persisted).collect();
            self.writing("store points", |engine| engine.write(batch)).await?;
        }
        let spec = self.spec.clone();
        self.writing("store points", move |engine| engine.finish(&spec)).await
    }

    async fn search(&self, vector: &[f32], limit: usize, mode: SearchMode) -> Result<Vec<Neighbour>, IndexError> {
        self.spec.check_vector(vector, QUESTION)?;
        if limit == 0 {
            return Ok(Vec::new());
        }
        let request = query(vector.to_vec(), limit, mode);
        self.with_engine("search", move |engine| engine.search(request)).await
    }
}

impl Engine {
    fn count(&self) -> Result<usize, IndexError> {
        self.named("count points", self.shard.count(CountRequest { filter: None, exact: true }))
    }

    fn write(&self, points: Vec<PointStructPersisted>) -> Result<(), IndexError> {
        let points = PointOperations::UpsertPoints(PointInsertOperations::PointsList(points));
        self.named("store points", self.shard.update(UpdateOperation::PointOperation(points)))
    }

    /// Makes all that was written durable; once every point is there, builds the graph and marks the slot whole.
    fn finish(&self, spec: &CollectionSpec) -> Result<(), IndexError> {
        self.shard.flush();
        if self.count()? != spec.expected_points {
            return Ok(());
        }
        if spec.graph().is_some() {
            self.named("build the HNSW graph", self.shard.optimize())?;
            self.shard.flush();
        }
        self.slot.mark_complete(spec)
    }

    fn search(&self, request: QueryRequest) -> Result<Vec<Neighbour>, IndexError> {
        let points = self.named("search", self.shard.query(request))?;
        Ok(points.iter().filter_map(neighbour).collect())
    }

    fn named<T>(&self, action: &'static str, result: OperationResult<T>) -> Result<T, IndexError> {
        result.map_err(|error| engine_error(action, self.slot.engine(), error.into()))
    }
}

/// Takes a slot and opens what is whole there, else begins it anew.
fn open(folder: &Path, spec: &CollectionSpec) -> Result<Engine, IndexError> {
    let slot = Slot::take(folder)?;
    let path = slot.engine();
    if slot.is_complete(spec)?
        && let Some(shard) = load(&path, spec.expected_points)
    {
        return Ok(Engine { shard, writing: Mutex::new(()), slot });
    }
    slot.clear()?;
    let shard =
        EdgeShard::new(&path, config(spec)).map_err(|error| engine_error("create a collection", path, error.into()))?;
    Ok(Engine { shard, writing: Mutex::new(()), slot })
}

/// The shard at `path` if it opens and counts what it should. Its files may be damaged in any way, and then it fails
/// or panics: either way it is not used.
fn load(path: &Path, expected_points: usize) -> Option<EdgeShard> {
    let shard = catch_unwind(AssertUnwindSafe(|| EdgeShard::load(path, None))).ok()?.ok()?;
    let count = shard.count(CountRequest { filter: None, exact: true }).ok()?;
    (count == expected_points).then_some(shard)
}

fn config(spec: &CollectionSpec) -> EdgeConfig {
    let distance = match spec.distance {
        Distance::Cosine => EdgeDistance::Cosine,
        Distance::Dot => EdgeDistance::Dot,
    };
    let config = EdgeConfig::builder().vector(VECTOR, EdgeVectorParams::builder(spec.dimension, distance).build());
    let Some(Hnsw { m, ef_construct, from_points: _ }) = spec.graph() else {
        return config.build();
    };
    let hnsw = HnswIndexConfig {
        m,
        ef_construct,
        full_scan_threshold: GRAPH_FROM_KB,
        max_indexing_threads: 0, // chosen by the engine
        on_disk: None,
        payload_m: None,
        inline_storage: None,
    };
    let optimizers =
        EdgeOptimizersConfig { indexing_threshold: Some(GRAPH_FROM_KB), ..EdgeOptimizersConfig::default() };
    config.hnsw_config(hnsw).optimizers(optimizers).build()
}

fn persisted(point: &Point) -> PointStructPersisted {
    let Point { number, vector, chunk_id, doc_id, range: (start, end) } = point;
    let payload = json!({ "chunk_id": chunk_id, "doc_id": doc_id, "start": start, "end": end });
    let vectors = Vectors::new_named([(VECTOR, vector.clone())]);
    PointStruct::new(PointId::NumId(u64::from(*number)), vectors, payload).into()
}

fn query(vector: Vec<f32>, limit: usize, mode: SearchMode) -> QueryRequest {
    let nearest = QueryEnum::Nearest(NamedQuery::new(VectorInternal::Dense(vector), VECTOR));
    QueryRequest {
        prefetches: Vec::new(),
        query: Some(ScoringQuery::Vector(nearest)),
        filter: None,
        score_threshold: None,
        limit,
        offset: 0,
        params: Some(SearchParams { exact: mode == SearchMode::Exact, ..SearchParams::default() }),
        with_vector: WithVector::Bool(false),
        with_payload: WithPayloadInterface::Bool(false),
    }
}

/// A found point; every id in a collection is a number of ours.
fn neighbour(point: &ScoredPoint) -> Option<Neighbour> {
    match point.id {
        PointId::NumId(number) => Some(Neighbour { number: u32::try_from(number).ok()?, score: point.score }),
        PointId::Uuid(_) => None,
    }
}

/// Runs `work` on a blocking thread; a panic there becomes an error.
async fn blocking<T: Send + 'static>(
    action: &'static str,
    path: PathBuf,
    work: impl FnOnce() -> Result<T, IndexError> + Send + 'static,
) -> Result<T, IndexError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(panic) => Err(engine_error(action, path, panic.into())),
    }
}

fn engine_error(action: &'static str, path: PathBuf, source: Foreign) -> IndexError {
    IndexError::Engine { action, path, source }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn spec(expected_points: usize) -> CollectionSpec {
        CollectionSpec { name: "ab".to_owned(), dimension: 2, distance: Distance::Dot, expected_points, hnsw: None }
    }

    /// Points on a spiral: each nearest to itself and then to its neighbours.
    fn points(n: u32) -> Vec<Point> {
        let vector = |number: u32| {
            let angle = number as f32 * 0.001;
            vec![angle.cos(), angle.sin()]
        };
        let point = |number| Point {
            number,
            vector: vector(number),
            chunk_id: format!("d#{number}"),
            doc_id: "d".to_owned(),
            range: (0, 1),
        };
        (0..n).map(point).collect()
    }

    async fn filled(cache: &Path, spec: &CollectionSpec) -> EmbeddedStore {
        let store = EmbeddedStore::open_or_create(cache, spec).await.expect("made");
        store.upsert(&points(spec.expected_points as u32)).await.expect("stored");
        store
    }

    #[tokio::test]
    async fn a_filling_that_was_broken_off_begins_anew() {
        let cache = tempfile::tempdir().expect("a folder");
        let store = EmbeddedStore::open_or_create(cache.path(), &spec(10)).await.expect("made");
        store.upsert(&points(9)).await.expect("stored");
        drop(store);
        let store = EmbeddedStore::open_or_create(cache.path(), &spec(10)).await.expect("made again");
        assert_eq!(store.count().await.expect("counted"), 0);
    }

    #[tokio::test]
    async fn a_collection_that_a_crash_broke_begins_anew() {
        let cache = tempfile::tempdir().expect("a folder");
        drop(filled(cache.path(), &spec(10)).await);
        let segments = cache.path().join("ab/0/engine/segments");
        let segment = fs::read_dir(segments).expect("the engine's folder").next().expect("a segment").expect("read");
        fs::remove_file(segment.path().join("segment.json")).expect("the segment's state");
        let store = EmbeddedStore::open_or_create(cache.path(), &spec(10)).await.expect("made again");
        assert_eq!(store.count().await.expect("counted"), 0);
        store.upsert(&points(10)).await.expect("stored");
        assert_eq!(store.count().await.expect("counted"), 10);
    }

    #[tokio::test]
    async fn a_graph_is_built_from_the_size_that_the_settings_say() {
        let cache = tempfile::tempdir().expect("a folder");
        let hnsw = |from_points| Some(Hnsw { from_points, ..Hnsw::default() });
        let store = filled(cache.path(), &CollectionSpec { hnsw: hnsw(2_001), ..spec(2_000) }).await;
        assert_eq!(store.engine.shard.info().indexed_vectors_count, 0);
        let spec = CollectionSpec { name: "cd".to_owned(), hnsw: hnsw(2_000), ..spec(2_000) };
        let store = filled(cache.path(), &spec).await;
        assert_eq!(store.engine.shard.info().indexed_vectors_count, 2_000);
        drop(store);
        let store = EmbeddedStore::open_or_create(cache.path(), &spec).await.expect("opened");
        assert_eq!(store.count().await.expect("counted"), 2_000);
        let query = &points(1_000)[999].vector;
        for mode in [SearchMode::Exact, SearchMode::Approximate] {
            let found = store.search(query, 3, mode).await.expect("searched");
            let mut numbers: Vec<u32> = found.iter().map(|neighbour| neighbour.number).collect();
            assert_eq!(numbers[0], 999, "{mode:?}");
            numbers.sort_unstable();
            assert_eq!(numbers, [998, 999, 1_000], "{mode:?}");
        }
    }

    #[tokio::test]
    async fn a_folder_that_cannot_be_made_is_named() {
        let cache = tempfile::tempdir().expect("a folder");
        let file = cache.path().join("file");
        fs::write(&file, "").expect("written");
        let Err(error) = EmbeddedStore::open_or_create(&file, &spec(1)).await else { panic!("a file is in the way") };
        let IndexError::File { path, .. } = error else { panic!("{error}") };
        assert_eq!(path, file.join("ab").join("0"));
    }
}
