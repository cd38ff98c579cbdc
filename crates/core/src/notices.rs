//! Notices: repaired faults that are reported while the work continues.

use std::sync::{Arc, Mutex, PoisonError};

/// Notice of results that cannot be stored, shared by all caches so that it is shown once.
pub const READ_ONLY_CACHE: &str = "the cache is read-only: new entries are not stored";

/// Receives notices and shows each text once. Clones share what was shown.
#[derive(Clone, Debug)]
pub struct Notices {
    show: fn(&str),
    shown: Arc<Mutex<Vec<String>>>,
}

impl Notices {
    /// Creates a receiver that passes each new text to `show`.
    #[must_use]
    pub fn new(show: fn(&str)) -> Self {
        Self { show, shown: Arc::default() }
    }

    /// Shows a text of one line, unless it was shown before.
    pub fn say(&self, text: String) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if !shown.contains(&text) {
            (self.show)(&text);
            shown.push(text);
        }
    }

    /// Returns the texts shown so far.
    #[must_use]
    pub fn shown(&self) -> Vec<String> {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.clone()
    }
}

impl Default for Notices {
    /// Creates a receiver that only collects.
    fn default() -> Self {
        Self::new(|_| ())
    }
}
