//! Findings: problems of a data set, and the closed set of rules that detect them.

use std::fmt;

use serde::{Serialize, Serializer};

use ragtriage_core::types::{DocId, QuestionId};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The data set does not load, or metrics measured with it are wrong.
    Error,
    /// Metrics measured with the data set are less informative than they seem.
    Warning,
}

impl Severity {
    /// Returns its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

macro_rules! rules {
    ($($rule:ident = $name:literal, $severity:ident, $explanation:literal;)*) => {
        /// The rule that a finding breaks.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $(#[doc = $explanation] $rule,)*
        }

        impl Rule {
            /// Every rule, errors first, in the order reports list them.
            pub const ALL: &[Self] = &[$(Self::$rule),*];

            /// Returns its name in kebab case.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$rule => $name,)* }
            }

            /// Returns the severity of its findings.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Self::$rule => Severity::$severity,)* }
            }

            /// Explains why it matters.
            #[must_use]
            pub fn explanation(self) -> &'static str {
                match self { $(Self::$rule => $explanation,)* }
            }
        }
    };
}

rules! {
    Unreadable = "unreadable", Error, "files that cannot be read as text";
    BrokenLine = "broken-line", Error, "lines that cannot be parsed";
    BadField = "bad-field", Error, "fields that are missing or of the wrong type";
    UnknownKey = "unknown-key", Error, "unknown keys, possibly misspelled labels";
    DuplicateId = "duplicate-id", Error, "duplicate ids";
    UnknownDocument = "unknown-document", Error, "labels that name an unknown document";
    QuoteNotFound = "quote-not-found", Error, "evidence that does not occur in its document";
    RangeOutside = "range-outside", Error, "byte ranges that are not ranges of their document";
    EmptyQuestion = "empty-question", Error, "questions without text";
    NoAnswers = "no-answers", Error, "questions that cannot be scored";
    NoQuestions = "no-questions", Error, "the data set has no questions";
    EmptyCorpus = "empty-corpus", Error, "no document has text";
    AnswerNotInEvidence = "answer-not-in-evidence", Error, "the evidence does not contain the gold answer, so reading it correctly scores as wrong";
    ConflictingQuestions = "conflicting-questions", Error, "identical questions with different gold answers or evidence: one of them always scores as wrong";
    NoEvidence = "no-evidence", Warning, "the stage that loses their evidence is known only if a document contains a gold answer";
    RepeatedQuote = "repeated-quote", Warning, "quotes that occur more than once; the first occurrence is used";
    EmptyDocument = "empty-document", Warning, "documents without text, which produce no chunks";
    DuplicateDocument = "duplicate-document", Warning, "retrieving the other copy counts as a miss";
    DuplicateQuestion = "duplicate-question", Warning, "the same question counts twice";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A possible problem in the data set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule's severity.
    pub severity: Severity,
    /// The rule.
    pub rule: Rule,
    /// The question concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionId>,
    /// The document concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<DocId>,
    /// The file that contains the question or the invalid record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1: of `file`, else of the document's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The problem, in one sentence.
    pub message: String,
    /// The suggested fix.
    pub hint: String,
}

impl Finding {
    /// Creates a finding about the data set as a whole.
    #[must_use]
    pub fn new(rule: Rule, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            severity: rule.severity(),
            rule,
            question: None,
            document: None,
            file: None,
            line: None,
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// Returns this finding with a document.
    #[must_use]
    pub fn in_document(self, id: &DocId) -> Self {
        Self { document: Some(id.clone()), ..self }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_rule_has_a_name_of_its_own_in_kebab_case_and_errors_come_first() {
        let names: BTreeSet<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
        assert_eq!(names.len(), Rule::ALL.len());
        assert!(names.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')));
        assert!(Rule::ALL.is_sorted(), "the table has the order of the set");
        assert!(Rule::ALL.is_sorted_by_key(|rule| rule.severity()));
        assert_eq!(
            serde_json::to_string(&Rule::DuplicateQuestion).expect("serialises"),
            "\"duplicate-question\""
        );
    }
}
