//! What the cache holds, by kind; replies by data set as well.

use std::collections::BTreeMap;
use std::path::Path;

use super::kind::{Kept, Kind, made, open};
use super::{StatArgs, folder, written};
use crate::failure::Failure;
use crate::output;
use crate::runtime::block_on;
use ragtriage_models::cache::{DiskUse, Key, Size};
use ragtriage_models::llm::{KeptReply, REPLIES};
use ragtriage_pipeline::settings::cache_folder as place;
use ragtriage_report::cache::{CacheView, Holding, render};

/// Entries with the times of the oldest and the newest.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    size: Size,
    oldest: Option<u64>,
    newest: Option<u64>,
}

impl Span {
    fn add(&mut self, bytes: u64, at: Option<u64>) {
        self.size += Size { entries: 1, bytes };
        self.oldest = self.oldest.into_iter().chain(at).min();
        self.newest = self.newest.max(at);
    }

    fn holding(self, name: String) -> Holding {
        let Self {
            size,
            oldest,
            newest,
        } = self;
        let (oldest, newest) = (oldest.and_then(written), newest.and_then(written));
        Holding {
            name,
            entries: size.entries,
            bytes: size.bytes,
            oldest,
            newest,
        }
    }
}

/// Runs the command.
pub fn stat(args: &StatArgs) -> Result<(), Failure> {
    let folder = folder(args.config.as_ref())?;
    let view = block_on(async {
        let replies = replies(&folder).await?;
        let mut kinds = Vec::new();
        for kind in Kind::ALL {
            let span = match kind.kept(&folder) {
                Kept::Files(paths) => of_files(&paths),
                Kept::Table(_, table) if table == REPLIES => whole(&replies),
                Kept::Table(path, table) => match open(&path, table)? {
                    Some(database) => Span {
                        size: database.size(table).await?,
                        ..Span::default()
                    },
                    None => Span::default(),
                },
            };
            kinds.push(span.holding(kind.name()));
        }
        let wanted = |label: &str| {
            args.dataset
                .as_ref()
                .is_none_or(|text| label.contains(text.as_str()))
        };
        let replies = replies.into_iter().filter(|(label, _)| wanted(label));
        let replies = replies.map(|(label, span)| span.holding(label)).collect();
        Ok(CacheView {
            folder: folder.display().to_string(),
            kinds,
            replies,
        })
    })?;
    output::data(&if args.json {
        output::json(&view, "what the cache holds")?
    } else {
        render(&view)
    })
}

/// The replies by data set.
async fn replies(folder: &Path) -> Result<BTreeMap<String, Span>, Failure> {
    let Some(database) = open(&folder.join(place::REPLIES), REPLIES)? else {
        return Ok(BTreeMap::new());
    };
    let each = |spans: &mut BTreeMap<String, Span>, bytes: &[u8]| {
        let (label, at) = KeptReply::read(bytes)
            .map_or((String::new(), None), |kept| (kept.dataset, Some(kept.at)));
        spans
            .entry(label)
            .or_default()
            .add((size_of::<Key>() + bytes.len()) as u64, at);
    };
    Ok(database.fold(REPLIES, BTreeMap::new(), each).await?)
}

fn whole(replies: &BTreeMap<String, Span>) -> Span {
    replies.values().fold(Span::default(), |mut whole, span| {
        whole.size += span.size;
        whole.oldest = whole.oldest.into_iter().chain(span.oldest).min();
        whole.newest = whole.newest.max(span.newest);
        whole
    })
}

fn of_files(paths: &[std::path::PathBuf]) -> Span {
    let mut span = Span::default();
    for disk in paths.iter().map(|path| DiskUse::of(path)) {
        span.add(disk.bytes, made(disk));
    }
    span
}
