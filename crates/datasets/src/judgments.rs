//! Relevance judgments from a separate file, held until the questions are read.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::draft::Draft;
use crate::error::DatasetError;
use crate::place::Place;
use ragtriage_core::types::{DocId, Question};

/// Judgments of a set whose questions are in a file of their own.
#[derive(Default)]
pub(super) struct Judgments {
    /// Grades by question and document, with the place of each question's first judgment.
    grades: HashMap<String, (Place, BTreeMap<DocId, i32>)>,
    /// Ids of the questions read so far, judged or not.
    asked: HashSet<String>,
}

impl Judgments {
    /// Adds one judgment; of several for one pair the highest grade counts.
    pub(super) fn insert(
        &mut self,
        place: Place,
        question: &str,
        doc: &str,
        grade: i32,
        draft: &mut Draft,
    ) {
        let (_, grades) =
            self.grades.entry(question.to_owned()).or_insert_with(|| (place, BTreeMap::new()));
        let best = grades
            .entry(doc.into())
            .and_modify(|_| {
                draft.note(1, "duplicate [judgment|judgments]; the highest grade is used");
            })
            .or_insert(grade);
        *best = grade.max(*best);
    }

    /// Returns the question of that id with its judgments only; `None` if it has none. The id must be new: a second question
    /// would not be the one that was judged.
    pub(super) fn question(
        &mut self,
        place: &Place,
        id: &str,
        text: String,
    ) -> Result<Option<Question>, DatasetError> {
        if !self.asked.insert(id.to_owned()) {
            return Err(DatasetError::DuplicateQuestion { place: place.of(id), id: id.into() });
        }
        let judged = self.grades.remove(id);
        Ok(judged.map(|(_, relevant)| Question { relevant, ..Question::new(id.into(), text) }))
    }

    /// Rejects or counts the judgments of missing questions.
    pub(super) fn finish(self, draft: &mut Draft) -> Result<(), DatasetError> {
        let mut left: Vec<_> =
            self.grades.into_iter().map(|(id, (place, _))| (place, id)).collect();
        left.sort_unstable_by_key(|(place, _)| place.line);
        for (place, id) in left {
            draft.missing(
                "judged [question that does|questions that do] not exist, skipped",
                || DatasetError::UnknownQuestion { place, id: id.into() },
            )?;
        }
        Ok(())
    }
}
