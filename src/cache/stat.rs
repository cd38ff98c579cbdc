//! Cache statistics by kind; responses by data set as well.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use jiff::Timestamp;

use super::folder::cache_folder;
use super::kind::{CacheContents, CacheKind, made, open};
use crate::failure::Failure;
use crate::output;
use crate::runtime::block_on;
use ragtriage_models::cache::{ContentKey, DiskUse, Size};
use ragtriage_models::llm::{CachedResponse, REPLIES};
use ragtriage_pipeline::settings::cache_folder as place;
use ragtriage_report::cache::{CacheUse, Holding, report};

#[derive(Debug, Args)]
pub struct StatArgs {
    /// Only responses for data sets whose format or path contains TEXT.
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    dataset: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Configuration file that names the cache folder.
    #[arg(long)]
    config: Option<PathBuf>,
}

/// Entries with the times of the oldest and the newest.
#[derive(Clone, Copy, Debug, Default)]
struct TimeSpan {
    size: Size,
    oldest: Option<u64>,
    newest: Option<u64>,
}

impl TimeSpan {
    fn add(&mut self, bytes: u64, at: Option<u64>) {
        self.size += Size { entries: 1, bytes };
        self.oldest = self.oldest.into_iter().chain(at).min();
        self.newest = self.newest.max(at);
    }

    fn holding(self, name: String) -> Holding {
        let Self { size, oldest, newest } = self;
        let (oldest, newest) = (oldest.and_then(written), newest.and_then(written));
        Holding { name, entries: size.entries, bytes: size.bytes, oldest, newest }
    }
}

/// Runs the command.
pub fn stat(args: &StatArgs) -> Result<(), Failure> {
    let folder = cache_folder(args.config.as_deref())?;
    let held = block_on(async {
        let replies = replies(&folder).await?;
        let mut kinds = Vec::new();
        for kind in CacheKind::ALL {
            let span = match kind.kept(&folder) {
                CacheContents::Files(paths) => of_files(&paths),
                CacheContents::Table(_, table) if table == REPLIES => whole(&replies),
                CacheContents::Table(path, table) => match open(&path, table)? {
                    Some(database) => {
                        TimeSpan { size: database.size(table).await?, ..TimeSpan::default() }
                    }
                    None => TimeSpan::default(),
                },
            };
            kinds.push(span.holding(kind.name().to_owned()));
        }
        let part = args.dataset.as_deref().unwrap_or_default();
        let replies = replies.into_iter();
        let wanted = replies.filter(|(label, _)| label.contains(part));
        let replies = wanted.map(|(label, span)| span.holding(label)).collect();
        Ok(CacheUse { folder: folder.display().to_string(), kinds, replies })
    })?;
    if args.json {
        output::data(&output::json(&held, "what the cache holds")?)
    } else {
        output::report(&report(&held))
    }
}

/// The replies by data set.
async fn replies(folder: &Path) -> Result<BTreeMap<String, TimeSpan>, Failure> {
    let Some(database) = open(&folder.join(place::REPLIES), REPLIES)? else {
        return Ok(BTreeMap::new());
    };
    Ok(database.fold(REPLIES, add_reply).await?)
}

fn add_reply(spans: &mut BTreeMap<String, TimeSpan>, bytes: &[u8]) {
    let (label, at) =
        CachedResponse::read(bytes).map_or((String::new(), None), |it| (it.dataset, Some(it.at)));
    let span = spans.entry(label).or_default();
    span.add((size_of::<ContentKey>() + bytes.len()) as u64, at);
}

fn whole(replies: &BTreeMap<String, TimeSpan>) -> TimeSpan {
    replies.values().fold(TimeSpan::default(), |mut whole, span| {
        whole.size += span.size;
        whole.oldest = whole.oldest.into_iter().chain(span.oldest).min();
        whole.newest = whole.newest.max(span.newest);
        whole
    })
}

fn of_files(paths: &[PathBuf]) -> TimeSpan {
    let mut span = TimeSpan::default();
    for disk in paths.iter().map(|path| DiskUse::of(path)) {
        span.add(disk.bytes, made(disk));
    }
    span
}

/// Formats seconds of Unix time as a manifest has them.
fn written(seconds: u64) -> Option<String> {
    let at =
        i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok())?;
    Some(at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}
