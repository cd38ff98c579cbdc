//! Damaged, emptied, foreign and read-only files: no value that was not stored is ever returned, and a notice says what
//! was lost.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use proptest::prelude::{ProptestConfig, any};
use proptest::{prop_assert, proptest};
use rusqlite::Connection;
use tempfile::TempDir;

use super::file::CacheFile;
use super::{CacheTable, ContentKey, Database, SharedDatabase, State, key};
use ragtriage_core::notices::{Notices, READ_ONLY_CACHE};

const TABLE: CacheTable = CacheTable { name: "a", value: "x", label: "things" };
const N: usize = 40;

/// Changes a file.
type Damage<'a> = &'a dyn Fn(&Path);

/// A closed database of [`N`] rows in a folder of its own.
struct Stored {
    folder: TempDir,
    path: PathBuf,
}

fn keys() -> Vec<ContentKey> {
    (0..N).map(|n| key(&[&n.to_string()])).collect()
}

/// Returns the value of a row: up to 24 KB, so that some need overflow pages (16 KB).
fn value(n: usize) -> Vec<u8> {
    vec![n as u8 + 1; 40 + n * 600]
}

fn rows() -> Vec<(ContentKey, Vec<u8>)> {
    keys().into_iter().zip((0..N).map(value)).collect()
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(work)
}

fn read(database: &Database) -> Vec<Option<Vec<u8>>> {
    block_on(database.read(TABLE, keys(), |bytes| Some(bytes.to_vec()))).unwrap()
}

/// Reads every value; one that is there must be correct.
fn read_correct(database: &Database) -> Vec<Option<Vec<u8>>> {
    let found = read(database);
    for (found, stored) in found.iter().zip(whole()) {
        assert!(found.is_none() || *found == stored, "a wrong value");
    }
    found
}

fn whole() -> Vec<Option<Vec<u8>>> {
    (0..N).map(|n| Some(value(n))).collect()
}

/// The bytes of a database of [`N`] rows.
static STORED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache.sqlite");
    let database = Database::open(&path, &[TABLE], &Notices::default()).unwrap();
    block_on(database.write(TABLE, rows())).unwrap();
    drop(database);
    fs::read(path).unwrap()
});

impl Stored {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache.sqlite");
        fs::write(&path, &*STORED).unwrap();
        Self { folder, path }
    }

    fn open(&self, notices: &Notices) -> Database {
        Database::open(&self.path, &[TABLE], notices).unwrap()
    }

    /// Reads every value after `damage`, writes them all again and reads them again. Returns the number of values that
    /// were missing, and the notices.
    fn after(&self, damage: impl FnOnce(&Path)) -> (usize, Vec<String>) {
        damage(&self.path);
        let notices = Notices::default();
        let database = self.open(&notices);
        let found = read_correct(&database);
        block_on(database.write(TABLE, rows())).unwrap();
        assert!(read(&database) == whole());
        drop(database);
        assert!(read(&self.open(&notices)) == whole());
        let missing = found.iter().filter(|value| value.is_none()).count();
        (missing, notices.shown())
    }

    fn damaged(&self, reason: &str) -> String {
        let path = self.path.display();
        format!("the cache `{path}` was unusable ({reason}); recreated")
    }
}

/// Overwrites bytes in place.
fn overwrite(path: &Path, at: usize, bytes: &[u8]) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.write_all_at(bytes, at as u64).unwrap();
}

/// Flips a bit of the byte `at` (below 40, which are on one page) of a value, also in remains of its row in free space.
fn flip(path: &Path, n: usize, at: usize, bit: u32) {
    let bytes = fs::read(path).unwrap();
    let row = [&keys()[n][..], &value(n)[..40]].concat();
    let starts = (0..bytes.len()).filter(|start| bytes[*start..].starts_with(&row));
    let starts: Vec<usize> = starts.collect();
    assert!(!starts.is_empty());
    for start in starts {
        overwrite(path, start + 32 + at, &[(n as u8 + 1) ^ (1 << bit)]);
    }
}

/// Flips a bit at a share of the file: every value is correct or missing, then and after all were written again. A key of the tree that
/// is out of order may hide rows even then.
fn flip_anywhere(share: f64, bit: u32) {
    let stored = Stored::new();
    let bytes = fs::read(&stored.path).unwrap();
    let at = (share * bytes.len() as f64) as usize;
    overwrite(&stored.path, at, &[bytes[at] ^ (1 << bit)]);
    let database = stored.open(&Notices::default());
    for _ in 0..2 {
        read_correct(&database);
        block_on(database.write(TABLE, rows())).unwrap();
    }
}

#[test]
fn a_flipped_bit_that_hides_rows_changes_no_value() {
    flip_anywhere(0.108_714_119_958_629_15, 5);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_flipped_bit_anywhere_changes_no_value(share in 0.0..1.0_f64, bit in 0_u32..8) {
        flip_anywhere(share, bit);
    }

    #[test]
    fn a_flipped_bit_of_a_value_is_one_damaged_entry(n in 0..N, share in 0.0..1.0_f64, bit in 0_u32..8) {
        let stored = Stored::new();
        let (missing, notices) = stored.after(|path| flip(path, n, (share * 40.0) as usize, bit));
        prop_assert!(missing == 1, "{missing}");
        prop_assert!(notices == ["the cached things had 1 damaged entry, treated as missing"], "{notices:?}");
    }

    #[test]
    fn random_bytes_over_a_block_change_no_value(block in 0_usize..20, seed in any::<u64>()) {
        let stored = Stored::new();
        let _ = stored.after(|path| {
            let mut state = seed | 1;
            let noise: Vec<u8> = std::iter::repeat_with(|| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state as u8
            }).take(4096).collect();
            let length = fs::metadata(path).unwrap().len() as usize;
            overwrite(path, block * 16_384 % (length - 4096), &noise);
        });
    }
}

#[test]
fn a_file_that_is_no_database_any_more_is_recreated() {
    let malformed = "database disk image is malformed";
    let garbage = |path: &Path| fs::write(path, "no database ".repeat(5000)).unwrap();
    let emptied = |path: &Path| fs::write(path, "").unwrap();
    let headless = |path: &Path| overwrite(path, 0, &[0; 100]);
    let zeroed = |path: &Path| overwrite(path, 0, &vec![0; 1 << 16]);
    let cut = |path: &Path| {
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_len(100_000).unwrap();
    };
    let damages: [(Damage<'_>, &str); 5] = [
        (&garbage, "file is not a database"),
        (&emptied, "empty file"),
        (&headless, "file is not a database"),
        (&zeroed, "file is not a database"),
        (&cut, malformed),
    ];
    for (damage, reason) in damages {
        let stored = Stored::new();
        assert_eq!(stored.after(damage), (N, vec![stored.damaged(reason)]));
        assert_eq!(fs::read_dir(&stored.folder).unwrap().count(), 1);
    }
}

#[test]
fn a_page_of_zeros_costs_what_was_on_it_at_most() {
    let n_pages = STORED.len() / 16_384;
    let mut n_missing = 0;
    for page in 0..n_pages {
        let stored = Stored::new();
        let (missing, notices) = stored.after(|path| overwrite(path, page * 16_384, &[0; 16_384]));
        // A page of the free list holds nothing.
        assert!(missing == 0 || notices.len() == 1, "{page}: {notices:?}");
        n_missing += missing;
    }
    assert!(n_missing >= N, "{n_missing}");
}

#[test]
fn a_damaged_log_of_a_killed_process_changes_no_value() {
    let stored = Stored::new();
    fs::remove_file(&stored.path).unwrap();
    let database = stored.open(&Notices::default());
    block_on(database.write(TABLE, rows())).unwrap();
    let log = fs::read(stored.path.with_extension("sqlite-wal")).unwrap();
    let whole_database = fs::read(&stored.path).unwrap();
    for at in (0..log.len()).step_by(log.len() / 23) {
        let killed = Stored::new();
        let mut log = log.clone();
        log[at] ^= 1;
        fs::write(&killed.path, &whole_database).unwrap();
        fs::write(killed.path.with_extension("sqlite-wal"), log).unwrap();
        // Without the end of a transaction, none of it was made.
        let (missing, _) = killed.after(|_| ());
        assert_eq!(missing, N);
    }
}

#[test]
fn every_operation_recreates_a_file_damaged_while_it_is_open() {
    type Operation = fn(&Database);
    let operations: [Operation; 2] = [
        |database| assert!(read(database).iter().all(Option::is_none)),
        |database| block_on(database.write(TABLE, rows())).unwrap(),
    ];
    for operation in operations {
        let stored = Stored::new();
        let notices = Notices::default();
        let database = stored.open(&notices);
        let length = fs::metadata(&stored.path).unwrap().len() as usize;
        // The first page is in memory.
        overwrite(&stored.path, 16_384, &vec![0xff; length - 16_384]);
        operation(&database);
        let expected = stored.damaged("database disk image is malformed");
        assert_eq!(notices.shown(), [expected]);
        block_on(database.write(TABLE, rows())).unwrap();
        assert!(read(&database) == whole());
    }
}

#[test]
fn several_that_open_or_use_a_damaged_file_at_once_all_recover() {
    let damages: [fn(&Path); 3] = [
        |path| fs::write(path, "no database ".repeat(5000)).unwrap(),
        |path| fs::write(path, "").unwrap(),
        |path| overwrite(path, 16_384, &vec![0xff; STORED.len() - 16_384]),
    ];
    for damage in damages {
        let stored = Stored::new();
        damage(&stored.path);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let database = stored.open(&Notices::default());
                    for (found, stored) in read(&database).into_iter().zip(whole()) {
                        assert!(found.is_none() || found == stored, "a wrong value");
                    }
                    block_on(database.write(TABLE, rows())).unwrap();
                });
            }
        });
        // Another's recreation may have removed what was written before it, nothing else.
        let database = stored.open(&Notices::default());
        for (found, stored) in read(&database).into_iter().zip(whole()) {
            assert!(found.is_none() || found == stored, "a wrong value");
        }
    }
}

#[test]
fn a_value_of_another_key_or_table_is_damaged() {
    let stored = Stored::new();
    let connection = Connection::open(&stored.path).unwrap();
    let [first, second] = [keys()[0], keys()[1]];
    let sql =
        "UPDATE a SET (x, checksum) = (SELECT x, checksum FROM a WHERE key = ?1) WHERE key = ?2";
    assert_eq!(connection.execute(sql, (&first[..], &second[..])).unwrap(), 1);
    drop(connection);
    let found = read(&stored.open(&Notices::default()));
    assert!(found[0].is_some() && found[1].is_none());
    let other = CacheTable { name: "b", ..TABLE };
    assert_ne!(TABLE.checksum(&first, b"x"), other.checksum(&first, b"x"));
}

#[test]
fn the_checksum_is_pinned() {
    // zlib.crc32(b"a" + bytes(32) + b"123456789") in Python.
    assert_eq!(TABLE.checksum(&[0; 32], b"123456789"), 0x021e_f6f9);
}

#[test]
fn a_file_of_the_format_before_is_recreated() {
    let stored = Stored::new();
    let (missing, notices) = stored.after(|path| {
        fs::remove_file(path).unwrap();
        let connection = Connection::open(path).unwrap();
        let sql = "CREATE TABLE a (key BLOB PRIMARY KEY, x BLOB NOT NULL) WITHOUT ROWID";
        connection.execute_batch(sql).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
    });
    assert_eq!((missing, notices), (N, vec![stored.damaged("another format")]));
    assert_eq!(mode(&stored.path), 0o600);
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn files_and_folders_are_their_owners_alone() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("one/two");
    let path = cache.join("cache.sqlite");
    let database = Database::open(&path, &[TABLE], &Notices::default()).unwrap();
    block_on(database.write(TABLE, rows())).unwrap();
    assert_eq!([mode(&folder.path().join("one")), mode(&cache)], [0o700; 2]);
    let files: Vec<PathBuf> =
        fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path()).collect();
    // The database, its log and the log's index.
    assert_eq!(files.len(), 3, "{files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

/// Returns the database as it is opened where nothing can be written.
fn read_only(stored: &Stored, notices: &Notices) -> Database {
    let file =
        CacheFile { path: stored.path.clone(), tables: vec![TABLE], notices: notices.clone() };
    let state =
        Mutex::new(State { opened: file.open_read_only().unwrap(), n_damaged: BTreeMap::new() });
    Database(Arc::new(SharedDatabase { file, state }))
}

#[test]
fn a_file_that_cannot_be_written_is_read_and_says_what_is_not_stored() {
    let stored = Stored::new();
    let before = fs::read(&stored.path).unwrap();
    let notices = Notices::default();
    let database = read_only(&stored, &notices);
    assert!(read(&database) == whole() && notices.shown().is_empty());
    let new = vec![(key(&["new"]), vec![1])];
    for _ in 0..2 {
        block_on(database.write(TABLE, new.clone())).unwrap();
    }
    assert_eq!(notices.shown(), [READ_ONLY_CACHE]);
    drop(database);
    assert!(fs::read(&stored.path).unwrap() == before);
    assert_eq!(fs::read_dir(&stored.folder).unwrap().count(), 1);
}

#[test]
fn a_damaged_file_that_cannot_be_written_is_not_used() {
    let damages: [fn(&Path); 3] = [
        |path| fs::write(path, "no database ".repeat(5000)).unwrap(),
        |path| fs::write(path, "").unwrap(),
        |path| {
            let length = fs::metadata(path).unwrap().len() as usize;
            overwrite(path, 16_384, &vec![0xff; length - 16_384]);
        },
    ];
    for damage in damages {
        let stored = Stored::new();
        damage(&stored.path);
        let before = fs::read(&stored.path).unwrap();
        let notices = Notices::default();
        let database = read_only(&stored, &notices);
        assert!(read(&database).iter().all(Option::is_none));
        block_on(database.write(TABLE, rows())).unwrap();
        assert!(read(&database).iter().all(Option::is_none));
        let shown = notices.shown();
        assert!(shown[0].ends_with(") and read-only; not used"), "{shown:?}");
        assert_eq!(shown[1..], [READ_ONLY_CACHE]);
        assert!(fs::read(&stored.path).unwrap() == before);
    }
}
