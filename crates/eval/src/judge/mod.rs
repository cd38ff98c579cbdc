//! Answers by who decided on them, and the errors of the judge on answers that the rule or a person decides.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::attribute::judge::{Decider, Decision};
use ragtriage_core::correctness::{Correctness, JudgeVerdict};
use ragtriage_core::stats::wilson::wilson;
use ragtriage_core::types::{Condition, Interval, QuestionId, QuestionKind, Trace};
use ragtriage_data::run::SavedRun;
use ragtriage_data::run::judged::{self, JudgeReply};

/// Answers to answerable questions, by who decided on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DecidedAnswers {
    /// By the rule.
    pub rule: usize,
    /// By the judge, where the rule leaves the answer open.
    pub judge: usize,
    /// By a person.
    pub person: usize,
    /// Undecided.
    pub unsure: usize,
    /// Those that the judge was to decide, and on which it has no verdict.
    pub open: usize,
}

/// The judge of a run, and its errors on answers that the rule or a person decides.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JudgeSummary {
    /// The judge: its model, and a hash of all that its replies depend on besides the texts.
    pub judge: String,
    /// Its replies, on answers of every condition.
    pub n_replies: usize,
    /// Replies without a readable verdict: the decision of the rule remains.
    pub n_unreadable: usize,
    /// Cost of all calls in US dollars.
    pub cost_usd: f64,
    /// Sampled answers that are correct by the rule, and those of them that the judge calls different.
    pub correct_called_different: ErrorRate,
    /// Sampled answers that are wrong by the rule, and those of them that the judge calls the same.
    pub wrong_called_same: ErrorRate,
    /// Audited answers that the rule leaves open, and those of them on which the judge and the person differ.
    pub open_unlike_person: ErrorRate,
}

/// Errors of the judge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ErrorRate {
    /// Answers that the judge decides.
    pub n: usize,
    /// Answers that it decides wrongly.
    pub count: usize,
    /// Wilson's 95% interval of their share.
    pub ci95: Option<Interval>,
}

/// Counts the answers under `retrieved` by who decided on them; `None` where neither a judge nor a person was asked. `outcomes` is parallel to
/// the run's traces.
#[must_use]
pub fn decided_answers(run: &SavedRun, outcomes: &[Outcome]) -> Option<DecidedAnswers> {
    let is_judged = run.manifest.settings.judge.is_on() || !run.decided.replies.is_empty();
    if !is_judged && run.decided.answers.person.is_empty() {
        return None;
    }
    let mut counts = DecidedAnswers::default();
    for (trace, decision) in decisions(run, outcomes) {
        let is_open = is_judged && decision.judgment.is_open && decision.by == Decider::Rule;
        counts.open += usize::from(is_open && trace.question.is_compared());
        let count = match decision.by {
            _ if decision.judgment.correctness == Correctness::Unsure => &mut counts.unsure,
            Decider::Rule => &mut counts.rule,
            Decider::Judge => &mut counts.judge,
            Decider::Person => &mut counts.person,
        };
        *count += 1;
    }
    Some(counts)
}

/// Measures the judge that wrote the last reply; `None` without replies. `outcomes` is parallel to the run's traces.
#[must_use]
pub fn judge_summary(run: &SavedRun, outcomes: &[Outcome]) -> Option<JudgeSummary> {
    let replies: Vec<&JudgeReply> = judged::last_judge(&run.decided.replies).collect();
    let sample: HashSet<(&QuestionId, &str)> = replies
        .iter()
        .filter(|reply| reply.is_sample)
        .map(|reply| (&reply.question, &*reply.answer))
        .collect();
    let mut errors = [ErrorRate::default(); 3];
    for (trace, decision) in decisions(run, outcomes) {
        let answer = trace.attempt(Condition::Retrieved).map_or("", |attempt| &attempt.extracted);
        let question = &trace.question.id;
        let is_sample = sample.contains(&(question, answer));
        let verdict = run.decided.answers.judge.get(&(question.clone(), answer.to_owned()));
        let (rate, truth) = match (decision.rule, decision.by) {
            (Correctness::Correct, _) if is_sample => (0, decision.rule),
            (Correctness::Wrong, _) if is_sample => (1, decision.rule),
            (_, Decider::Person) => (2, decision.judgment.correctness),
            _ => continue,
        };
        if let Some(is_same) = verdict {
            errors[rate].n += 1;
            errors[rate].count += usize::from(Correctness::from_correct(*is_same) != truth);
        }
    }
    let [correct_called_different, wrong_called_same, open_unlike_person] =
        errors.map(|rate| ErrorRate { ci95: wilson(rate.count, rate.n), ..rate });
    let is_unreadable = |reply: &&&JudgeReply| reply.call.verdict == JudgeVerdict::Unreadable;
    Some(JudgeSummary {
        judge: replies.last()?.judge.clone(),
        n_replies: replies.len(),
        n_unreadable: replies.iter().filter(is_unreadable).count(),
        cost_usd: judged::spent(&run.decided.replies),
        correct_called_different,
        wrong_called_same,
        open_unlike_person,
    })
}

/// Returns the decisions on the answers to answerable questions.
fn decisions<'a>(
    run: &'a SavedRun,
    outcomes: &'a [Outcome],
) -> impl Iterator<Item = (&'a Trace, &'a Decision)> {
    run.traces.iter().zip(outcomes).filter_map(|(trace, outcome)| {
        let is_answerable = trace.question.kind != QuestionKind::Unanswerable;
        let decision = outcome.judgments.decision(Condition::Retrieved)?;
        is_answerable.then_some((trace, decision))
    })
}
