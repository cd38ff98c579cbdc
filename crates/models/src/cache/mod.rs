//! Caches on disk: values stored under the hash of their inputs, in one `SQLite` file that processes share.
//!
//! A key is the sha256 of everything that changes the value, so that stale hits are impossible and entries are never
//! invalidated. The caller defines the encoding of values. Entries are removed only on demand ([`Database::remove`]).

mod disk;
mod error;
mod upkeep;

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

pub use disk::DiskUse;
pub use error::CacheError;
pub use ragtriage_core::text::content_key::{ContentKey, key};
pub use upkeep::Size;

/// Maximum wait for another process's write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);
/// Pause between attempts to open a database that another process is creating.
const BUSY_PAUSE: Duration = Duration::from_millis(20);

/// A kind of value in a database: a table of two columns, `key` and this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheTable {
    /// Its name.
    pub name: &'static str,
    /// The name of the column that holds the value.
    pub value: &'static str,
}

/// An open database; clones share the connection.
#[derive(Clone)]
pub struct Database {
    path: PathBuf,
    connection: Arc<Mutex<Connection>>,
}

impl Database {
    /// Opens or creates the database at `path` with its `tables`, and its folder.
    pub fn open(path: &Path, tables: &[CacheTable]) -> Result<Self, CacheError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|source| CacheError::Folder {
                path: folder.to_owned(),
                source,
            })?;
        }
        let connection = connect(path, tables).map_err(|source| CacheError::Database {
            path: path.to_owned(),
            source,
        })?;
        Ok(Self {
            path: path.to_owned(),
            connection: Arc::new(Mutex::new(connection)),
        })
    }

    /// Opens a cache as [`Self::open`] does, for private values: a new file is readable only by its owner (mode 0600), and so
    /// are the files that `SQLite` creates next to it.
    pub(crate) fn open_private(path: &Path, tables: &[CacheTable]) -> Result<Self, CacheError> {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(CacheError::folder(parent))?;
        }
        OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(path)
            .map_err(CacheError::folder(path))?;
        Self::open(path, tables)
    }

    /// Returns the decoded value of each key, in order; `None` for a value that is missing or cannot be decoded.
    pub async fn read<T: Send + 'static>(
        &self,
        table: CacheTable,
        keys: Vec<ContentKey>,
        decode: impl Fn(&[u8]) -> Option<T> + Send + 'static,
    ) -> Result<Vec<Option<T>>, CacheError> {
        self.work(move |connection| {
            // One read transaction for all: without it each read takes and drops the file lock.
            let transaction = connection.transaction()?;
            let CacheTable { name, value } = table;
            let mut statement = transaction
                .prepare_cached(&format!("SELECT {value} FROM {name} WHERE key = ?1"))?;
            keys.iter()
                .map(|key| {
                    let found = statement
                        .query_row([&key[..]], |row| Ok(decode(row.get_ref(0)?.as_bytes()?)));
                    Ok(found.optional()?.flatten())
                })
                .collect()
        })
        .await
    }

    /// Stores all of `rows` or, on failure, none.
    pub async fn write(
        &self,
        table: CacheTable,
        rows: Vec<(ContentKey, Vec<u8>)>,
    ) -> Result<(), CacheError> {
        self.work(move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            {
                let CacheTable { name, value } = table;
                let sql = format!("INSERT OR REPLACE INTO {name} (key, {value}) VALUES (?1, ?2)");
                let mut statement = transaction.prepare_cached(&sql)?;
                for (key, bytes) in &rows {
                    statement.execute((&key[..], bytes))?;
                }
            }
            transaction.commit()
        })
        .await
    }

    /// Runs `work` on the connection, off the async runtime.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, CacheError> {
        let connection = Arc::clone(&self.connection);
        let done = tokio::task::spawn_blocking(move || {
            // SQLite rolls a transaction back when its holder panics, so a poisoned connection is valid.
            work(&mut connection.lock().unwrap_or_else(PoisonError::into_inner))
        });
        let done = done.await.map_err(CacheError::Worker)?;
        done.map_err(|source| CacheError::Database {
            path: self.path.clone(),
            source,
        })
    }
}

/// Opens the database. Switching a new file to WAL takes an exclusive lock that ignores the busy handler (SQLite,
/// "Write-Ahead Logging", section 2), so processes that create the file concurrently are serialised.
fn connect(path: &Path, tables: &[CacheTable]) -> rusqlite::Result<Connection> {
    let since = Instant::now();
    loop {
        match try_connect(path, tables) {
            Err(error) if is_busy(&error) && since.elapsed() < BUSY_TIMEOUT => {
                std::thread::sleep(BUSY_PAUSE);
            }
            done => return done,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
    )
}

fn try_connect(path: &Path, tables: &[CacheTable]) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // A 384-number vector is 1,536 bytes: larger pages waste less space. Applies only to a new file.
    connection.pragma_update(None, "page_size", 16_384)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // In WAL mode a power failure may lose the last transactions but never corrupts the file.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    for CacheTable { name, value } in tables {
        connection.execute_batch(&format!(
            "CREATE TABLE IF NOT EXISTS {name} (key BLOB PRIMARY KEY, {value} BLOB NOT NULL) WITHOUT ROWID"
        ))?;
    }
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::hint::Hint;
    use ragtriage_core::text::hex::hex;

    const TABLES: [CacheTable; 2] = [
        CacheTable {
            name: "a",
            value: "x",
        },
        CacheTable {
            name: "b",
            value: "y",
        },
    ];

    #[tokio::test]
    async fn what_one_process_writes_another_reads_each_table_for_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/cache.sqlite");
        let [one, two] = [(); 2].map(|()| Database::open(&path, &TABLES).unwrap());
        one.write(
            TABLES[0],
            vec![(key(&["k"]), vec![1, 2]), (key(&["l"]), vec![])],
        )
        .await
        .unwrap();
        let keys = vec![key(&["l"]), key(&["m"]), key(&["k"])];
        let whole = |bytes: &[u8]| Some(bytes.to_vec());
        let expected = [Some(vec![]), None, Some(vec![1, 2])];
        assert_eq!(
            two.read(TABLES[0], keys.clone(), whole).await.unwrap(),
            expected
        );
        assert_eq!(
            two.read(TABLES[1], keys.clone(), whole).await.unwrap(),
            [None, None, None]
        );
        two.write(TABLES[0], vec![(key(&["k"]), vec![3])])
            .await
            .unwrap();
        let decode = |bytes: &[u8]| (bytes.len() == 1).then(|| bytes[0]);
        assert_eq!(
            one.read(TABLES[0], keys, decode).await.unwrap(),
            [None, None, Some(3)]
        );
    }

    #[test]
    fn many_that_make_the_same_file_at_once_all_get_in() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache.sqlite");
        let opened: Vec<bool> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| Database::open(&path, &TABLES).is_ok()))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        assert_eq!(opened, [true; 8]);
    }

    #[test]
    fn what_is_no_database_and_a_folder_that_cannot_be_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache.sqlite");
        std::fs::write(&path, "x".repeat(5000)).unwrap();
        let error = Database::open(&path, &TABLES).err().unwrap();
        assert_eq!(
            error.to_string(),
            format!("cache `{}`: file is not a database", path.display())
        );
        let error = Database::open(&path.join("deeper/cache.sqlite"), &TABLES)
            .err()
            .unwrap();
        assert!(matches!(error, CacheError::Folder { .. }), "{error}");
        assert!(error.hint().is_some());
    }

    #[test]
    fn parts_are_told_apart_and_the_hash_is_pinned() {
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        // sha256 over each part preceded by its length as eight little-endian bytes, by Python's hashlib.
        let expected = "0e8745c7f4f880ac6112675aca1ba420fa49145d96cc2cec43099a664803c680";
        assert_eq!(hex(&key(&["a", "query", "title", "text"])), expected);
    }
}
