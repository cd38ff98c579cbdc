//! The engine over one folder: blocking calls, its panics, and the disk below it.

use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::mem;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError};

use qdrant_edge::{
    CountRequest, EdgeShard, OperationResult, PointId, QueryRequest, UpdateOperation,
};
use ragtriage_core::text::numbers::bytes;
use walkdir::WalkDir;

use super::folder::{CollectionFolder, Found};
use super::wire;
use crate::collection::{CollectionSpec, absent};
use crate::filter::FieldKind;
use crate::{Error, Neighbour};

/// Ids in one answer of the engine.
const PAGE: usize = 10_000;

/// Bytes that have to be free beyond the points: three files of the log, and a file of 32 MiB that the engine maps. The kernel
/// ends a process that writes into a mapped file for which the disk has no block left.
const MARGIN: u64 = 64 << 20;

/// Bytes of a point apart from its vector: payload, id, positions.
const PER_POINT: u64 = 512;

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
    emptied: Option<&'static str>,
    folder: CollectionFolder,
    spec: CollectionSpec,
}

impl Engine {
    /// Opens the collection under `cache`, or a temporary copy if another process has it open; creates it if it is
    /// missing, unfinished or damaged.
    pub(crate) fn open(cache: &Path, spec: CollectionSpec) -> Result<Self, Error> {
        let name = spec.name();
        let folder = CollectionFolder::open(&cache.join(&name))?;
        let (shard, is_complete, emptied) = match folder.found(&name, &spec.layout())? {
            Found::Intact { is_complete } => (load(&folder, &spec)?, is_complete, None),
            Found::Untrusted(reason) => (create(&folder, &spec)?, false, Some(reason)),
            Found::Nothing => (create(&folder, &spec)?, false, None),
        };
        let indexed = shard.info().payload_schema.keys().map(ToString::to_string).collect();
        let is_whole = is_complete && shard.info().points_count == spec.expected_points;
        Ok(Self {
            shard: Some(shard),
            writing: Mutex::new(indexed),
            is_whole: AtomicBool::new(is_whole),
            crash: OnceLock::new(),
            emptied: emptied.filter(|_| !folder.is_copy()),
            folder,
            spec,
        })
    }

    fn shard(&self) -> &EdgeShard {
        self.shard.as_ref().expect("present until it is dropped")
    }

    pub(crate) fn emptied(&self) -> Option<&'static str> {
        self.emptied
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.engine()
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole.load(Ordering::Acquire)
    }

    pub(crate) fn count(&self) -> Result<usize, Error> {
        self.named("count points", self.shard().count(CountRequest { filter: None, exact: true }))
    }

    pub(crate) fn missing(&self) -> Result<Vec<u32>, Error> {
        let expected = self.spec.expected_points;
        let beyond = self.page(PointId::NumId(expected as u64), 1)?.0;
        if let Some(point) = beyond.first() {
            let place = self.path().display().to_string();
            return Err(Error::unknown_point(&self.spec.name(), &place, &point.to_string()));
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
    ) -> Result<(Vec<PointId>, Option<PointId>), Error> {
        let (records, next) =
            self.named("list points", self.shard().scroll(wire::page(offset, limit)))?;
        Ok((records.iter().map(|record| record.id).collect(), next))
    }

    /// Writes `n_points` points whose vectors have `vector_bytes` bytes in all, if there is room for them and for the
    /// missing ones after them.
    pub(crate) fn write(
        &self,
        (n_points, vector_bytes): (usize, usize),
        operation: UpdateOperation,
    ) -> Result<(), Error> {
        let _alone = self.alone();
        let n_stored = self.shard().info().points_count;
        let n_missing = self.spec.expected_points.saturating_sub(n_stored).max(n_points) as u64;
        let each = vector_bytes.div_ceil(n_points.max(1)) as u64 + PER_POINT;
        // Graph and quantized copies are built over a copy.
        let copies = if wire::has_to_build(&self.spec) { 2 } else { 1 };
        self.folder.unseal()?;
        check_space(&self.path(), n_missing * each * copies)?;
        self.changed("store points", self.shard().update(operation))
    }

    /// Makes all writes durable; once every point is there, builds graph and quantized copies, and seals the files.
    pub(crate) fn finish(&self) -> Result<(), Error> {
        let _alone = self.alone();
        self.shard().flush();
        trim_log(&self.path());
        let is_filled = self.shard().info().points_count >= self.spec.expected_points
            && self.missing()?.is_empty();
        if is_filled {
            if wire::has_to_build(&self.spec) {
                check_space(&self.path(), size(&self.path()))?;
                self.changed("build the index", self.shard().optimize())?;
                self.shard().flush();
            }
            self.folder.seal(&self.spec.layout(), true)?;
            self.is_whole.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Indexes the fields of a filter that are not yet indexed.
    pub(crate) fn index_fields(&self, fields: &[(String, FieldKind)]) -> Result<(), Error> {
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
        self.folder.unseal()?;
        check_space(
            &self.path(),
            missing.len() as u64 * PER_POINT * self.spec.expected_points as u64,
        )?;
        for (path, kind) in missing {
            let made = self.shard().update(wire::field_index(path, *kind));
            self.changed("index a metadata field", made)?;
            self.shard().flush();
            indexed.insert(wire::json_path(path).to_string());
        }
        if self.is_whole() {
            self.folder.seal(&self.spec.layout(), true)?;
        }
        Ok(())
    }

    pub(crate) fn search(&self, request: QueryRequest) -> Result<Vec<Neighbour>, Error> {
        let points = self.named("search", self.shard().query(request))?;
        Ok(points.iter().filter_map(wire::neighbour).collect())
    }

    pub(crate) fn graph_in_use(&self) -> bool {
        self.spec.graph().is_some() && self.shard().info().indexed_vectors_count > 0
    }

    pub(crate) fn segments(&self) -> usize {
        self.shard().info().segments_count
    }

    fn alone(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn named<T>(&self, action: &str, result: OperationResult<T>) -> Result<T, Error> {
        result.map_err(|error| failed(action, &self.path(), error.to_string()))
    }

    /// Passes the result of a change on; after a failure the files are not used again.
    fn changed<T>(&self, action: &str, result: OperationResult<T>) -> Result<(), Error> {
        result.map(drop).map_err(|error| self.crashed(action, error.to_string()))
    }

    /// Runs `work`. After a panic the files may be inconsistent: they lose their seal, and every further call fails.
    fn guarded<T>(
        &self,
        action: &str,
        work: impl FnOnce(&Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if let Some(first) = self.crash.get() {
            return Err(failed(action, &self.path(), first.clone()));
        }
        caught(|| work(self)).unwrap_or_else(|message| Err(self.crashed(action, message)))
    }

    fn crashed(&self, action: &str, message: String) -> Error {
        let first = self.crash.get_or_init(|| message).clone();
        // Where it cannot be removed, changed files differ from it.
        let _ = self.folder.unseal();
        failed(action, &self.path(), first)
    }
}

impl Drop for Engine {
    /// Closes the shard while the folder is locked. A filling that is not complete is sealed, to be continued. After a
    /// failure, and if it could not be flushed, the engine would panic when it is dropped: it is then not closed.
    fn drop(&mut self) {
        let Some(shard) = self.shard.take() else {
            return;
        };
        if self.crash.get().is_some() || caught(|| shard.flush()).is_err() {
            mem::forget(shard);
            let _ = self.folder.unseal();
        } else if caught(|| drop(shard)).is_err() {
            let _ = self.folder.unseal();
        } else if self.is_whole() {
            // Closing writes some files again, with the same content.
            self.folder.make_private();
        } else {
            // Without a seal it is filled from the start.
            let _ = self.folder.seal(&self.spec.layout(), false);
        }
    }
}

/// Runs `work` on the engine, off tokio's own threads.
pub(crate) async fn on<T: Send + 'static>(
    engine: &Arc<Engine>,
    action: &'static str,
    work: impl FnOnce(&Engine) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let held = Arc::clone(engine);
    blocking(action, engine.path(), move || held.guarded(action, work)).await
}

/// Runs `work` on a blocking thread.
pub(crate) async fn blocking<T: Send + 'static>(
    action: &'static str,
    path: PathBuf,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(ended) => Err(failed(action, &path, ended.to_string())),
    }
}

/// Empties the folder and creates a shard in it.
fn create(folder: &CollectionFolder, spec: &CollectionSpec) -> Result<EdgeShard, Error> {
    folder.clear()?;
    let path = folder.engine();
    check_space(&path, 0)?;
    let action = "create a collection";
    let made = caught(|| EdgeShard::new(&path, wire::config(spec)));
    made.and_then(|made| made.map_err(|error| error.to_string()))
        .map_err(|message| failed(action, &path, message))
}

/// Opens the shard in `folder`, whose files are intact. One that holds other vectors than asked for is an error:
/// it was put there by another program.
fn load(folder: &CollectionFolder, spec: &CollectionSpec) -> Result<EdgeShard, Error> {
    let path = folder.engine();
    let action = "open a collection";
    let shard = match caught(|| EdgeShard::load(&path, None)) {
        Ok(loaded) => loaded.map_err(|error| failed(action, &path, error.to_string()))?,
        Err(message) => {
            folder.unseal()?;
            return Err(failed(action, &path, message));
        }
    };
    let wanted = wire::config(spec).vectors;
    if shard.config().vectors == wanted {
        return Ok(shard);
    }
    let place = path.display().to_string();
    Err(Error::mismatch(&spec.name(), &place, "vectors of another kind", &spec.layout()))
}

/// Deletes the engine's log except its last full file, whose name holds the number at which the log continues. The engine
/// neither reads its log back nor shortens it, and it would grow to more than the size of the vectors.
fn trim_log(engine: &Path) {
    let files = fs::read_dir(engine.join("wal")).into_iter().flatten().flatten();
    let mut full: Vec<PathBuf> = files.map(|file| file.path()).collect();
    full.retain(|path| {
        path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("closed-"))
    });
    full.sort_by_cached_key(|path| (path.as_os_str().len(), path.clone()));
    full.pop();
    for path in full {
        let _ = fs::remove_file(path);
    }
}

/// Checks that the disk has `needed` bytes, and a margin.
fn check_space(folder: &Path, needed: u64) -> Result<(), Error> {
    let found = rustix::fs::statvfs(folder).map_err(|error| Error::file(folder)(error.into()))?;
    let (free, needed) = (found.f_bavail.saturating_mul(found.f_frsize), needed + MARGIN);
    if free >= needed {
        return Ok(());
    }
    Err(Error::permanent(format!(
        "a vector collection needs about {} in `{}`, where {} are free",
        bytes(needed),
        folder.display(),
        bytes(free)
    ))
    .with_hint(
        "free space there or set `cache.dir` to a folder on another disk, then run again: cached vectors are reused",
    ))
}

/// Returns the bytes that the files below `folder` take on the disk.
fn size(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let entries = WalkDir::new(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.metadata().ok()?.blocks() * 512)).sum()
}

/// The engine failed, or panicked.
fn failed(action: &str, path: &Path, message: String) -> Error {
    let path = path.display();
    Error::permanent(format!("the embedded Qdrant failed to {action} in `{path}`"))
        .with_hint("run again: the collection is rebuilt from the vector cache; if it fails again, check the disk and its free space")
        .because(message)
}

thread_local! {
    static IN_ENGINE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`, which calls the engine. If it panics, nothing is printed; returns the first line of the message.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !is_of_engine(panic) {
                others(panic);
            }
        }));
    });
    let outside = IN_ENGINE.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IN_ENGINE.set(outside);
    done.map_err(|payload| message(payload.as_ref()))
}

/// Returns true for a panic inside [`caught`], or in a thread that the engine started.
fn is_of_engine(panic: &PanicHookInfo<'_>) -> bool {
    IN_ENGINE.get() || panic.location().is_some_and(|at| at.file().contains("qdrant-edge"))
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    let line = text.unwrap_or("panic").lines().next().unwrap_or_default();
    line.chars().take(200).collect()
}
