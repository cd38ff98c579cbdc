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

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::{StreamExt, TryStreamExt, stream};
use qdrant_client::qdrant::{CollectionInfo, CollectionStatus, PointId, UpdateStatus};
use tokio::time::Instant;

use super::collection::{CollectionSpec, absent, batches};
use super::filter::Demands;
use super::{Error, Kind, Neighbour, Point, SearchMode, Server, VectorSearch, VectorStore};
use calls::{Calls, Failure, WAITS};
pub(crate) use existing::ServerCollection;

/// Prefix of the collection's name, which shows its origin on a shared server.
const PREFIX: &str = "ragtriage_";

/// Points per upsert, and bytes of their vectors: far below the maximum message size of a server.
const BATCH: (usize, usize) = (1_000, 1 << 20);

/// Concurrent upserts: enough that the server works while the next ones are written.
const IN_FLIGHT: usize = 4;

/// Ids in one answer.
const PAGE: u32 = 10_000;

/// The first and the longest pause between two checks of a server that is indexing.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

/// Returns the version of a server, and lists its collections, because the version needs no key.
pub(crate) async fn version(server: &Server) -> Result<String, Error> {
    let calls = Calls::new(server, String::new())?;
    // Once: an absent server is reported at once.
    let action = "report its version";
    let health = calls.attempt(action, &[], || calls.client.health_check()).await;
    let health = health.map_err(|(failure, n)| calls.error(failure, action, n))?;
    let action = "list collections";
    let listed = calls.attempt(action, &[], || calls.client.list_collections()).await;
    listed.map_err(|(failure, n)| calls.error(failure, action, n))?;
    Ok(health.version)
}

/// A collection on a server.
pub struct ServerStore {
    calls: Calls,
    spec: CollectionSpec,
    /// Replicas that must confirm a write. A write that fewer confirmed is an error, and Qdrant leaves those that have it as they
    /// are: a point counts as stored if as many replicas have it.
    write_consistency: u64,
    /// True if vectors are indexed; `None` until the server has finished indexing.
    settled: Mutex<Option<bool>>,
    /// True if points were stored or all found: from then on a search needs all points.
    is_filled: AtomicBool,
    /// The paths of the metadata fields that are indexed.
    fields: Mutex<HashSet<String>>,
}

impl ServerStore {
    /// Opens the collection `ragtriage_<spec.name()>` on `server`, or creates it, empty.
    ///
    /// # Errors
    /// A parameter out of range; a URL without scheme or port; no answer; a wrong key; a collection of another layout
    /// under the name.
    pub async fn open_or_create(server: &Server, spec: &CollectionSpec) -> Result<Self, Error> {
        spec.check()?;
        let mut store = Self {
            calls: Calls::new(server, format!("{PREFIX}{}", spec.name()))?,
            spec: spec.clone(),
            write_consistency: 1,
            settled: Mutex::default(),
            is_filled: AtomicBool::default(),
            fields: Mutex::default(),
        };
        let info = if let Some(info) = store.calls.described().await? {
            info
        } else {
            store.create().await?;
            store.calls.info().await?
        };
        store.check_layout(info)?;
        Ok(store)
    }

    async fn create(&self) -> Result<(), Error> {
        let action = "create a collection";
        let create = || {
            let request = wire::creation(&self.calls.collection, &self.spec);
            self.calls.client.create_collection(request)
        };
        let Err((failure, attempts)) = self.calls.attempt(action, &WAITS, create).await else {
            return Ok(());
        };
        // Another process may have created it meanwhile; the error for that differs by server.
        match self.calls.described().await? {
            Some(_) => Ok(()),
            None => Err(self.calls.error(failure, action, attempts)),
        }
    }

    fn check_layout(&mut self, info: CollectionInfo) -> Result<(), Error> {
        let config = info.config.ok_or_else(|| self.calls.lacks("the collection's settings"))?;
        let params = config.params.ok_or_else(|| self.calls.lacks("the collection's vectors"))?;
        self.write_consistency = params.write_consistency_factor.unwrap_or(1).into();
        let wanted = self.spec.layout();
        let found = wire::found_layout(&config.metadata);
        let is_ours = found.as_ref().is_none_or(|found| *found == wanted)
            && wire::has_vector(&params, &self.spec);
        if is_ours {
            *lock(&self.fields) = info.payload_schema.into_keys().collect();
            return Ok(());
        }
        let found = found.filter(|found| *found != wanted);
        let found = found.as_deref().unwrap_or("vectors of another kind");
        let Calls { collection, server, .. } = &self.calls;
        Err(Error::mismatch(collection, &server.url, found, &wanted))
    }

    async fn insert(&self, batch: &[Point]) -> Result<(), Error> {
        let request = wire::insertion(&self.calls.collection, &self.spec, batch);
        self.calls
            .retry("store points", || async {
                let answer = self.calls.client.upsert_points(request.clone()).await?;
                let status = answer.result.unwrap_or_default().status();
                if status == UpdateStatus::Completed {
                    Ok(())
                } else {
                    Err(Failure::unconfirmed(status))
                }
            })
            .await
    }

    /// Makes the server start indexing, if there is something to index and it has not started.
    async fn begin_indexing(&self, info: CollectionInfo) -> Result<(), Error> {
        let kb = wire::indexing_kb(&self.spec, true);
        let found = info.config.and_then(|config| config.optimizer_config?.indexing_threshold);
        if found == Some(kb) {
            return Ok(());
        }
        self.set_indexing(kb).await
    }

    async fn set_indexing(&self, kb: u64) -> Result<(), Error> {
        *lock(&self.settled) = None;
        self.calls
            .retry("index a collection", || {
                self.calls.client.update_collection(wire::indexing(&self.calls.collection, kb))
            })
            .await
            .map(drop)
    }

    /// Waits until the server has finished indexing, and returns true if there is then an index.
    async fn settle(&self) -> Result<bool, Error> {
        if let Some(settled) = *lock(&self.settled) {
            return Ok(settled);
        }
        let deadline = Instant::now() + self.calls.server.indexing_timeout;
        let (mut pause, longest) = PAUSES;
        let mut was_woken = false;
        loop {
            let info = self.calls.info().await?;
            match info.status() {
                CollectionStatus::Green => {
                    let is_indexed = info.indexed_vectors_count.unwrap_or(0) > 0;
                    *lock(&self.settled) = Some(is_indexed);
                    return Ok(is_indexed);
                }
                CollectionStatus::Red => {
                    let Calls { collection, server, .. } = &self.calls;
                    let cause = info.optimizer_status.map(|status| status.error);
                    return Err(Error::permanent(format!(
                        "the Qdrant server at `{}` failed to index collection `{collection}`",
                        server.url
                    ))
                    .with_hint("check the server's log, disk and memory")
                    .because(cause.unwrap_or_default()));
                }
                // After a restart the server waits for a change before it continues.
                CollectionStatus::Grey if !was_woken => {
                    was_woken = true;
                    self.set_indexing(wire::indexing_kb(&self.spec, true)).await?;
                }
                CollectionStatus::Grey
                | CollectionStatus::Yellow
                | CollectionStatus::UnknownCollectionStatus => {}
            }
            if Instant::now() + pause >= deadline {
                let Calls { collection, server: Server { url, indexing_timeout, .. }, .. } =
                    &self.calls;
                let seconds = indexing_timeout.as_secs_f64();
                let message = format!(
                    "the Qdrant server at `{url}` was still indexing collection `{collection}` after {seconds} s"
                );
                return Err(Error::new(Kind::Transient, message).with_hint(
                    "wait and run again: the server continues indexing; or set `vector_store.exact = true`",
                ));
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(longest);
        }
    }

    /// Indexes the fields of a filter that are not yet indexed: without an index, each search would read every point,
    /// and a server in strict mode refuses.
    async fn index_fields(&self, demands: &Demands) -> Result<(), Error> {
        for (path, kind) in demands.fields() {
            if lock(&self.fields).contains(&path) {
                continue;
            }
            self.calls
                .retry("index a metadata field", || {
                    self.calls.client.create_field_index(wire::field_index(
                        &self.calls.collection,
                        &path,
                        kind,
                    ))
                })
                .await?;
            lock(&self.fields).insert(path);
        }
        Ok(())
    }

    /// Returns ids from `offset` on, and the start of the next page.
    async fn page(
        &self,
        offset: u64,
        limit: u32,
    ) -> Result<(Vec<PointId>, Option<PointId>), Error> {
        let request = wire::page(&self.calls.collection, offset, limit, self.write_consistency);
        let (points, next) = self.calls.scrolled(request).await?;
        Ok((points.into_iter().filter_map(|point| point.id).collect(), next))
    }

    /// Lists the numbers of the points that are not stored.
    async fn absent(&self) -> Result<Vec<u32>, Error> {
        let mut found = Vec::new();
        let mut next = Some(0);
        while let Some(offset) = next {
            let (ids, after) = self.page(offset, PAGE).await?;
            found.extend(ids.iter().filter_map(wire::number));
            next = after.as_ref().and_then(wire::number).map(u64::from);
            if after.is_some() && next <= Some(offset) {
                return Err(self.calls.invalid("a page of points repeats earlier ones"));
            }
        }
        Ok(absent(self.spec.expected_points, &found))
    }

    /// Checks after a search that no point was missing: after a crash the server may have lost points that it had
    /// confirmed, and another program may have replaced the collection.
    async fn check_whole(&self) -> Result<(), Error> {
        let expected = self.spec.expected_points;
        if !self.is_filled.load(Ordering::Relaxed)
            || self.calls.counted(false, 1).await? >= expected
        {
            return Ok(());
        }
        let stored = self.calls.counted(true, 1).await?;
        if stored >= expected {
            return Ok(());
        }
        let Calls { collection, server, .. } = &self.calls;
        Err(Error::permanent(format!(
            "collection `{collection}` on the Qdrant server at `{}` lost points while it was in use: {stored} of {expected} are left",
            server.url
        ))
        .with_hint("run again: the missing points are stored again from the vector cache"))
    }
}

#[async_trait]
impl VectorStore for ServerStore {
    async fn count(&self) -> Result<usize, Error> {
        self.calls.counted(true, self.write_consistency).await
    }

    async fn missing(&self) -> Result<Vec<u32>, Error> {
        let expected = self.spec.expected_points;
        let (beyond, _) = self.page(expected as u64, 1).await?;
        if let Some(point) = beyond.first() {
            return Err(self.calls.unknown(point));
        }
        let missing =
            if self.count().await? == expected { Vec::new() } else { self.absent().await? };
        if missing.is_empty() {
            self.is_filled.store(true, Ordering::Relaxed);
            self.begin_indexing(self.calls.info().await?).await?;
        }
        Ok(missing)
    }

    async fn upsert(&self, points: &[Point]) -> Result<(), Error> {
        self.spec.check_points(points)?;
        let (most_points, most_bytes) = BATCH;
        let batches = batches(points, most_bytes, most_points);
        let upserts: Vec<_> = batches.into_iter().map(|batch| self.insert(batch)).collect();
        stream::iter(upserts).buffer_unordered(IN_FLIGHT).try_collect::<()>().await?;
        self.is_filled.store(true, Ordering::Relaxed);
        // The description's count is fast but approximate; the exact count reads every point.
        let info = self.calls.info().await?;
        let is_whole = info.points_count.unwrap_or(0) >= self.spec.expected_points as u64
            && self.count().await? >= self.spec.expected_points;
        if is_whole { self.begin_indexing(info).await } else { Ok(()) }
    }

    async fn search(&self, search: VectorSearch<'_>) -> Result<Vec<Neighbour>, Error> {
        self.spec.check_search(&search)?;
        if search.limit == 0 {
            return Ok(Vec::new());
        }
        if let Some(filter) = search.filter {
            self.index_fields(&Demands::of(filter)).await?;
        }
        if search.mode == SearchMode::Approximate
            && (self.spec.graph().is_some() || self.spec.quantized().is_some())
        {
            self.settle().await?;
        }
        let request = wire::query(&self.calls.collection, &self.spec, &search);
        let expected = self.spec.expected_points;
        let number = |id: &PointId| {
            let number = wire::number(id).filter(|number| (*number as usize) < expected);
            number.ok_or_else(|| self.calls.unknown(id))
        };
        let found = self.calls.searched(request, false, number).await?;
        self.check_whole().await?;
        // A search that compares all points leaves none out.
        let least = search.limit.min(expected);
        let compares_all = search.mode == SearchMode::Exact && search.filter.is_none();
        if found.len() < least && compares_all && self.is_filled.load(Ordering::Relaxed) {
            let n = found.len();
            return Err(self.calls.invalid(&format!("{n} search results of {least}")));
        }
        Ok(found.into_iter().map(|(number, score)| Neighbour { number, score }).collect())
    }

    async fn graph_in_use(&self) -> Result<bool, Error> {
        Ok(self.spec.graph().is_some() && self.settle().await?)
    }

    async fn segments(&self) -> Result<usize, Error> {
        let n_segments = self.calls.info().await?.segments_count;
        Ok(usize::try_from(n_segments).unwrap_or(usize::MAX))
    }
}

/// Locks a mutex that is never held across an await.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
