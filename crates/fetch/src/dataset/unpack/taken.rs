//! The files extracted from an archive, for any format.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use globset::GlobSet;

use super::refusal::Refusal;

/// The files extracted from an archive so far.
pub(super) struct Taken<'a> {
    pub(super) into: &'a Path,
    pub(super) wanted: GlobSet,
    /// In lower case: some file systems ignore case.
    pub(super) names: HashSet<String>,
    pub(super) most_bytes: u64,
    pub(super) n_bytes: u64,
}

impl Taken<'_> {
    /// Extracts the file `path` of the archive, if it is wanted; `declared` is its declared size.
    pub(super) fn file(
        &mut self,
        path: &str,
        declared: u64,
        bytes: &mut impl Read,
    ) -> Result<(), Refusal> {
        let Some(name) = self.wanted_name(path)? else {
            return Ok(());
        };
        if !self.names.insert(name.to_lowercase()) {
            return Err(Refusal::Twice(name));
        }
        self.n_bytes = self.n_bytes.saturating_add(declared);
        if self.n_bytes > self.most_bytes {
            return Err(Refusal::Grows(self.most_bytes));
        }
        let target = self.into.join(&name);
        let unwritable = |source| Refusal::Write { path: target.clone(), source };
        fs::create_dir_all(target.parent().unwrap_or(self.into)).map_err(unwritable)?;
        let mut file = File::create_new(&target).map_err(unwritable)?;
        let mut bytes = bytes.take(declared.saturating_add(1));
        let (mut found, mut buffer) = (0, vec![0; 1 << 16]);
        loop {
            match bytes.read(&mut buffer).map_err(Refusal::unreadable)? {
                0 => break,
                n => {
                    file.write_all(&buffer[..n]).map_err(unwritable)?;
                    found += n as u64;
                }
            }
        }
        if found == declared { Ok(()) } else { Err(Refusal::Size { name, declared, found }) }
    }

    /// Returns the name within the set of the entry at `path`: as it is, or without the common root
    /// folder.
    fn wanted_name(&self, path: &str) -> Result<Option<String>, Refusal> {
        let parts = inside(path)?;
        let names = [parts.join("/"), parts.get(1..).unwrap_or_default().join("/")];
        Ok(names.into_iter().find(|name| self.wanted.is_match(name)))
    }
}

/// Returns the components of a path that stays inside its folder on any system.
pub(super) fn inside(path: &str) -> Result<Vec<&str>, Refusal> {
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    let leads_out = path.starts_with('/') || path.split('/').any(|part| part == "..");
    if path.is_empty() || has_drive || leads_out || path.contains(['\\', '\0']) {
        return Err(Refusal::Outside(path.to_owned()));
    }
    Ok(path.split('/').filter(|part| !matches!(*part, "" | ".")).collect())
}
