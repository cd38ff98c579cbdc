//! Scores of a question's answer.

use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::attribute::judge::decide;
use ragtriage_core::correctness::{Correctness, Judge, unsupported_values};
use ragtriage_core::metric::Family;
use ragtriage_core::metric::answer::{self, AnswerScores, Scorer};
use ragtriage_core::text::citations::Citable;
use ragtriage_core::text::thinking::without_thinking;
use ragtriage_core::types::{Attempt, ChunkId, Condition, QuestionKind, Stance, Trace};
use ragtriage_data::run::SavedRun;

/// The pipeline's answer, prepared for any metric.
pub(super) struct AnswerOf<'a> {
    trace: &'a Trace,
    /// `None` without a usable reply or without gold answers.
    scores: Option<AnswerScores>,
    attempt: Option<&'a Attempt>,
    run: &'a SavedRun,
    judge: Judge,
    /// The question's outcome, where it is known: it holds what takes longest to find.
    outcome: Option<&'a Outcome>,
}

impl<'a> AnswerOf<'a> {
    pub fn new(
        trace: &'a Trace,
        run: &'a SavedRun,
        judge: Judge,
        outcome: Option<&'a Outcome>,
    ) -> Self {
        let attempt = trace.attempt(Condition::Retrieved).filter(|attempt| attempt.is_usable());
        Self {
            trace,
            scores: answer_scores(trace, Condition::Retrieved, judge),
            attempt,
            run,
            judge,
            outcome,
        }
    }

    pub fn value(&self, family: Family) -> Option<f64> {
        let question = &self.trace.question;
        let answerable = question.kind != QuestionKind::Unanswerable;
        match family {
            Family::AnswerCorrect => self.correctness().map(answer::correct),
            Family::Groundedness => answer::groundedness(self.answered()?, &self.packed()),
            Family::UncitedValues => self.n_unsupported(&self.texts(self.cited()?.0)),
            Family::UnsupportedValues => {
                let packed = self.packed();
                match self.outcome.filter(|_| self.answered().is_some()) {
                    // Without passages an outcome lists nothing.
                    Some(outcome) if !packed.is_empty() => Some(outcome.unsupported.len() as f64),
                    _ => self.n_unsupported(&packed),
                }
            }
            Family::AnswerEm => self.scores.map(|scores| scores.em),
            Family::AnswerF1 => self.scores.map(|scores| scores.f1),
            Family::AnswerPrecision => self.scores.map(|scores| scores.precision),
            Family::AnswerRecall => self.scores.map(|scores| scores.recall),
            Family::AnswerEmHasAns => self.scores.filter(|_| answerable).map(|scores| scores.em),
            Family::AnswerF1HasAns => self.scores.filter(|_| answerable).map(|scores| scores.f1),
            Family::AnswerEmNoAns => self.scores.filter(|_| !answerable).map(|scores| scores.em),
            Family::AnswerF1NoAns => self.scores.filter(|_| !answerable).map(|scores| scores.f1),
            Family::AnswerContains if answerable => {
                answer::contains(self.text()?, &question.answers)
                    .map(|holds| f64::from(u8::from(holds)))
            }
            Family::FactRecall => answer::stated(self.text()?, &question.required),
            Family::ForbiddenFacts => answer::stated(self.text()?, &question.forbidden),
            _ => None,
        }
    }

    fn correctness(&self) -> Option<Correctness> {
        let attempt = self.attempt?;
        match self.outcome {
            Some(outcome) => outcome.judgments.correctness(Condition::Retrieved),
            None => decide(&self.trace.question, attempt, self.judge, &self.run.decided.answers)
                .map(|decision| decision.judgment.correctness),
        }
    }

    fn text(&self) -> Option<&'a str> {
        self.attempt.map(|attempt| attempt.extracted.as_str())
    }

    /// Returns the packed passages that the answer cites, each once, and the number of other citations; `None` if it declines, refuses
    /// or has no content.
    pub fn cited(&self) -> Option<(Vec<&'a ChunkId>, usize)> {
        let (answer, attempt) = (self.answered()?, self.attempt?);
        let reply = without_thinking(&attempt.raw, attempt.finish);
        let numbers = self.citable()?.cited_by(reply, answer);
        let packed = (1..).zip(&attempt.passages).filter(|(number, _)| numbers.contains(number));
        let mut cited: Vec<_> = packed.map(|(_, id)| id).collect();
        let n_others = numbers.len() - cited.len();
        cited.sort_unstable();
        cited.dedup();
        Some((cited, n_others))
    }

    fn citable(&self) -> Option<Citable> {
        let title = |id: &ChunkId| self.run.passages.get(id).map_or("", |it| it.title.as_str());
        let passages = self.attempt?.passages.iter();
        Some(Citable::new(passages.map(|id| [id.doc(), title(id)])))
    }

    /// Returns the number of values of the answer that no text contains.
    fn n_unsupported(&self, texts: &[&str]) -> Option<f64> {
        let answer = self.citable()?.without_citations(self.answered()?);
        Some(unsupported_values(&answer, texts, self.judge.language).len() as f64)
    }

    /// Returns the answer, unless it declines, refuses or has no content.
    fn answered(&self) -> Option<&'a str> {
        let attempt = self.attempt.filter(|attempt| attempt.stance == Stance::Answered)?;
        let answer = attempt.extracted.as_str();
        (!answer.trim().is_empty()).then_some(answer)
    }

    fn packed(&self) -> Vec<&'a str> {
        self.texts(self.trace.packed())
    }

    /// Returns titles and texts of passages.
    fn texts<'b>(&self, ids: impl IntoIterator<Item = &'b ChunkId>) -> Vec<&'a str> {
        let passages = &self.run.passages;
        let found = ids.into_iter().filter_map(|id| passages.get(id));
        found.flat_map(|passage| [passage.title.as_str(), passage.text.as_str()]).collect()
    }
}

/// Returns a condition's answer scores. `None` without a usable reply or without gold answers. The
/// gold answer of an unanswerable question is the empty answer under `squad2`, and undefined otherwise.
pub(super) fn answer_scores(
    trace: &Trace,
    condition: Condition,
    judge: Judge,
) -> Option<AnswerScores> {
    let attempt = trace.attempt(condition).filter(|attempt| attempt.is_usable())?;
    let question = &trace.question;
    match question.kind {
        QuestionKind::Unanswerable if judge.scorer == Scorer::Squad2 => {
            Some(answer::score(&attempt.extracted, &[String::new()], judge.scorer, judge.language))
        }
        _ if question.answers.is_empty() => None,
        _ => {
            Some(answer::score(&attempt.extracted, &question.answers, judge.scorer, judge.language))
        }
    }
}
