//! Verdicts of a judge, appended to `judge.jsonl` question by question.
//!
//! A line is a fact about one call. It holds the answer that was compared: a line counts only for that answer, and only if
//! the same judge wrote it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{RunFolder, Spent, StoreError, lines};
use ragtriage_core::rightness::{JudgeOrder, JudgeVerdict};
use ragtriage_core::types::{ArmName, Origin, QuestionId, QuestionKind, Stance, TokenUse, Trace};

/// The file's name.
pub const FILE: &str = "judge.jsonl";

/// One answered call of a judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgeCall {
    /// The verdict read from the reply.
    pub verdict: JudgeVerdict,
    /// The reply, unmodified.
    pub raw: String,
    /// Its source: a call or the cache.
    pub origin: Origin,
    /// Tokens of prompt and reply.
    pub tokens: TokenUse,
    /// Cost in US dollars; 0 for a cached reply.
    pub cost_usd: f64,
    /// Wall time, seconds.
    pub seconds: f64,
}

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgeReply {
    /// The question.
    pub question: QuestionId,
    /// The answer that was compared.
    pub answer: String,
    /// The judge: its model, and a hash of all that its replies depend on besides the texts.
    pub judge: String,
    /// Order of the two answers.
    pub order: JudgeOrder,
    /// Number of the repeat, from 0.
    pub repeat: usize,
    /// The call.
    #[serde(flatten)]
    pub call: JudgeCall,
}

/// Verdicts on one question by order and repeat.
pub type Verdicts = BTreeMap<(JudgeOrder, usize), JudgeVerdict>;

/// Returns the answer of the condition `retrieved` that a judge compares; `None` without gold answers, for unanswerable
/// questions, and where the pipeline did not answer.
#[must_use]
pub fn answer_to_judge(trace: &Trace) -> Option<&str> {
    let attempt = trace.attempt(ArmName::Retrieved)?;
    let question = &trace.question;
    let is_compared = attempt.error.is_none()
        && attempt.stance == Stance::Answered
        && question.kind != QuestionKind::Unanswerable
        && !question.answers.is_empty();
    is_compared.then_some(&*attempt.extracted)
}

/// Reads the replies in `folder`, oldest first; empty without the file.
///
/// # Errors
/// `Io`, `Damaged`.
pub fn read(folder: &RunFolder) -> Result<Vec<JudgeReply>, StoreError> {
    lines::read(&folder.file(FILE), |reply: JudgeReply| reply)
}

/// Returns the verdicts of `judge` on the present answers, parallel to `traces`. The last line of each call wins.
#[must_use]
pub fn verdicts(traces: &[Trace], replies: &[JudgeReply], judge: &str) -> Vec<Verdicts> {
    let mut by_answer: BTreeMap<(&QuestionId, &str), Verdicts> = BTreeMap::new();
    for reply in replies.iter().filter(|reply| reply.judge == judge) {
        by_answer
            .entry((&reply.question, &reply.answer))
            .or_default()
            .insert((reply.order, reply.repeat), reply.call.verdict);
    }
    let found = traces.iter().map(|trace| {
        let answer = answer_to_judge(trace)?;
        by_answer.remove(&(&trace.question.id, answer))
    });
    found.map(Option::unwrap_or_default).collect()
}

/// Sums the cost of the calls that were made.
#[must_use]
pub fn spent(replies: &[JudgeReply]) -> Spent {
    let called =
        replies.iter().map(|reply| &reply.call).filter(|call| call.origin == Origin::Called);
    called.fold(Spent::default(), |sum, call| {
        let prompt = call.tokens.prompt_billed.unwrap_or(call.tokens.prompt);
        sum.plus(Spent {
            usd: call.cost_usd,
            tokens: prompt.saturating_add(call.tokens.completion),
        })
    })
}
