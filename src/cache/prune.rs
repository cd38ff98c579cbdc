//! Removes entries from the cache.

use ragtriage_core::hint::Hint;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use super::folder::cache_folder;
use super::kind::{CacheContents, CacheKind, made, open};
use crate::failure::Failure;
use crate::output;
use crate::runtime::block_on;
use ragtriage_core::text::numbers::{self, thousands};
use ragtriage_models::cache::{CacheTable, ContentKey, Database, DiskUse, Size};
use ragtriage_models::llm::{KeptReply, REPLIES};
use ragtriage_pipeline::settings::cache_folder as place;

const SECONDS_A_DAY: u64 = 86_400;

#[derive(Debug, Args)]
pub struct PruneArgs {
    /// Only responses for data sets whose format or path contains TEXT.
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    dataset: Option<String>,
    /// Only entries that are at least DAYS old.
    ///
    /// Vectors, lengths and scores have no date and are kept.
    #[arg(long, value_name = "DAYS")]
    older_than: Option<u32>,
    /// Only this kind; may be repeated.
    #[arg(long = "kind", value_enum, value_name = "KIND")]
    kinds: Vec<CacheKind>,
    /// Remove everything.
    #[arg(long, conflicts_with_all = ["dataset", "older_than", "kinds"])]
    all: bool,
    /// Show what would be removed.
    #[arg(long)]
    dry_run: bool,
    /// Configuration file that names the cache folder.
    #[arg(long)]
    config: Option<PathBuf>,
}

/// The entries to remove.
#[derive(Clone, Debug)]
struct Selection {
    kinds: Vec<CacheKind>,
    dataset: Option<String>,
    /// Made at this second of Unix time or before.
    until: Option<u64>,
}

impl Selection {
    fn has_reply(&self, bytes: &[u8]) -> bool {
        let part = self.dataset.as_deref().unwrap_or_default();
        KeptReply::read(bytes).is_none_or(|kept| {
            kept.dataset.contains(part) && self.until.is_none_or(|until| kept.at <= until)
        })
    }
}

/// Runs the command.
pub fn prune(args: &PruneArgs) -> Result<(), Failure> {
    let selection = selection(args)?;
    let folder = cache_folder(args.config.as_deref())?;
    let mut removed = block_on(async {
        let mut removed = Vec::new();
        for kind in &selection.kinds {
            let Size { entries, bytes } = match kind.kept(&folder) {
                CacheContents::Table(path, table) => match open(&path, table)? {
                    Some(database) => of_table(&database, table, &selection, args.dry_run).await?,
                    None => Size::default(),
                },
                CacheContents::Files(paths) => of_files(*kind, &paths, &selection, args.dry_run)?,
            };
            if entries > 0 {
                let (n, size) = (thousands(entries as usize), numbers::bytes(bytes));
                removed.push(format!("{n} of {}, {size}", kind.name()));
            }
        }
        Ok(removed)
    })?;
    if removed.is_empty() {
        removed.push("nothing".to_owned());
    }
    let verb = if args.dry_run { "would remove" } else { "removed" };
    let lines = removed.iter().map(|what| format!("{verb} {what}\n"));
    output::data(&lines.collect::<String>())
}

/// Returns the selection of the flags; fails if they select nothing, or contradict each other.
fn selection(args: &PruneArgs) -> Result<Selection, Failure> {
    let PruneArgs { dataset, older_than, kinds, all, .. } = args;
    if !all && dataset.is_none() && older_than.is_none() && kinds.is_empty() {
        let hint = "select with `--dataset TEXT`, `--older-than DAYS` or `--kind KIND`, or remove everything with `--all`";
        return Err(Failure::new("nothing is selected", hint));
    }
    let mut chosen = if kinds.is_empty() { CacheKind::ALL.to_vec() } else { kinds.clone() };
    if dataset.is_some() {
        if let Some(other) = kinds.iter().find(|kind| **kind != CacheKind::Replies) {
            let message =
                format!("`--dataset` selects responses only, not `--kind {}`", other.name());
            return Err(Failure::new(message, "leave one of the two out"));
        }
        chosen = vec![CacheKind::Replies];
    }
    let now =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let until = older_than.map(|days| now.saturating_sub(u64::from(days) * SECONDS_A_DAY));
    Ok(Selection { kinds: chosen, dataset: dataset.clone(), until })
}

async fn of_table(
    database: &Database,
    table: CacheTable,
    selection: &Selection,
    dry_run: bool,
) -> Result<Size, Failure> {
    let size = if selection.dataset.is_none() && selection.until.is_none() {
        if dry_run { database.size(table).await? } else { database.clear(table).await? }
    } else if table == REPLIES {
        let selection = selection.clone();
        if dry_run {
            let count = database.fold(table, move |size: &mut Size, bytes| {
                if selection.has_reply(bytes) {
                    *size +=
                        Size { entries: 1, bytes: (size_of::<ContentKey>() + bytes.len()) as u64 };
                }
            });
            count.await?
        } else {
            let doomed = database.remove(table, move |bytes| selection.has_reply(bytes));
            doomed.await?
        }
    } else {
        // Without a date none is known to be old.
        Size::default()
    };
    if !dry_run && size.entries > 0 {
        database.shrink().await?;
    }
    Ok(size)
}

fn of_files(
    kind: CacheKind,
    paths: &[PathBuf],
    selection: &Selection,
    dry_run: bool,
) -> Result<Size, Failure> {
    let mut size = Size::default();
    for path in paths {
        let disk = DiskUse::of(path);
        let is_old =
            selection.until.is_none_or(|until| made(disk).is_some_and(|made| made <= until));
        if !is_old {
            continue;
        }
        if dry_run || remove(kind, path)? {
            size += Size { entries: 1, bytes: disk.bytes };
        } else {
            output::talk(&format!("skipped `{}`: another process is using it", path.display()));
        }
    }
    Ok(size)
}

/// Removes a file or folder; `false` where another process has it open.
fn remove(kind: CacheKind, path: &Path) -> Result<bool, Failure> {
    match kind {
        CacheKind::Collections => {
            return ragtriage_vectors::remove_collection(path).map_err(|error| of_index(&error));
        }
        CacheKind::Scratch => {
            for collection in ragtriage_vectors::stored_collections(&path.join(place::COLLECTIONS))
            {
                if !ragtriage_vectors::remove_collection(&collection)
                    .map_err(|error| of_index(&error))?
                {
                    return Ok(false);
                }
            }
        }
        _ => {}
    }
    let gone = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match gone {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            let hint = "check the permissions of its folder";
            Err(Failure::new(format!("cannot remove `{}`: {error}", path.display()), hint))
        }
        _ => Ok(true),
    }
}

fn of_index(error: &ragtriage_vectors::IndexError) -> Failure {
    Failure { message: error.to_string(), hint: error.hint() }
}
