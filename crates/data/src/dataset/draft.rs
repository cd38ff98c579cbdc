//! A data set under construction: the only module that checks ids, counts notes and validates labels against the corpus. Errors
//! are collected: loading fails with the first, lint lists them all.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::dataset::lint::finding::Rule;
use crate::dataset::load::Inspection;
use crate::dataset::nearest;
use crate::error::{Error, Place};
use ragtriage_core::types::{DocId, Document, Note, Question, QuestionId};

/// The number of missing documents that get a nearest match: each is compared with the whole corpus.
const MOST_NEAREST: usize = 100;

/// Maximum ranges of a question's evidence: each is compared with the others and with the passages of each stage.
const MOST_RANGES: usize = 1_000;

/// Maximum bytes of a document: one is held whole, several times.
const MOST_BYTES: usize = 50_000_000;

/// Accepts documents and questions from the loaders.
#[derive(Default)]
pub(super) struct Draft {
    numbers: HashMap<DocId, usize>,
    question_ids: HashSet<QuestionId>,
    read: Inspection,
}

impl Draft {
    /// Returns a valid value; collects an error.
    pub(super) fn check<T>(&mut self, read: Result<T, Error>) -> Option<T> {
        read.map_err(|error| self.read.errors.push(error)).ok()
    }

    pub(super) fn fail(&mut self, error: Error) {
        self.read.errors.push(error);
    }

    /// Returns the error of a document of `n_bytes` at `place` over the limit.
    pub(super) fn check_length(place: &Place, n_bytes: usize) -> Result<(), Error> {
        if n_bytes <= MOST_BYTES {
            return Ok(());
        }
        let message = format!("the document has {n_bytes} bytes, more than {MOST_BYTES}");
        Err(Error::data(Rule::Unreadable, message, "split or exclude it").at(place))
    }

    /// Counts an accepted irregularity; `what` as in [`Note::what`].
    pub(super) fn note(&mut self, count: usize, what: &str) {
        Note::add(&mut self.read.notes, what, count);
    }

    /// Records what loads and should be corrected; `what` as in [`Note::what`].
    pub(super) fn warn(&mut self, what: &str, warning: Error) {
        self.note(1, what);
        self.read.warnings.push(warning);
    }

    /// Returns the document of that id, if it has been read.
    pub(super) fn document(&self, id: &DocId) -> Option<&Document> {
        self.numbers.get(id).map(|number| &self.read.documents[*number])
    }

    /// Adds a document; its id must be new. One that is only a title has it as its text, so that it has a chunk to be found.
    pub(super) fn push_document(&mut self, place: &Place, mut document: Document) {
        if is_blank(&document.text) && !is_blank(&document.title) {
            document.text = std::mem::take(&mut document.title);
        }
        if self.document(&document.id).is_some() {
            return self
                .fail(duplicate("document", document.id.as_str(), place).about(&document.id));
        }
        let length = Self::check_length(place, document.text.len());
        if self.check(length).is_none() {
            return;
        }
        self.note(usize::from(is_blank(&document.text)), "empty [document|documents] (no chunk)");
        self.numbers.insert(document.id.clone(), self.read.documents.len());
        self.read.documents.push(document);
    }

    /// Adds a question; its id must be new. Trims its text, which must not be empty.
    pub(super) fn push_question(&mut self, place: &Place, mut question: Question) {
        let place = place.of(question.id.as_str());
        let trimmed = question.text.trim();
        if trimmed.is_empty() {
            let hint = "write the question, or remove the record";
            let error = Error::data(Rule::EmptyQuestion, "the question is empty", hint);
            return self.fail(error.at(&place));
        }
        if trimmed.len() < question.text.len() {
            let trimmed = trimmed.to_owned();
            question.text = trimmed;
            self.note(1, "[question|questions] with surrounding white space, trimmed");
        }
        if question.history.iter().any(|turn| is_blank(&turn.text)) {
            let hint = "write its text, or remove the turn";
            let error = Error::data(Rule::BadField, "`history` has a turn without text", hint);
            return self.fail(error.at(&place));
        }
        let n_ranges: usize =
            question.evidence.iter().flatten().map(|member| member.ranges.len()).sum();
        if n_ranges > MOST_RANGES {
            let message = format!("the evidence has {n_ranges} ranges, more than {MOST_RANGES}");
            let hint = "label what answers the question, adjacent ranges as one";
            return self.fail(Error::data(Rule::BadField, message, hint).at(&place));
        }
        if !self.question_ids.insert(question.id.clone()) {
            return self.fail(duplicate("question", question.id.as_str(), &place));
        }
        self.read.questions.push(question);
        self.read.places.push(place);
    }

    /// Returns `base`, with a number where questions have it already: the id of a question that is given without one.
    pub(super) fn free_id(&self, base: &str) -> String {
        let numbered = (2..).map(|number| format!("{base}-{number}"));
        let mut all = std::iter::once(base.to_owned()).chain(numbered);
        all.find(|id| !self.question_ids.contains(&QuestionId::from(id.as_str()))).expect("endless")
    }

    /// Returns everything that was read. `path`: the data set's location, for an empty corpus.
    pub(super) fn finish(mut self, path: &Path) -> Inspection {
        let corpus = check_corpus(&self.read.documents, path);
        self.check(corpus);
        self.check_labels();
        self.read
    }

    /// Returns the documents alone, unless there was an error.
    pub(super) fn into_documents(self, path: &Path) -> Result<Vec<Document>, Error> {
        let read = self.read.sound()?;
        check_corpus(&read.documents, path)?;
        Ok(read.documents)
    }

    /// Counts the labels of missing documents, which are kept: the loss counts against the corpus.
    fn check_labels(&mut self) {
        let (mut n_evidence, mut n_relevant) = (0, 0);
        let mut unknown: Vec<(usize, DocId)> = Vec::new();
        for (number, question) in self.read.questions.iter().enumerate() {
            let first = unknown.len();
            let named = question.evidence.iter().flatten().map(|member| (&member.doc, true));
            for (doc, is_evidence) in named.chain(question.relevant.keys().map(|doc| (doc, false)))
            {
                if self.document(doc).is_some() {
                    continue;
                }
                *(if is_evidence { &mut n_evidence } else { &mut n_relevant }) += 1;
                // Evidence is also listed among the relevant documents.
                if unknown[first..].iter().all(|(_, other)| other != doc) {
                    unknown.push((number, doc.clone()));
                }
            }
        }
        for (at, (number, doc)) in unknown.into_iter().enumerate() {
            let known = self.read.documents.iter().map(|known| known.id.as_str());
            let nearest = nearest::word(doc.as_str(), known.filter(|_| at < MOST_NEAREST));
            let error = Error::unknown_document(&self.read.places[number], &doc, nearest);
            self.read.warnings.push(error);
        }
        self.note(
            n_evidence,
            "[piece|pieces] of evidence whose document is not in the corpus, kept",
        );
        self.note(
            n_relevant,
            "judged [document that is|documents that are] not in the corpus, kept",
        );
    }
}

/// Returns the error of a second document or question with one id.
pub(super) fn duplicate(what: &str, id: &str, place: &Place) -> Error {
    let message = format!("duplicate {what} `{id}`");
    Error::data(Rule::DuplicateId, message, "give each its own id").at(place)
}

fn check_corpus(documents: &[Document], path: &Path) -> Result<(), Error> {
    if documents.iter().any(|document| !is_blank(&document.text)) {
        return Ok(());
    }
    let message = format!("the corpus of `{}` is empty", path.display());
    let hint = "add documents with text, or check `dataset.path` and `dataset.globs`";
    Err(Error::data(Rule::EmptyCorpus, message, hint))
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

    /// What is read of one document and these questions.
    fn read(questions: Vec<Question>) -> Inspection {
        let mut draft = Draft::default();
        draft.push_document(&place(), document("alpha.md", "text"));
        for question in questions {
            draft.push_question(&place(), question);
        }
        draft.finish(Path::new("set"))
    }

    fn errors(read: &Inspection) -> Vec<String> {
        read.errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_document_over_the_limit_or_of_a_known_id_is_refused_by_name() {
        let mut draft = Draft::default();
        let long = "x".repeat(MOST_BYTES + 1);
        for (id, text) in [("a", &long[1..]), ("b", &long), ("a", "other")] {
            draft.push_document(&place(), document(id, text));
        }
        let expected = [
            "`set`: the document has 50000001 bytes, more than 50000000",
            "`set`: duplicate document `a`",
        ];
        assert_eq!(errors(&draft.finish(Path::new("set"))), expected);
    }

    #[test]
    fn a_question_of_more_ranges_than_can_be_compared_is_refused_with_their_number() {
        let with = |n: usize| {
            let ranges = (0..n).map(|at| (at, at + 2).into()).collect();
            let evidence = vec![vec![Member { doc: "alpha.md".into(), ranges }]; 2];
            errors(&read(vec![Question { evidence, ..question("q", "why?", &[]) }]))
        };
        assert_eq!(with(500), [""; 0], "a thousand in two groups");
        assert_eq!(with(501), ["`set` (`q`): the evidence has 1002 ranges, more than 1000"]);
    }

    #[test]
    fn a_question_is_trimmed_has_an_id_of_its_own_and_must_ask_something() {
        let asked = [("q", " why? "), ("q", "how?"), ("r", " \n")];
        let asked = asked.map(|(id, text)| question(id, text, &[])).to_vec();
        let read = read(asked);
        let expected =
            ["`set` (`q`): duplicate question `q`", "`set` (`r`): the question is empty"];
        assert_eq!(errors(&read), expected);
        assert_eq!((read.questions[0].text.as_str(), read.notes[0].count), ("why?", 1));
    }

    #[test]
    fn an_unknown_document_is_kept_and_counted_and_told_with_the_nearest() {
        let read = read(vec![question("q", "why?", &["alpah.md"])]);
        assert_eq!((read.questions[0].relevant.len(), read.errors.len()), (1, 0));
        assert_eq!(read.notes[0].to_string(), "1 judged document that is not in the corpus, kept");
        let told = &read.warnings[0];
        assert_eq!(told.to_string(), "`set` (`q`): document `alpah.md` is not in the corpus");
        assert_eq!(told.hint().expect("a hint"), "did you mean `alpha.md`?");
    }

    #[test]
    fn a_corpus_without_text_is_refused() {
        let mut draft = Draft::default();
        draft.push_document(&place(), document("a", " "));
        assert_eq!(errors(&draft.finish(Path::new("set"))), ["the corpus of `set` is empty"]);
    }
}
