//! The engine over one folder: blocking calls, its state on disk, and its panics.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use qdrant_edge::{
    CountRequest, EdgeShard, OperationResult, PointId, QueryRequest, UpdateOperation,
};

use super::wire;
use crate::collection::{CollectionSpec, absent};
use crate::error::{Foreign, IndexError};
use crate::filter::FieldKind;
use crate::folder::{CollectionFolder, FolderState};
use crate::{Neighbour, Point};

/// Ids in one answer of the engine.
const PAGE: usize = 10_000;

/// A collection that is open in this process. All methods block.
pub(crate) struct Engine {
    /// Dropped (and flushed) first, while the folder is still locked.
    shard: EdgeShard,
    /// Locked while points are written or flushed: the engine's flush panics when it meets a write. It holds the
    /// indexed fields.
    writing: Mutex<BTreeSet<String>>,
    /// True if nothing is left to write.
    is_whole: AtomicBool,
    folder: CollectionFolder,
    spec: CollectionSpec,
    layout: String,
}

impl Engine {
    /// Opens the collection under `cache`, or a temporary copy if another process has it open; creates it if it is
    /// missing or damaged.
    pub(crate) fn open(cache: &Path, spec: CollectionSpec) -> Result<Self, IndexError> {
        let (name, layout) = (spec.name(), spec.layout());
        let folder = CollectionFolder::open(&cache.join(&name))?;
        let path = folder.engine();
        let found = match folder.state(&name, &layout)? {
            Some(state @ (FolderState::Filling | FolderState::Whole | FolderState::Indexing)) => {
                load(&path, &spec)?.map(|shard| (state, shard))
            }
            Some(FolderState::Building) | None => None,
        };
        let (state, shard) = if let Some(found) = found {
            found
        } else {
            folder.clear()?;
            let made = EdgeShard::new(&path, wire::config(&spec));
            (
                FolderState::Filling,
                made.map_err(|error| engine_error("create a collection", path, error.into()))?,
            )
        };
        let indexed = shard
            .info()
            .payload_schema
            .keys()
            .map(ToString::to_string)
            .collect();
        let is_whole = AtomicBool::new(
            state != FolderState::Filling && shard.info().points_count == spec.expected_points,
        );
        Ok(Self {
            shard,
            writing: Mutex::new(indexed),
            is_whole,
            folder,
            spec,
            layout,
        })
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.engine()
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole.load(Ordering::Acquire)
    }

    pub(crate) fn count(&self) -> Result<usize, IndexError> {
        self.named(
            "count points",
            self.shard.count(CountRequest {
                filter: None,
                exact: true,
            }),
        )
    }

    pub(crate) fn missing(&self) -> Result<Vec<u32>, IndexError> {
        let expected = self.spec.expected_points;
        let beyond = self.page(PointId::NumId(expected as u64), 1)?.0;
        if let Some(point) = beyond.first() {
            let (collection, place) = (self.spec.name(), self.path().display().to_string());
            return Err(IndexError::Foreign {
                collection,
                place,
                point: point.to_string(),
            });
        }
        if self.count()? == expected {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        let mut next = Some(PointId::NumId(0));
        while let Some(offset) = next {
            let (ids, after) = self.page(offset, PAGE)?;
            found.extend(ids.into_iter().filter_map(wire::number));
            next = after;
        }
        Ok(absent(expected, &found))
    }

    fn page(
        &self,
        offset: PointId,
        limit: usize,
    ) -> Result<(Vec<PointId>, Option<PointId>), IndexError> {
        let (records, next) =
            self.named("list points", self.shard.scroll(wire::page(offset, limit)))?;
        Ok((records.iter().map(|record| record.id).collect(), next))
    }

    /// Records on disk that points are being written.
    pub(crate) fn begin(&self) -> Result<(), IndexError> {
        let _alone = self.alone();
        self.folder.set_state(FolderState::Filling, &self.layout)
    }

    pub(crate) fn write(&self, operation: UpdateOperation) -> Result<(), IndexError> {
        let _alone = self.alone();
        self.named("store points", self.shard.update(operation))
    }

    /// Makes all writes durable; once every point is there, builds graph, copies and postings and records that on disk.
    pub(crate) fn finish(&self) -> Result<(), IndexError> {
        let _alone = self.alone();
        self.shard.flush();
        trim_log(&self.path());
        if self.shard.info().points_count < self.spec.expected_points || !self.missing()?.is_empty()
        {
            return Ok(());
        }
        if wire::has_to_build(&self.spec) {
            self.folder.set_state(FolderState::Building, &self.layout)?;
            self.named("build the index", self.shard.optimize())?;
            self.shard.flush();
        }
        self.folder.set_state(FolderState::Whole, &self.layout)?;
        self.is_whole.store(true, Ordering::Release);
        Ok(())
    }

    /// Indexes the fields of a filter that are not yet indexed.
    pub(crate) fn index_fields(&self, fields: &[(String, FieldKind)]) -> Result<(), IndexError> {
        if fields.is_empty() {
            return Ok(());
        }
        let mut indexed = self.alone();
        let missing: Vec<&(String, FieldKind)> = fields
            .iter()
            .filter(|(path, _)| !indexed.contains(&wire::json_path(path).to_string()))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        // A temporary copy of files that change meanwhile would be inconsistent.
        if self.is_whole() {
            self.folder.set_state(FolderState::Indexing, &self.layout)?;
        }
        for (path, kind) in missing {
            self.named(
                "index a metadata field",
                self.shard.update(wire::field_index(path, *kind)),
            )?;
            self.shard.flush();
            indexed.insert(wire::json_path(path).to_string());
        }
        if self.is_whole() {
            self.folder.set_state(FolderState::Whole, &self.layout)?;
        }
        Ok(())
    }

    pub(crate) fn search(&self, request: QueryRequest) -> Result<Vec<Neighbour>, IndexError> {
        let points = self.named("search", self.shard.query(request))?;
        Ok(points.iter().filter_map(wire::neighbour).collect())
    }

    pub(crate) fn graph_in_use(&self) -> bool {
        self.spec.graph().is_some() && self.shard.info().indexed_vectors_count > 0
    }

    pub(crate) fn segments(&self) -> usize {
        self.shard.info().segments_count
    }

    pub(crate) fn insertion(&self, points: &[Point]) -> UpdateOperation {
        wire::insertion(&self.spec, points)
    }

    fn alone(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn named<T>(&self, action: &'static str, result: OperationResult<T>) -> Result<T, IndexError> {
        result.map_err(|error| engine_error(action, self.path(), error.into()))
    }
}

/// Runs `work` on the engine, off tokio's own threads. The engine panics if the disk rejects a write, and would panic
/// again when dropped: it is then never dropped.
pub(crate) async fn on<T: Send + 'static>(
    engine: &Arc<Engine>,
    action: &'static str,
    work: impl FnOnce(&Engine) -> Result<T, IndexError> + Send + 'static,
) -> Result<T, IndexError> {
    let held = Arc::clone(engine);
    let done = blocking(action, engine.path(), move || work(&held)).await;
    if engine.writing.is_poisoned() {
        mem::forget(Arc::clone(engine));
    }
    done
}

/// Runs `work` on a blocking thread; a panic there becomes an error.
pub(crate) async fn blocking<T: Send + 'static>(
    action: &'static str,
    path: PathBuf,
    work: impl FnOnce() -> Result<T, IndexError> + Send + 'static,
) -> Result<T, IndexError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(panic) => Err(engine_error(action, path, panic.into())),
    }
}

/// Opens the shard at `path` if possible. Damaged files make it fail or panic; either way it is not used. A shard that
/// opens but holds other vectors than asked for is an error: it was put there by another program.
fn load(path: &Path, spec: &CollectionSpec) -> Result<Option<EdgeShard>, IndexError> {
    let opened = catch_unwind(AssertUnwindSafe(|| EdgeShard::load(path, None)));
    let Some(shard) = opened.ok().and_then(Result::ok) else {
        return Ok(None);
    };
    let wanted = wire::config(spec);
    let is_ours = {
        let found = shard.config();
        (&found.vectors, &found.sparse_vectors) == (&wanted.vectors, &wanted.sparse_vectors)
    };
    if is_ours {
        return Ok(Some(shard));
    }
    Err(IndexError::Mismatch {
        collection: spec.name(),
        place: path.display().to_string(),
        found: "vectors of another kind".to_owned(),
        wanted: spec.layout(),
    })
}

/// Deletes the engine's log except its last full file. The engine never reads its log back nor shortens it, and it
/// would grow to more than the size of the vectors. The last full file stays: its name holds the number at which the
/// log continues, and an operation with a smaller number than earlier ones would be ignored. Files that cannot be
/// deleted stay too, and only take space.
fn trim_log(engine: &Path) {
    let Ok(files) = fs::read_dir(engine.join("wal")) else {
        return;
    };
    let full = |file: &DirEntry| {
        file.file_name()
            .to_str()?
            .strip_prefix("closed-")?
            .parse::<u64>()
            .ok()
    };
    let mut files: Vec<(u64, PathBuf)> = files
        .flatten()
        .filter_map(|file| Some((full(&file)?, file.path())))
        .collect();
    files.sort_unstable();
    files.pop();
    for (_, path) in files {
        let _ = fs::remove_file(path);
    }
}

fn engine_error(action: &'static str, path: PathBuf, source: Foreign) -> IndexError {
    IndexError::Engine {
        action,
        path,
        source,
    }
}
