//! The engine over one folder: blocking calls, its panics, and the disk below it.

use std::collections::BTreeSet;
use std::fs;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use qdrant_edge::{EdgeShard, OperationResult, QueryRequest};
use ragtriage_core::text::numbers::bytes;

use super::folder::{CollectionFolder, Found};
use super::wire;
use crate::collection::CollectionSpec;
use crate::{Error, Neighbour, Point, error};

/// Bytes that have to be free before a batch is written: three files of the log, and a file of 32 MiB that the engine maps. The
/// kernel ends a process that writes into a mapped file for which the disk has no block left.
const MARGIN: u64 = 64 << 20;

/// A collection that is open in this process. All methods block.
pub(crate) struct Engine {
    /// `None` only while it is dropped.
    shard: Option<EdgeShard>,
    /// Numbers of the points that are not stored. Locked while points are written or flushed: the engine's flush panics when it
    /// meets a write.
    missing: Mutex<BTreeSet<u32>>,
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
        let (name, n_points) = (spec.name(), spec.expected_points as u32);
        let folder = CollectionFolder::open(&cache.join(&name))?;
        let (shard, is_whole, emptied) = match folder.found(&name, &spec.layout())? {
            Found::Whole => (load(&folder)?, true, None),
            Found::Untrusted(reason) => (create(&folder, &spec)?, false, Some(reason)),
            Found::Nothing => (create(&folder, &spec)?, false, None),
        };
        Ok(Self {
            shard: Some(shard),
            missing: Mutex::new(if is_whole { [].into() } else { (0..n_points).collect() }),
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

    pub(crate) fn missing(&self) -> Vec<u32> {
        self.alone().iter().copied().collect()
    }

    /// Writes those of `points` that are missing, if there is room for them.
    pub(crate) fn write(&self, points: &[Point]) -> Result<(), Error> {
        let mut missing = self.alone();
        check_space(&self.path(), MARGIN)?;
        let stored = self.shard().update(wire::insertion(&self.spec, points));
        self.changed("store points", stored)?;
        for point in points {
            missing.remove(&point.number);
        }
        Ok(())
    }

    /// Once every point is there, seals the files.
    pub(crate) fn finish(&self) -> Result<(), Error> {
        let missing = self.alone();
        self.shard().flush();
        trim_log(&self.path());
        if !missing.is_empty() || self.is_whole() {
            return Ok(());
        }
        self.folder.seal(&self.spec.layout())?;
        self.is_whole.store(true, Ordering::Release);
        Ok(())
    }

    pub(crate) fn search(&self, request: QueryRequest) -> Result<Vec<Neighbour>, Error> {
        let points = self.named("search", self.shard().query(request))?;
        Ok(points.iter().filter_map(wire::neighbour).collect())
    }

    fn alone(&self) -> MutexGuard<'_, BTreeSet<u32>> {
        self.missing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn named<T>(&self, action: &str, result: OperationResult<T>) -> Result<T, Error> {
        result.map_err(|error| failed(action, &self.path(), error.to_string()))
    }

    /// Passes the result of a change on; after a failure the files are not used again.
    fn changed<T>(&self, action: &str, result: OperationResult<T>) -> Result<(), Error> {
        result.map(drop).map_err(|error| self.crashed(action, error.to_string()))
    }

    /// Runs `work`. After a panic every further call fails.
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
        // The engine is not closed, and keeps its lock until this process ends: the next opening needs other files.
        let _ = self.folder.unseal();
        failed(action, &self.path(), first)
    }
}

impl Drop for Engine {
    /// Closes the shard while the folder is locked. After a failure, and if it could not be flushed, the engine would panic
    /// when it is dropped: it is then not closed.
    fn drop(&mut self) {
        let Some(shard) = self.shard.take() else {
            return;
        };
        if self.crash.get().is_some() || caught(|| shard.flush()).is_err() {
            mem::forget(shard);
        } else {
            let _ = caught(|| drop(shard));
            // Closing writes some files again, with the same content.
            self.folder.make_private();
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
    check_space(&path, MARGIN)?;
    let action = "create a collection";
    let made = caught(|| EdgeShard::new(&path, wire::config(spec)));
    made.and_then(|made| made.map_err(|error| error.to_string()))
        .map_err(|message| failed(action, &path, message))
}

/// Opens the shard in `folder`, whose files are intact.
fn load(folder: &CollectionFolder) -> Result<EdgeShard, Error> {
    let path = folder.engine();
    let action = "open a collection";
    match caught(|| EdgeShard::load(&path, None)) {
        Ok(loaded) => loaded.map_err(|error| failed(action, &path, error.to_string())),
        Err(message) => {
            folder.unseal()?;
            Err(failed(action, &path, message))
        }
    }
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

/// Checks that the disk has `needed` bytes.
fn check_space(folder: &Path, needed: u64) -> Result<(), Error> {
    let found = rustix::fs::statvfs(folder).map_err(|error| error::file(folder)(error.into()))?;
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    if free >= needed {
        return Ok(());
    }
    Err(error::permanent(format!(
        "a vector collection needs about {} in `{}`, where {} are free",
        bytes(needed),
        folder.display(),
        bytes(free)
    ))
    .with_hint(
        "free space there or set `cache.dir` to a folder on another disk, then run again: cached vectors are reused",
    ))
}

/// The engine failed, or panicked.
fn failed(action: &str, path: &Path, message: String) -> Error {
    let path = path.display();
    error::permanent(format!("the embedded Qdrant failed to {action} in `{path}`"))
        .with_hint("run again: the collection is rebuilt from the vector cache; if it fails again, check the disk and its free space")
        .because(message)
}

/// Runs `work`, which calls the engine; if it panics, returns the first line of the message.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        let line = text.unwrap_or("panic").lines().next().unwrap_or_default();
        line.chars().take(200).collect()
    })
}
