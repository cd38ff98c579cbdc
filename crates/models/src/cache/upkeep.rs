//! The size of a database, and a pass over its values.

use rusqlite::Connection;
use serde::Serialize;

use super::{CacheError, CacheTable, Database, State};

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

    #[tokio::test]
    async fn a_table_is_measured_and_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache.sqlite");
        let database = Database::open(&path, &[TABLE], &Notices::default()).unwrap();
        let rows = (0..100_u8).map(|n| (key(&[&n.to_string()]), vec![n; 1000])).collect();
        database.write(TABLE, rows).await.unwrap();
        // A key has 32 bytes, a value 1,000.
        assert_eq!(database.size(TABLE).await.unwrap(), Size { entries: 100, bytes: 103_200 });
        // 0 + 1 + ... + 99 = 50 * 99.
        let sum =
            database.fold(TABLE, |sum: &mut u64, value| *sum += u64::from(value[0])).await.unwrap();
        assert_eq!(sum, 4950);
    }
}
