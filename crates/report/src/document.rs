//! A report as plain data: elements in reading order. [`crate::render`] lays them out, once per format.

use std::fmt;

use ragtriage_core::types::FailureClass;
use ragtriage_data::dataset::lint::finding::Severity;

/// A report of anything: a run, a comparison, a sweep, a data set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// In reading order. All texts may hold what data gave.
    pub elements: Vec<Element>,
}

/// A part of a report.
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    /// A heading; the report's title has level 1.
    Heading(usize, String),
    /// A part of a long report; what follows it is under it.
    Section(Section),
    /// The conclusion, in one paragraph.
    Verdict(String),
    /// Plain text.
    Paragraph(String),
    /// Labels with their values.
    Facts(Vec<Fact>),
    /// Warnings about what follows.
    Notices(Vec<Notice>),
    /// Sentences of equal rank.
    List(Vec<String>),
    /// Titled groups of facts, such as single questions.
    Entries(Vec<Entry>),
    /// The questions on their way through the stages: a picture in HTML, a table in every other format.
    Flow(Flow),
    /// Rows and columns under a heading of their own.
    Table(Table),
    /// Text whose line ends and spaces count.
    Lines(Vec<String>),
}

/// The title of a section and how to read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name in addresses of the HTML page, such as `#losses`.
    pub id: &'static str,
    /// The title.
    pub title: &'static str,
    /// One or two sentences under the title.
    pub reading: &'static str,
}

/// Questions that flow through the stages.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// In the order in which they leave; the last part remains.
    pub parts: Vec<FlowPart>,
    /// The title of `FlowPart::figures`.
    pub figures: &'static str,
    /// Explanations under the picture.
    pub notes: Vec<String>,
    /// The losses as a table.
    pub table: Table,
}

/// Questions that leave the flow together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowPart {
    /// Their failure class.
    pub class: FailureClass,
    /// Their number.
    pub questions: usize,
    /// What the class means; may be empty.
    pub detail: String,
    /// An estimate with its interval; may be empty.
    pub figures: String,
}

/// A label with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The label.
    pub label: String,
    /// Its value.
    pub text: String,
}

/// A warning or an error about the numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Its severity.
    pub severity: Severity,
    /// The finding.
    pub text: String,
    /// The remedy.
    pub hint: Option<String>,
}

/// A titled group of facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The subject.
    pub title: String,
    /// Its facts.
    pub facts: Vec<Fact>,
}

/// Rows and columns with a title before and notes behind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The heading; empty for none.
    pub title: String,
    /// From left to right.
    pub columns: Vec<TableColumn>,
    /// Each as long as `columns`.
    pub rows: Vec<Vec<TableCell>>,
    /// Explanations under the table.
    pub notes: Vec<String>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// May be empty.
    pub title: String,
    /// The alignment of its cells.
    pub align: Align,
}

/// Alignment of a cell's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableCell {
    /// The main text.
    pub text: String,
    /// A detail, such as the interval; may be empty.
    pub detail: String,
    /// An address within the HTML page, such as `#class=ranked_low`; empty for none.
    pub link: String,
}

impl Report {
    /// Creates a report of the given title.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self { elements: vec![Element::Heading(1, title.into())] }
    }

    /// Appends a heading of the second level.
    pub fn heading(&mut self, text: impl Into<String>) {
        self.elements.push(Element::Heading(2, text.into()));
    }

    /// Begins a section.
    pub fn section(&mut self, section: Section) {
        self.elements.push(Element::Section(section));
    }

    /// Appends the elements of another report.
    pub fn append(&mut self, other: Self) {
        self.elements.extend(other.elements);
    }

    /// Appends facts, if any.
    pub fn facts(&mut self, facts: Vec<Fact>) {
        self.push_unless(facts.is_empty(), Element::Facts(facts));
    }

    /// Appends warnings without hints, if any.
    pub fn warnings(&mut self, texts: &[String]) {
        self.notices(texts.iter().map(Notice::warning).collect());
    }

    /// Appends notices, if any.
    pub fn notices(&mut self, notices: Vec<Notice>) {
        self.push_unless(notices.is_empty(), Element::Notices(notices));
    }

    /// Appends a list, if it has items.
    pub fn list(&mut self, items: Vec<String>) {
        self.push_unless(items.is_empty(), Element::List(items));
    }

    /// Appends entries, if any.
    pub fn entries(&mut self, entries: Vec<Entry>) {
        self.push_unless(entries.is_empty(), Element::Entries(entries));
    }

    /// Appends a table, if it has rows or notes.
    pub fn table(&mut self, table: Table) {
        let is_empty = table.rows.is_empty() && table.notes.is_empty();
        self.push_unless(is_empty, Element::Table(table));
    }

    fn push_unless(&mut self, is_empty: bool, element: Element) {
        if !is_empty {
            self.elements.push(element);
        }
    }
}

impl Fact {
    /// Creates a fact.
    pub fn new(label: impl Into<String>, text: impl Into<String>) -> Self {
        Self { label: label.into(), text: text.into() }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.label, self.text)
    }
}

impl Notice {
    /// Creates a warning without a hint.
    pub fn warning(text: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, text: text.into(), hint: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl Table {
    /// Creates a table without rows whose first column holds text and whose other columns hold numbers.
    #[must_use]
    pub fn new(title: impl Into<String>, columns: &[&str]) -> Self {
        let mut table = Self {
            title: title.into(),
            columns: columns.iter().copied().map(TableColumn::of_numbers).collect(),
            ..Self::default()
        };
        if let Some(first) = table.columns.first_mut() {
            first.align = Align::Left;
        }
        table
    }

    /// Creates a table without rows all of whose columns hold text.
    #[must_use]
    pub fn of_text(title: impl Into<String>, columns: &[&str]) -> Self {
        let mut table = Self::new(title, columns);
        for column in &mut table.columns {
            column.align = Align::Left;
        }
        table
    }

    /// Creates a table of counts, of those in `rows` by those in `columns`.
    pub(crate) fn of_counts<R: fmt::Display, C: fmt::Display>(
        title: impl Into<String>,
        rows: impl IntoIterator<Item = R>,
        columns: &[C],
        count: impl Fn(&R, &C) -> usize,
    ) -> Self {
        let mut table = Self::new(title, &[""]);
        table.columns.extend(columns.iter().map(|c| TableColumn::of_numbers(&c.to_string())));
        for row in rows {
            let counts = columns.iter().map(|column| count(&row, column).to_string());
            table.row([row.to_string()].into_iter().chain(counts));
        }
        table
    }

    /// Appends a row.
    pub fn row<C: Into<TableCell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }
}

impl TableColumn {
    /// Creates a column of numbers, aligned right.
    #[must_use]
    pub fn of_numbers(title: &str) -> Self {
        Self { title: title.to_owned(), align: Align::Right }
    }
}

impl From<String> for TableCell {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl From<&str> for TableCell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}
