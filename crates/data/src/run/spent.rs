//! Cost of a run's calls, read from its files: a limit applies to all of them, however often the run was resumed.

use std::collections::HashSet;

use super::replies::PendingReply;
use ragtriage_core::types::{Origin, QuestionId, Trace};

/// Sums the cost in US dollars of the calls that were made and answered; of `replies` only those to unfinished questions.
#[must_use]
pub fn spent(traces: &[Trace], replies: &[PendingReply]) -> f64 {
    // A failed question's replies are among the saved ones, with those of later calls.
    let done: Vec<&Trace> = traces.iter().filter(|trace| !trace.failed()).collect();
    let ids: HashSet<&QuestionId> = done.iter().map(|trace| &trace.question.id).collect();
    let in_work =
        replies.iter().filter(|reply| !ids.contains(&reply.question)).map(|reply| &reply.attempt);
    let attempts = done.iter().flat_map(|trace| trace.calls()).chain(in_work);
    let called =
        attempts.filter(|attempt| attempt.origin == Origin::Called && attempt.error.is_none());
    called.fold(0.0, |sum, attempt| sum + attempt.cost_usd)
}
