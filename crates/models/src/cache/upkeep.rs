//! Maintenance of a database: its size, and removal of entries.
//!
//! Other processes may read and write concurrently: a removed entry is computed again on demand.

use rusqlite::types::Value;
use rusqlite::{Connection, TransactionBehavior};
use serde::Serialize;

use super::{CacheError, CacheTable, ContentKey, Database, State};

/// A number of entries with their size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Size {
    /// The number of entries.
    pub entries: u64,
    /// Bytes of keys and values, without `SQLite`'s overhead.
    pub bytes: u64,
}

impl std::ops::AddAssign for Size {
    fn add_assign(&mut self, other: Self) {
        self.entries += other.entries;
        self.bytes += other.bytes;
    }
}

impl Database {
    /// Measures a table.
    pub async fn size(&self, table: CacheTable) -> Result<Size, CacheError> {
        self.work(move |state| size(&state.opened.connection, table)).await
    }

    /// Passes every undamaged value of a table to `each`, in key order, which is arbitrary.
    pub async fn fold<T: Default + Send + 'static>(
        &self,
        table: CacheTable,
        each: impl Fn(&mut T, &[u8]) + Send + 'static,
    ) -> Result<T, CacheError> {
        self.work(move |State { opened, n_damaged }| {
            let mut folded = T::default();
            let mut statement = opened.connection.prepare_cached(&table.select_all())?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                match table.verified(row)? {
                    Some(value) => each(&mut folded, value),
                    None => *n_damaged.entry(table.label).or_default() += 1,
                }
            }
            drop(rows);
            Ok(folded)
        })
        .await
    }

    /// Removes all entries of a table.
    pub async fn clear(&self, table: CacheTable) -> Result<Size, CacheError> {
        self.work(move |State { opened, .. }| {
            let connection = &mut opened.connection;
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let removed = size(&transaction, table)?;
            transaction.execute(&format!("DELETE FROM {}", table.name), [])?;
            transaction.commit()?;
            Ok(removed)
        })
        .await
    }

    /// Removes the entries for whose value `doomed` returns true, and damaged ones.
    pub async fn remove(
        &self,
        table: CacheTable,
        doomed: impl Fn(&[u8]) -> bool + Send + 'static,
    ) -> Result<Size, CacheError> {
        self.work(move |State { opened, .. }| {
            let connection = &mut opened.connection;
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut removed = Size::default();
            {
                let mut keys: Vec<Value> = Vec::new();
                let mut statement = transaction.prepare(&table.select_all())?;
                let mut rows = statement.query([])?;
                while let Some(row) = rows.next()? {
                    let value = table.verified(row)?;
                    if value.is_none_or(&doomed) {
                        let bytes = value.map_or(0, |value| size_of::<ContentKey>() + value.len());
                        removed += Size { entries: 1, bytes: bytes as u64 };
                        keys.push(row.get(0)?);
                    }
                }
                let mut statement =
                    transaction.prepare(&format!("DELETE FROM {} WHERE key = ?1", table.name))?;
                for key in &keys {
                    statement.execute([key])?;
                }
            }
            transaction.commit()?;
            Ok(removed)
        })
        .await
    }

    /// Returns the space of removed entries to the disk.
    pub async fn shrink(&self) -> Result<(), CacheError> {
        let sql = "VACUUM; PRAGMA wal_checkpoint(TRUNCATE);";
        self.work(move |state| state.opened.connection.execute_batch(sql)).await
    }
}

fn size(connection: &Connection, table: CacheTable) -> rusqlite::Result<Size> {
    let CacheTable { name, value, .. } = table;
    let sql =
        format!("SELECT count(*), coalesce(sum(length(key) + length({value})), 0) FROM {name}");
    connection.query_row(&sql, [], |row| {
        let (entries, bytes): (i64, i64) = (row.get(0)?, row.get(1)?);
        Ok(Size { entries: entries.unsigned_abs(), bytes: bytes.unsigned_abs() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::key;
    use ragtriage_core::notices::Notices;

    const TABLE: CacheTable = CacheTable { name: "a", value: "x", label: "things" };

    fn open(folder: &std::path::Path) -> Database {
        let path = folder.join("cache.sqlite");
        Database::open(&path, &[TABLE], &Notices::default()).unwrap()
    }

    async fn filled(folder: &std::path::Path) -> Database {
        let database = open(folder);
        let rows = (0..100_u8).map(|n| (key(&[&n.to_string()]), vec![n; 1000])).collect();
        database.write(TABLE, rows).await.unwrap();
        database
    }

    #[tokio::test]
    async fn what_is_taken_out_is_counted_and_gone_and_the_rest_stays() {
        let folder = tempfile::tempdir().unwrap();
        let database = filled(folder.path()).await;
        // A key has 32 bytes, a value 1,000.
        assert_eq!(database.size(TABLE).await.unwrap(), Size { entries: 100, bytes: 103_200 });
        let removed = database.remove(TABLE, |value| value[0] < 30).await.unwrap();
        assert_eq!(removed, Size { entries: 30, bytes: 30_960 });
        // 30 + 31 + ... + 99 = 70 * 129 / 2.
        let sum =
            database.fold(TABLE, |sum: &mut u64, value| *sum += u64::from(value[0])).await.unwrap();
        assert_eq!(sum, 4515);
        assert_eq!(database.clear(TABLE).await.unwrap(), Size { entries: 70, bytes: 72_240 });
        assert_eq!(database.size(TABLE).await.unwrap(), Size::default());
    }

    #[tokio::test]
    async fn shrinking_makes_the_file_smaller_while_another_has_it_open() {
        let folder = tempfile::tempdir().unwrap();
        let database = filled(folder.path()).await;
        let other = open(folder.path());
        let bytes = || std::fs::metadata(folder.path().join("cache.sqlite")).unwrap().len();
        database.shrink().await.unwrap();
        let before = bytes();
        database.clear(TABLE).await.unwrap();
        database.shrink().await.unwrap();
        assert!(before > 100_000 && bytes() < 50_000, "{before} {}", bytes());
        assert_eq!(other.size(TABLE).await.unwrap(), Size::default());
    }
}
