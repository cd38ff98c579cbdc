//! Asks a judge about the answers of a run that the rule leaves open, and about a sample of the others; appends its replies to
//! `judge.jsonl` one by one.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::task::JoinSet;

use super::ask::FAILURES_IN_A_ROW;
use super::progress::Progress;
use crate::Error;
use ragtriage_clients::Error as ModelError;
use ragtriage_clients::judge::AnswerJudge;
use ragtriage_core::attribute::judge::judge_attempt;
use ragtriage_core::correctness::{Correctness, Judge};
use ragtriage_core::sample::sampled;
use ragtriage_core::types::{Condition, Question, QuestionId, Stance, Trace};
use ragtriage_data::run::judged::{self, JudgeReply};
use ragtriage_data::run::{LineWriter, RunFolder};

/// Answers that the rule decides and a judge is asked about, to measure it.
pub const SAMPLE: usize = 50;
/// Seed of their draw.
const SEED: u64 = 0x6a75_6467;

/// A judge with its concurrency.
pub struct JudgePlan {
    /// The judge.
    pub judge: Arc<AnswerJudge>,
    /// Calls in progress at once.
    pub concurrency: usize,
}

/// Result of asking a judge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JudgingOutcome {
    /// Failed calls; another attempt makes them again.
    pub n_failed: usize,
    /// Answers that were not asked about, because a limit was reached or too many failed in a row.
    pub n_left: usize,
    /// The last failure.
    pub last: Option<String>,
}

/// Asks the judge of `plan` about the answers in `traces` that `rule` leaves open, and about a sample of [`SAMPLE`] others;
/// not again about those that it has judged.
///
/// Each reply is written as it comes. Failures concern single answers; twenty in a row, or a reached limit, end the asking.
/// Neither makes the run fail.
///
/// # Errors
/// I/O errors of `judge.jsonl`, and a panic.
pub async fn judge_answers(
    folder: &RunFolder,
    traces: &[Trace],
    rule: Judge,
    plan: &JudgePlan,
    progress: &dyn Progress,
) -> Result<JudgingOutcome, Error> {
    let earlier = judged::read(folder)?;
    let mut waiting = pending(traces, rule, &earlier, plan.judge.identity()).into_iter();
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
            in_flight.spawn(ask(next, Arc::clone(&plan.judge)));
        }
        let Some(finished) = in_flight.join_next().await else {
            break;
        };
        progress.advance(1);
        match finished.map_err(|_| Error::panicked())? {
            Ok(reply) => {
                writer.append([reply])?;
                in_a_row = 0;
            }
            Err(failure) => {
                outcome.n_failed += 1;
                in_a_row += 1;
                goes_on &= !failure.is_spent && in_a_row < FAILURES_IN_A_ROW;
                outcome.last = Some(failure.to_string());
            }
        }
    }
    progress.finish();
    outcome.n_left = waiting.len();
    Ok(outcome)
}

async fn ask(pending: PendingAnswer, judge: Arc<AnswerJudge>) -> Result<JudgeReply, ModelError> {
    let PendingAnswer { question, answer, is_sample } = pending;
    let call = judge.compare(&question, &answer).await?;
    let judge = judge.identity().to_owned();
    Ok(JudgeReply { question: question.id, answer, judge, is_sample, call })
}

/// An answer that a judge is asked about.
struct PendingAnswer {
    question: Question,
    answer: String,
    is_sample: bool,
}

/// Returns the answers to ask the judge `identity` about: those of any condition that the rule leaves open, then a sample of
/// those of the condition `retrieved` that it decides. Each text of a question is asked once, and not again if `earlier` has it.
fn pending(
    traces: &[Trace],
    rule: Judge,
    earlier: &[JudgeReply],
    identity: &str,
) -> Vec<PendingAnswer> {
    let known = earlier.iter().filter(|reply| reply.judge == identity);
    let mut known: HashSet<(&QuestionId, &str)> =
        known.map(|reply| (&reply.question, &*reply.answer)).collect();
    let (mut open, mut decided) = (Vec::new(), [Vec::new(), Vec::new()]);
    for trace in traces.iter().filter(|trace| trace.question.is_compared()) {
        for condition in &trace.conditions {
            for (repeat, attempt) in condition.attempts.iter().enumerate() {
                let is_sampled = condition.condition == Condition::Retrieved && repeat == 0;
                let judgment = judge_attempt(&trace.question, attempt, rule);
                let judgment = judgment.filter(|_| attempt.stance == Stance::Answered);
                let found = (trace, &*attempt.extracted);
                let Some(judgment) = judgment else { continue };
                if judgment.is_open {
                    if known.insert((&trace.question.id, found.1)) {
                        open.push(found);
                    }
                } else if is_sampled {
                    let is_correct = judgment.correctness == Correctness::Correct;
                    decided[usize::from(is_correct)].push(found);
                }
            }
        }
    }
    let asked = |is_sample| {
        move |(trace, answer): (&Trace, &str)| PendingAnswer {
            question: trace.question.clone(),
            answer: answer.to_owned(),
            is_sample,
        }
    };
    let sample = sample(decided).into_iter();
    let sample = sample.filter(|(trace, answer)| !known.contains(&(&trace.question.id, *answer)));
    open.into_iter().map(asked(false)).chain(sample.map(asked(true))).collect()
}

/// Draws [`SAMPLE`] answers (all, if there are fewer) of those that the rule calls wrong and correct: half of either where there
/// are enough, since most of a run's answers may be alike, and the error on the others would not be known.
fn sample<'a>(decided: [Vec<(&'a Trace, &'a str)>; 2]) -> Vec<(&'a Trace, &'a str)> {
    let [n_wrong, n_correct] = decided.each_ref().map(Vec::len);
    let n_of = |others: usize| SAMPLE.saturating_sub(others).max(SAMPLE / 2);
    let drawn = decided.into_iter().zip([n_of(n_correct), n_of(n_wrong)]);
    drawn
        .flat_map(|(answers, n)| {
            let ids: Vec<QuestionId> =
                answers.iter().map(|(trace, _)| trace.question.id.clone()).collect();
            let drawn = sampled(&ids, n, SEED);
            answers.into_iter().filter(move |(trace, _)| drawn.contains(&trace.question.id))
        })
        .collect()
}

#[cfg(test)]
mod tests;
