//! Vectors in this process, by `qdrant-edge`: Qdrant's engine without a server.
//!
//! Every call of the engine blocks, so each runs on tokio's blocking threads. A closed collection, complete or not, has
//! checksums of its files; without them, or if a file differs, it starts empty. Structures over the points (HNSW graph,
//! quantized copies) are built once, after the last point.
//!
//! Left out: deleting and replacing points (a collection's name identifies its content), and most of the log, which the
//! engine writes but does not read back.

mod engine;
mod panics;
mod space;
mod wire;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;

use super::collection::{CollectionSpec, batches};
use super::error::IndexError;
use super::filter::Demands;
use super::{Neighbour, Point, VectorSearch, VectorStore};
use engine::{Engine, blocking, on};
use space::Sizes;

/// Points per operation of the engine, and bytes of their vectors: well below a file of its log (`LOG_FILE`), in which
/// they take a quarter more.
const BATCH: (usize, usize) = (1_000, 2 << 20);

/// A collection in a folder of the cache, open in this process.
pub struct EmbeddedStore {
    engine: Arc<Engine>,
    spec: CollectionSpec,
}

impl EmbeddedStore {
    /// Opens the collection `spec.name()` under the cache folder `dir`, or creates it, empty.
    ///
    /// It may be open several times at once, in one process or in many: all but the first use temporary copies.
    ///
    /// # Errors
    /// A parameter out of range; a folder that cannot be written; a collection of another layout under the name.
    pub async fn open_or_create(dir: &Path, spec: &CollectionSpec) -> Result<Self, IndexError> {
        spec.check()?;
        let (cache, wanted) = (dir.to_owned(), spec.clone());
        let engine = blocking("open a collection", dir.join(spec.name()), move || {
            Engine::open(&cache, wanted)
        })
        .await?;
        Ok(Self { engine: Arc::new(engine), spec: spec.clone() })
    }
}

#[async_trait]
impl VectorStore for EmbeddedStore {
    async fn count(&self) -> Result<usize, IndexError> {
        on(&self.engine, "count points", Engine::count).await
    }

    async fn missing(&self) -> Result<Vec<u32>, IndexError> {
        on(&self.engine, "list points", Engine::missing).await
    }

    async fn upsert(&self, points: &[Point]) -> Result<(), IndexError> {
        self.spec.check_points(points)?;
        if self.engine.is_whole() {
            return Ok(());
        }
        let (most_points, most_bytes) = BATCH;
        for batch in batches(points, most_bytes, most_points) {
            let (sizes, operation) = (Sizes::of(batch), self.engine.insertion(batch));
            on(&self.engine, "store points", move |engine| engine.write(sizes, operation)).await?;
        }
        on(&self.engine, "store points", Engine::finish).await
    }

    async fn search(&self, search: VectorSearch<'_>) -> Result<Vec<Neighbour>, IndexError> {
        self.spec.check_search(&search)?;
        if search.limit == 0 {
            return Ok(Vec::new());
        }
        let fields = search.filter.map(|filter| Demands::of(filter).fields()).unwrap_or_default();
        let request = wire::query(&self.spec, &search);
        on(&self.engine, "search", move |engine: &Engine| {
            engine.index_fields(&fields)?;
            engine.search(request)
        })
        .await
    }

    fn notice(&self) -> Option<String> {
        let reason = self.engine.emptied()?;
        let name = self.spec.name();
        Some(format!("vector collection `{name}` is rebuilt from the vector cache: {reason}"))
    }

    async fn graph_in_use(&self) -> Result<bool, IndexError> {
        on(&self.engine, "describe a collection", |engine| Ok(engine.graph_in_use())).await
    }

    async fn segments(&self) -> Result<usize, IndexError> {
        on(&self.engine, "describe a collection", |engine| Ok(engine.segments())).await
    }
}

#[cfg(test)]
mod tests {
    mod faults;

    use std::fs;

    use super::*;
    use crate::{SearchMode, Vector, VectorSpec};
    use ragtriage_core::config::Hnsw;
    use ragtriage_core::types::Similarity;

    fn spec(expected_points: usize) -> CollectionSpec {
        let vector = VectorSpec::Dense { dimension: 2, similarity: Similarity::Dot };
        CollectionSpec::new("ab".to_owned(), "dense", vector, expected_points)
    }

    /// Returns points on a spiral: each nearest to itself and then to its neighbours.
    fn points(n: u32) -> Vec<Point> {
        let vector = |number: u32| {
            let angle = number as f32 * 0.001;
            Vector::Dense(vec![angle.cos(), angle.sin()])
        };
        let point = |number| Point {
            number,
            vector: vector(number),
            chunk_id: format!("d#{number}"),
            doc_id: "d".to_owned(),
            range: (0, 1),
            metadata: Arc::default(),
        };
        (0..n).map(point).collect()
    }

    async fn filled(cache: &Path, spec: &CollectionSpec) -> EmbeddedStore {
        let store = EmbeddedStore::open_or_create(cache, spec).await.expect("made");
        store.upsert(&points(spec.expected_points as u32)).await.expect("stored");
        store
    }

    async fn count_when_opened(cache: &Path, spec: &CollectionSpec) -> usize {
        let store = EmbeddedStore::open_or_create(cache, spec).await.expect("made again");
        store.count().await.expect("counted")
    }

    #[tokio::test]
    async fn a_collection_that_a_crash_broke_begins_anew() {
        let cache = tempfile::tempdir().expect("a folder");
        let spec = spec(10);
        drop(filled(cache.path(), &spec).await);
        let segments = cache.path().join(spec.name()).join("engine/segments");
        let segment = fs::read_dir(segments)
            .expect("the engine's folder")
            .next()
            .expect("a segment")
            .expect("read");
        fs::remove_file(segment.path().join("segment.json")).expect("the segment's state");
        assert_eq!(count_when_opened(cache.path(), &spec).await, 0);
        let store = filled(cache.path(), &spec).await;
        assert_eq!(store.count().await.expect("counted"), 10);
    }

    #[tokio::test]
    async fn a_folder_of_another_collection_under_our_name_is_told_apart() {
        let cache = tempfile::tempdir().expect("a folder");
        let (ours, other) = (spec(10), spec(9));
        drop(filled(cache.path(), &other).await);
        fs::rename(cache.path().join(other.name()), cache.path().join(ours.name()))
            .expect("renamed");
        let Err(error) = EmbeddedStore::open_or_create(cache.path(), &ours).await else {
            panic!("it is another")
        };
        let text = error.to_string();
        assert!(
            text.contains("has layout `format 2, 9 points, ")
                && text.contains("`format 2, 10 points, "),
            "{text}"
        );
    }

    #[tokio::test]
    async fn a_graph_is_built_once_and_from_the_size_that_the_settings_say() {
        let cache = tempfile::tempdir().expect("a folder");
        let hnsw = |from_points| Some(Hnsw { from_points, ..Hnsw::default() });
        let store =
            filled(cache.path(), &CollectionSpec { hnsw: hnsw(2_001), ..spec(2_000) }).await;
        assert!(!store.graph_in_use().await.expect("described"));
        let spec = CollectionSpec { hnsw: hnsw(2_000), ..spec(2_000) };
        let store = EmbeddedStore::open_or_create(cache.path(), &spec).await.expect("made");
        let points = points(2_000);
        store.upsert(&points[..1_999]).await.expect("stored");
        assert!(!store.graph_in_use().await.expect("described"), "one point is missing");
        store.upsert(&points[1_999..]).await.expect("stored");
        assert!(store.graph_in_use().await.expect("described"));
        drop(store);
        let store = EmbeddedStore::open_or_create(cache.path(), &spec).await.expect("opened");
        assert!(store.graph_in_use().await.expect("described"));
        for mode in [SearchMode::Exact, SearchMode::Approximate] {
            let search = VectorSearch { vector: &points[999].vector, limit: 3, mode, filter: None };
            let found = store.search(search).await.expect("searched");
            let mut numbers: Vec<u32> = found.iter().map(|neighbour| neighbour.number).collect();
            assert_eq!(numbers[0], 999, "{mode:?}");
            numbers.sort_unstable();
            assert_eq!(numbers, [998, 999, 1_000], "{mode:?}");
        }
    }

    /// The log is cut while the collection is filled, filled on after opening, and asked with a filter (which is
    /// another operation of the engine, ignored if the log had restarted its count).
    #[tokio::test]
    async fn the_log_is_kept_short_and_what_was_stored_does_not_suffer() {
        let cache = tempfile::tempdir().expect("a folder");
        let vector = VectorSpec::Dense { dimension: 512, similarity: Similarity::Dot };
        let spec = CollectionSpec { vector, ..spec(20_000) };
        let point = |number: u32| {
            let mut row = vec![0.5; 512];
            row[number as usize % 512] = number as f32;
            let metadata = std::collections::BTreeMap::from([(
                "even".to_owned(),
                number.is_multiple_of(2).into(),
            )]);
            Point {
                vector: Vector::Dense(row),
                metadata: Arc::new(metadata),
                number,
                ..points(1).remove(0)
            }
        };
        let all: Vec<Point> = (0..20_000).map(point).collect();
        for half in all.chunks(10_000) {
            let store = EmbeddedStore::open_or_create(cache.path(), &spec).await.expect("opened");
            for window in half.chunks(4_000) {
                store.upsert(window).await.expect("stored");
            }
        }
        let store = EmbeddedStore::open_or_create(cache.path(), &spec).await.expect("opened");
        assert!(store.missing().await.expect("listed").is_empty());
        let log = fs::read_dir(store.engine.path().join("wal")).expect("a log").flatten();
        let bytes: u64 = log.map(|file| file.metadata().expect("a file").len()).sum();
        // The vectors are 39 MiB.
        assert!(bytes <= 3 * (8 << 20), "{bytes} bytes");
        let filter: ragtriage_core::types::Filter =
            toml::from_str("even = true").expect("a filter");
        let mut row = vec![0.0; 512];
        row[19_999 % 512] = 1.0;
        let vector = Vector::Dense(row);
        let search =
            VectorSearch { vector: &vector, limit: 2, mode: SearchMode::Exact, filter: None };
        let found = store.search(search).await.expect("searched");
        assert_eq!((found[0].number, found[1].number), (19_999, 19_999 - 512));
        let found =
            store.search(VectorSearch { filter: Some(&filter), ..search }).await.expect("searched");
        assert_eq!((found.len(), found[0].score), (2, 0.5), "every even number is far from it");
    }

    #[tokio::test]
    async fn an_open_collection_is_copied_for_a_second_opening_and_the_copy_is_removed() {
        let cache = tempfile::tempdir().expect("a folder");
        let spec = CollectionSpec {
            hnsw: Some(Hnsw { from_points: 2_000, ..Hnsw::default() }),
            ..spec(2_000)
        };
        let first = filled(cache.path(), &spec).await;
        let even: ragtriage_core::types::Filter =
            toml::from_str("even = { not = [true] }").expect("a filter");
        let points = points(2_000);
        let search = VectorSearch {
            vector: &points[999].vector,
            limit: 5,
            mode: SearchMode::Approximate,
            filter: Some(&even),
        };
        let found = first.search(search).await.expect("searched");
        let second = EmbeddedStore::open_or_create(cache.path(), &spec).await.expect("opened");
        assert!(second.missing().await.expect("listed").is_empty());
        assert!(second.graph_in_use().await.expect("described"));
        assert_eq!(second.search(search).await.expect("searched"), found);
        let folder = cache.path().join(spec.name());
        let n_entries = || fs::read_dir(&folder).expect("a folder").count();
        assert_eq!(n_entries(), 4, "lock, state, engine and the copy");
        drop(second);
        assert_eq!(n_entries(), 3);
        drop(first);
        let again = EmbeddedStore::open_or_create(cache.path(), &spec).await.expect("opened");
        assert_eq!(again.search(search).await.expect("searched"), found);
    }

    #[tokio::test]
    async fn a_folder_that_cannot_be_made_is_named() {
        let cache = tempfile::tempdir().expect("a folder");
        let file = cache.path().join("file");
        fs::write(&file, "").expect("written");
        let Err(error) = EmbeddedStore::open_or_create(&file, &spec(1)).await else {
            panic!("a file is in the way")
        };
        let IndexError::File { path, .. } = error else { panic!("{error}") };
        assert_eq!(path, file.join(spec(1).name()));
    }
}
