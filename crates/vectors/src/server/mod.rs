//! Vectors on a Qdrant server, by `qdrant-client` over gRPC.
//!
//! Every call here may be repeated safely (creating tolerates an existing collection, existing points are left
//! unchanged), so transient failures are retried with growing waits. The client's check of the server's version is
//! switched off: it prints to stdout and adds a connection; a server that is too old answers with a status that says
//! so.
//!
//! Left out: aliases, shard keys, and deleting points (a collection's name identifies its content).

mod answers;
mod calls;
#[cfg(test)]
pub(crate) mod double;
mod existing;
mod failure;
mod stored;
#[cfg(test)]
mod tests;
mod wire;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::{StreamExt, TryStreamExt, stream};
use qdrant_client::qdrant::{CollectionInfo, CollectionStatus, UpdateStatus};
use tokio::time::Instant;

use super::collection::{CollectionSpec, batches};
use super::error::{IndexError, foreign};
use super::filter::Demands;
use super::{Neighbour, Point, SearchMode, Server, VectorSearch, VectorStore};
use calls::{Calls, WAITS};
pub(crate) use existing::ServerCollection;
use failure::CallFailure;

/// Prefix of the collection's name, which shows its origin on a shared server.
const PREFIX: &str = "ragtriage_";

/// Points per upsert, and bytes of their vectors: far below the maximum message size of a server.
const BATCH: (usize, usize) = (1_000, 1 << 20);

/// Concurrent upserts: enough that the server works while the next ones are written.
const IN_FLIGHT: usize = 4;

/// The first and the longest pause between two checks of a server that is indexing.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

/// Returns the version of a server, and lists its collections, because the version needs no key.
pub(crate) async fn version(server: &Server) -> Result<String, IndexError> {
    let calls = Calls::new(server, String::new())?;
    let health = calls
        .attempt("report its version", &[], || calls.client.health_check())
        .await
        .map_err(|(failure, attempts)| calls.error(failure, "report its version", attempts))?;
    calls
        .attempt("list collections", &[], || calls.client.list_collections())
        .await
        .map_err(|(failure, attempts)| calls.error(failure, "list collections", attempts))?;
    Ok(health.version)
}

/// A collection on a server.
pub struct ServerStore {
    calls: Calls,
    spec: CollectionSpec,
    indexing_timeout: Duration,
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
    pub async fn open_or_create(
        server: &Server,
        spec: &CollectionSpec,
    ) -> Result<Self, IndexError> {
        spec.check()?;
        let mut store = Self {
            calls: Calls::new(server, format!("{PREFIX}{}", spec.name()))?,
            spec: spec.clone(),
            indexing_timeout: server.indexing_timeout,
            write_consistency: 1,
            settled: Mutex::default(),
            is_filled: AtomicBool::default(),
            fields: Mutex::default(),
        };
        // An absent server is reported at once, so this first call is not retried; a present one may be busy creating
        // this very collection for another process.
        let found = match store.describe(&[]).await {
            Err(IndexError::Server { .. } | IndexError::NodeLost { .. }) => {
                store.describe(&WAITS).await
            }
            found => found,
        };
        let info = if let Some(info) = found? {
            info
        } else {
            store.create().await?;
            store.info().await?
        };
        store.check_layout(info)?;
        Ok(store)
    }

    async fn create(&self) -> Result<(), IndexError> {
        let action = "create a collection";
        match self
            .calls
            .attempt(action, &WAITS, || {
                self.calls
                    .client
                    .create_collection(wire::creation(&self.calls.collection, &self.spec))
            })
            .await
        {
            Ok(_) => Ok(()),
            // Another process may have created it meanwhile; the error for that differs by server.
            Err((failure, attempts)) => match self.describe(&WAITS).await? {
                Some(_) => Ok(()),
                None => Err(self.calls.error(failure, action, attempts)),
            },
        }
    }

    /// Returns the server's description of the collection; `None` if it has none.
    async fn describe(&self, waits: &[Duration]) -> Result<Option<CollectionInfo>, IndexError> {
        let action = "describe a collection";
        match self
            .calls
            .attempt(action, waits, || self.calls.client.collection_info(&self.calls.collection))
            .await
        {
            Ok(answer) => answer
                .result
                .map(Some)
                .ok_or_else(|| self.calls.lacks("the collection's description")),
            Err((failure, _)) if failure.is_not_found() => Ok(None),
            Err((failure, attempts)) => Err(self.calls.error(failure, action, attempts)),
        }
    }

    async fn info(&self) -> Result<CollectionInfo, IndexError> {
        let answer = self
            .calls
            .retry("describe a collection", || {
                self.calls.client.collection_info(&self.calls.collection)
            })
            .await?;
        answer.result.ok_or_else(|| self.calls.lacks("the collection's description"))
    }

    fn check_layout(&mut self, info: CollectionInfo) -> Result<(), IndexError> {
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
        Err(IndexError::Mismatch {
            collection: self.calls.collection.clone(),
            place: self.calls.url.clone(),
            found: found
                .filter(|found| *found != wanted)
                .unwrap_or_else(|| "vectors of another kind".to_owned()),
            wanted,
        })
    }

    async fn insert(&self, batch: &[Point]) -> Result<(), IndexError> {
        let request = wire::insertion(&self.calls.collection, &self.spec, batch);
        self.calls
            .retry("store points", || async {
                let answer = self.calls.client.upsert_points(request.clone()).await?;
                let status = answer.result.unwrap_or_default().status();
                if status == UpdateStatus::Completed {
                    Ok(())
                } else {
                    Err(CallFailure::unconfirmed(status))
                }
            })
            .await
    }

    /// Makes the server start indexing, if there is something to index and it has not started.
    async fn begin_indexing(&self, info: CollectionInfo) -> Result<(), IndexError> {
        let kb = wire::indexing_kb(&self.spec, true);
        let found = info.config.and_then(|config| config.optimizer_config?.indexing_threshold);
        if found == Some(kb) {
            return Ok(());
        }
        self.set_indexing(kb).await
    }

    async fn set_indexing(&self, kb: u64) -> Result<(), IndexError> {
        *lock(&self.settled) = None;
        self.calls
            .retry("index a collection", || {
                self.calls.client.update_collection(wire::indexing(&self.calls.collection, kb))
            })
            .await
            .map(drop)
    }

    /// Waits until the server has finished indexing, and returns true if there is then an index.
    async fn settle(&self) -> Result<bool, IndexError> {
        if let Some(settled) = *lock(&self.settled) {
            return Ok(settled);
        }
        let deadline = Instant::now() + self.indexing_timeout;
        let (mut pause, longest) = PAUSES;
        let mut was_woken = false;
        loop {
            let info = self.info().await?;
            match info.status() {
                CollectionStatus::Green => {
                    let is_indexed = info.indexed_vectors_count.unwrap_or(0) > 0;
                    *lock(&self.settled) = Some(is_indexed);
                    return Ok(is_indexed);
                }
                CollectionStatus::Red => {
                    return Err(IndexError::Unindexed {
                        url: self.calls.url.clone(),
                        collection: self.calls.collection.clone(),
                        source: foreign(
                            info.optimizer_status.map(|status| status.error).unwrap_or_default(),
                        ),
                    });
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
                return Err(IndexError::Indexing {
                    url: self.calls.url.clone(),
                    collection: self.calls.collection.clone(),
                    seconds: self.indexing_timeout.as_secs_f64(),
                });
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(longest);
        }
    }

    /// Indexes the fields of a filter that are not yet indexed: without an index, each search would read every point,
    /// and a server in strict mode refuses.
    async fn index_fields(&self, demands: &Demands) -> Result<(), IndexError> {
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

    /// Returns true for a search that compares all points, of which none may be left out.
    fn compares_all(search: &VectorSearch<'_>) -> bool {
        search.mode == SearchMode::Exact && search.filter.is_none()
    }
}

#[async_trait]
impl VectorStore for ServerStore {
    async fn count(&self) -> Result<usize, IndexError> {
        self.counted(true, self.write_consistency).await
    }

    async fn missing(&self) -> Result<Vec<u32>, IndexError> {
        let expected = self.spec.expected_points;
        let (beyond, _) = self.page(expected as u64, 1).await?;
        if let Some(point) = beyond.first() {
            return Err(self.calls.unknown(point));
        }
        let missing =
            if self.count().await? == expected { Vec::new() } else { self.absent().await? };
        if missing.is_empty() {
            self.is_filled.store(true, Ordering::Relaxed);
            self.begin_indexing(self.info().await?).await?;
        }
        Ok(missing)
    }

    async fn upsert(&self, points: &[Point]) -> Result<(), IndexError> {
        self.spec.check_points(points)?;
        let (most_points, most_bytes) = BATCH;
        let batches = batches(points, most_bytes, most_points);
        let upserts: Vec<_> = batches.into_iter().map(|batch| self.insert(batch)).collect();
        stream::iter(upserts).buffer_unordered(IN_FLIGHT).try_collect::<()>().await?;
        self.is_filled.store(true, Ordering::Relaxed);
        // The description's count is fast but approximate; the exact count reads every point.
        let info = self.info().await?;
        let is_whole = info.points_count.unwrap_or(0) >= self.spec.expected_points as u64
            && self.count().await? >= self.spec.expected_points;
        if is_whole { self.begin_indexing(info).await } else { Ok(()) }
    }

    async fn search(&self, search: VectorSearch<'_>) -> Result<Vec<Neighbour>, IndexError> {
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
        let found = self.calls.retry("search", || self.calls.client.query(request.clone())).await?;
        let expected = self.spec.expected_points;
        let found = answers::neighbours(&self.calls, &found.result, search.limit, expected)?;
        self.check_whole().await?;
        let least = search.limit.min(expected);
        let is_short = found.len() < least && Self::compares_all(&search);
        if is_short && self.is_filled.load(Ordering::Relaxed) {
            let n = found.len();
            return Err(self.calls.invalid(format!("{n} search results of {least}")));
        }
        Ok(found)
    }

    async fn graph_in_use(&self) -> Result<bool, IndexError> {
        Ok(self.spec.graph().is_some() && self.settle().await?)
    }

    async fn segments(&self) -> Result<usize, IndexError> {
        let n_segments = self.info().await?.segments_count;
        Ok(usize::try_from(n_segments).unwrap_or(usize::MAX))
    }
}

/// Locks a mutex that is never held across an await.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
