//! Anchoring: the reference answers of question-answer pairs are located in the documents and become gold evidence.
//!
//! [`pairs`] reads the pairs, [`anchor`] locates their answers. An answer that occurs at one place is evidence: the sentence that
//! holds it. All others are [`Unresolved`], with candidate places for an annotator. Nothing is guessed: of two places none is
//! chosen, and `yes` and `no` are never located.

mod nearest;
mod pairs;
mod place;
mod sentences;
mod unresolved;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

pub use pairs::{QaPair, pairs};
pub use place::{Anchor, Searched};
pub(crate) use unresolved::FIELDS as UNRESOLVED;
pub use unresolved::{AnswerPlace, Candidates, Reason, Unresolved, candidates, write_unresolved};

use crate::digest;
use crate::error::DatasetError;
use ragtriage_core::types::{Dataset, Document, Member, Note, Question, QuestionKind};

/// The questions of a file of pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Anchored {
    /// Questions with evidence, in the order of the file.
    pub questions: Vec<Question>,
    /// Questions whose answer was found several times or never, in the order of the file.
    pub unresolved: Vec<Unresolved>,
    /// Accepted irregularities.
    pub notes: Vec<Note>,
}

impl Anchored {
    /// Returns the data set of `documents` and the questions with evidence.
    #[must_use]
    pub fn data_set(self, documents: Vec<Document>) -> Dataset {
        Dataset {
            digest: digest::digest(&documents, &self.questions),
            questions: self.questions,
            notes: self.notes,
            documents,
        }
    }
}

/// Locates the answers of `pairs` in `documents`.
///
/// # Errors
/// `UnknownDocument` for a pair whose `doc` is not among the documents.
pub fn anchor(pairs: &[QaPair], documents: &[Document]) -> Result<Anchored, DatasetError> {
    let searched = Searched::new(documents);
    let numbers: HashMap<&str, usize> = documents
        .iter()
        .enumerate()
        .map(|(number, document)| (document.id.as_str(), number))
        .collect();
    let mut out = Anchored::default();
    let mut n_elsewhere = 0;
    for pair in pairs {
        let within = pair.within(&numbers)?;
        n_elsewhere += usize::from(within.is_none() && pair.names_source());
        let mut question = pair.question();
        let anchored = if pair.is_disputed() {
            searched.open(&question, within, Reason::Disputed)
        } else {
            searched.anchor(&question, within)
        };
        match anchored {
            Anchor::Once { doc, sentence, .. } => {
                question.kind = QuestionKind::Span;
                question.relevant.insert(doc.clone(), 1);
                question.evidence.push(vec![Member { doc, ranges: vec![sentence] }]);
                out.questions.push(question);
            }
            Anchor::Open { reason, n_found, places } => {
                out.unresolved.push(Unresolved { question, reason, n_found, places });
            }
        }
    }
    if n_elsewhere > 0 {
        out.notes.push(Note {
            count: n_elsewhere,
            what: "[pair|pairs] whose `source` is not a document, searched for in all documents"
                .to_owned(),
        });
    }
    Ok(out)
}
