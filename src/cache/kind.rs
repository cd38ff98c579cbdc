//! The kinds of things that a cache folder holds, and where each of them is found.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::environment::scratch_parent;
use crate::output;
use ragtriage_bm25::INDEX_EXTENSION;
use ragtriage_core::notices::Notices;
use ragtriage_models::cache::{CacheTable, Database, DiskUse};
use ragtriage_models::embed::{LENGTHS, VECTORS};
use ragtriage_models::llm::REPLIES;
use ragtriage_models::rerank::SCORES;
use ragtriage_pipeline::CHUNKS_EXTENSION;
use ragtriage_pipeline::settings::cache_folder as place;
use ragtriage_vectors::stored_collections;

/// Maximum time that writing one file takes.
const LONGEST_WRITING: Duration = Duration::from_hours(24);

/// One kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheKind {
    /// Responses of generators and judges.
    Replies,
    /// Vectors of texts.
    Vectors,
    /// Lengths of texts in encoder tokens.
    Lengths,
    /// Scores of rerankers.
    Scores,
    /// Embedded collections of vectors.
    Collections,
    /// Sparse indexes.
    Indexes,
    /// Chunk ranges of corpora.
    Chunks,
    /// Fetched models.
    Models,
    /// Left by killed runs with `--no-cache`.
    Scratch,
}

/// The storage of a kind.
pub enum CacheContents {
    /// In a table of a database.
    Table(PathBuf, CacheTable),
    /// As files or folders of their own.
    Files(Vec<PathBuf>),
}

impl CacheKind {
    /// All of them, in the order they are shown.
    pub const ALL: [Self; 9] = [
        Self::Replies,
        Self::Vectors,
        Self::Lengths,
        Self::Scores,
        Self::Collections,
        Self::Indexes,
        Self::Chunks,
        Self::Models,
        Self::Scratch,
    ];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Replies => "replies",
            Self::Vectors => "vectors",
            Self::Lengths => "lengths",
            Self::Scores => "scores",
            Self::Collections => "collections",
            Self::Indexes => "indexes",
            Self::Chunks => "chunks",
            Self::Models => "models",
            Self::Scratch => "scratch",
        }
    }

    /// Returns its storage in the cache `folder`.
    pub fn kept(self, folder: &Path) -> CacheContents {
        match self {
            Self::Replies => CacheContents::Table(folder.join(place::REPLIES), REPLIES),
            Self::Vectors => CacheContents::Table(folder.join(place::VECTORS), VECTORS),
            Self::Lengths => CacheContents::Table(folder.join(place::VECTORS), LENGTHS),
            Self::Scores => CacheContents::Table(folder.join(place::SCORES), SCORES),
            Self::Collections => {
                CacheContents::Files(stored_collections(&folder.join(place::COLLECTIONS)))
            }
            Self::Indexes => {
                CacheContents::Files(whole(&folder.join(place::INDEXES), INDEX_EXTENSION))
            }
            Self::Chunks => {
                CacheContents::Files(whole(&folder.join(place::CHUNKS), CHUNKS_EXTENSION))
            }
            Self::Models => CacheContents::Files(model_folders(&folder.join(place::MODELS))),
            Self::Scratch => CacheContents::Files(scratch(&scratch_parent())),
        }
    }
}

/// Opens the database of a table; `None` where there is none yet.
pub fn open(path: &Path, table: CacheTable) -> Result<Option<Database>, ragtriage_models::Error> {
    if path.exists() {
        Database::open(path, &[table], &Notices::new(output::talk)).map(Some)
    } else {
        Ok(None)
    }
}

/// Returns the time of the last write of a file or folder, in seconds of Unix time.
pub fn made(disk: DiskUse) -> Option<u64> {
    Some(disk.changed?.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs())
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let found =
        fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let mut found: Vec<PathBuf> = found.collect();
    found.sort();
    found
}

fn files(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.is_file()).collect()
}

/// A file that is not whole may be in the middle of being written.
fn whole(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = files(folder);
    found.retain(|path| {
        let is_whole = path.extension().is_some_and(|it| it == extension);
        is_whole || is_left(path)
    });
    found
}

fn is_left(path: &Path) -> bool {
    let changed = DiskUse::of(path).changed;
    changed.is_some_and(|it| it.elapsed().is_ok_and(|age| age > LONGEST_WRITING))
}

/// A model's folder lies in its owner's, or in a snapshot of its repository.
fn model_folders(folder: &Path) -> Vec<PathBuf> {
    let folders: Vec<PathBuf> = entries(folder).into_iter().filter(|path| path.is_dir()).collect();
    let each = folders.into_iter().flat_map(|path| {
        let is_model = path.join("config.json").is_file();
        if is_model { vec![path] } else { model_folders(&path) }
    });
    each.collect()
}

fn scratch(folder: &Path) -> Vec<PathBuf> {
    let mut found = entries(folder);
    found.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Another user's folder cannot be read.
        name.starts_with(place::SCRATCH) && fs::read_dir(path).is_ok()
    });
    found
}
