//! A table of cached values: its columns, and the checksums of its rows.

use rusqlite::Row;
use rusqlite::types::ValueRef;

/// A kind of value in a database: a table of three columns, `key`, this and `checksum`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheTable {
    /// Its name.
    pub name: &'static str,
    /// The name of the column that holds the value.
    pub value: &'static str,
    /// The term for its values in notices, in plural.
    pub label: &'static str,
}

impl CacheTable {
    /// Returns the statement that creates it.
    pub(super) fn sql(self) -> String {
        let Self { name, value, .. } = self;
        format!(
            "CREATE TABLE {name} (key BLOB PRIMARY KEY, {value} BLOB NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID"
        )
    }

    /// Returns the checksum of a row: CRC-32 of the table's name, the key and the value.
    pub(super) fn checksum(self, key: &[u8], value: &[u8]) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        for part in [self.name.as_bytes(), key, value] {
            hasher.update(part);
        }
        hasher.finalize()
    }

    /// Returns the query for all rows, as [`Self::verified`] takes them.
    pub(super) fn select_all(self) -> String {
        let Self { name, value, .. } = self;
        format!("SELECT key, {value}, checksum FROM {name}")
    }

    /// Returns the value of a row of [`Self::select_all`]; `None` if the row is damaged.
    pub(super) fn verified<'row>(self, row: &'row Row<'_>) -> rusqlite::Result<Option<&'row [u8]>> {
        let fields = (row.get_ref(0)?, row.get_ref(1)?, row.get_ref(2)?);
        let (ValueRef::Blob(key), ValueRef::Blob(value), ValueRef::Integer(checksum)) = fields
        else {
            return Ok(None);
        };
        Ok((checksum == i64::from(self.checksum(key, value))).then_some(value))
    }
}
