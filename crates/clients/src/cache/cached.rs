//! Values of one kind: looked up in a cache, computed where they are missing, and stored.
//!
//! A cache file that cannot be read or written costs no value: what failed is computed again, with a notice.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{CacheTable, ContentKey, Database};
use crate::Error;

/// A value that a cache stores.
pub(crate) trait CachedValue: Clone + Send + 'static {
    fn to_bytes(&self) -> Vec<u8>;

    /// Returns `None` if the bytes are not a value, which is then computed again.
    fn from_bytes(bytes: &[u8]) -> Option<Self>;
}

impl CachedValue for f32 {
    fn to_bytes(&self) -> Vec<u8> {
        self.to_le_bytes().to_vec()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self::from_le_bytes(bytes.try_into().ok()?)).filter(|number| number.is_finite())
    }
}

/// The values of a table.
pub(crate) struct Cached<V> {
    database: Database,
    table: CacheTable,
    n_hits: AtomicU64,
    n_misses: AtomicU64,
    values: PhantomData<fn() -> V>,
}

impl<V: CachedValue> Cached<V> {
    pub(crate) fn new(database: Database, table: CacheTable) -> Self {
        let [n_hits, n_misses] = [0, 0].map(AtomicU64::new);
        Self { database, table, n_hits, n_misses, values: PhantomData }
    }

    /// Returns the number of values found so far.
    pub(crate) fn n_hits(&self) -> u64 {
        self.n_hits.load(Ordering::Relaxed)
    }

    /// Returns the number of values computed so far.
    pub(crate) fn n_misses(&self) -> u64 {
        self.n_misses.load(Ordering::Relaxed)
    }

    pub(crate) fn count_misses(&self, n: usize) {
        self.n_misses.fetch_add(n as u64, Ordering::Relaxed);
    }

    /// Returns the stored values, in the order of their keys.
    pub(crate) async fn find(&self, keys: &[ContentKey]) -> Vec<Option<V>> {
        match self.database.read(self.table, keys.to_vec(), V::from_bytes).await {
            Ok(found) => found,
            Err(error) => {
                self.warn(&error);
                vec![None; keys.len()]
            }
        }
    }

    pub(crate) async fn store(&self, rows: impl Iterator<Item = (ContentKey, &V)>) {
        let rows = rows.map(|(key, value)| (key, value.to_bytes())).collect();
        if let Err(error) = self.database.write(self.table, rows).await {
            self.warn(&error);
        }
    }

    /// Returns the values of `keys` in their order. `compute` makes those at the given indexes, at most `batch` at a time; a
    /// batch is stored before the next is made, and a key that occurs twice is made once. `None` where `compute` says so.
    /// `fits`: a stored value for which it is false is computed again. `on_progress` receives the number of values that needed no
    /// computation.
    pub(crate) async fn all<F>(
        &self,
        keys: &[ContentKey],
        fits: impl Fn(&V) -> bool,
        batch: usize,
        on_progress: &(dyn Fn(usize) + Send + Sync),
        compute: impl Fn(Vec<usize>) -> F,
    ) -> Result<Option<Vec<V>>, Error>
    where
        F: Future<Output = Result<Option<Vec<V>>, Error>>,
    {
        let mut values = self.find(keys).await;
        for value in &mut values {
            *value = value.take().filter(&fits);
        }
        let (missing, places) = missing(keys, &values);
        let n_found = values.iter().flatten().count();
        self.n_hits.fetch_add(n_found as u64, Ordering::Relaxed);
        if n_found > 0 {
            on_progress(n_found);
        }
        for batch in missing.chunks(batch) {
            let Some(made) = compute(batch.to_vec()).await? else {
                return Ok(None);
            };
            self.store(batch.iter().map(|i| keys[*i]).zip(&made)).await;
            self.count_misses(batch.len());
            let mut n_repeated = 0;
            for (i, value) in batch.iter().zip(made) {
                let places = &places[&keys[*i]];
                n_repeated += places.len() - 1;
                for place in places {
                    values[*place] = Some(value.clone());
                }
            }
            if n_repeated > 0 {
                on_progress(n_repeated);
            }
        }
        Ok(Some(values.into_iter().map(|value| value.expect("found or made")).collect()))
    }

    fn warn(&self, error: &Error) {
        let label = self.table.label;
        self.database.say(format!(
            "some {label} could not be cached, and will be computed or paid for again: {error}"
        ));
    }
}

/// Returns the first index of each missing key, and all its indexes: one value serves them all.
fn missing<T>(
    keys: &[ContentKey],
    found: &[Option<T>],
) -> (Vec<usize>, HashMap<ContentKey, Vec<usize>>) {
    let mut places: HashMap<ContentKey, Vec<usize>> = HashMap::new();
    let mut missing = Vec::new();
    for i in (0..keys.len()).filter(|i| found[*i].is_none()) {
        let known = places.entry(keys[i]).or_default();
        if known.is_empty() {
            missing.push(i);
        }
        known.push(i);
    }
    (missing, places)
}
