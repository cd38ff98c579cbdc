//! Splits the questions into those that choose a trial and held-out ones that confirm the choice.

use ragtriage_core::types::{Note, Question, Split};

/// A part of a data set's questions.
#[derive(Clone, Debug)]
pub struct QuestionPart {
    /// The questions.
    pub questions: Vec<Question>,
    /// True if the part is the held-out split.
    pub is_held_out: bool,
    /// Note for the manifests of its runs; `None` if the part is the whole set.
    pub note: Option<Note>,
}

/// Returns the tuning questions, and the held-out questions (split `heldout`) if both parts exist and `holds_out`.
#[must_use]
pub fn split(questions: Vec<Question>, holds_out: bool) -> (QuestionPart, Option<QuestionPart>) {
    let n = questions.len();
    let part = |questions: Vec<Question>, is_held_out, note: Option<&str>| QuestionPart {
        is_held_out,
        note: note.map(|which| Note {
            count: questions.len(),
            what: format!("of {n} questions: {which} the split `heldout`"),
        }),
        questions,
    };
    let is_held_out = |question: &Question| holds_out && question.split == Some(Split::Heldout);
    let (held_out, choosing): (Vec<_>, Vec<_>) = questions.into_iter().partition(is_held_out);
    match (choosing.is_empty(), held_out.is_empty()) {
        (true, _) => (part(held_out, false, None), None),
        (_, true) => (part(choosing, false, None), None),
        _ => {
            let choosing = part(choosing, false, Some("those outside"));
            (choosing, Some(part(held_out, true, Some("those of"))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(splits: &[Option<Split>], holds_out: bool) -> (usize, usize) {
        let question = |(number, split): (usize, &Option<Split>)| Question {
            split: *split,
            ..Question::new(number.to_string().into(), "?".into())
        };
        let questions = splits.iter().enumerate().map(question).collect();
        let (choosing, confirming) = super::split(questions, holds_out);
        assert_eq!(choosing.note.is_some(), confirming.is_some());
        (choosing.questions.len(), confirming.map_or(0, |part| part.questions.len()))
    }

    #[test]
    fn the_held_out_questions_confirm_where_there_are_others_to_choose() {
        let mixed = [Some(Split::Heldout), Some(Split::Tune), None];
        assert_eq!(parts(&mixed, true), (2, 1));
        assert_eq!(parts(&mixed, false), (3, 0));
        assert_eq!(parts(&[None, Some(Split::Tune)], true), (2, 0));
        assert_eq!(parts(&[Some(Split::Heldout)], true), (1, 0));
    }
}
