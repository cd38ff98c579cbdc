//! The place of one answer among the documents.

use super::nearest;
use super::sentences::Sentences;
use super::unresolved::{AnswerPlace, Reason};
use ragtriage_core::text::answer_index::{AnswerIndex, Occurrence, Occurrences};
use ragtriage_core::types::{ByteRange, DocId, Document, Question};

/// Maximum number of candidate places of a question: an annotator reads each.
const MOST_PLACES: usize = 20;

/// The result for one question.
#[derive(Clone, Debug, PartialEq)]
pub enum Anchor {
    /// The answer occurs once.
    Once {
        /// The document.
        doc: DocId,
        /// The words that the answer touches.
        answer: ByteRange,
        /// The sentence that holds it; of an answer over several, all of them.
        sentence: ByteRange,
    },
    /// It is left to an annotator.
    Open {
        /// The reason.
        reason: Reason,
        /// Number of occurrences.
        n_found: usize,
        /// The first occurrences; without any, the nearest sentences.
        places: Vec<AnswerPlace>,
    },
}

/// Documents, indexed once for all answers.
pub struct Searched<'a> {
    documents: &'a [Document],
    index: AnswerIndex<'a>,
    sentences: Sentences<'a>,
}

impl<'a> Searched<'a> {
    /// Indexes `documents`.
    #[must_use]
    pub fn new(documents: &'a [Document]) -> Self {
        Self {
            documents,
            index: AnswerIndex::new(documents.iter().map(|document| document.text.as_str())),
            sentences: Sentences::new(documents),
        }
    }

    /// Locates the answers of `question`, which are aliases; in the document of the number `within` only, if it is given.
    #[must_use]
    pub fn anchor(&self, question: &Question, within: Option<usize>) -> Anchor {
        let answers = &question.answers;
        let is_yes_no = |answer: &String| {
            let word = answer.trim_end_matches('.');
            word.eq_ignore_ascii_case("yes") || word.eq_ignore_ascii_case("no")
        };
        if answers.is_empty() {
            return self.nearest(question, within, Reason::NoAnswer);
        }
        if answers.iter().all(is_yes_no) {
            return self.nearest(question, within, Reason::YesNo);
        }
        let found = self.index.find(answers, within);
        match (found.n_found, &found.places[..]) {
            (0, _) => self.nearest(question, within, Reason::Never),
            (1, [place]) => Anchor::Once {
                doc: self.documents[place.text].id.clone(),
                answer: place.range,
                sentence: self.sentences.around(*place),
            },
            _ => self.places(found, Reason::Several),
        }
    }

    /// Leaves `question` to an annotator for `reason`: the occurrences of its answers, or the nearest sentences.
    pub(super) fn open(
        &self,
        question: &Question,
        within: Option<usize>,
        reason: Reason,
    ) -> Anchor {
        match self.index.find(&question.answers, within) {
            found if found.n_found > 0 => self.places(found, reason),
            _ => self.nearest(question, within, reason),
        }
    }

    fn places(&self, found: Occurrences, reason: Reason) -> Anchor {
        let places = found.places.into_iter().take(MOST_PLACES);
        Anchor::Open {
            reason,
            n_found: found.n_found,
            places: places.map(|it| self.shown(it)).collect(),
        }
    }

    fn nearest(&self, question: &Question, within: Option<usize>, reason: Reason) -> Anchor {
        let found = nearest::nearest(&self.index, &self.sentences, question, within);
        Anchor::Open {
            reason,
            n_found: 0,
            places: found.into_iter().map(|it| self.shown(it)).collect(),
        }
    }

    fn shown(&self, place: Occurrence) -> AnswerPlace {
        let document = &self.documents[place.text];
        let sentence = self.sentences.around(place);
        AnswerPlace {
            doc: document.id.clone(),
            range: place.range,
            sentence: document.text[sentence.as_range()].to_owned(),
        }
    }
}
