//! A data set in the making: the one place where ids are checked, notes counted and labels held against the corpus.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::{DatasetError, MissingEvidence, Place, digest, nearest};
use crate::types::{Dataset, DocId, Document, Note, Question, QuestionId, Split};

/// Takes documents and questions as the loaders read them.
pub(super) struct Draft {
    missing: MissingEvidence,
    documents: Vec<Document>,
    by_id: HashMap<DocId, usize>,
    questions: Vec<Question>,
    places: Vec<Place>,
    question_ids: HashSet<QuestionId>,
    notes: Vec<Note>,
}

impl Draft {
    pub(super) fn new(missing: MissingEvidence) -> Self {
        Self {
            missing,
            documents: Vec::new(),
            by_id: HashMap::new(),
            questions: Vec::new(),
            places: Vec::new(),
            question_ids: HashSet::new(),
            notes: Vec::new(),
        }
    }

    /// Counts something accepted; `what` in the plural.
    pub(super) fn note(&mut self, count: usize, what: &str) {
        match self.notes.iter_mut().find(|note| note.what == what) {
            Some(note) => note.count += count,
            None if count > 0 => self.notes.push(Note { count, what: what.to_owned() }),
            None => {}
        }
    }

    /// Under `error` gives `refuse` back as the error it is; under `keep` counts `what`.
    pub(super) fn missing(&mut self, what: &str, refuse: impl FnOnce() -> DatasetError) -> Result<(), DatasetError> {
        match self.missing {
            MissingEvidence::Error => Err(refuse()),
            MissingEvidence::Keep => {
                self.note(1, what);
                Ok(())
            }
        }
    }

    /// The document of that id, if it has been read.
    pub(super) fn document(&self, id: &DocId) -> Option<&Document> {
        self.by_id.get(id).map(|&index| &self.documents[index])
    }

    /// Takes a document; its id must be new.
    pub(super) fn push_document(&mut self, place: &Place, document: Document) -> Result<(), DatasetError> {
        if self.by_id.insert(document.id.clone(), self.documents.len()).is_some() {
            return Err(DatasetError::DuplicateDocument { place: place.clone(), id: document.id });
        }
        self.note(usize::from(is_blank(&document.text)), "empty documents (no chunk)");
        self.documents.push(document);
        Ok(())
    }

    /// Takes a question; its id must be new. Trims its text, which must not be empty.
    pub(super) fn push_question(&mut self, place: &Place, mut question: Question) -> Result<(), DatasetError> {
        let place = place.of(question.id.as_str());
        let trimmed = question.text.trim();
        if trimmed.is_empty() {
            return Err(DatasetError::EmptyQuestion { place });
        }
        if trimmed.len() < question.text.len() {
            let trimmed = trimmed.to_owned();
            question.text = trimmed;
            self.note(1, "questions with white space around them, trimmed");
        }
        if !self.question_ids.insert(question.id.clone()) {
            return Err(DatasetError::DuplicateQuestion { place, id: question.id });
        }
        self.questions.push(question);
        self.places.push(place);
        Ok(())
    }

    /// Holds the labels against the corpus, keeps the questions of `split` (all when not given), takes the digest.
    pub(super) fn finish(mut self, path: &Path, split: Option<Split>) -> Result<Dataset, DatasetError> {
        self.check_corpus(path)?;
        self.check_labels()?;
        if split.is_some() {
            let n_all = self.questions.len();
            self.questions.retain(|question| question.split == split);
            let n_left_out = n_all - self.questions.len();
            self.note(n_left_out, "questions outside the split, left out");
        }
        if self.questions.is_empty() {
            let name = split.map(|split| digest::split_name(split).into());
            return Err(DatasetError::NoQuestions { path: path.to_owned(), split: name });
        }
        let digest = digest::digest(&self.documents, &self.questions);
        Ok(Dataset { documents: self.documents, questions: self.questions, notes: self.notes, digest })
    }

    /// The documents alone.
    pub(super) fn into_documents(self, path: &Path) -> Result<Vec<Document>, DatasetError> {
        self.check_corpus(path)?;
        Ok(self.documents)
    }

    /// The questions alone, whatever documents they name.
    pub(super) fn into_questions(self) -> Vec<Question> {
        self.questions
    }

    fn check_corpus(&self, path: &Path) -> Result<(), DatasetError> {
        let has_text = self.documents.iter().any(|document| !is_blank(&document.text));
        if has_text { Ok(()) } else { Err(DatasetError::EmptyCorpus { path: path.to_owned() }) }
    }

    fn check_labels(&mut self) -> Result<(), DatasetError> {
        let (mut n_evidence, mut n_relevant) = (0, 0);
        for (question, place) in self.questions.iter().zip(&self.places) {
            let named = question.evidence.iter().flatten().map(|member| (&member.doc, true));
            for (doc, is_evidence) in named.chain(question.relevant.keys().map(|doc| (doc, false))) {
                if self.by_id.contains_key(doc) {
                    continue;
                }
                if self.missing == MissingEvidence::Error {
                    let nearest = nearest::word(doc.as_str(), self.documents.iter().map(|known| known.id.as_str()));
                    return Err(DatasetError::UnknownDocument {
                        place: place.clone(),
                        doc: doc.clone(),
                        nearest: nearest.map(DocId::from),
                    });
                }
                if is_evidence { n_evidence += 1 } else { n_relevant += 1 }
            }
        }
        self.note(n_evidence, "pieces of evidence whose document is not in the corpus, kept");
        self.note(n_relevant, "judged documents that are not in the corpus, kept");
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
    use crate::types::Kind;

    fn place() -> Place {
        Place::file(Path::new("set"))
    }

    fn document(id: &str, text: &str) -> Document {
        Document { id: id.into(), title: String::new(), text: text.into(), metadata: BTreeMap::new() }
    }

    fn question(id: &str, text: &str, relevant: &[&str]) -> Question {
        Question {
            id: id.into(),
            text: text.into(),
            kind: Kind::Free,
            answers: Vec::new(),
            evidence: Vec::new(),
            relevant: relevant.iter().map(|&doc| (doc.into(), 1)).collect(),
            required: Vec::new(),
            forbidden: Vec::new(),
            tags: Vec::new(),
            split: None,
        }
    }

    fn with_document(missing: MissingEvidence) -> Draft {
        let mut draft = Draft::new(missing);
        draft.push_document(&place(), document("alpha.md", "text")).expect("taken");
        draft
    }

    #[test]
    fn an_id_may_be_used_once_only() {
        let mut draft = with_document(MissingEvidence::Keep);
        let again = draft.push_document(&place(), document("alpha.md", "other")).unwrap_err();
        assert_eq!(again.to_string(), "`set`: document `alpha.md` is there twice");
        draft.push_question(&place(), question("q", "why?", &[])).expect("taken");
        let again = draft.push_question(&place(), question("q", "how?", &[])).unwrap_err();
        assert_eq!(again.to_string(), "`set` (`q`): question `q` is there twice");
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
        assert!(error.hint().contains("`alpha.md`"), "{}", error.hint());

        let mut draft = with_document(MissingEvidence::Keep);
        draft.push_question(&place(), question("q", "why?", &["alpah.md"])).expect("taken");
        let set = draft.finish(Path::new("set"), None).expect("a data set");
        assert_eq!(set.questions[0].relevant.len(), 1);
        assert_eq!(set.notes, [Note { count: 1, what: "judged documents that are not in the corpus, kept".into() }]);
    }

    #[test]
    fn a_corpus_without_text_and_a_set_without_questions_are_refused() {
        let mut draft = Draft::new(MissingEvidence::Keep);
        draft.push_document(&place(), document("a", " ")).expect("taken");
        assert!(matches!(draft.finish(Path::new("set"), None), Err(DatasetError::EmptyCorpus { .. })));
        let draft = with_document(MissingEvidence::Keep);
        assert!(matches!(draft.finish(Path::new("set"), None), Err(DatasetError::NoQuestions { .. })));
        let mut draft = with_document(MissingEvidence::Keep);
        draft.push_question(&place(), question("q", "why?", &[])).expect("taken");
        let error = draft.finish(Path::new("set"), Some(Split::Tune)).unwrap_err();
        assert_eq!(error.to_string(), "`set` has no questions in split `tune`");
    }
}
