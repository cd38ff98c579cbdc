//! Findings: problems of a data set, and the closed set of rules that detect them.

use std::fmt;

use serde::{Serialize, Serializer};

use ragtriage_core::types::{ChunkId, DocId, QuestionId};

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
    Unreadable = "unreadable", Error, "files that could not be read as text";
    BrokenLine = "broken-line", Error, "lines that do not parse";
    BadField = "bad-field", Error, "fields that are missing or hold something else";
    UnknownKey = "unknown-key", Error, "keys that mean nothing, perhaps misspelt labels";
    DuplicateId = "duplicate-id", Error, "ids that are there twice";
    UnknownDocument = "unknown-document", Error, "labels that name a document which is not there";
    UnknownQuestion = "unknown-question", Error, "judgments of questions that are not there";
    QuoteNotFound = "quote-not-found", Error, "evidence that its document does not hold";
    RangeOutside = "range-outside", Error, "byte ranges that are no piece of their document";
    EmptyQuestion = "empty-question", Error, "questions that ask nothing";
    NoAnswers = "no-answers", Error, "questions that cannot be scored";
    NoQuestions = "no-questions", Error, "nothing is asked";
    EmptyCorpus = "empty-corpus", Error, "no document has text";
    AnswerNotInEvidence = "answer-not-in-evidence", Error, "whoever reads the evidence cannot give the answer it is scored by";
    ConflictingQuestions = "conflicting-questions", Error, "the same question with different golds: one of them is always wrong";
    NoFacts = "no-facts", Warning, "whatever is answered, it is neither right nor wrong";
    RepeatedQuote = "repeated-quote", Warning, "quotes that could mean several places; the first is taken";
    EmptyDocument = "empty-document", Warning, "documents without text give no chunk";
    DuplicateDocument = "duplicate-document", Warning, "finding the other copy counts as not finding the evidence";
    NearDuplicateDocument = "near-duplicate-document", Warning, "which of them is found is chance; is each labelled where it answers?";
    DuplicateQuestion = "duplicate-question", Warning, "one question counted twice";
    NearDuplicateQuestion = "near-duplicate-question", Warning, "nearly one question with one gold, counted twice";
    LowCoverage = "low-coverage", Warning, "what is measured says nothing about the other documents";
    CopiedWording = "copied-wording", Warning, "questions in their evidence's own words flatter search by terms";
    LabelHole = "label-hole", Warning, "passages that may answer and are not labelled: finding them counts as a miss";
    ChunkTruncated = "chunk-truncated", Warning, "what an encoder never reads it cannot find";
    QuestionTruncated = "question-truncated", Warning, "the encoder does not read these to their end";
    OverContext = "over-context", Warning, "chunks that fit no prompt are never shown to the generator";
    FewQuestions = "few-questions", Warning, "groups too small for a figure of their own";
    UnevenSplit = "uneven-split", Warning, "what is tuned on one part is confirmed on another kind of question";
    AcrossSplit = "across-split", Warning, "documents asked about on both sides: held out is not quite held out";
    OneSidedAnswers = "one-sided-answers", Warning, "always giving the same answer scores well";
    CrowdedDocument = "crowded-document", Warning, "one document decides the figures";
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
    /// The chunk concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk: Option<ChunkId>,
    /// The rank of that chunk, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
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
            chunk: None,
            rank: None,
            file: None,
            line: None,
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// Returns this finding with a document.
    #[must_use]
    pub fn in_document(self, id: &DocId) -> Self {
        Self {
            document: Some(id.clone()),
            ..self
        }
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
        assert!(
            names
                .iter()
                .all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'))
        );
        assert!(Rule::ALL.is_sorted(), "the table has the order of the set");
        assert!(Rule::ALL.is_sorted_by_key(|rule| rule.severity()));
        assert_eq!(
            serde_json::to_string(&Rule::LabelHole).expect("serialises"),
            "\"label-hole\""
        );
    }
}
