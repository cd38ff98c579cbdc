//! Replies of a judge, appended to `judge.jsonl` answer by answer, and the decisions on a run's answers that they and an audit
//! (`audit.jsonl`) make.
//!
//! A line of `judge.jsonl` is a fact about one call. It holds the answer that was compared: a line counts only for that answer,
//! and only if the last judge of the file wrote it.

use std::collections::HashMap;
use std::io::{ErrorKind, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Error, RunFolder, lines, open_file};
use ragtriage_core::attribute::judge::{Decisions, Settled};
use ragtriage_core::correctness::JudgeVerdict;
use ragtriage_core::types::{Condition, Origin, QuestionId, TokenUse, Trace};

/// The file of replies.
pub const FILE: &str = "judge.jsonl";
/// The file of the audit: a completed audit sheet.
pub const AUDIT_FILE: &str = "audit.jsonl";

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
    /// True if the rule decided the answer: it was asked to measure the judge.
    #[serde(default)]
    pub is_sample: bool,
    /// The call.
    #[serde(flatten)]
    pub call: JudgeCall,
}

/// Decisions on the answers of a run, with the replies that some of them come from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decided {
    /// All replies, oldest first.
    pub replies: Vec<JudgeReply>,
    /// The decisions.
    pub answers: Settled,
}

impl Decided {
    /// Reads the decisions in `folder` on the answers of `traces`.
    pub(super) fn read(folder: &RunFolder, traces: &[Trace]) -> Result<Self, Error> {
        let replies = read(folder)?;
        let verdicts = last_judge(&replies).filter_map(|reply| {
            let key = (reply.question.clone(), reply.answer.clone());
            Some((key, reply.call.verdict.is_same()?))
        });
        let judge = verdicts.collect();
        let person = audited(&folder.file(AUDIT_FILE), traces)?;
        Ok(Self { replies, answers: Settled { judge, person } })
    }
}

/// Returns the replies of the judge that wrote the last one.
pub fn last_judge(replies: &[JudgeReply]) -> impl Iterator<Item = &JudgeReply> {
    let last = replies.last().map(|reply| &reply.judge);
    replies.iter().filter(move |reply| Some(&reply.judge) == last)
}

/// The part of an audit sheet's line that decides on an answer.
#[derive(Deserialize)]
struct AuditLine {
    id: QuestionId,
    #[serde(default)]
    answer_is: Option<String>,
}

/// Reads people's decisions; empty without the file.
fn audited(path: &Path, traces: &[Trace]) -> Result<Decisions, Error> {
    let io = Error::io("read", path);
    let mut text = String::new();
    match open_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Decisions::new()),
        opened => opened.and_then(|mut file| file.read_to_string(&mut text)).map_err(io)?,
    };
    let answers: HashMap<&QuestionId, &str> = traces
        .iter()
        .filter_map(|trace| {
            let attempt = trace.attempt(Condition::Retrieved)?;
            Some((&trace.question.id, &*attempt.extracted))
        })
        .collect();
    let mut decisions = Decisions::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line: AuditLine =
            serde_json::from_str(line).map_err(|source| Error::damaged(path, at + 1, &source))?;
        let is_correct = match line.answer_is.as_deref().map(str::trim) {
            Some("correct") => true,
            Some("wrong") => false,
            _ => continue,
        };
        if let Some(answer) = answers.get(&line.id) {
            decisions.insert((line.id, (*answer).to_owned()), is_correct);
        }
    }
    Ok(decisions)
}

/// Reads the replies in `folder`, oldest first; empty without the file.
pub fn read(folder: &RunFolder) -> Result<Vec<JudgeReply>, Error> {
    lines::read(&folder.file(FILE), |reply: JudgeReply| reply)
}

/// Sums the cost in US dollars of the calls that were made.
#[must_use]
pub fn spent(replies: &[JudgeReply]) -> f64 {
    let calls = replies.iter().map(|reply| &reply.call);
    let called = calls.filter(|call| call.origin == Origin::Called);
    // A sum of nothing would be -0.
    called.fold(0.0, |sum, call| sum + call.cost_usd)
}
