//! A loaded data set: corpus and questions, checked against one another.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Document, Question};
use crate::text::numbers::inflected;

/// Documents and questions whose ids are unique and whose evidence lies in the documents.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// The corpus, in the order of its source.
    pub documents: Vec<Document>,
    /// The questions, in the order of their source.
    pub questions: Vec<Question>,
    /// Irregularities that were counted and accepted while loading.
    pub notes: Vec<Note>,
    /// Hex sha256 over all documents and questions as loaded: changes when any of them does.
    pub digest: String,
}

/// Something a loader accepted but a user should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Number of occurrences.
    pub count: usize,
    /// Description without the number, in singular and plural: `empty [document|documents] (no chunk)`.
    pub what: String,
}

impl Note {
    /// Adds `count` occurrences of `what` to `notes`, which hold each description once.
    pub fn add(notes: &mut Vec<Self>, what: &str, count: usize) {
        match notes.iter_mut().find(|note| note.what == what) {
            Some(note) => note.count += count,
            None if count > 0 => notes.push(Self { count, what: what.to_owned() }),
            None => {}
        }
    }

    /// Returns the description in the plural, for a label.
    #[must_use]
    pub fn label(&self) -> String {
        inflected(&self.what, 0)
    }
}

/// Formats the number with its description: `1 empty document (no chunk)`.
impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.count, inflected(&self.what, self.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_one_kind_are_added_up() {
        let mut notes = Vec::new();
        for (what, count) in [("[context|contexts] twice", 1), ("new", 0), ("other", 1)] {
            Note::add(&mut notes, what, count);
        }
        Note::add(&mut notes, "[context|contexts] twice", 2);
        let shown: Vec<String> = notes.iter().map(Note::to_string).collect();
        assert_eq!(shown, ["3 contexts twice", "1 other"]);
    }

    #[test]
    fn a_note_is_right_for_none_one_and_many() {
        let note = |count| Note {
            count,
            what: "[context that is|contexts that are] in no document".to_owned(),
        };
        assert_eq!(note(1).to_string(), "1 context that is in no document");
        for count in [0, 2] {
            let expected = format!("{count} contexts that are in no document");
            assert_eq!(note(count).to_string(), expected);
        }
        assert_eq!(note(1).label(), "contexts that are in no document");
    }
}
