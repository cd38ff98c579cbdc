//! A data set under construction: the only module that checks ids, counts notes and validates labels against the corpus.
//! Errors are either returned at once or collected.

use std::collections::HashSet;
use std::path::Path;

use crate::error::DatasetError;
use crate::inspection::Inspection;
use crate::inspection::RepeatedQuote;
use crate::place::Place;
use crate::{digest, nearest};
use ragtriage_core::config::{MAX_DOCUMENT_BYTES, MissingEvidence};
use ragtriage_core::types::{
    Dataset, DocId, Document, DocumentNumbers, Note, Question, QuestionId, Split,
};

/// The number of missing documents that get a nearest match: each is compared with the whole corpus.
const MOST_NEAREST: usize = 100;

/// Maximum ranges of a question's evidence: each is compared with the others and with the passages of each stage.
const MOST_RANGES: usize = 1_000;

/// Accepts documents and questions from the loaders.
pub(super) struct Draft {
    missing: MissingEvidence,
    max_document_bytes: usize,
    documents: Vec<Document>,
    numbers: DocumentNumbers,
    questions: Vec<Question>,
    places: Vec<Place>,
    question_ids: HashSet<QuestionId>,
    notes: Vec<Note>,
    /// The errors, if they are collected instead of returned at once.
    slips: Option<Vec<DatasetError>>,
    repeated_quotes: Vec<RepeatedQuote>,
}

impl Draft {
    /// Creates a draft that returns the first error.
    pub(super) fn new(missing: MissingEvidence) -> Self {
        Self {
            missing,
            max_document_bytes: MAX_DOCUMENT_BYTES,
            documents: Vec::new(),
            numbers: DocumentNumbers::default(),
            questions: Vec::new(),
            places: Vec::new(),
            question_ids: HashSet::new(),
            notes: Vec::new(),
            slips: None,
            repeated_quotes: Vec::new(),
        }
    }

    /// Creates a draft that collects errors.
    pub(super) fn lenient(missing: MissingEvidence) -> Self {
        Self { slips: Some(Vec::new()), ..Self::new(missing) }
    }

    /// Refuses documents of more than `max_bytes` bytes of text.
    pub(super) fn limited_to(self, max_bytes: usize) -> Self {
        Self { max_document_bytes: max_bytes, ..self }
    }

    /// Refuses a document of `n_bytes` at `place` over the limit.
    pub(super) fn check_length(&self, place: &Place, n_bytes: usize) -> Result<(), DatasetError> {
        if n_bytes <= self.max_document_bytes {
            return Ok(());
        }
        Err(DatasetError::LongDocument {
            place: place.clone(),
            n_bytes,
            max_bytes: self.max_document_bytes,
        })
    }

    /// Passes valid values through; an error is collected, giving `None`, or returned.
    pub(super) fn settle<T>(
        &mut self,
        read: Result<T, DatasetError>,
    ) -> Result<Option<T>, DatasetError> {
        match (read, &mut self.slips) {
            (Ok(value), _) => Ok(Some(value)),
            (Err(slip), Some(slips)) => {
                slips.push(slip);
                Ok(None)
            }
            (Err(slip), None) => Err(slip),
        }
    }

    /// Counts an accepted irregularity; `what` as in [`Note::what`].
    pub(super) fn note(&mut self, count: usize, what: &str) {
        Note::add(&mut self.notes, what, count);
    }

    /// Under `error` returns `refuse` as the error; under `keep` counts `what`.
    pub(super) fn missing(
        &mut self,
        what: &str,
        refuse: impl FnOnce() -> DatasetError,
    ) -> Result<(), DatasetError> {
        match self.missing {
            MissingEvidence::Error => self.settle(Err(refuse())).map(|_: Option<()>| ()),
            MissingEvidence::Keep => {
                self.note(1, what);
                Ok(())
            }
        }
    }

    /// Records a quote that occurs several times in its document.
    pub(super) fn note_repeated(&mut self, quote: RepeatedQuote) {
        self.note(
            1,
            "[quote that occurs|quotes that occur] more than once in [its|their] document; the first occurrence is used",
        );
        if self.slips.is_some() {
            self.repeated_quotes.push(quote);
        }
    }

    /// Returns the document of that id, if it has been read.
    pub(super) fn document(&self, id: &DocId) -> Option<&Document> {
        let number = self.numbers.find(&self.documents, id.as_str())?;
        Some(&self.documents[number])
    }

    /// Adds a document; its id must be new. One that is only a title has it as its text, so that it has a chunk to be found.
    pub(super) fn push_document(
        &mut self,
        place: &Place,
        mut document: Document,
    ) -> Result<(), DatasetError> {
        if is_blank(&document.text) && !is_blank(&document.title) {
            document.text = std::mem::take(&mut document.title);
        }
        if self.document(&document.id).is_some() {
            return Err(DatasetError::DuplicateDocument { place: place.clone(), id: document.id });
        }
        self.check_length(place, document.text.len())?;
        self.note(usize::from(is_blank(&document.text)), "empty [document|documents] (no chunk)");
        self.documents.push(document);
        self.numbers.insert(&self.documents, self.documents.len() - 1);
        Ok(())
    }

    /// Adds a question; its id must be new. Trims its text, which must not be empty.
    pub(super) fn push_question(
        &mut self,
        place: &Place,
        mut question: Question,
    ) -> Result<(), DatasetError> {
        let place = place.of(question.id.as_str());
        let trimmed = question.text.trim();
        if trimmed.is_empty() {
            return Err(DatasetError::EmptyQuestion { place });
        }
        if trimmed.len() < question.text.len() {
            let trimmed = trimmed.to_owned();
            question.text = trimmed;
            self.note(1, "[question|questions] with surrounding white space, trimmed");
        }
        let n_ranges = question.evidence.iter().flatten().map(|member| member.ranges.len()).sum();
        if n_ranges > MOST_RANGES {
            return Err(DatasetError::ManyRanges { place, n_ranges, most: MOST_RANGES });
        }
        if !self.question_ids.insert(question.id.clone()) {
            return Err(DatasetError::DuplicateQuestion { place, id: question.id });
        }
        self.questions.push(question);
        self.places.push(place);
        Ok(())
    }

    /// Validates the labels against the corpus, selects the questions of `split` (default: all), computes the
    /// digest.
    pub(super) fn finish(
        mut self,
        path: &Path,
        split: Option<Split>,
    ) -> Result<Dataset, DatasetError> {
        self.check_corpus(path)?;
        self.check_labels()?;
        if split.is_some() {
            let n_all = self.questions.len();
            self.questions.retain(|question| question.split == split);
            let n_left_out = n_all - self.questions.len();
            self.note(n_left_out, "[question|questions] outside the split, left out");
        }
        if self.questions.is_empty() {
            let name = split.map(|split| digest::split_name(split).into());
            return Err(DatasetError::NoQuestions { path: path.to_owned(), split: name });
        }
        let digest = digest::digest(&self.documents, &self.questions);
        Ok(Dataset {
            documents: self.documents,
            questions: self.questions,
            notes: self.notes,
            digest,
        })
    }

    /// Returns all accepted records with the errors found. `path`: the data set's location.
    pub(super) fn inspected(mut self, path: &Path) -> Result<Inspection, DatasetError> {
        let corpus = self.check_corpus(path);
        self.settle(corpus)?;
        self.check_labels()?;
        let slips = self.slips.unwrap_or_default();
        let Self { documents, questions, places, repeated_quotes, notes, .. } = self;
        Ok(Inspection { documents, questions, places, repeated_quotes, slips, notes })
    }

    /// Returns the number of questions and of collected errors.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.questions.len(), self.slips.as_ref().map_or(0, Vec::len))
    }

    /// Returns only the documents.
    pub(super) fn into_documents(self, path: &Path) -> Result<Vec<Document>, DatasetError> {
        self.check_corpus(path)?;
        Ok(self.documents)
    }

    /// Returns only the questions, without validating the documents they name.
    pub(super) fn into_questions(self) -> Vec<Question> {
        self.questions
    }

    fn check_corpus(&self, path: &Path) -> Result<(), DatasetError> {
        let has_text = self.documents.iter().any(|document| !is_blank(&document.text));
        if has_text { Ok(()) } else { Err(DatasetError::EmptyCorpus { path: path.to_owned() }) }
    }

    fn check_labels(&mut self) -> Result<(), DatasetError> {
        let (mut n_evidence, mut n_relevant) = (0, 0);
        let mut unknown = Vec::new();
        for (question, place) in self.questions.iter().zip(&self.places) {
            let first = unknown.len();
            let named = question.evidence.iter().flatten().map(|member| (&member.doc, true));
            for (doc, is_evidence) in named.chain(question.relevant.keys().map(|doc| (doc, false)))
            {
                if self.document(doc).is_some() {
                    continue;
                }
                match self.missing {
                    // Evidence is also listed among the relevant documents.
                    MissingEvidence::Error
                        if unknown[first..].iter().any(|(_, other)| other == doc) => {}
                    MissingEvidence::Error => unknown.push((place.clone(), doc.clone())),
                    MissingEvidence::Keep if is_evidence => n_evidence += 1,
                    MissingEvidence::Keep => n_relevant += 1,
                }
            }
        }
        for (at, (place, doc)) in unknown.into_iter().enumerate() {
            let known =
                self.documents.iter().map(|known| known.id.as_str()).filter(|_| at < MOST_NEAREST);
            let nearest = nearest::word(doc.as_str(), known).map(DocId::from);
            self.settle::<()>(Err(DatasetError::UnknownDocument { place, doc, nearest }))?;
        }
        self.note(
            n_evidence,
            "[piece|pieces] of evidence whose document is not in the corpus, kept",
        );
        self.note(
            n_relevant,
            "judged [document that is|documents that are] not in the corpus, kept",
        );
        Ok(())
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use ragtriage_core::hint::Hint;
    use ragtriage_core::types::Member;

    fn place() -> Place {
        Place::file(Path::new("set"))
    }

    fn document(id: &str, text: &str) -> Document {
        Document {
            id: id.into(),
            title: String::new(),
            text: text.into(),
            metadata: BTreeMap::new(),
        }
    }

    fn question(id: &str, text: &str, relevant: &[&str]) -> Question {
        Question {
            relevant: relevant.iter().map(|&doc| (doc.into(), 1)).collect(),
            ..Question::new(id.into(), text.into())
        }
    }

    fn with_document(missing: MissingEvidence) -> Draft {
        let mut draft = Draft::new(missing);
        draft.push_document(&place(), document("alpha.md", "text")).expect("taken");
        draft
    }

    #[test]
    fn a_document_over_the_limit_is_refused_by_name() {
        let mut draft = Draft::new(MissingEvidence::Error).limited_to(10);
        draft.push_document(&place(), document("a", "ten bytes.")).expect("a document of 10 bytes");
        let error = draft
            .push_document(&place(), document("b", "éleven byt"))
            .expect_err("11 bytes in 10 characters");
        assert_eq!(error.to_string(), "`set`: the document has 11 bytes, more than 10");
    }

    #[test]
    fn a_question_of_more_ranges_than_can_be_compared_is_refused_with_their_number() {
        let with = |n: usize| {
            let ranges = (0..n).map(|at| (at, at + 2).into()).collect();
            let evidence = vec![vec![Member { doc: "alpha.md".into(), ranges }]; 2];
            let question = Question { evidence, ..question("q", "why?", &[]) };
            with_document(MissingEvidence::Error).push_question(&place(), question)
        };
        with(500).expect("a thousand in two groups");
        let error = with(501).expect_err("1,002").to_string();
        assert_eq!(error, "`set` (`q`): the evidence has 1002 ranges, more than 1000");
    }

    #[test]
    fn an_id_may_be_used_once_only() {
        let mut draft = with_document(MissingEvidence::Keep);
        let again = draft.push_document(&place(), document("alpha.md", "other")).unwrap_err();
        assert_eq!(again.to_string(), "`set`: duplicate document `alpha.md`");
        draft.push_question(&place(), question("q", "why?", &[])).expect("taken");
        let again = draft.push_question(&place(), question("q", "how?", &[])).unwrap_err();
        assert_eq!(again.to_string(), "`set` (`q`): duplicate question `q`");
    }

    #[test]
    fn a_question_is_trimmed_and_must_ask_something() {
        let mut draft = with_document(MissingEvidence::Keep);
        draft.push_question(&place(), question("q", " why? ", &[])).expect("taken");
        let empty = draft.push_question(&place(), question("r", " \n", &[])).unwrap_err();
        assert!(matches!(empty, DatasetError::EmptyQuestion { .. }));
        let set = draft.finish(Path::new("set"), None).expect("a data set");
        assert_eq!(set.questions[0].text, "why?");
        assert_eq!(set.notes[0].count, 1);
    }

    #[test]
    fn an_unknown_document_is_refused_with_the_nearest_or_kept_and_counted() {
        let mut draft = with_document(MissingEvidence::Error);
        draft.push_question(&place(), question("q", "why?", &["alpah.md"])).expect("taken");
        let error = draft.finish(Path::new("set"), None).unwrap_err();
        assert_eq!(error.to_string(), "`set` (`q`): document `alpah.md` is not in the corpus");
        let hint = error.hint().expect("a hint");
        assert!(hint.contains("`alpha.md`"), "{hint}");

        let mut draft = with_document(MissingEvidence::Keep);
        draft.push_question(&place(), question("q", "why?", &["alpah.md"])).expect("taken");
        let set = draft.finish(Path::new("set"), None).expect("a data set");
        assert_eq!(set.questions[0].relevant.len(), 1);
        assert_eq!(set.notes[0].to_string(), "1 judged document that is not in the corpus, kept");
    }

    #[test]
    fn a_corpus_without_text_and_a_set_without_questions_are_refused() {
        let mut draft = Draft::new(MissingEvidence::Keep);
        draft.push_document(&place(), document("a", " ")).expect("taken");
        assert!(matches!(
            draft.finish(Path::new("set"), None),
            Err(DatasetError::EmptyCorpus { .. })
        ));
        let draft = with_document(MissingEvidence::Keep);
        assert!(matches!(
            draft.finish(Path::new("set"), None),
            Err(DatasetError::NoQuestions { .. })
        ));
        let mut draft = with_document(MissingEvidence::Keep);
        draft.push_question(&place(), question("q", "why?", &[])).expect("taken");
        let error = draft.finish(Path::new("set"), Some(Split::Tune)).unwrap_err();
        assert_eq!(error.to_string(), "`set` has no questions in split `tune`");
    }
}
