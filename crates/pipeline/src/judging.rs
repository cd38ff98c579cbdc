//! Asks a judge for the answers of a run, and appends its replies to `judge.jsonl` question by question.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::PipelineError;
use super::ask::FAILURES_IN_A_ROW;
use super::progress::Progress;
use ragtriage_core::rightness::JudgeOrder;
use ragtriage_core::types::{Question, Trace};
use ragtriage_models::judge::{AnswerJudge, JudgeFailure};
use ragtriage_runs::judged::{self, JudgeReply};
use ragtriage_runs::{LineWriter, RunFolder};

/// The calls that a judge is asked.
pub struct JudgePlan {
    /// The judge.
    pub judge: Arc<dyn AnswerJudge>,
    /// Orders of the two answers.
    pub orders: Vec<JudgeOrder>,
    /// Calls per order.
    pub repeats: usize,
    /// Questions in progress at once.
    pub concurrency: usize,
}

/// Result of asking a judge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JudgingOutcome {
    /// Questions with a failed call; another attempt asks it again.
    pub n_failed: usize,
    /// Questions that were not asked, because a limit was reached or too many failed in a row.
    pub n_left: usize,
    /// The last failure.
    pub last: Option<String>,
}

/// Asks the judge of `plan` for each answer in `traces` that it has not judged yet.
///
/// Each reply is written as soon as its question is done. Failures concern single questions; twenty in a row, or a reached
/// limit, end the asking. Neither makes the run fail.
///
/// # Errors
/// I/O errors of `judge.jsonl`, and a panic.
pub async fn judge_answers(
    folder: &RunFolder,
    traces: &[Trace],
    plan: &JudgePlan,
    progress: &dyn Progress,
) -> Result<JudgingOutcome, PipelineError> {
    let earlier = judged::read(folder)?;
    let mut waiting = pending(traces, &earlier, plan).into_iter();
    let mut outcome = JudgingOutcome::default();
    if waiting.len() == 0 {
        return Ok(outcome);
    }
    let mut writer = LineWriter::open(&folder.file(judged::FILE))?;
    progress.start("judge", waiting.len() as u64);
    let mut in_flight = JoinSet::new();
    let (mut in_a_row, mut goes_on) = (0, true);
    loop {
        while goes_on && in_flight.len() < plan.concurrency.max(1) {
            let Some(next) = waiting.next() else { break };
            in_flight.spawn(next.ask(Arc::clone(&plan.judge)));
        }
        let Some(finished) = in_flight.join_next().await else {
            break;
        };
        let JudgedAnswer { replies, failure } = finished.map_err(|_| PipelineError::Panicked)?;
        writer.append(&replies)?;
        progress.advance(1);
        in_a_row = if failure.is_some() { in_a_row + 1 } else { 0 };
        if let Some(failure) = failure {
            outcome.n_failed += 1;
            goes_on &= !failure.is_final && in_a_row < FAILURES_IN_A_ROW;
            outcome.last = Some(failure.message);
        }
    }
    progress.finish();
    outcome.n_left = waiting.len();
    Ok(outcome)
}

/// An answer with the calls that are missing.
struct PendingAnswer {
    question: Question,
    answer: String,
    calls: Vec<(JudgeOrder, usize)>,
}

/// The replies about one answer, and the first failure.
struct JudgedAnswer {
    replies: Vec<JudgeReply>,
    failure: Option<JudgeFailure>,
}

fn pending(traces: &[Trace], earlier: &[JudgeReply], plan: &JudgePlan) -> Vec<PendingAnswer> {
    let known = judged::verdicts(traces, earlier, plan.judge.identity());
    let answers = traces.iter().zip(known).filter_map(|(trace, known)| {
        let answer = judged::answer_to_judge(trace)?;
        let calls: Vec<(JudgeOrder, usize)> = plan
            .orders
            .iter()
            .flat_map(|order| (0..plan.repeats).map(|repeat| (*order, repeat)))
            .filter(|call| !known.contains_key(call))
            .collect();
        (!calls.is_empty()).then(|| PendingAnswer {
            question: trace.question.clone(),
            answer: answer.to_owned(),
            calls,
        })
    });
    answers.collect()
}

impl PendingAnswer {
    /// Makes the missing calls one after another; the first failure ends them.
    async fn ask(self, judge: Arc<dyn AnswerJudge>) -> JudgedAnswer {
        let mut replies = Vec::with_capacity(self.calls.len());
        for (order, repeat) in self.calls {
            match judge.compare(&self.question, &self.answer, order).await {
                Ok(call) => replies.push(JudgeReply {
                    question: self.question.id.clone(),
                    answer: self.answer.clone(),
                    judge: judge.identity().to_owned(),
                    order,
                    repeat,
                    call,
                }),
                Err(failure) => {
                    return JudgedAnswer { replies, failure: Some(failure) };
                }
            }
        }
        JudgedAnswer { replies, failure: None }
    }
}

#[cfg(test)]
mod tests;
