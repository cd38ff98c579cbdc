//! Caches on disk: values stored under the hash of their inputs, in one `SQLite` file that processes share.
//!
//! A key is the sha256 of everything that changes the value, so that stale hits are impossible and entries are never
//! invalidated. `Cached` looks values up and computes what is missing. No entry is removed; the folder can be deleted.
//! Each row has a checksum of its table, key and value, verified when it is read: a damaged row counts as missing.

mod cached;
#[cfg(test)]
mod damage;
mod file;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::types::ValueRef;
use rusqlite::{Row, TransactionBehavior};

pub(crate) use cached::{Cached, CachedValue};
use file::{CacheFile, Opened, is_read_only};

use crate::Error;
use ragtriage_core::notices::{Notices, READ_ONLY_CACHE};
pub use ragtriage_core::text::content_key::{ContentKey, key};
use ragtriage_core::text::numbers::plural;

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
    fn sql(self) -> String {
        let Self { name, value, .. } = self;
        format!(
            "CREATE TABLE {name} (key BLOB PRIMARY KEY, {value} BLOB NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID"
        )
    }

    /// Returns the checksum of a row: CRC-32 of the table's name, the key and the value.
    fn checksum(self, key: &[u8], value: &[u8]) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        for part in [self.name.as_bytes(), key, value] {
            hasher.update(part);
        }
        hasher.finalize()
    }

    /// Returns the query for the row of a key, as [`Self::verified`] takes it.
    fn select(self) -> String {
        let Self { name, value, .. } = self;
        format!("SELECT key, {value}, checksum FROM {name} WHERE key = ?1")
    }

    /// Returns the value of a row of [`Self::select`]; `None` if the row is damaged.
    fn verified<'row>(self, row: &'row Row<'_>) -> rusqlite::Result<Option<&'row [u8]>> {
        let fields = (row.get_ref(0)?, row.get_ref(1)?, row.get_ref(2)?);
        let (ValueRef::Blob(key), ValueRef::Blob(value), ValueRef::Integer(checksum)) = fields
        else {
            return Ok(None);
        };
        Ok((checksum == i64::from(self.checksum(key, value))).then_some(value))
    }
}

/// Maximum number of repairs in one operation: other processes may recreate the file at the same time.
const MOST_REPAIRS: usize = 4;

/// An open database; clones share the connection.
#[derive(Clone)]
pub struct Database(Arc<SharedDatabase>);

struct SharedDatabase {
    file: CacheFile,
    state: Mutex<State>,
}

/// The state of an open database.
struct State {
    opened: Opened,
    /// Number of damaged rows read, by the label of their table.
    n_damaged: BTreeMap<&'static str, usize>,
}

impl SharedDatabase {
    fn lock(&self) -> MutexGuard<'_, State> {
        // SQLite rolls a transaction back when its holder panics, so a poisoned connection is valid.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work`; on a damaged file, recreates it and runs `work` again.
    fn run<T>(&self, work: impl Fn(&mut State) -> rusqlite::Result<T>) -> rusqlite::Result<T> {
        let mut state = self.lock();
        for _ in 0..MOST_REPAIRS {
            match work(&mut state) {
                Err(error) if self.file.repair(&mut state.opened, &error)? => {}
                done => return done,
            }
        }
        work(&mut state)
    }
}

impl Drop for SharedDatabase {
    fn drop(&mut self) {
        let state = self.lock();
        for (label, n) in &state.n_damaged {
            let entries = plural(*n, "damaged entry", "damaged entries");
            let notice = format!("the cached {label} had {entries}, treated as missing");
            self.file.notices.say(notice);
        }
    }
}

impl Database {
    /// Opens the database at `path` with its `tables`, or creates it and its folder, readable only by their owner (modes
    /// 0600 and 0700). A damaged file is recreated, with a notice. Where nothing can be written, what is there is read, and
    /// the first entry that is not stored causes a notice.
    ///
    /// # Errors
    /// A file that cannot be read, a folder that cannot be created for another reason than permissions.
    pub fn open(path: &Path, tables: &[CacheTable], notices: &Notices) -> Result<Self, Error> {
        let file =
            CacheFile { path: path.to_owned(), tables: tables.to_vec(), notices: notices.clone() };
        let state = Mutex::new(State { opened: file.open()?, n_damaged: BTreeMap::new() });
        Ok(Self(Arc::new(SharedDatabase { file, state })))
    }

    /// Returns the decoded value of each key, in order; `None` for a value that is missing, damaged or cannot be decoded.
    pub async fn read<T: Send + 'static>(
        &self,
        table: CacheTable,
        keys: Vec<ContentKey>,
        decode: impl Fn(&[u8]) -> Option<T> + Send + 'static,
    ) -> Result<Vec<Option<T>>, Error> {
        self.work(move |State { opened, n_damaged }| {
            // One read transaction for all: without it each read takes and drops the file lock.
            let transaction = opened.connection.transaction()?;
            let mut statement = transaction.prepare_cached(&table.select())?;
            let mut found = Vec::with_capacity(keys.len());
            for key in &keys {
                let mut rows = statement.query([&key[..]])?;
                let Some(row) = rows.next()? else {
                    found.push(None);
                    continue;
                };
                let bytes = table.verified(row)?;
                if bytes.is_none() {
                    *n_damaged.entry(table.label).or_default() += 1;
                }
                found.push(bytes.and_then(&decode));
            }
            Ok(found)
        })
        .await
    }

    /// Stores all of `rows` or, on failure, none. Where nothing can be written, none is stored, with a notice.
    pub async fn write(
        &self,
        table: CacheTable,
        rows: Vec<(ContentKey, Vec<u8>)>,
    ) -> Result<(), Error> {
        let notices = self.0.file.notices.clone();
        self.work(move |State { opened, .. }| {
            if !opened.read_only {
                match store(opened, table, &rows) {
                    Err(error) if is_read_only(&error) => {}
                    done => return done,
                }
            }
            notices.say(READ_ONLY_CACHE.to_owned());
            Ok(())
        })
        .await
    }

    fn say(&self, notice: String) {
        self.0.file.notices.say(notice);
    }

    /// Runs `work` on the connection, off the async runtime; twice if the file is damaged.
    async fn work<T: Send + 'static>(
        &self,
        work: impl Fn(&mut State) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        let shared = Arc::clone(&self.0);
        let done =
            tokio::task::spawn_blocking(move || shared.run(work).map_err(shared.file.failed()));
        done.await?
    }
}

/// Stores the rows in one transaction.
fn store(
    opened: &mut Opened,
    table: CacheTable,
    rows: &[(ContentKey, Vec<u8>)],
) -> rusqlite::Result<()> {
    let connection = &mut opened.connection;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let CacheTable { name, value, .. } = table;
        let sql =
            format!("INSERT OR REPLACE INTO {name} (key, {value}, checksum) VALUES (?1, ?2, ?3)");
        let mut statement = transaction.prepare_cached(&sql)?;
        for (key, bytes) in rows {
            statement.execute((&key[..], bytes, table.checksum(key, bytes)))?;
        }
    }
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::hint::Hint;
    use ragtriage_core::text::hex::hex;

    const TABLES: [CacheTable; 2] = [
        CacheTable { name: "a", value: "x", label: "things" },
        CacheTable { name: "b", value: "y", label: "others" },
    ];

    fn open(path: &Path) -> Result<Database, Error> {
        Database::open(path, &TABLES, &Notices::default())
    }

    #[tokio::test]
    async fn what_one_process_writes_another_reads_each_table_for_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/cache.sqlite");
        let [one, two] = [(); 2].map(|()| open(&path).unwrap());
        one.write(TABLES[0], vec![(key(&["k"]), vec![1, 2]), (key(&["l"]), vec![])]).await.unwrap();
        let keys = vec![key(&["l"]), key(&["m"]), key(&["k"])];
        let whole = |bytes: &[u8]| Some(bytes.to_vec());
        let expected = [Some(vec![]), None, Some(vec![1, 2])];
        assert_eq!(two.read(TABLES[0], keys.clone(), whole).await.unwrap(), expected);
        assert_eq!(two.read(TABLES[1], keys.clone(), whole).await.unwrap(), [None, None, None]);
        two.write(TABLES[0], vec![(key(&["k"]), vec![3])]).await.unwrap();
        let decode = |bytes: &[u8]| (bytes.len() == 1).then(|| bytes[0]);
        assert_eq!(one.read(TABLES[0], keys, decode).await.unwrap(), [None, None, Some(3)]);
    }

    #[test]
    fn many_that_make_the_same_file_at_once_all_get_in() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache.sqlite");
        let opened: Vec<bool> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| open(&path).is_ok())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(opened, [true; 8]);
    }

    #[test]
    fn a_folder_that_cannot_be_and_one_in_place_of_the_file_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache.sqlite");
        std::fs::create_dir(&path).unwrap();
        let error = open(&path).err().unwrap();
        assert!(error.to_string().starts_with("cache `") && error.hint().is_some());
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = open(&file.join("cache.sqlite")).err().unwrap();
        assert!(error.to_string().starts_with("cannot write `"), "{error}");
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
