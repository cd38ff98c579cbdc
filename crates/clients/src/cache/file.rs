//! The file of a cache: created complete, recreated when it is damaged, read where it cannot be written.
//!
//! A new database is created under a temporary name and then linked, so that an empty file is always a damaged one. A
//! damaged database is emptied by `SQLite`, under its locks, because other processes may have it open. Where nothing can
//! be written, the file is opened as immutable: a database in WAL mode cannot be read otherwise.

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ragtriage_core::notices::Notices;
use rusqlite::config::DbConfig;
use rusqlite::ffi::SQLITE_ERROR;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};

use super::CacheTable;
use crate::Error;

/// Maximum wait for another process's write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);
/// Pause between attempts to open a database that another process is creating.
const BUSY_PAUSE: Duration = Duration::from_millis(20);

/// A database file and the tables that it must have.
pub(super) struct CacheFile {
    pub(super) path: PathBuf,
    pub(super) tables: Vec<CacheTable>,
    pub(super) notices: Notices,
}

/// An open database.
pub(super) struct Opened {
    pub(super) connection: Connection,
    /// Set if nothing can be stored.
    pub(super) read_only: bool,
}

impl CacheFile {
    /// Opens the database; creates it if it is missing, and recreates it if it is damaged.
    pub(super) fn open(&self) -> Result<Opened, Error> {
        match self.create() {
            Err((_, source)) if is_denied(&source) => {
                return self.in_memory().map_err(self.failed());
            }
            Err((path, source)) => {
                let message = format!("cannot write `{}`: {source}", path.display());
                let hint = "check that the folder is writable and the disk has free space";
                return Err(Error::new(message).hinting(hint));
            }
            Ok(()) => {}
        }
        let since = Instant::now();
        loop {
            match self.open_writable() {
                // Switching to WAL takes an exclusive lock that ignores the busy handler (SQLite, "Write-Ahead Logging", section 2).
                Err(error) if is_busy(&error) && since.elapsed() < BUSY_TIMEOUT => {
                    std::thread::sleep(BUSY_PAUSE);
                }
                Err(error) if is_read_only(&error) => {
                    let opened = self.open_read_only();
                    return opened.map_err(|_| self.failed()(error)); // the first error says more
                }
                opened => return opened.map_err(self.failed()),
            }
        }
    }

    /// Makes the database usable again after `error`; returns false if it is not damaged.
    pub(super) fn repair(
        &self,
        opened: &mut Opened,
        error: &rusqlite::Error,
    ) -> rusqlite::Result<bool> {
        if !is_damage(error) {
            return Ok(false);
        }
        if opened.read_only {
            *opened = self.unusable(error)?;
            return Ok(true);
        }
        match self.set_up(&opened.connection) {
            // Another process is recreating the file, and had not created the tables yet.
            Ok(true) if is_schema(error) => {}
            _ => self.reset(&opened.connection, &error.to_string())?,
        }
        Ok(true)
    }

    /// Converts an error of the database.
    pub(super) fn failed(&self) -> impl Fn(rusqlite::Error) -> Error {
        |source| {
            let path = self.path.display();
            Error::new(format!("cache `{path}`: {source}")).hinting(format!(
                "check that `{path}` is writable and the disk has free space; deleting the file is safe"
            ))
        }
    }

    /// Creates the folder (mode 0700) and the database (mode 0600), unless they exist. The error names what could not be
    /// created.
    fn create(&self) -> Result<(), (PathBuf, io::Error)> {
        if self.path.exists() {
            return Ok(());
        }
        if let Some(folder) = self.path.parent() {
            let mut private = DirBuilder::new();
            let created = private.recursive(true).mode(0o700).create(folder);
            created.map_err(|error| (folder.to_owned(), error))?;
        }
        let random = RandomState::new().hash_one(0);
        let partial = self.path.with_extension(format!("sqlite.{random:016x}.partial"));
        let mut private = OpenOptions::new();
        let file = private.write(true).create_new(true).mode(0o600).open(&partial);
        file.map_err(|error| (self.path.clone(), error))?;
        let created = Connection::open(&partial).and_then(|connection| {
            // A 384-number vector is 1,536 bytes: larger pages waste less space.
            connection.pragma_update(None, "page_size", 16_384)?;
            self.create_tables(&connection)
        });
        let linked = created.map_err(io::Error::other).and_then(|_| link(&partial, &self.path));
        let _ = fs::remove_file(&partial); // renamed or useless; the error to report is the first one
        linked.map_err(|error| (self.path.clone(), error))
    }

    fn open_writable(&self) -> rusqlite::Result<Opened> {
        let is_empty = fs::metadata(&self.path).is_ok_and(|file| file.len() == 0);
        let connection = Connection::open(&self.path)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        match self.set_up(&connection) {
            Ok(true) if is_empty => self.say_damaged("empty file"),
            Ok(true) => {}
            Ok(false) => self.reset(&connection, "another format")?,
            Err(error) if is_damage(&error) => self.reset(&connection, &error.to_string())?,
            Err(error) => return Err(error),
        }
        let read_only = connection.is_readonly("main")?;
        Ok(Opened { connection, read_only })
    }

    pub(super) fn open_read_only(&self) -> rusqlite::Result<Opened> {
        let mut uri = self.path.to_string_lossy().into_owned();
        for (character, escaped) in [("%", "%25"), ("?", "%3f"), ("#", "%23")] {
            uri = uri.replace(character, escaped);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(format!("file:{uri}?immutable=1"), flags)?;
        for table in &self.tables {
            match sql_of(&connection, *table) {
                Ok(Some(sql)) if sql == table.sql() => {}
                Ok(_) => return self.unusable(&"another format"),
                Err(error) if is_damage(&error) => return self.unusable(&error),
                Err(error) => return Err(error),
            }
        }
        Ok(Opened { connection, read_only: true })
    }

    /// Returns an empty database in place of one that is damaged and cannot be replaced.
    fn unusable(&self, reason: &dyn std::fmt::Display) -> rusqlite::Result<Opened> {
        let path = self.path.display();
        let notice = format!("the cache `{path}` is unusable ({reason}) and read-only; not used");
        self.notices.say(notice);
        self.in_memory()
    }

    /// Returns an empty database to which nothing is stored.
    fn in_memory(&self) -> rusqlite::Result<Opened> {
        let connection = Connection::open_in_memory()?;
        self.create_tables(&connection)?;
        Ok(Opened { connection, read_only: true })
    }

    /// Prepares the database for use; returns false if a table has another format.
    fn set_up(&self, connection: &Connection) -> rusqlite::Result<bool> {
        let fits = self.create_tables(connection)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        // In WAL mode a power failure may lose the last transactions but never corrupts the file.
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        Ok(fits)
    }

    /// Creates missing tables; returns false if one has another format.
    fn create_tables(&self, connection: &Connection) -> rusqlite::Result<bool> {
        for table in &self.tables {
            match sql_of(connection, *table)? {
                Some(sql) if sql == table.sql() => {}
                Some(_) => return Ok(false),
                None => {
                    let sql = table.sql();
                    connection.execute_batch(&sql.replacen("TABLE", "TABLE IF NOT EXISTS", 1))?;
                }
            }
        }
        Ok(true)
    }

    /// Empties the database and creates its tables.
    fn reset(&self, connection: &Connection, reason: &str) -> rusqlite::Result<()> {
        for end in ["", "-wal", "-shm"] {
            let mut path = self.path.clone().into_os_string();
            path.push(end);
            let _ = fs::set_permissions(path, Permissions::from_mode(0o600)); // another user's file stays as it is
        }
        connection.flush_prepared_statement_cache();
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, true)?;
        let emptied = connection.execute_batch("VACUUM");
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, false)?;
        emptied?;
        self.set_up(connection)?;
        self.say_damaged(reason);
        Ok(())
    }

    fn say_damaged(&self, reason: &str) {
        let path = self.path.display();
        let notice = format!("the cache `{path}` was unusable ({reason}); recreated");
        self.notices.say(notice);
    }
}

/// Gives the file `from` the name `to`, unless that exists.
fn link(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        // Some file systems have no links.
        Err(_) => fs::rename(from, to),
        linked => linked,
    }
}

/// Returns the statement that created the table; `None` without a table of that name.
fn sql_of(connection: &Connection, table: CacheTable) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT sql FROM sqlite_schema WHERE name = ?1";
    connection.query_row(sql, [table.name], |row| row.get(0)).optional()
}

fn is_denied(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Returns true if the error may be that of a file or folder that cannot be written.
pub(super) fn is_read_only(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied)
    )
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Returns true if the file is damaged: it is malformed, holds impossible sizes, or has lost its tables.
fn is_damage(error: &rusqlite::Error) -> bool {
    let malformed = matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::TooBig)
    );
    malformed || is_schema(error)
}

/// Returns true if a statement names a table or column that does not exist (code `SQLITE_ERROR`).
fn is_schema(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqlInputError { .. } => true,
        rusqlite::Error::SqliteFailure(error, _) => error.extended_code == SQLITE_ERROR,
        _ => false,
    }
}
