//! A finding: one thing that is wrong with a data set, or weak in it, and the closed set of rules that give findings.

use std::fmt;

use serde::{Serialize, Serializer};

use ragtriage_core::types::{ChunkId, DocId, QuestionId};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The data set does not load, or what is measured with it is false.
    Error,
    /// What is measured with it says less than it seems to.
    Warning,
}

impl Severity {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// What a finding goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// A file that could not be read as text.
    Unreadable,
    /// A line that does not parse.
    BrokenLine,
    /// A field that is missing or holds something else.
    BadField,
    /// A key that means nothing.
    UnknownKey,
    /// An id that is there twice.
    DuplicateId,
    /// A label that names a document which is not there.
    UnknownDocument,
    /// A judgment of a question that is not there.
    UnknownQuestion,
    /// A quote that its document does not hold.
    QuoteNotFound,
    /// A byte range that is no piece of its document.
    RangeOutside,
    /// A question that asks nothing.
    EmptyQuestion,
    /// A question that cannot be scored.
    NoAnswers,
    /// No questions at all.
    NoQuestions,
    /// No document with text.
    EmptyCorpus,
    /// An answer that its evidence does not hold.
    AnswerNotInEvidence,
    /// One question with two golds.
    ConflictingQuestions,
    /// A free question whose answer nothing is there to judge by.
    NoFacts,
    /// A quote that could mean several places.
    RepeatedQuote,
    /// A document without text.
    EmptyDocument,
    /// A text that is there twice.
    DuplicateDocument,
    /// Two documents that are nearly alike.
    NearDuplicateDocument,
    /// A question that is there twice.
    DuplicateQuestion,
    /// Two questions that are nearly alike, with one gold.
    NearDuplicateQuestion,
    /// Too many documents that no question uses.
    LowCoverage,
    /// A question in its evidence's own words.
    CopiedWording,
    /// A passage that may answer and is not labelled.
    LabelHole,
    /// Chunks that the encoder does not read to their end.
    ChunkTruncated,
    /// A question that the encoder does not read to its end.
    QuestionTruncated,
    /// A chunk that fits no prompt.
    OverContext,
    /// A tag or kind of too few questions.
    FewQuestions,
    /// Parts of a split that are no fair sample of one another.
    UnevenSplit,
    /// A document whose questions are on both sides of the split.
    AcrossSplit,
    /// Yes/no questions with one answer.
    OneSidedAnswers,
    /// A document that too many questions ask about.
    CrowdedDocument,
}

impl Rule {
    /// Every rule, errors first, in the order reports list them.
    pub const ALL: [Self; 33] = [
        Self::Unreadable,
        Self::BrokenLine,
        Self::BadField,
        Self::UnknownKey,
        Self::DuplicateId,
        Self::UnknownDocument,
        Self::UnknownQuestion,
        Self::QuoteNotFound,
        Self::RangeOutside,
        Self::EmptyQuestion,
        Self::NoAnswers,
        Self::NoQuestions,
        Self::EmptyCorpus,
        Self::AnswerNotInEvidence,
        Self::ConflictingQuestions,
        Self::NoFacts,
        Self::RepeatedQuote,
        Self::EmptyDocument,
        Self::DuplicateDocument,
        Self::NearDuplicateDocument,
        Self::DuplicateQuestion,
        Self::NearDuplicateQuestion,
        Self::LowCoverage,
        Self::CopiedWording,
        Self::LabelHole,
        Self::ChunkTruncated,
        Self::QuestionTruncated,
        Self::OverContext,
        Self::FewQuestions,
        Self::UnevenSplit,
        Self::AcrossSplit,
        Self::OneSidedAnswers,
        Self::CrowdedDocument,
    ];

    /// Its name, its severity, and what it is about.
    #[expect(clippy::too_many_lines, reason = "a table, one entry per rule")]
    fn facts(self) -> (&'static str, Severity, &'static str) {
        use Severity::{Error, Warning};
        match self {
            Self::Unreadable => ("unreadable", Error, "files that could not be read as text"),
            Self::BrokenLine => ("broken-line", Error, "lines that do not parse"),
            Self::BadField => (
                "bad-field",
                Error,
                "fields that are missing or hold something else",
            ),
            Self::UnknownKey => (
                "unknown-key",
                Error,
                "keys that mean nothing, perhaps misspelt labels",
            ),
            Self::DuplicateId => ("duplicate-id", Error, "ids that are there twice"),
            Self::UnknownDocument => (
                "unknown-document",
                Error,
                "labels that name a document which is not there",
            ),
            Self::UnknownQuestion => (
                "unknown-question",
                Error,
                "judgments of questions that are not there",
            ),
            Self::QuoteNotFound => (
                "quote-not-found",
                Error,
                "evidence that its document does not hold",
            ),
            Self::RangeOutside => (
                "range-outside",
                Error,
                "byte ranges that are no piece of their document",
            ),
            Self::EmptyQuestion => ("empty-question", Error, "questions that ask nothing"),
            Self::NoAnswers => ("no-answers", Error, "questions that cannot be scored"),
            Self::NoQuestions => ("no-questions", Error, "nothing is asked"),
            Self::EmptyCorpus => ("empty-corpus", Error, "no document has text"),
            Self::AnswerNotInEvidence => (
                "answer-not-in-evidence",
                Error,
                "whoever reads the evidence cannot give the answer it is scored by",
            ),
            Self::ConflictingQuestions => (
                "conflicting-questions",
                Error,
                "the same question with different golds: one of them is always wrong",
            ),
            Self::NoFacts => (
                "no-facts",
                Warning,
                "whatever is answered, it is neither right nor wrong",
            ),
            Self::RepeatedQuote => (
                "repeated-quote",
                Warning,
                "quotes that could mean several places; the first is taken",
            ),
            Self::EmptyDocument => (
                "empty-document",
                Warning,
                "documents without text give no chunk",
            ),
            Self::DuplicateDocument => (
                "duplicate-document",
                Warning,
                "finding the other copy counts as not finding the evidence",
            ),
            Self::NearDuplicateDocument => (
                "near-duplicate-document",
                Warning,
                "which of them is found is chance; is each labelled where it answers?",
            ),
            Self::DuplicateQuestion => {
                ("duplicate-question", Warning, "one question counted twice")
            }
            Self::NearDuplicateQuestion => (
                "near-duplicate-question",
                Warning,
                "nearly one question with one gold, counted twice",
            ),
            Self::LowCoverage => (
                "low-coverage",
                Warning,
                "what is measured says nothing about the other documents",
            ),
            Self::CopiedWording => (
                "copied-wording",
                Warning,
                "questions in their evidence's own words flatter search by terms",
            ),
            Self::LabelHole => (
                "label-hole",
                Warning,
                "passages that may answer and are not labelled: finding them counts as a miss",
            ),
            Self::ChunkTruncated => (
                "chunk-truncated",
                Warning,
                "what an encoder never reads it cannot find",
            ),
            Self::QuestionTruncated => (
                "question-truncated",
                Warning,
                "the encoder does not read these to their end",
            ),
            Self::OverContext => (
                "over-context",
                Warning,
                "chunks that fit no prompt are never shown to the generator",
            ),
            Self::FewQuestions => (
                "few-questions",
                Warning,
                "groups too small for a figure of their own",
            ),
            Self::UnevenSplit => (
                "uneven-split",
                Warning,
                "what is tuned on one part is confirmed on another kind of question",
            ),
            Self::AcrossSplit => (
                "across-split",
                Warning,
                "documents asked about on both sides: held out is not quite held out",
            ),
            Self::OneSidedAnswers => (
                "one-sided-answers",
                Warning,
                "always giving the same answer scores well",
            ),
            Self::CrowdedDocument => (
                "crowded-document",
                Warning,
                "one document decides the figures",
            ),
        }
    }

    /// Its name, stable: in kebab case.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    /// How bad its findings are.
    #[must_use]
    pub fn severity(self) -> Severity {
        self.facts().1
    }

    /// Why it matters.
    #[must_use]
    pub fn explanation(self) -> &'static str {
        self.facts().2
    }
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

/// One thing to look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule's.
    pub severity: Severity,
    /// The rule.
    pub rule: Rule,
    /// The question it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionId>,
    /// The document it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<DocId>,
    /// The chunk it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk: Option<ChunkId>,
    /// Where a retriever ranked that chunk, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// The file that the question or the broken record stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line: of that file, else of the document's text; from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What is wrong, one sentence.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl Finding {
    /// A finding about the data set as a whole.
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

    /// The same about a document.
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
