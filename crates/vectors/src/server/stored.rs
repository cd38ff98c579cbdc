//! The points that a collection on a server holds: their count, their list, and whether any is missing.

use std::sync::atomic::Ordering;

use qdrant_client::qdrant::read_consistency::Value::Factor;
use qdrant_client::qdrant::{CountPointsBuilder, PointId};

use super::{ServerStore, wire};
use crate::collection::absent;
use crate::error::IndexError;

/// Ids in one answer.
const PAGE: u32 = 10_000;

impl ServerStore {
    /// Counts the points that `n_replicas` replicas have, exactly by reading each or as the server's segments report them.
    pub(super) async fn counted(
        &self,
        is_exact: bool,
        n_replicas: u64,
    ) -> Result<usize, IndexError> {
        let counted = self
            .calls
            .retry("count points", || {
                let count = CountPointsBuilder::new(&self.calls.collection)
                    .exact(is_exact)
                    .read_consistency(Factor(n_replicas));
                self.calls.client.count(count)
            })
            .await?
            .result;
        let counted = counted.ok_or_else(|| self.calls.lacks("a count"))?;
        Ok(usize::try_from(counted.count).unwrap_or(usize::MAX))
    }

    /// Returns ids from `offset` on, and the start of the next page.
    pub(super) async fn page(
        &self,
        offset: u64,
        limit: u32,
    ) -> Result<(Vec<PointId>, Option<PointId>), IndexError> {
        let answer = self
            .calls
            .retry("list points", || {
                let collection = &self.calls.collection;
                let page = wire::page(collection, offset, limit, self.write_consistency);
                self.calls.client.scroll(page)
            })
            .await?;
        Ok((
            answer.result.into_iter().filter_map(|point| point.id).collect(),
            answer.next_page_offset,
        ))
    }

    /// Lists the numbers of the points that are not stored.
    pub(super) async fn absent(&self) -> Result<Vec<u32>, IndexError> {
        let mut found = Vec::new();
        let mut next = Some(0);
        while let Some(offset) = next {
            let (ids, after) = self.page(offset, PAGE).await?;
            found.extend(ids.iter().filter_map(wire::number));
            next = after.as_ref().and_then(wire::number).map(u64::from);
            if after.is_some() && next <= Some(offset) {
                return Err(self.calls.invalid("a page of points repeats earlier ones".to_owned()));
            }
        }
        Ok(absent(self.spec.expected_points, &found))
    }

    /// Checks after a search that no point was missing: after a crash the server may have lost points that it had
    /// confirmed, and another program may have replaced the collection.
    pub(super) async fn check_whole(&self) -> Result<(), IndexError> {
        let expected = self.spec.expected_points;
        if !self.is_filled.load(Ordering::Relaxed) || self.counted(false, 1).await? >= expected {
            return Ok(());
        }
        let stored = self.counted(true, 1).await?;
        if stored >= expected {
            return Ok(());
        }
        Err(IndexError::Lost {
            collection: self.calls.collection.clone(),
            url: self.calls.url.clone(),
            stored,
            expected,
        })
    }
}
