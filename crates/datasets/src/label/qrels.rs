//! A file of judgments as the annotator: simulates labelling with known judgments.

use std::io;

use super::annotator::{
    Annotator, AnnotatorReply, PassageJudgment, Quote, Refused, ShownPassage, WantedAnswer,
};
use ragtriage_core::types::Question;
use ragtriage_runs::external::qrels::Qrels;

/// Judges each document as its file does; documents missing from the file are skipped.
///
/// A document graded [`super::ANSWERS`] or more is evidence as a whole: qrels contain no quotes.
#[derive(Debug)]
pub struct QrelsAnnotator<'t>(Qrels<'t>);

impl<'t> QrelsAnnotator<'t> {
    /// Creates the annotator with the judgments `qrels`.
    #[must_use]
    pub fn new(qrels: Qrels<'t>) -> Self {
        Self(qrels)
    }

    /// Returns true if it has judgments for `question`.
    #[must_use]
    pub fn knows(&self, question: &Question) -> bool {
        self.0.judged(question.id.as_str()).is_some()
    }

    /// Returns the number of documents relevant to one of `questions`.
    #[must_use]
    pub fn n_relevant(&self, questions: &[Question]) -> usize {
        let judged = questions.iter().filter_map(|question| self.0.judged(question.id.as_str()));
        judged.map(|documents| documents.values().filter(|grade| **grade > 0).count()).sum()
    }
}

impl Annotator for QrelsAnnotator<'_> {
    fn judge(&mut self, shown: &ShownPassage<'_>) -> io::Result<PassageJudgment> {
        let grade = self
            .0
            .judged(shown.question.id.as_str())
            .and_then(|judged| judged.get(shown.document.id.as_str()));
        Ok(grade.map_or(PassageJudgment::Skip, |grade| PassageJudgment::Grade(*grade)))
    }

    fn quote(
        &mut self,
        _: &ShownPassage<'_>,
        _: Option<Refused<'_>>,
    ) -> io::Result<AnnotatorReply<Quote>> {
        Ok(AnnotatorReply::Given(Quote::Whole))
    }

    fn answer(
        &mut self,
        _: &ShownPassage<'_>,
        _: WantedAnswer<'_>,
    ) -> io::Result<AnnotatorReply<Vec<String>>> {
        Ok(AnnotatorReply::Given(Vec::new()))
    }
}
