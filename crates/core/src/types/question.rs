//! A question with all that is known of its right answer and of where that stands.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{ByteRange, DocId, QuestionId};

/// What sort of answer a question wants. Decides which measures apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A short text that stands in a passage.
    Span,
    /// `yes` or `no`.
    YesNo,
    /// Free text, judged by facts or by overlap.
    Free,
    /// The corpus does not answer it; the right answer is to say so.
    Unanswerable,
}

impl Kind {
    /// Every kind, in the order reports list them.
    pub const ALL: [Self; 4] = [Self::Span, Self::YesNo, Self::Free, Self::Unanswerable];

    /// The name used in files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Span => "span",
            Self::YesNo => "yes_no",
            Self::Free => "free",
            Self::Unanswerable => "unanswerable",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which part of a data set a question belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// For choosing settings.
    Tune,
    /// For confirming them.
    #[serde(alias = "held_out")]
    Heldout,
}

/// One way to support a question: a document with the byte ranges that are all needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The document.
    pub doc: DocId,
    /// Byte ranges of its text, trimmed of outer white space, all needed. Empty: the document as a whole.
    #[serde(default)]
    pub ranges: Vec<ByteRange>,
}

/// Alternatives: any member of a group will do.
pub type Group = Vec<Member>;

/// A fact that an answer may state: any of these wordings states it.
pub type Fact = Vec<String>;

/// One question of the set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Unique in the set.
    pub id: QuestionId,
    /// What is asked; never empty.
    pub text: String,
    /// The sort of answer wanted.
    pub kind: Kind,
    /// Right answers, each an alias of the others; empty where the data set has none.
    #[serde(default)]
    pub answers: Vec<String>,
    /// Groups of which *every* one is needed; empty where nothing is labelled.
    #[serde(default)]
    pub evidence: Vec<Group>,
    /// Graded documents; a grade <= 0 is judged and not relevant.
    #[serde(default)]
    pub relevant: BTreeMap<DocId, i32>,
    /// Facts a right free answer states, all of them.
    #[serde(default)]
    pub required: Vec<Fact>,
    /// Facts a right free answer must not state.
    #[serde(default)]
    pub forbidden: Vec<Fact>,
    /// Free labels to cut results by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Its part of the set, where the set has parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<Split>,
}

impl Question {
    /// Creates a free question with no labels.
    #[must_use]
    pub fn new(id: QuestionId, text: String) -> Self {
        Self {
            id,
            text,
            kind: Kind::Free,
            answers: Vec::new(),
            evidence: Vec::new(),
            relevant: BTreeMap::new(),
            required: Vec::new(),
            forbidden: Vec::new(),
            tags: Vec::new(),
            split: None,
        }
    }

    /// Whether `EM@k` is defined for it: a span question with at least one answer.
    #[must_use]
    pub fn has_spans(&self) -> bool {
        self.kind == Kind::Span && !self.answers.is_empty()
    }

    /// Its golds in one text for people: aliases behind one another, else the required facts.
    #[must_use]
    pub fn gold_text(&self) -> String {
        match self.kind {
            Kind::Unanswerable => "(not answerable from the corpus)".to_owned(),
            _ if self.answers.is_empty() => self
                .required
                .iter()
                .map(|fact| fact.join(" | "))
                .collect::<Vec<_>>()
                .join(" & "),
            _ => self.answers.join(" | "),
        }
    }

    /// Documents that count as relevant (grade > 0), ascending by id.
    pub fn relevant_docs(&self) -> impl Iterator<Item = &DocId> {
        self.relevant
            .iter()
            .filter(|(_, grade)| **grade > 0)
            .map(|(doc, _)| doc)
    }
}
