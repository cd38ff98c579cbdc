//! A table of ready text: what every part of a report that is no picture comes down to, laid out by each renderer in its way.

/// A titled table. The first column is text, the others are figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// What it shows, of how many.
    pub title: String,
    /// The columns' heads; the first may be empty.
    pub head: Vec<String>,
    /// Each as long as `head`; may hold what data gave.
    pub rows: Vec<Vec<String>>,
    /// Sentences under the table: how to read it.
    pub notes: Vec<String>,
}

impl Section {
    /// A table without rows yet.
    #[must_use]
    pub fn new(title: impl Into<String>, head: &[&str]) -> Self {
        let head = head.iter().map(|cell| (*cell).to_owned()).collect();
        Self {
            title: title.into(),
            head,
            rows: Vec::new(),
            notes: Vec::new(),
        }
    }
}
