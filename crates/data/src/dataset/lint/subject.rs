//! Input of the checks: the readable part of a data set, indexed by id.

use std::collections::HashMap;

use super::finding::{Finding, Rule};
use crate::dataset::load::Inspection;
use ragtriage_core::types::{DocId, Document, Member, Question};

/// Documents and questions, with the location of the questions.
pub struct LintSubject<'a> {
    /// All documents.
    pub documents: &'a [Document],
    /// All questions.
    pub questions: &'a [Question],
    pub(super) inspection: &'a Inspection,
    by_id: HashMap<&'a DocId, &'a Document>,
}

impl<'a> LintSubject<'a> {
    /// Indexes the readable part of a data set.
    #[must_use]
    pub fn new(inspection: &'a Inspection) -> Self {
        let Inspection { documents, questions, .. } = inspection;
        let by_id = documents.iter().map(|document| (&document.id, document)).collect();
        Self { documents, questions, inspection, by_id }
    }

    /// Returns one document; `None` if it is missing (labels may name missing documents).
    #[must_use]
    pub fn document(&self, id: &DocId) -> Option<&'a Document> {
        self.by_id.get(id).copied()
    }

    /// Creates a finding about the question of that number.
    #[must_use]
    pub fn finding(
        &self,
        number: usize,
        rule: Rule,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Finding {
        let place = &self.inspection.places[number];
        Finding {
            question: Some(self.questions[number].id.clone()),
            file: Some(place.path.display().to_string()),
            line: place.line,
            ..Finding::new(rule, message, hint)
        }
    }

    /// Returns the name of a question in findings about others.
    #[must_use]
    pub fn name(&self, number: usize) -> String {
        format!("`{}`", self.questions[number].id)
    }

    /// Returns the text of a member's ranges, or of its whole document without ranges; `None` if the document is
    /// missing.
    #[must_use]
    pub(crate) fn evidence_text(&self, member: &Member) -> Option<String> {
        let text = &self.document(&member.doc)?.text;
        if member.ranges.is_empty() {
            return Some(text.clone());
        }
        let ranges = member.ranges.iter();
        let pieces: Vec<&str> = ranges.filter_map(|it| text.get(it.as_range())).collect();
        Some(pieces.join("\n"))
    }
}

/// Returns the documents that the question's labels mark as relevant: evidence and grades of at least 1,
/// without duplicates, ascending.
#[must_use]
pub(crate) fn used_documents(question: &Question) -> Vec<&DocId> {
    let evidence = question.evidence.iter().flatten().map(|member| &member.doc);
    let mut used: Vec<&DocId> = evidence.chain(question.relevant_docs()).collect();
    used.sort_unstable();
    used.dedup();
    used
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::error::Place;
    use ragtriage_core::types::QuestionKind;

    /// A document.
    pub(in crate::dataset::lint) fn document(id: &str, text: &str) -> Document {
        Document {
            id: id.into(),
            title: String::new(),
            text: text.to_owned(),
            metadata: BTreeMap::new(),
        }
    }

    /// A span question with these documents as evidence, one group each.
    pub(in crate::dataset::lint) fn question(
        id: &str,
        text: &str,
        answers: &[&str],
        docs: &[&str],
    ) -> Question {
        Question {
            id: id.into(),
            text: text.to_owned(),
            history: Vec::new(),
            standalone: None,
            kind: QuestionKind::Span,
            answers: answers.iter().map(|&answer| answer.to_owned()).collect(),
            evidence: docs
                .iter()
                .map(|&doc| vec![Member { doc: doc.into(), ranges: Vec::new() }])
                .collect(),
            relevant: docs.iter().map(|&doc| (doc.into(), 1)).collect(),
            required: Vec::new(),
            forbidden: Vec::new(),
            tags: Vec::new(),
            split: None,
        }
    }

    /// The question with its first evidence member reduced to `quotes`, which its document
    /// contains.
    pub(in crate::dataset::lint) fn quoting(
        question: Question,
        document: &Document,
        quotes: &[&str],
    ) -> Question {
        let mut question = question;
        let range = |quote: &&str| {
            let start = document.text.find(quote).expect("quoted");
            (start, start + quote.len()).into()
        };
        question.evidence[0][0].ranges = quotes.iter().map(range).collect();
        question
    }

    /// A data set of these, one question per line.
    pub(in crate::dataset::lint) fn inspection(
        documents: Vec<Document>,
        questions: Vec<Question>,
    ) -> Inspection {
        let path: Arc<Path> = Arc::from(Path::new("questions.jsonl"));
        let place = |(at, question): (usize, &Question)| Place {
            path: Arc::clone(&path),
            line: Some(at + 1),
            id: Some(question.id.as_str().into()),
        };
        let places = questions.iter().enumerate().map(place).collect();
        Inspection { documents, questions, places, ..Inspection::default() }
    }

    /// Findings of a check, as `question or document: message`.
    pub(in crate::dataset::lint) fn told(findings: &[Finding]) -> Vec<String> {
        let whom = |finding: &Finding| {
            let question = finding.question.as_ref().map(ToString::to_string);
            question
                .or_else(|| finding.document.as_ref().map(ToString::to_string))
                .unwrap_or_default()
        };
        findings.iter().map(|finding| format!("{}: {}", whom(finding), finding.message)).collect()
    }

    #[test]
    fn documents_are_used_by_evidence_and_by_positive_grades() {
        let mut asked = question("q", "?", &[], &["b"]);
        asked.relevant = [("a".into(), 1), ("b".into(), 3), ("c".into(), 0)].into();
        let used: Vec<&str> = used_documents(&asked).into_iter().map(DocId::as_str).collect();
        assert_eq!(used, ["a", "b"]);
    }

    #[test]
    fn evidence_is_its_ranges_or_its_whole_document() {
        let documents = vec![document("a", "one two three")];
        let asked = quoting(question("q", "?", &[], &["a"]), &documents[0], &["one", "three"]);
        let (ranged, whole) =
            (asked.evidence[0][0].clone(), Member { doc: "a".into(), ranges: Vec::new() });
        let gone = Member { doc: "b".into(), ranges: Vec::new() };
        let inspection = inspection(documents, vec![asked]);
        let subject = LintSubject::new(&inspection);
        let texts = [&ranged, &whole, &gone].map(|member| subject.evidence_text(member));
        assert_eq!(texts, [Some("one\nthree".into()), Some("one two three".into()), None]);
    }
}
