//! Splits the questions into those that choose a trial and held-out ones that confirm the choice.

use ragtriage_core::types::{Question, Split};

/// A part of a data set's questions.
#[derive(Clone, Debug)]
pub struct QuestionPart {
    /// The questions.
    pub questions: Vec<Question>,
    /// True if the part is the held-out split.
    pub is_held_out: bool,
}

/// Returns the tuning questions, and the held-out questions (split `heldout`) if both parts exist.
#[must_use]
pub fn split(questions: Vec<Question>) -> (QuestionPart, Option<QuestionPart>) {
    let part = |questions, is_held_out| QuestionPart { questions, is_held_out };
    let is_held_out = |question: &Question| question.split == Some(Split::Heldout);
    let (held_out, choosing): (Vec<_>, Vec<_>) = questions.into_iter().partition(is_held_out);
    match (choosing.is_empty(), held_out.is_empty()) {
        (true, _) => (part(held_out, false), None),
        (_, true) => (part(choosing, false), None),
        _ => (part(choosing, false), Some(part(held_out, true))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(splits: &[Option<Split>]) -> (usize, usize) {
        let question = |(number, split): (usize, &Option<Split>)| Question {
            split: *split,
            ..Question::new(number.to_string().into(), "?".into())
        };
        let questions = splits.iter().enumerate().map(question).collect();
        let (choosing, confirming) = super::split(questions);
        (choosing.questions.len(), confirming.map_or(0, |part| part.questions.len()))
    }

    #[test]
    fn the_held_out_questions_confirm_where_there_are_others_to_choose() {
        let mixed = [Some(Split::Heldout), Some(Split::Tune), None];
        assert_eq!(parts(&mixed), (2, 1));
        assert_eq!(parts(&[None, Some(Split::Tune)]), (2, 0));
        assert_eq!(parts(&[Some(Split::Heldout)]), (1, 0));
    }
}
