//! Which questions choose a setting, and which confirm it.

use std::sync::Arc;

use super::SweepError;
use crate::settings::record::Data;
use crate::types::{Dataset, Document, Note, Question};

/// The split that is held out where nobody names one.
const USUAL: &str = "heldout";

/// A part of a data set's questions.
#[derive(Clone, Debug)]
pub struct Part {
    /// The questions.
    pub questions: Vec<Question>,
    /// What runs over it note of it; `None` where it is all there are.
    pub note: Option<String>,
    /// The split that it is, where it is held out.
    pub split: Option<String>,
    /// Hex sha256 of the whole data set.
    pub digest: String,
    /// What its loader accepted and counted.
    pub notes: Vec<Note>,
    /// Documents in the corpus.
    pub n_documents: usize,
}

impl Part {
    /// What its runs' records say of it.
    #[must_use]
    pub fn data(&self) -> Data<'_> {
        Data {
            digest: &self.digest,
            notes: &self.notes,
            n_documents: self.n_documents,
            n_questions: self.questions.len(),
        }
    }
}

/// The documents, the questions that choose, and those that confirm where some are held out: those of the split named, else of the
/// usual one where some questions have it and some do not.
///
/// # Errors
/// `NoSplit` for a split that is named and leaves one part empty.
pub fn parted(dataset: Dataset, named: Option<&str>) -> Result<(Arc<[Document]>, Part, Option<Part>), SweepError> {
    let Dataset { documents, questions, notes, digest } = dataset;
    let n_documents = documents.len();
    let part = |questions, note, split| Part {
        questions,
        note,
        split,
        digest: digest.clone(),
        notes: notes.clone(),
        n_documents,
    };
    let split = named.unwrap_or(USUAL);
    let is_held_out = |question: &Question| question.split.as_deref() == Some(split);
    let (n, n_held_out) = (questions.len(), questions.iter().filter(|question| is_held_out(question)).count());
    let documents = documents.into();
    if n_held_out == 0 || n_held_out == n {
        return match named {
            Some(split) => Err(SweepError::NoSplit { split: split.to_owned(), all: n_held_out > 0 }),
            None => Ok((documents, part(questions, None, None), None)),
        };
    }
    let (held_out, choosing): (Vec<_>, Vec<_>) = questions.into_iter().partition(is_held_out);
    let note = |n_part: usize, which: &str| Some(format!("{n_part} of {n} questions: {which} the split `{split}`"));
    let choosing = part(choosing, note(n - n_held_out, "those outside"), None);
    let confirming = part(held_out, note(n_held_out, "those of"), Some(split.to_owned()));
    Ok((documents, choosing, Some(confirming)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Kind;

    fn questions(splits: &[Option<&str>]) -> Vec<Question> {
        let question = |(number, split): (usize, &Option<&str>)| Question {
            id: number.to_string().into(),
            text: "?".into(),
            kind: Kind::Free,
            answers: Vec::new(),
            evidence: Vec::new(),
            relevant: [].into(),
            required: Vec::new(),
            forbidden: Vec::new(),
            tags: Vec::new(),
            split: split.map(str::to_owned),
        };
        splits.iter().enumerate().map(question).collect()
    }

    fn parts(splits: &[Option<&str>], named: Option<&str>) -> Result<(usize, usize, Option<String>), String> {
        let dataset = Dataset { questions: questions(splits), ..Dataset::default() };
        let (_, choosing, confirming) = parted(dataset, named).map_err(|error| error.to_string())?;
        let held_out = confirming.as_ref().map_or(0, |part| part.questions.len());
        Ok((choosing.questions.len(), held_out, confirming.and_then(|part| part.split)))
    }

    #[test]
    fn the_usual_split_is_held_out_where_some_questions_have_it() {
        let usual = [Some("heldout"), Some("tune"), None];
        assert_eq!(parts(&usual, None), Ok((2, 1, Some("heldout".to_owned()))));
        assert_eq!(parts(&usual, Some("tune")), Ok((2, 1, Some("tune".to_owned()))));
        assert_eq!(parts(&[None, Some("dev")], None), Ok((2, 0, None)));
        assert_eq!(parts(&[Some("heldout")], None), Ok((1, 0, None)));
    }

    #[test]
    fn a_named_split_must_part_the_questions() {
        assert_eq!(parts(&[None], Some("test")), Err("no question is part of the split `test`".to_owned()));
        assert_eq!(parts(&[Some("test")], Some("test")), Err("no question is outside the split `test`".to_owned()));
    }
}
