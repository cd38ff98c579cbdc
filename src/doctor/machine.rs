//! Checks of this machine: the cache folder and free space.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use rustix::fs::statvfs;

use super::check::Check;
use crate::failure::Failure;
use ragtriage_core::notices::Notices;
use ragtriage_core::text::numbers::{bytes, plural};
use ragtriage_models::cache::{CacheTable, Database};
use ragtriage_models::embed::{LENGTHS, VECTORS};
use ragtriage_models::llm::REPLIES;
use ragtriage_models::rerank::SCORES;
use ragtriage_pipeline::settings::assemble::Environment;
use ragtriage_pipeline::settings::cache_folder as place;

/// Holds the default embedding model (90 MB), the vectors of 100,000 chunks (150 MB), a run and its report.
const LEAST_FREE: u64 = 500_000_000;

pub fn checks(environment: &Environment) -> Vec<Check> {
    let folder = &environment.cache_dir;
    if folder.as_os_str().is_empty() {
        let fact = "none: neither XDG_CACHE_HOME nor HOME is set, and nothing here is cached";
        return vec![Check::note("cache folder", fact), Check::new("disk", space(Path::new(".")))];
    }
    let cache = Check::new("cache folder", cache(folder));
    vec![cache, Check::new("disk", space(folder))]
}

/// Writes into the folder, and opens its databases, which recreates those of another version.
fn cache(folder: &Path) -> Result<String, Failure> {
    let probe = folder.join(format!(".ragtriage-doctor-{}", std::process::id()));
    let mut private = DirBuilder::new();
    let written = private
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .and_then(|()| fs::write(&probe, "x"))
        .and_then(|()| fs::remove_file(&probe));
    written.map_err(|error| {
        Failure::new(
            format!("`{}` cannot be written: {error}", folder.display()),
            "set `cache.dir` or RAGTRIAGE_CACHE to a folder that can be written",
        )
    })?;
    let notices = Notices::default();
    let databases: [(&str, &[CacheTable]); 3] = [
        (place::VECTORS, &[VECTORS, LENGTHS]),
        (place::SCORES, &[SCORES]),
        (place::REPLIES, &[REPLIES]),
    ];
    let mut n_open = 0;
    for (name, tables) in databases {
        let path = folder.join(name);
        if path.exists() {
            Database::open(&path, tables, &notices)?;
            n_open += 1;
        }
    }
    let mut facts = vec![format!(
        "{}: writable, {} of this version",
        folder.display(),
        plural(n_open, "database", "databases")
    )];
    facts.extend(notices.shown());
    Ok(facts.join("; "))
}

fn space(folder: &Path) -> Result<String, Failure> {
    // A cache folder that is not writable need not exist.
    let existing = folder.ancestors().find(|it| it.exists());
    let existing = existing.unwrap_or(Path::new("."));
    let found = statvfs(existing).map_err(|error| {
        Failure::bare(format!("cannot read the free space of `{}`: {error}", existing.display()))
    })?;
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let fact = format!("{} free for {}", bytes(free), folder.display());
    if free < LEAST_FREE {
        let hint = "free some space, or set `cache.dir` to a folder on another disk; `ragtriage cache stat` shows what the cache holds";
        return Err(Failure::new(fact, hint));
    }
    Ok(fact)
}
