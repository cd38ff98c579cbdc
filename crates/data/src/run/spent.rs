//! Cost of a run's calls, read from its files: a limit applies to all of them, however often the run was resumed.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::replies::PendingReply;
use ragtriage_core::types::{Origin, QuestionId, TokenUse, Trace};

/// Cost of a run's calls until it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// US dollars.
    pub usd: f64,
    /// Tokens, as billed if known.
    pub tokens: u64,
}

impl Spent {
    /// Sums the calls that were made and answered; of `replies` only those to unfinished questions.
    #[must_use]
    pub fn by(traces: &[Trace], replies: &[PendingReply]) -> Self {
        // A failed question's replies are among the saved ones, with those of later calls.
        let done: Vec<&Trace> = traces.iter().filter(|trace| !trace.failed()).collect();
        let ids: HashSet<&QuestionId> = done.iter().map(|trace| &trace.question.id).collect();
        let in_work = replies
            .iter()
            .filter(|reply| !ids.contains(&reply.question))
            .map(|reply| &reply.attempt);
        let attempts =
            done.iter().flat_map(|trace| &trace.arms).flat_map(|arm| &arm.attempts).chain(in_work);
        let called =
            attempts.filter(|attempt| attempt.origin == Origin::Called && attempt.error.is_none());
        called.fold(Self::default(), |sum, attempt| {
            let TokenUse { prompt, prompt_billed, completion } = attempt.tokens;
            let tokens = prompt_billed.unwrap_or(prompt).saturating_add(completion);
            sum.plus(Self { usd: attempt.cost_usd, tokens })
        })
    }

    /// Returns the sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { usd: self.usd + other.usd, tokens: self.tokens.saturating_add(other.tokens) }
    }
}
