//! The engine over one folder: blocking calls, its state on disk, and its panics.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use qdrant_edge::{
    CountRequest, EdgeShard, OperationResult, PointId, QueryRequest, UpdateOperation,
};

use super::panics::{caught, closed};
use super::space::{Sizes, Space};
use super::wire;
use crate::collection::{CollectionSpec, absent};
use crate::error::{Foreign, IndexError};
use crate::filter::FieldKind;
use crate::folder::{CollectionFolder, Found};
use crate::seal::make_private;
use crate::{Neighbour, Point};

/// Ids in one answer of the engine.
const PAGE: usize = 10_000;

/// A collection that is open in this process. All methods block.
pub(crate) struct Engine {
    /// `None` only while it is dropped.
    shard: Option<EdgeShard>,
    /// Locked while points are written or flushed: the engine's flush panics when it meets a write. It holds the
    /// indexed fields.
    writing: Mutex<BTreeSet<String>>,
    /// True if nothing is left to write.
    is_whole: AtomicBool,
    /// The first failure after which the files may be inconsistent.
    crash: OnceLock<String>,
    /// Reason why the collection was emptied when it was opened.
    emptied: Option<String>,
    space: Space,
    folder: CollectionFolder,
    spec: CollectionSpec,
    layout: String,
}

impl Engine {
    /// Opens the collection under `cache`, or a temporary copy if another process has it open; creates it if it is
    /// missing, unfinished or damaged.
    pub(crate) fn open(cache: &Path, spec: CollectionSpec) -> Result<Self, IndexError> {
        let (name, layout) = (spec.name(), spec.layout());
        let folder = CollectionFolder::open(&cache.join(&name))?;
        let space = Space::new(folder.path().to_owned());
        let (shard, is_complete, emptied) = match folder.found(&name, &layout)? {
            Found::Sealed { is_complete } => {
                space.check_opening(&folder.engine())?;
                (load(&folder, &spec)?, is_complete, None)
            }
            Found::Untrusted { reason } => (create(&folder, &space, &spec)?, false, Some(reason)),
            Found::Nothing => (create(&folder, &space, &spec)?, false, None),
        };
        let indexed = shard.info().payload_schema.keys().map(ToString::to_string).collect();
        let is_whole = is_complete && shard.info().points_count == spec.expected_points;
        Ok(Self {
            shard: Some(shard),
            writing: Mutex::new(indexed),
            is_whole: AtomicBool::new(is_whole),
            crash: OnceLock::new(),
            emptied: emptied.filter(|_| !folder.is_temporary()),
            space,
            folder,
            spec,
            layout,
        })
    }

    fn shard(&self) -> &EdgeShard {
        self.shard.as_ref().expect("present until it is dropped")
    }

    /// Returns the reason why the collection was emptied when it was opened.
    pub(crate) fn emptied(&self) -> Option<&str> {
        self.emptied.as_deref()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.engine()
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole.load(Ordering::Acquire)
    }

    pub(crate) fn count(&self) -> Result<usize, IndexError> {
        self.named("count points", self.shard().count(CountRequest { filter: None, exact: true }))
    }

    pub(crate) fn missing(&self) -> Result<Vec<u32>, IndexError> {
        let expected = self.spec.expected_points;
        let beyond = self.page(PointId::NumId(expected as u64), 1)?.0;
        if let Some(point) = beyond.first() {
            let (collection, place) = (self.spec.name(), self.path().display().to_string());
            return Err(IndexError::Foreign { collection, place, point: point.to_string() });
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
            self.named("list points", self.shard().scroll(wire::page(offset, limit)))?;
        Ok((records.iter().map(|record| record.id).collect(), next))
    }

    /// Writes points that have these sizes, if there is room for them.
    pub(crate) fn write(
        &self,
        points: Sizes,
        operation: UpdateOperation,
    ) -> Result<(), IndexError> {
        let _alone = self.alone();
        self.folder.unseal()?;
        let n_stored = self.shard().info().points_count;
        self.space.prepare(&self.spec, &self.path(), points, n_stored)?;
        self.changed("store points", self.shard().update(operation))?;
        self.space.settle();
        Ok(())
    }

    /// Makes all writes durable; once every point is there, builds graph, copies and postings, and seals the files.
    pub(crate) fn finish(&self) -> Result<(), IndexError> {
        let _alone = self.alone();
        self.shard().flush();
        trim_log(&self.path());
        let is_filled = self.shard().info().points_count >= self.spec.expected_points
            && self.missing()?.is_empty();
        if is_filled {
            if wire::has_to_build(&self.spec) {
                self.changed("build the index", self.shard().optimize())?;
                self.shard().flush();
            }
            self.folder.seal(&self.layout, true)?;
            self.is_whole.store(true, Ordering::Release);
        }
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
        let n_points = self.spec.expected_points;
        self.space.check_indexing(&self.path(), n_points, missing.len())?;
        self.folder.unseal()?;
        for (path, kind) in missing {
            let made = self.shard().update(wire::field_index(path, *kind));
            self.changed("index a metadata field", made)?;
            self.shard().flush();
            indexed.insert(wire::json_path(path).to_string());
        }
        if self.is_whole() {
            self.folder.seal(&self.layout, true)?;
        }
        Ok(())
    }

    pub(crate) fn search(&self, request: QueryRequest) -> Result<Vec<Neighbour>, IndexError> {
        let points = self.named("search", self.shard().query(request))?;
        Ok(points.iter().filter_map(wire::neighbour).collect())
    }

    pub(crate) fn graph_in_use(&self) -> bool {
        self.spec.graph().is_some() && self.shard().info().indexed_vectors_count > 0
    }

    pub(crate) fn segments(&self) -> usize {
        self.shard().info().segments_count
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

    /// Passes the result of a change on; after a failure the files are not used again.
    fn changed<T>(
        &self,
        action: &'static str,
        result: OperationResult<T>,
    ) -> Result<T, IndexError> {
        result.map_err(|error| self.crashed(action, error.to_string()))
    }

    /// Runs `work`. After a panic the files may be inconsistent: they lose their seal, and every further call fails.
    fn guarded<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&Self) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        if let Some(first) = self.crash.get() {
            return Err(crash(action, self.path(), first.clone()));
        }
        caught(|| work(self)).unwrap_or_else(|message| Err(self.crashed(action, message)))
    }

    fn crashed(&self, action: &'static str, message: String) -> IndexError {
        let first = self.crash.get_or_init(|| message).clone();
        // Where it cannot be removed, changed files differ from it.
        let _ = self.folder.unseal();
        crash(action, self.path(), first)
    }
}

impl Drop for Engine {
    /// Closes the shard while the folder is locked. A filling that is not complete is sealed, to be continued. The
    /// engine would panic again after a failure: it is then not closed.
    fn drop(&mut self) {
        let Some(shard) = self.shard.take() else {
            return;
        };
        let is_closed = if self.crash.get().is_some() {
            mem::forget(shard);
            false
        } else {
            closed(shard, EdgeShard::flush)
        };
        if !is_closed {
            let _ = self.folder.unseal();
            return;
        }
        self.space.release();
        if self.is_whole() {
            // Closing writes some files again, with the same content.
            make_private(&self.path());
        } else {
            // Without a seal it is filled from the start.
            let _ = self.folder.seal(&self.layout, false);
        }
    }
}

/// Runs `work` on the engine, off tokio's own threads.
pub(crate) async fn on<T: Send + 'static>(
    engine: &Arc<Engine>,
    action: &'static str,
    work: impl FnOnce(&Engine) -> Result<T, IndexError> + Send + 'static,
) -> Result<T, IndexError> {
    let held = Arc::clone(engine);
    blocking(action, engine.path(), move || held.guarded(action, work)).await
}

/// Runs `work` on a blocking thread.
pub(crate) async fn blocking<T: Send + 'static>(
    action: &'static str,
    path: PathBuf,
    work: impl FnOnce() -> Result<T, IndexError> + Send + 'static,
) -> Result<T, IndexError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(ended) => Err(engine_error(action, path, ended.into())),
    }
}

/// Empties the folder and creates a shard in it.
fn create(
    folder: &CollectionFolder,
    space: &Space,
    spec: &CollectionSpec,
) -> Result<EdgeShard, IndexError> {
    folder.clear()?;
    space.check_creation()?;
    let path = folder.engine();
    let action = "create a collection";
    match caught(|| EdgeShard::new(&path, wire::config(spec))) {
        Ok(Ok(shard)) => Ok(shard),
        Ok(Err(error)) => Err(engine_error(action, path, error.into())),
        Err(message) => Err(crash(action, path, message)),
    }
}

/// Opens the shard in `folder`, whose files equal their seal. One that holds other vectors than asked for is an error:
/// it was put there by another program.
fn load(folder: &CollectionFolder, spec: &CollectionSpec) -> Result<EdgeShard, IndexError> {
    let path = folder.engine();
    let action = "open a collection";
    let shard = match caught(|| EdgeShard::load(&path, None)) {
        Ok(Ok(shard)) => shard,
        Ok(Err(error)) => return Err(engine_error(action, path, error.into())),
        Err(message) => {
            folder.unseal()?;
            return Err(crash(action, path, message));
        }
    };
    let wanted = wire::config(spec);
    let is_ours = {
        let found = shard.config();
        (&found.vectors, &found.sparse_vectors) == (&wanted.vectors, &wanted.sparse_vectors)
    };
    if is_ours {
        return Ok(shard);
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
    let full =
        |file: &DirEntry| file.file_name().to_str()?.strip_prefix("closed-")?.parse::<u64>().ok();
    let mut files: Vec<(u64, PathBuf)> =
        files.flatten().filter_map(|file| Some((full(&file)?, file.path()))).collect();
    files.sort_unstable();
    files.pop();
    for (_, path) in files {
        let _ = fs::remove_file(path);
    }
}

fn engine_error(action: &'static str, path: PathBuf, source: Foreign) -> IndexError {
    IndexError::Engine { action, path, source }
}

fn crash(action: &'static str, path: PathBuf, message: String) -> IndexError {
    IndexError::Crashed { action, path, source: message.into() }
}
