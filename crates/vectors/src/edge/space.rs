//! Disk space for a collection, computed and reserved before it is filled.
//!
//! The engine maps sparse files and writes into their holes. Where the disk has no block left for one, the kernel sends
//! SIGBUS, which ends the process without a message. Therefore an upper bound of what is left to write is compared with
//! the free space, and an unnamed file takes that space from other programs. It gives up, before each batch of points,
//! what that batch can take and [`CUSHION`]: only a program that writes more than the cushion within the milliseconds of
//! one batch can still fill the disk under the engine.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{FallocateFlags, fallocate, statvfs};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};
use walkdir::WalkDir;

use super::wire::{LOG_FILE, has_to_build};
use crate::Point;
use crate::collection::{CollectionSpec, payload};
use crate::error::IndexError;
use crate::folder::at;
use crate::vector::VectorSpec;

/// Bytes of a file of vectors or payloads: sparse, and mapped as a whole.
const CHUNK: u64 = 32 << 20;

/// Bytes of a point apart from vector and payload: its id and version, positions, flags, and the rest of a block in each
/// of two stores.
const PER_POINT: u64 = 384;

/// Bytes of a point in a field index, apart from its value, and of an operation in the log.
const PER_ENTRY: u64 = 128;

/// Bytes of about forty files that are never empty, and of the folders.
const BASE: u64 = 1 << 20;

/// Bytes that must stay free while a batch is written: for other programs, and for pages that are begun.
const CUSHION: u64 = 16 << 20;

/// Sizes of some points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sizes {
    points: u64,
    vectors: u64,
    payloads: u64,
}

impl Sizes {
    pub(super) fn of(points: &[Point]) -> Self {
        Self {
            points: points.len() as u64,
            vectors: points.iter().map(|point| point.vector.bytes() as u64).sum(),
            payloads: points.iter().map(payload_bytes).sum(),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            points: self.points + other.points,
            vectors: self.vectors + other.vectors,
            payloads: self.payloads + other.payloads,
        }
    }

    /// Returns the sizes of `points` points that are as large as these on average; exact for dense vectors.
    fn scaled(self, points: u64) -> Self {
        let scaled = |bytes: u64| {
            let bytes = u128::from(bytes) * u128::from(points);
            u64::try_from(bytes.div_ceil(u128::from(self.points.max(1)))).unwrap_or(u64::MAX)
        };
        Self { points, vectors: scaled(self.vectors), payloads: scaled(self.payloads) }
    }

    fn stored(self) -> u64 {
        self.vectors + self.payloads + self.points * PER_POINT
    }

    /// Bytes in the log, which writes a float in five bytes.
    fn logged(self) -> u64 {
        (self.vectors + self.payloads) / 4 * 5 + self.points * PER_ENTRY
    }

    /// Bytes of what is built from all points: a second copy of them, graph, quantized copies.
    fn built(self, spec: &CollectionSpec) -> u64 {
        if !has_to_build(spec) {
            return 0;
        }
        let links = spec.graph().map_or(0, |hnsw| 12 * hnsw.m as u64 + 64);
        // Binary copies take less than int8.
        let copies = spec.quantized().map_or(0, |_| self.vectors / 2 + 16 * self.points);
        self.stored() + self.points * links + copies + BASE
    }

    /// Bytes of the holes behind the vectors. They take space only where reading a hole does.
    fn holes(self, spec: &CollectionSpec) -> u64 {
        let files = |bytes: u64| (bytes + bytes / 64 + 1).next_multiple_of(CHUNK) - bytes;
        match spec.vector {
            VectorSpec::Dense { .. } => files(self.vectors),
            VectorSpec::Multi { .. } => files(self.vectors) + files(16 * self.points),
        }
    }
}

fn payload_bytes(point: &Point) -> u64 {
    let json = serde_json::to_vec(&payload(point)).expect("JSON values serialise");
    json.len() as u64
}

/// Upper bounds of what filling a collection can still write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Need {
    /// Until the collection is complete.
    total: u64,
    /// For the next batch of points.
    batch: u64,
}

impl Need {
    /// `seen` are the points of this filling, `batch` the next ones, which are among them. Where points differ in size,
    /// later ones count as the mean of those seen.
    fn new(spec: &CollectionSpec, seen: Sizes, batch: Sizes, disk: Disk) -> Self {
        let expected = spec.expected_points as u64;
        let all = seen.scaled(expected);
        let rest = seen.scaled(expected.saturating_sub(disk.n_stored));
        // Two files of the log stay, and what a batch adds.
        let most_logged = 2 * LOG_FILE as u64 + batch.logged();
        let logged = rest.logged().min(most_logged.saturating_sub(disk.logged));
        let now = batch.stored() + batch.logged();
        let holes = if disk.has_costly_holes { all.holes(spec) } else { 0 };
        let total = (rest.stored() + logged).max(now) + all.built(spec) + holes + BASE;
        let is_last = disk.n_stored + batch.points >= expected;
        let batch = if is_last { total } else { now };
        Self { total, batch }
    }
}

/// State of a collection on the disk.
#[derive(Clone, Copy, Debug)]
struct Disk {
    /// Number of points in the collection.
    n_stored: u64,
    /// Bytes of its log.
    logged: u64,
    /// True if reading a hole of a mapped file takes space.
    has_costly_holes: bool,
}

/// The disk under a collection.
#[derive(Debug)]
pub(super) struct Space {
    folder: PathBuf,
    /// True if reading a hole of a mapped file takes space.
    has_costly_holes: bool,
    filling: Mutex<Filling>,
}

#[derive(Debug, Default)]
struct Filling {
    /// Points of this filling.
    seen: Sizes,
    /// Takes the space of what follows, if the file system can reserve any.
    reserved: Option<File>,
    /// Bytes of what follows the present batch.
    rest: u64,
}

impl Space {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { has_costly_holes: is_in_memory(&folder), filling: Mutex::default(), folder }
    }

    /// Checks for space to create an empty collection. Its files are mapped when they are written, so the cushion of its first
    /// batch must be free already.
    pub(super) fn check_creation(&self) -> Result<(), IndexError> {
        self.check_limit(CHUNK)?;
        self.check(BASE + CUSHION, 0)
    }

    /// Checks for space to open the collection whose files are below `engine`.
    pub(super) fn check_opening(&self, engine: &Path) -> Result<(), IndexError> {
        if !self.has_costly_holes {
            return Ok(());
        }
        self.check(holes(engine), 0)
    }

    /// Checks for space to index `n_fields` metadata fields of the collection below `engine`.
    pub(super) fn check_indexing(
        &self,
        engine: &Path,
        n_points: usize,
        n_fields: usize,
    ) -> Result<(), IndexError> {
        self.check_limit(CHUNK)?;
        let segments = fs::read_dir(engine.join("segments")).into_iter().flatten();
        let payloads: u64 =
            segments.flatten().map(|segment| size(&segment.path().join("payload_storage"))).sum();
        // A value is stored up to three times; payloads are compressed.
        let field = 4 * payloads + 4 * PER_ENTRY * n_points as u64 + BASE;
        self.check(field * n_fields as u64, 0)
    }

    /// Reserves what filling the collection can still take, and frees what the next points, which have these sizes, can.
    ///
    /// # Errors
    /// [`IndexError::Full`], [`IndexError::FileLimit`].
    pub(super) fn prepare(
        &self,
        spec: &CollectionSpec,
        engine: &Path,
        next: Sizes,
        n_stored: usize,
    ) -> Result<(), IndexError> {
        let mut filling = self.filling();
        filling.seen = filling.seen.plus(next);
        let all = filling.seen.scaled(spec.expected_points as u64);
        self.check_limit(CHUNK.max(all.built(spec)))?;
        let disk = Disk {
            n_stored: n_stored as u64,
            logged: size(&engine.join("wal")),
            has_costly_holes: self.has_costly_holes,
        };
        let need = Need::new(spec, filling.seen, next, disk);
        let reserved = filling.reserved.as_ref();
        let held = reserved.map_or(0, |file| file.metadata().map_or(0, |found| allocated(&found)));
        self.check(need.total + CUSHION, held)?;
        filling.rest = need.total - need.batch;
        self.reserve(&mut filling, 0).map_err(|source| match source {
            Errno::NOSPC | Errno::DQUOT => self.full(need.total + CUSHION, held),
            source => at(&self.folder)(source.into()),
        })
    }

    /// Reserves, after a batch, what follows it. If it cannot, [`Space::prepare`] says so when that is written.
    pub(super) fn settle(&self) {
        let mut filling = self.filling();
        if filling.rest == 0 {
            filling.reserved = None;
            return;
        }
        let _ = self.reserve(&mut filling, CUSHION);
    }

    /// Gives up what is reserved.
    pub(super) fn release(&self) {
        self.filling().reserved = None;
    }

    fn reserve(&self, filling: &mut Filling, cushion: u64) -> Result<(), Errno> {
        let bytes = (filling.rest + cushion).min(file_limit().unwrap_or(u64::MAX));
        if bytes == 0 {
            filling.reserved = None;
            return Ok(());
        }
        let file = match filling.reserved.take() {
            Some(file) => file,
            None => unnamed(&self.folder)
                .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?,
        };
        let file = filling.reserved.insert(file);
        if file.metadata().map_or(0, |found| found.len()) > bytes {
            rustix::fs::ftruncate(&*file, bytes)?;
        }
        match fallocate(&*file, FallocateFlags::empty(), 0, bytes) {
            // The file system cannot reserve: the space is only compared.
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => Ok(()),
            done => done,
        }
    }

    fn filling(&self) -> MutexGuard<'_, Filling> {
        self.filling.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks that `needed` bytes are free or `held`.
    fn check(&self, needed: u64, held: u64) -> Result<(), IndexError> {
        if self.free()? + held < needed {
            return Err(self.full(needed, held));
        }
        Ok(())
    }

    fn full(&self, needed: u64, held: u64) -> IndexError {
        IndexError::Full { path: self.place(), needed, free: self.free().unwrap_or(0) + held }
    }

    /// Returns the folder of all collections.
    fn place(&self) -> PathBuf {
        self.folder.parent().unwrap_or(&self.folder).to_owned()
    }

    /// Returns the free space in bytes.
    fn free(&self) -> Result<u64, IndexError> {
        let found = statvfs(&self.folder).map_err(|error| at(&self.folder)(error.into()))?;
        Ok(found.f_bavail.saturating_mul(found.f_frsize))
    }

    /// Checks that this process may write a file of that size: beyond its limit it would get SIGXFSZ.
    fn check_limit(&self, needed: u64) -> Result<(), IndexError> {
        match file_limit() {
            Some(limit) if limit < needed => {
                Err(IndexError::FileLimit { path: self.place(), needed, limit })
            }
            _ => Ok(()),
        }
    }
}

/// Returns the largest size of a file that this process may write, if limited.
fn file_limit() -> Option<u64> {
    getrlimit(Resource::Fsize).current
}

/// Creates a file that disappears with its handle, however the process ends.
fn unnamed(folder: &Path) -> io::Result<File> {
    let path = folder.join("reserved");
    let file = File::create(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

/// Returns true for `tmpfs`, where a hole takes space when it is read through a mapping.
#[cfg(target_os = "linux")]
fn is_in_memory(folder: &Path) -> bool {
    const TMPFS: rustix::fs::FsWord = 0x0102_1994;
    rustix::fs::statfs(folder).is_ok_and(|found| found.f_type == TMPFS)
}

#[cfg(not(target_os = "linux"))]
fn is_in_memory(_: &Path) -> bool {
    false
}

/// Returns the bytes of the holes in files of vectors, which the engine reads as a whole when it opens them.
fn holes(engine: &Path) -> u64 {
    files(engine)
        .filter(|(path, _)| path.extension().is_some_and(|extension| extension == "mmap"))
        .map(|(_, found)| found.len().saturating_sub(allocated(&found)))
        .sum()
}

fn files(engine: &Path) -> impl Iterator<Item = (PathBuf, fs::Metadata)> {
    let entries = WalkDir::new(engine).into_iter().flatten();
    entries.filter_map(|entry| Some((entry.path().to_owned(), entry.metadata().ok()?)))
}

fn allocated(file: &fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    file.blocks() * 512
}

/// Returns the bytes that the files below `folder` take on the disk.
fn size(folder: &Path) -> u64 {
    files(folder).map(|(_, found)| allocated(&found)).sum()
}

#[cfg(test)]
mod tests;
