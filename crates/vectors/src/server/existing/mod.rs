//! An existing collection on a server. Of Qdrant's calls only four are made, all of which read: the collection's description,
//! scroll, count and query.

mod layout;
mod payload;
mod requests;
#[cfg(test)]
mod tests;
mod vectors;

use std::collections::HashSet;
use std::sync::OnceLock;

use async_trait::async_trait;
use qdrant_client::qdrant::{CountPointsBuilder, RetrievedPoint, ScrollPoints};
use ragtriage_core::config::CollectionSettings;
use ragtriage_core::text::hex::hex;
use sha2::{Digest, Sha256};

use super::answers::{self, Expected};
use super::calls::{Calls, WAITS};
use super::wire;
use crate::existing::{
    CollectionContent, ExistingCollection, ExistingError, ExistingIndex, ExistingSearch,
};
use crate::{IndexError, Server};

/// Points in one answer: a few MB of texts.
const PAGE: u32 = 1_000;

/// A collection of another program.
pub(crate) struct ServerCollection {
    calls: Calls,
    settings: CollectionSettings,
    /// True if the score of a search is a distance.
    scores_are_distances: bool,
    index: Option<ExistingIndex>,
    /// Number of points, filtered or not, when they were read.
    n_points: OnceLock<usize>,
}

impl ServerCollection {
    /// Opens the collection that `settings` name. `dimension`: that of the questions' dense vectors.
    ///
    /// # Errors
    /// A URL without scheme or port, no answer, a wrong key, no such collection, vectors that do not fit.
    pub(crate) async fn open(
        server: &Server,
        settings: &CollectionSettings,
        dimension: Option<usize>,
    ) -> Result<Self, ExistingError> {
        let calls = Calls::new(server, settings.name.clone())?;
        let action = "describe a collection";
        let describe = || calls.client.collection_info(&calls.collection);
        // An absent server is reported at once.
        let found = match calls.attempt(action, &[], describe).await {
            Err((failure, _)) if failure.may_pass() && !failure.is_no_answer() => {
                calls.attempt(action, &WAITS, describe).await
            }
            found => found,
        };
        let info = match found {
            Ok(answer) => {
                answer.result.ok_or_else(|| calls.lacks("the collection's description"))?
            }
            Err((failure, _)) if failure.is_not_found() => {
                return Err(ExistingError::NotFound {
                    url: calls.url,
                    collection: calls.collection,
                });
            }
            Err((failure, attempts)) => return Err(calls.error(failure, action, attempts).into()),
        };
        let layout = layout::check(&info, settings, dimension)?;
        Ok(Self {
            calls,
            settings: settings.clone(),
            scores_are_distances: layout.scores_are_distances,
            index: layout.index.filter(|_| !settings.exact),
            n_points: OnceLock::new(),
        })
    }

    /// Counts all points, filtered or not: exactly, or as the server's segments report them.
    async fn counted(&self, is_exact: bool) -> Result<usize, IndexError> {
        let count = || {
            let request = CountPointsBuilder::new(&self.calls.collection).exact(is_exact);
            self.calls.client.count(request)
        };
        let counted = self.calls.retry("count points", count).await?.result;
        let counted = counted.ok_or_else(|| self.calls.lacks("a count"))?;
        Ok(usize::try_from(counted.count).unwrap_or(usize::MAX))
    }

    async fn scrolled(
        &self,
        request: ScrollPoints,
    ) -> Result<(Vec<RetrievedPoint>, Option<wire::Id>), IndexError> {
        let scroll = || self.calls.client.scroll(request.clone());
        let answer = self.calls.retry("list points", scroll).await?;
        Ok((answer.result, answer.next_page_offset))
    }

    /// Creates the error of a payload without a configured field, with those that it has.
    async fn lacks_field(&self, id: &wire::Id, missing: payload::Missing) -> ExistingError {
        let request = requests::one_point(&self.settings, id.clone());
        let has = match self.scrolled(request).await {
            Ok((points, _)) => payload::fields(points.first()),
            Err(error) => return error.into(),
        };
        let payload::Missing { key, path } = missing;
        ExistingError::NoField {
            collection: self.calls.collection.clone(),
            point: wire::shown(id).into(),
            key,
            path,
            has: has.into(),
        }
    }

    fn changed(&self, what: String) -> ExistingError {
        let collection = self.calls.collection.clone();
        ExistingError::Changed { collection, what }
    }

    /// Checks after a search that no point was added or removed since all were read.
    async fn check_unchanged(&self) -> Result<(), ExistingError> {
        let Some(&expected) = self.n_points.get() else {
            return Ok(());
        };
        if self.counted(false).await? == expected {
            return Ok(());
        }
        let found = self.counted(true).await?;
        if found == expected {
            return Ok(());
        }
        Err(self.changed(format!("it has {found} points, it had {expected}")))
    }
}

#[async_trait]
impl ExistingCollection for ServerCollection {
    async fn read(&self) -> Result<CollectionContent, ExistingError> {
        let n_points = self.counted(true).await?;
        let mut seen = HashSet::new();
        let mut passages = Vec::new();
        let mut vectors = Sha256::new();
        let mut offset = None;
        loop {
            let is_first = offset.is_none();
            let request = requests::page(&self.settings, offset, PAGE, is_first);
            let (points, next) = self.scrolled(request).await?;
            for point in &points {
                let id = point.id.as_ref().ok_or_else(|| self.calls.lacks("a point's id"))?;
                if !seen.insert(wire::shown(id)) {
                    return Err(self
                        .calls
                        .invalid(format!("point {} is listed twice", wire::shown(id)))
                        .into());
                }
                if let Some(held) = &point.vectors {
                    vectors::hash(held, &mut vectors);
                }
                match payload::passage(id, &point.payload, &self.settings) {
                    Ok(passage) => passages.push(passage),
                    Err(missing) => return Err(self.lacks_field(id, missing).await),
                }
            }
            if next.is_none() {
                break;
            }
            if points.is_empty() {
                return Err(self.calls.invalid("a page has no points".to_owned()).into());
            }
            offset = next;
        }
        let is_filtered = !self.settings.filter.is_empty();
        if passages.is_empty() {
            let collection = self.calls.collection.clone();
            return Err(ExistingError::Empty { collection, is_filtered });
        }
        let n_read = passages.len();
        if !is_filtered && n_read != n_points {
            return Err(self.changed(format!("{n_read} of {n_points} points were read")));
        }
        let _ = self.n_points.set(n_points);
        Ok(CollectionContent { passages, vectors_sha256: hex(&vectors.finalize()) })
    }

    async fn search(
        &self,
        search: ExistingSearch<'_>,
    ) -> Result<Vec<(String, f32)>, ExistingError> {
        if search.limit == 0 {
            return Ok(Vec::new());
        }
        let request = requests::query(&self.settings, &search);
        let query = || self.calls.client.query(request.clone());
        let found = self.calls.retry("search", query).await?;
        let expected =
            Expected { limit: search.limit, scores_are_distances: self.scores_are_distances };
        let found =
            answers::scored(&self.calls, &found.result, expected, |id| Ok(wire::shown(id)))?;
        self.check_unchanged().await?;
        Ok(found)
    }

    fn index(&self) -> Option<ExistingIndex> {
        self.index
    }
}
