//! A labelling session: questions are asked in order, each written when finished, and again when the annotator has gone back
//! to it.

use super::Ask;
use super::judging::{End, Judging};
use super::order::arranged;
use crate::dataset::{Appended, Error, question_line};
use ragtriage_core::types::{Pooled, Pools, Question};

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

/// Presents the pools of `questions` by `ask`, and writes each finished question to `file`, in place of its line if it has one;
/// `written` is called with it.
///
/// When the annotator stops within a question, the question is saved only if a passage answers it. Otherwise it would count as
/// unanswerable without a judgment; it is asked again next time, from its first passage. The same applies to a question
/// without judged passages. The file is created before the first question.
///
/// # Errors
/// An unavailable annotator, a file that cannot be written; questions written before are saved.
pub fn label<'a>(
    questions: &'a [Question],
    pools: &'a Pools,
    ask: &mut Ask<'_>,
    file: &mut Appended,
    written: &mut dyn FnMut(&Question),
) -> Result<LabelCounts, Error> {
    file.make()?;
    let of_question = |(at, (question, pool)): (usize, (&'a Question, &'a Vec<Pooled>))| {
        let passages = arranged(pool, &pools.corpus, question);
        Judging::new(question, &pools.corpus, passages, (at + 1, questions.len()))
    };
    let mut judgings: Vec<Judging> =
        questions.iter().zip(&pools.of).enumerate().map(of_question).collect();
    let mut ends: Vec<Option<End>> = vec![None; judgings.len()];
    let (mut at, mut furthest, mut is_stopped) = (0, 0, false);
    while at < judgings.len() && !is_stopped {
        let end = judgings[at].run(ask).map_err(|source| {
            let hint = "start again to continue; earlier judgments are kept";
            Error::new("cannot read the judgments", hint).because(source)
        })?;
        furthest = furthest.max(at);
        if end == End::Back {
            at -= 1;
            continue;
        }
        is_stopped = end == End::Stopped;
        // Going back may have left questions behind that are answered and not written.
        let last = if is_stopped { furthest } else { at };
        for number in at..=last {
            let judging = &judgings[number];
            let end = match end {
                _ if number > at && ends[number].is_some() => continue,
                End::Stopped if judging.is_answered() => End::Judged,
                End::Stopped => ends[number].unwrap_or(End::Stopped),
                end => end,
            };
            let was_written = ends[number].is_some();
            let is_kept = match end {
                End::Unanswerable => true,
                End::Judged => was_written || judging.n_judged() > 0,
                End::Back | End::Stopped => false,
            };
            if is_kept {
                let labelled = judging.labelled(end);
                let line = question_line(&labelled, |doc| {
                    pools.corpus.document(doc).map(|document| document.text.as_str())
                });
                file.put(&labelled, &line)?;
                written(&labelled);
                ends[number] = Some(end);
            }
        }
        at += 1;
    }
    Ok(counts(&judgings, &ends, is_stopped.then_some(furthest)))
}

/// Counts a session. `stopped`: the furthest question that was shown, if the annotator stopped.
fn counts(judgings: &[Judging<'_>], ends: &[Option<End>], stopped: Option<usize>) -> LabelCounts {
    let mut counts = LabelCounts::default();
    let mut left = Stopped { n_left: 0, n_dropped: 0 };
    for (number, (judging, end)) in judgings.iter().zip(ends).enumerate() {
        if let Some(end) = end {
            counts.n_written += 1;
            counts.n_answered += usize::from(!judging.labelled(*end).evidence.is_empty());
            counts.n_unanswerable += usize::from(*end == End::Unanswerable);
        } else if stopped.is_none_or(|furthest| number < furthest) {
            counts.n_unjudged += 1;
        } else {
            left.n_left += 1;
            left.n_dropped += judging.n_judged();
        }
    }
    LabelCounts { stopped: stopped.map(|_| left), ..counts }
}
