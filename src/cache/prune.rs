//! Taking things out of the cache.

use ragtriage_core::hint::Hint;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::kind::{Kept, Kind, made, open};
use super::{PruneArgs, folder};
use crate::failure::Failure;
use crate::output;
use crate::runtime::block_on;
use ragtriage_models::cache::{CacheTable, Database, DiskUse, Key, Size};
use ragtriage_models::llm::{KeptReply, REPLIES};
use ragtriage_pipeline::settings::cache_folder as place;
use ragtriage_report::cache::{Holding, removed};

const SECONDS_A_DAY: u64 = 86_400;

/// Which things go.
#[derive(Clone, Debug)]
struct Selection {
    kinds: Vec<Kind>,
    dataset: Option<String>,
    /// Made at this second of Unix time or before.
    until: Option<u64>,
}

/// Runs the command.
pub fn prune(args: &PruneArgs) -> Result<(), Failure> {
    let selection = selection(args)?;
    let folder = folder(args.config.as_ref())?;
    let holdings = block_on(async {
        let mut holdings = Vec::new();
        for kind in &selection.kinds {
            let Size { entries, bytes } = match kind.kept(&folder) {
                Kept::Table(path, table) => match open(&path, table)? {
                    Some(database) => of_table(&database, table, &selection, args.dry_run).await?,
                    None => Size::default(),
                },
                Kept::Files(paths) => of_files(*kind, &paths, &selection, args.dry_run)?,
            };
            holdings.push(Holding {
                name: kind.name(),
                entries,
                bytes,
                ..Holding::default()
            });
        }
        Ok(holdings)
    })?;
    output::data(&removed(&holdings, args.dry_run))
}

/// What the flags select together; refused where they select nothing, or what cannot be.
fn selection(args: &PruneArgs) -> Result<Selection, Failure> {
    let PruneArgs {
        dataset,
        older_than,
        kinds,
        all,
        ..
    } = args;
    if !all && dataset.is_none() && older_than.is_none() && kinds.is_empty() {
        let hint = "choose with `--dataset TEXT`, `--older-than DAYS`, `--kind KIND`, or take everything with `--all`";
        return Err(Failure::new(
            "nothing is selected to be taken out",
            Some(hint.to_owned()),
        ));
    }
    let mut chosen = if kinds.is_empty() {
        Kind::ALL.to_vec()
    } else {
        kinds.clone()
    };
    if dataset.is_some() {
        if let Some(other) = kinds.iter().find(|kind| **kind != Kind::Replies) {
            let message = format!(
                "`--dataset` selects replies alone, `--kind {}` has no data set",
                other.name()
            );
            return Err(Failure::new(
                message,
                Some("leave one of the two out".to_owned()),
            ));
        }
        chosen = vec![Kind::Replies];
    }
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let until = older_than.map(|days| now.saturating_sub(u64::from(days) * SECONDS_A_DAY));
    Ok(Selection {
        kinds: chosen,
        dataset: dataset.clone(),
        until,
    })
}

async fn of_table(
    database: &Database,
    table: CacheTable,
    selection: &Selection,
    dry_run: bool,
) -> Result<Size, Failure> {
    let Selection { dataset, until, .. } = selection.clone();
    let size = if dataset.is_none() && until.is_none() {
        if dry_run {
            database.size(table).await?
        } else {
            database.clear(table).await?
        }
    } else if table == REPLIES {
        let doomed = move |bytes: &[u8]| {
            KeptReply::read(bytes).is_none_or(|kept| {
                dataset
                    .as_ref()
                    .is_none_or(|text| kept.dataset.contains(text.as_str()))
                    && until.is_none_or(|until| kept.at <= until)
            })
        };
        if dry_run {
            let count = move |size: &mut Size, bytes: &[u8]| {
                if doomed(bytes) {
                    *size += Size {
                        entries: 1,
                        bytes: (size_of::<Key>() + bytes.len()) as u64,
                    };
                }
            };
            database.fold(table, Size::default(), count).await?
        } else {
            database.remove(table, doomed).await?
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
    kind: Kind,
    paths: &[PathBuf],
    selection: &Selection,
    dry_run: bool,
) -> Result<Size, Failure> {
    let mut size = Size::default();
    for path in paths {
        let disk = DiskUse::of(path);
        let is_old = selection
            .until
            .is_none_or(|until| made(disk).is_some_and(|made| made <= until));
        if !is_old {
            continue;
        }
        if dry_run || remove(kind, path)? {
            size += Size {
                entries: 1,
                bytes: disk.bytes,
            };
        } else {
            output::talk(&format!(
                "`{}` stays: another process has it open",
                path.display()
            ));
        }
    }
    Ok(size)
}

/// Removes a file or folder; `false` where another process has it open.
fn remove(kind: Kind, path: &Path) -> Result<bool, Failure> {
    match kind {
        Kind::Collections => {
            return ragtriage_vectors::remove_collection(path).map_err(|error| of_index(&error));
        }
        Kind::Scratch => {
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
    let gone = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match gone {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            let hint = "see who may write there".to_owned();
            Err(Failure::new(
                format!("cannot remove `{}`: {error}", path.display()),
                Some(hint),
            ))
        }
        _ => Ok(true),
    }
}

fn of_index(error: &ragtriage_vectors::IndexError) -> Failure {
    Failure::new(error.to_string(), error.hint())
}
