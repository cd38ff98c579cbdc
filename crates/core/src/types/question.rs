//! A question with its gold answers and gold evidence.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ByteRange, DocId, QuestionId};
use crate::closed_set::closed_set;

closed_set! {
    /// Kind of answer that a question asks for. Determines which metrics apply.
    QuestionKind {
        /// A short text that occurs in a passage.
        Span = "span",
        /// `yes` or `no`.
        YesNo = "yes_no",
        /// Free text, judged by key facts or by overlap.
        Free = "free",
        /// Not answered by the corpus; the correct answer is to say so.
        Unanswerable = "unanswerable",
    }
}

closed_set! {
    /// Speaker of a turn.
    Speaker {
        /// Asks.
        #[serde(alias = "human")]
        User = "user",
        /// Answers.
        #[serde(alias = "agent", alias = "ai", alias = "bot")]
        Assistant = "assistant",
    }
}

/// An earlier turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Turn {
    /// The speaker.
    pub role: Speaker,
    /// Its text; never empty.
    #[serde(alias = "content")]
    pub text: String,
}

/// Part of a data set that a question belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// For choosing configurations.
    Tune,
    /// For confirming them.
    #[serde(alias = "held_out")]
    Heldout,
}

/// One way to support a question: a document with the byte ranges that are all needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Member {
    /// The document.
    pub doc: DocId,
    /// Byte ranges of its text, trimmed of outer white space, all needed. Empty: the document as a whole.
    #[serde(default)]
    pub ranges: Vec<ByteRange>,
}

/// Alternatives: any member of a group will do.
pub type Group = Vec<Member>;

/// A key fact that an answer may state, by alternative wordings.
pub type KeyFact = Vec<String>;

/// One question of the set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// Unique in the set.
    pub id: QuestionId,
    /// Text of the question; never empty.
    pub text: String,
    /// The turns of the conversation before it, the first one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Turn>,
    /// The question as one that needs no turn of the conversation before it, if it is one of several turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standalone: Option<String>,
    /// Kind of answer expected.
    pub kind: QuestionKind,
    /// Gold answers, each an alias of the others; empty if the data set has none.
    #[serde(default)]
    pub answers: Vec<String>,
    /// Evidence groups, *all* of which are needed; empty if nothing is labelled.
    #[serde(default)]
    pub evidence: Vec<Group>,
    /// Graded documents; a grade <= 0 is judged and not relevant.
    #[serde(default)]
    pub relevant: BTreeMap<DocId, i32>,
    /// Required facts: a correct free answer states all of them.
    #[serde(default)]
    pub required: Vec<KeyFact>,
    /// Forbidden facts: a correct free answer states none of them.
    #[serde(default)]
    pub forbidden: Vec<KeyFact>,
    /// Free labels to slice results by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Part of the data set, if it is split.
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
            history: Vec::new(),
            standalone: None,
            kind: QuestionKind::Free,
            answers: Vec::new(),
            evidence: Vec::new(),
            relevant: BTreeMap::new(),
            required: Vec::new(),
            forbidden: Vec::new(),
            tags: Vec::new(),
            split: None,
        }
    }

    /// Returns true if the question has an answer, and no gold evidence.
    #[must_use]
    pub fn lacks_evidence(&self) -> bool {
        self.evidence.is_empty() && self.kind != QuestionKind::Unanswerable
    }

    /// Returns true if answers are judged by key facts.
    #[must_use]
    pub fn has_facts(&self) -> bool {
        !self.required.is_empty() || !self.forbidden.is_empty()
    }

    /// Returns all texts that an answer is compared with: gold answers and the wordings of key facts.
    pub fn gold_texts(&self) -> impl Iterator<Item = &String> {
        self.answers.iter().chain(self.required.iter().chain(&self.forbidden).flatten())
    }

    /// Returns true if answers are compared with gold answers, which a judge can do: it does not know of key facts.
    #[must_use]
    pub fn is_compared(&self) -> bool {
        self.kind != QuestionKind::Unanswerable && !self.answers.is_empty() && !self.has_facts()
    }

    /// Returns true if `EM@k` is defined for it: a span question with at least one answer.
    #[must_use]
    pub fn has_spans(&self) -> bool {
        self.kind == QuestionKind::Span && !self.answers.is_empty()
    }

    /// Returns the earlier turns as prompts show them, each after its speaker: `User: ...`; empty without any.
    #[must_use]
    pub fn conversation(&self) -> String {
        let turns = self.history.iter().map(|turn| match turn.role {
            Speaker::User => format!("User: {}", turn.text),
            Speaker::Assistant => format!("Assistant: {}", turn.text),
        });
        turns.collect::<Vec<_>>().join("\n")
    }

    /// Returns its gold answers in one text for people: aliases one after another, else the required facts.
    #[must_use]
    pub fn gold_text(&self) -> String {
        match self.kind {
            QuestionKind::Unanswerable => "(not answerable from the corpus)".to_owned(),
            _ if self.answers.is_empty() => {
                self.required.iter().map(|fact| fact.join(" | ")).collect::<Vec<_>>().join(" & ")
            }
            _ => self.answers.join(" | "),
        }
    }

    /// Returns the texts that mark the part of a label that answers the question: gold answers and wordings of required
    /// facts. None for yes/no questions: `no` occurs in any text.
    #[must_use]
    pub fn marks(&self) -> Vec<String> {
        match self.kind {
            QuestionKind::YesNo | QuestionKind::Unanswerable => Vec::new(),
            QuestionKind::Span | QuestionKind::Free => {
                let facts = self.required.iter().flatten();
                self.answers.iter().chain(facts).cloned().collect()
            }
        }
    }

    /// Returns true if `doc` counts as relevant.
    #[must_use]
    pub fn judges_relevant(&self, doc: &str) -> bool {
        self.relevant_docs().any(|relevant| relevant.as_str() == doc)
    }

    /// Returns documents that count as relevant (grade > 0), ascending by id.
    pub fn relevant_docs(&self) -> impl Iterator<Item = &DocId> {
        self.relevant.iter().filter(|(_, grade)| **grade > 0).map(|(doc, _)| doc)
    }
}
