//! A labelling session: questions are asked in order, each written when finished.

use super::Ask;
use super::judging::{End, Judging};
use super::order::arranged;
use crate::dataset::{Appended, Error, question_line};
use ragtriage_core::types::Pools;
use ragtriage_core::types::Question;

/// The results of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelCounts {
    /// Questions that were written.
    pub n_written: usize,
    /// Written questions with evidence.
    pub n_answered: usize,
    /// Written questions judged unanswerable.
    pub n_unanswerable: usize,
    /// Questions without a judged passage; they are asked again next time.
    pub n_unjudged: usize,
    /// Passages shown, including skipped ones.
    pub n_shown: usize,
    /// Passages judged.
    pub n_judged: usize,
    /// Question-document pairs judged relevant, of any grade above 0.
    pub n_relevant: usize,
    /// Set if the annotator stopped before the last question, with the state of the current question.
    pub stopped: Option<Stopped>,
}

/// The question at which an annotator stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Remaining questions, including the current one if it is asked again.
    pub n_left: usize,
    /// Discarded judgments, of questions for which no passage answers the question.
    pub n_dropped: usize,
}

/// Presents the pools of `questions`, shuffled by `seed`, by `ask`, and appends each finished question to `file`.
///
/// When the annotator stops within a question, the question is saved only if a passage answers it. Otherwise it would count as
/// unanswerable without a judgment; it is asked again next time, from its first passage. The same applies to a question
/// without judged passages. The file is created before the first question.
///
/// # Errors
/// An unavailable annotator, a file that cannot be written; questions written before are saved.
pub fn label(
    questions: &[Question],
    pools: &Pools,
    ask: &mut Ask<'_>,
    file: &mut Appended,
) -> Result<LabelCounts, Error> {
    file.make()?;
    let corpus = &*pools.corpus;
    let mut tally = LabelCounts::default();
    for (at, (question, pool)) in questions.iter().zip(&pools.of).enumerate() {
        let passages = arranged(pool, corpus, question);
        let mut judging = Judging::new(question, corpus, &passages, (at + 1, questions.len()));
        let end = judging.run(ask).map_err(|source| {
            let hint = "start again to continue; earlier judgments are kept";
            Error::new("cannot read the judgments", hint).because(source)
        })?;
        let n_relevant = judging.grades().values().filter(|grade| **grade > 0).count();
        let is_kept = match end {
            End::Unanswerable => true,
            End::Judged => judging.n_judged() > 0,
            End::Stopped => judging.is_answered(),
        };
        tally.n_shown += judging.n_shown();
        tally.n_judged += judging.n_judged();
        if is_kept {
            let labelled = judging.labelled(end);
            let line = question_line(&labelled, |doc| {
                corpus.document(doc).map(|document| document.text.as_str())
            });
            file.append(&labelled, &line)?;
            tally.n_written += 1;
            tally.n_answered += usize::from(!labelled.evidence.is_empty());
            tally.n_unanswerable += usize::from(end == End::Unanswerable);
            tally.n_relevant += n_relevant;
        } else if end == End::Judged {
            tally.n_unjudged += 1;
        }
        if end == End::Stopped {
            let n_left = questions.len() - at - usize::from(is_kept);
            tally.stopped =
                Some(Stopped { n_left, n_dropped: if is_kept { 0 } else { judging.n_judged() } });
            break;
        }
    }
    Ok(tally)
}
