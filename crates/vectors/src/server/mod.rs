//! Vectors on a Qdrant server, by `qdrant-client` over gRPC.
//!
//! Every call here may be repeated safely (creating tolerates an existing collection, existing points are left
//! unchanged), so transient failures are retried with growing waits. The client's check of the server's version is
//! switched off: it prints to stdout and adds a connection; a server that is too old answers with a status that says
//! so.
//!
//! Left out: aliases, shard keys, and deleting points (a collection's name identifies its content).

mod calls;
#[cfg(test)]
pub(crate) mod double;
mod existing;
#[cfg(test)]
mod tests;
mod wire;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use futures_util::{StreamExt, TryStreamExt, stream};
use qdrant_client::qdrant::{CollectionInfo, PointId, UpdateStatus};

use super::collection::CollectionSpec;
use super::{Error, Neighbour, Point, Server, VectorSearch, VectorStore, error};
use calls::Calls;
pub(crate) use existing::ServerCollection;
use ragtriage_core::batches::batches;

/// Prefix of the collection's name, which shows its origin on a shared server.
const PREFIX: &str = "ragtriage_";

/// Points per upsert, and bytes of their vectors: far below the maximum message size of a server.
const BATCH: (usize, usize) = (1_000, 1 << 20);

/// Concurrent upserts: enough that the server works while the next ones are written.
const IN_FLIGHT: usize = 4;

/// Ids in one answer.
const PAGE: u32 = 10_000;

/// Returns the version of a server, which has accepted the key.
///
/// # Errors
/// No answer, a refused key.
pub async fn version(server: &Server) -> Result<String, Error> {
    let calls = Calls::new(server, String::new())?;
    let health = calls.call("report its version", || calls.client.health_check()).await?;
    // The version needs no key.
    calls.call("list collections", || calls.client.list_collections()).await?;
    Ok(health.version)
}

/// A collection on a server.
pub struct ServerStore {
    calls: Calls,
    spec: CollectionSpec,
    /// True if points were stored or all found: from then on a search needs all points.
    is_filled: AtomicBool,
}

impl ServerStore {
    /// Opens the collection `ragtriage_<spec.name()>` on `server`, or creates it, empty.
    ///
    /// # Errors
    /// A parameter out of range; a URL without scheme or port; no answer; a wrong key; a collection of another layout
    /// under the name.
    pub async fn open_or_create(server: &Server, spec: &CollectionSpec) -> Result<Self, Error> {
        spec.check()?;
        let store = Self {
            calls: Calls::new(server, format!("{PREFIX}{}", spec.name()))?,
            spec: spec.clone(),
            is_filled: AtomicBool::default(),
        };
        let info = match store.calls.described().await? {
            Some(info) => info,
            None => store.create().await?,
        };
        let wanted = spec.layout();
        let found = info.config.and_then(|config| wire::found_layout(&config.metadata));
        if found.as_ref() == Some(&wanted) {
            return Ok(store);
        }
        let found = found.as_deref().unwrap_or("unknown");
        Err(error::mismatch(&store.calls.collection, &server.url, found, &wanted))
    }

    async fn create(&self) -> Result<CollectionInfo, Error> {
        let create = || {
            let request = wire::creation(&self.calls.collection, &self.spec);
            self.calls.client.create_collection(request)
        };
        let created = self.calls.call("create a collection", create).await;
        // Another process may have created it meanwhile; the error for that differs by server.
        match (self.calls.described().await?, created) {
            (Some(info), _) => Ok(info),
            (None, Err(error)) => Err(error),
            (None, Ok(_)) => self.calls.info().await,
        }
    }

    async fn insert(&self, batch: &[Point]) -> Result<(), Error> {
        let request = wire::insertion(&self.calls.collection, &self.spec, batch);
        let upsert = || self.calls.client.upsert_points(request.clone());
        let answer = self.calls.call("store points", upsert).await?;
        match answer.result.unwrap_or_default().status() {
            UpdateStatus::Completed => Ok(()),
            status => Err(self.calls.unconfirmed(status)),
        }
    }

    /// Returns ids from `offset` on, and the start of the next page.
    async fn page(
        &self,
        offset: u64,
        limit: u32,
    ) -> Result<(Vec<PointId>, Option<PointId>), Error> {
        let request = wire::page(&self.calls.collection, offset, limit);
        let (points, next) = self.calls.scrolled(request).await?;
        Ok((points.into_iter().filter_map(|point| point.id).collect(), next))
    }

    /// Lists the numbers of the points that are not stored.
    async fn absent(&self) -> Result<Vec<u32>, Error> {
        let mut missing: BTreeSet<u32> = (0..self.spec.expected_points as u32).collect();
        let mut next = Some(0);
        while let Some(offset) = next {
            let (ids, after) = self.page(offset, PAGE).await?;
            for number in ids.iter().filter_map(wire::number) {
                missing.remove(&number);
            }
            next = after.as_ref().and_then(wire::number).map(u64::from);
            if after.is_some() && next <= Some(offset) {
                return Err(self.calls.invalid("a page of points repeats earlier ones"));
            }
        }
        Ok(missing.into_iter().collect())
    }

    /// Checks after a search that no point was missing: after a crash the server may have lost points that it had
    /// confirmed, and another program may have replaced the collection.
    async fn check_whole(&self) -> Result<(), Error> {
        let expected = self.spec.expected_points;
        if !self.is_filled.load(Ordering::Relaxed) || self.calls.counted(false).await? >= expected {
            return Ok(());
        }
        let stored = self.calls.counted(true).await?;
        if stored >= expected {
            return Ok(());
        }
        let Calls { collection, server, .. } = &self.calls;
        Err(error::permanent(format!(
            "collection `{collection}` on the Qdrant server at `{}` lost points while it was in use: {stored} of {expected} are left",
            server.url
        ))
        .with_hint("run again: the missing points are stored again from the vector cache"))
    }
}

#[async_trait]
impl VectorStore for ServerStore {
    async fn missing(&self) -> Result<Vec<u32>, Error> {
        let expected = self.spec.expected_points;
        let (beyond, _) = self.page(expected as u64, 1).await?;
        if let Some(point) = beyond.first() {
            return Err(self.calls.unknown(point));
        }
        let missing = if self.calls.counted(true).await? == expected {
            Vec::new()
        } else {
            self.absent().await?
        };
        if missing.is_empty() {
            self.is_filled.store(true, Ordering::Relaxed);
        }
        Ok(missing)
    }

    async fn upsert(&self, points: &[Point]) -> Result<(), Error> {
        self.spec.check_points(points)?;
        let batches = batches(points, BATCH, |point| size_of_val(&*point.vector));
        let upserts: Vec<_> = batches.into_iter().map(|batch| self.insert(batch)).collect();
        stream::iter(upserts).buffer_unordered(IN_FLIGHT).try_collect::<()>().await?;
        self.is_filled.store(true, Ordering::Relaxed);
        Ok(())
    }

    async fn search(&self, search: VectorSearch<'_>) -> Result<Vec<Neighbour>, Error> {
        self.spec.check_search(&search)?;
        if search.limit == 0 {
            return Ok(Vec::new());
        }
        let request = wire::query(&self.calls.collection, &self.spec, &search);
        let expected = self.spec.expected_points;
        let number = |id: &PointId| {
            let number = wire::number(id).filter(|number| (*number as usize) < expected);
            number.ok_or_else(|| self.calls.unknown(id))
        };
        let found = self.calls.searched(request, false, number).await?;
        self.check_whole().await?;
        // The search compares all points, and leaves none out.
        let least = search.limit.min(search.allowed.map_or(expected, <[u32]>::len));
        if found.len() < least && self.is_filled.load(Ordering::Relaxed) {
            let n = found.len();
            return Err(self.calls.invalid(&format!("{n} search results of {least}")));
        }
        Ok(found.into_iter().map(|(number, score)| Neighbour { number, score }).collect())
    }
}
