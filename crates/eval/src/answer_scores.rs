//! Scores of a question's answer.

use std::collections::BTreeSet;

use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::attribute::judge::decide;
use ragtriage_core::correctness::{Correctness, Judge, unsupported_values};
use ragtriage_core::metric::Family;
use ragtriage_core::metric::answer::{self, AnswerScores, Scorer};
use ragtriage_core::text::citations::{Citation, citations};
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
            Family::AnswerCorrect => self.correctness().map(Correctness::score),
            Family::Groundedness => answer::groundedness(self.answered()?, &self.packed()),
            Family::UncitedValues => {
                let texts = self.texts(self.cited()?.0);
                let values = unsupported_values(self.answered()?, &texts, self.judge.language);
                Some(values.len() as f64)
            }
            Family::UnsupportedValues => {
                let (answer, packed) = (self.answered()?, self.packed());
                Some(match self.outcome {
                    // Without passages an outcome lists nothing.
                    Some(outcome) if !packed.is_empty() => outcome.unsupported.len(),
                    _ => unsupported_values(answer, &packed, self.judge.language).len(),
                } as f64)
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
        self.answered()?;
        let packed: Vec<&ChunkId> = self.trace.packed().collect();
        let names = |id: &ChunkId, name: &str| {
            let passage = self.run.passages.get(id);
            let title = passage.map_or("", |passage| passage.title.as_str());
            [id.doc(), title].iter().any(|known| known.eq_ignore_ascii_case(name))
        };
        let is_name = |name: &str| packed.iter().any(|id| names(id, name));
        let (mut cited, mut others) = (Vec::new(), BTreeSet::new());
        for citation in citations(&self.attempt?.raw, &is_name) {
            match citation {
                Citation::Name(name) => cited.extend(packed.iter().filter(|id| names(id, &name))),
                Citation::Number(number) => {
                    match number.checked_sub(1).and_then(|at| packed.get(at)) {
                        Some(id) => cited.push(*id),
                        None => drop(others.insert(number)),
                    }
                }
            }
        }
        cited.sort_unstable();
        cited.dedup();
        Some((cited, others.len()))
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
