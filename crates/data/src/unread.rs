//! Keys of a file that are not read, and the options that would read some of them.

use std::collections::BTreeSet;
use std::fmt;

use ragtriage_core::types::Note;

/// Unread keys that a note names.
const MOST_KEYS: usize = 5;

/// The option that would read a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Suggestion {
    /// The field.
    pub field: &'static str,
    /// The pointer at the key.
    pub pointer: String,
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`--map {}={}`", self.field, self.pointer)
    }
}

/// The keys of a file's lines that are not read.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    keys: BTreeSet<String>,
    suggested: BTreeSet<Suggestion>,
    n_lines: usize,
}

impl Unread {
    /// Adds a line's keys that are not read, and the options that would read some.
    pub(crate) fn add(&mut self, keys: Vec<String>, suggested: Vec<Suggestion>) {
        self.n_lines += usize::from(!keys.is_empty());
        self.keys.extend(keys);
        self.suggested.extend(suggested);
    }

    /// Returns the options, separated by `separator`; empty if there are none.
    pub(crate) fn options(&self, separator: &str) -> String {
        let options: Vec<String> = self.suggested.iter().map(ToString::to_string).collect();
        options.join(separator)
    }

    /// Adds the number of lines with such keys to `notes`.
    pub(crate) fn note(&self, notes: &mut Vec<Note>) {
        let names = self.keys.iter().take(MOST_KEYS).map(|key| format!("`{key}`"));
        let more = (self.keys.len() > MOST_KEYS).then(|| "...".to_owned());
        let names = names.chain(more).collect::<Vec<_>>().join(", ");
        let read_by = match self.options(", ") {
            options if options.is_empty() => options,
            options => format!(" (to read one: {options})"),
        };
        let what = format!("[line|lines] with keys that are not read: {names}{read_by}");
        Note::add(notes, &what, self.n_lines);
    }
}
