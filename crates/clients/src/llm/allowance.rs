//! The spending limit of a run: before each call its worst-case cost is reserved, afterwards the billed cost is counted.
//!
//! No call is made that could exceed the limit, as estimated from the counted prompt and the maximum number of answer tokens. A
//! call waits while other calls' reservations leave too little; one that exceeds the remainder even without them is rejected with
//! [`Error::is_spent`], and the run stops. An answered call counts as billed; a call that was interrupted, timed out or returned an
//! unreadable response counts its worst case, since it may be billed; a rejected call counts nothing.

use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::Notify;

use super::Completion;
use crate::Error;
use crate::http::ServiceNames;
use ragtriage_core::config::Price;
use ragtriage_core::prompt::Prompt;
use ragtriage_core::text::tokens::TokenCounter;

/// Tokens that the chat format adds to a prompt's texts: three per message and three for the start of the answer, as in
/// `OpenAI`'s cookbook ("How to count tokens"), for two messages, and one for each role.
const FORM_TOKENS: u64 = 11;

/// The spent and the remaining cost, in US dollars.
pub struct Allowance {
    most_usd: f64,
    price: Price,
    counter: Arc<dyn TokenCounter>,
    /// Maximum number of tokens of an answer.
    most_completion_tokens: u64,
    /// The table of the limit.
    names: &'static ServiceNames,
    state: Mutex<CommittedCost>,
    settled: Notify,
}

#[derive(Clone, Copy, Default)]
struct CommittedCost {
    spent: f64,
    /// The reserved worst case of the calls in progress.
    reserved: f64,
}

impl Allowance {
    /// Creates an allowance of `most_usd` with nothing spent. `counter` counts a prompt before its call, and an answer without
    /// billing data.
    #[must_use]
    pub fn new(
        most_usd: f64,
        price: Price,
        counter: Arc<dyn TokenCounter>,
        most_completion_tokens: u64,
        names: &'static ServiceNames,
    ) -> Self {
        let (state, settled) = (Mutex::default(), Notify::new());
        Self { most_usd, price, counter, most_completion_tokens, names, state, settled }
    }

    /// Adds the amount already spent by the run that is resumed.
    pub fn already(&self, usd: f64) {
        self.state().spent += usd;
    }

    /// Makes `call`, one call to the server with this prompt, within the limit.
    pub(super) async fn spend(
        &self,
        prompt: &Prompt,
        call: impl Future<Output = Result<Completion, Error>>,
    ) -> Result<Completion, Error> {
        let counted = self.count(&prompt.system) + self.count(&prompt.user);
        let mut reserved = self.reserve(counted.saturating_add(FORM_TOKENS)).await?;
        let reply = match call.await {
            Ok(reply) => reply,
            Err(error) => {
                if !error.may_be_billed() {
                    reserved.spent = 0.0;
                }
                return Err(error);
            }
        };
        let completion_tokens = reply.completion_tokens.unwrap_or_else(|| self.count(&reply.text));
        reserved.spent = self.price.of(reply.prompt_tokens.unwrap_or(counted), completion_tokens);
        drop(reserved);
        Ok(reply)
    }

    /// Reserves a call's worst case; waits while other calls hold the needed amount.
    async fn reserve(&self, prompt_tokens: u64) -> Result<Reserved<'_>, Error> {
        let worst = self.price.of(prompt_tokens, self.most_completion_tokens);
        loop {
            let settled = self.settled.notified();
            {
                let mut state = self.state();
                if state.spent + worst > self.most_usd {
                    return Err(self.exceeded(state.spent, worst));
                }
                if state.spent + state.reserved + worst <= self.most_usd {
                    state.reserved += worst;
                    return Ok(Reserved { allowance: self, worst, spent: worst });
                }
            }
            settled.await;
        }
    }

    fn exceeded(&self, spent: f64, next: f64) -> Error {
        let (table, limit) = (self.names.table, self.most_usd);
        let message = format!(
            "`{table}.max_usd` = {limit} does not cover the next call: {spent:.6} USD used so far, up to {next:.6} USD needed"
        );
        let hint = "raise the limit with `--set`, continue with `--resume`";
        Error { is_spent: true, ..Error::new(message).hinting(hint) }
    }

    fn count(&self, text: &str) -> u64 {
        self.counter.count(text) as u64
    }

    fn state(&self) -> MutexGuard<'_, CommittedCost> {
        self.state.lock().expect("no holder panics")
    }
}

/// A reserved worst case, held until dropped; all of it is then spent, unless the actual cost is known.
struct Reserved<'a> {
    allowance: &'a Allowance,
    worst: f64,
    spent: f64,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        let mut state = self.allowance.state();
        state.reserved = (state.reserved - self.worst).max(0.0);
        state.spent += self.spent;
        drop(state);
        self.allowance.settled.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::error::Fault;
    use crate::http::GENERATION;
    use ragtriage_core::text::tokens::{self, Tokenizer};
    use ragtriage_core::types::{Finish, Origin};

    /// A prompt of four words; 4 + 11 tokens are reserved for it.
    fn prompt() -> Prompt {
        let (system, user) = ("be brief".to_owned(), "who waits".to_owned());
        Prompt { question: "q".into(), passages: Vec::new(), system, user }
    }

    /// One dollar per token of a prompt, ten per token of an answer; an answer has at most five. A call reserves 15 + 50.
    fn allowed(most_usd: f64) -> Allowance {
        let words = tokens::counter(Tokenizer::Words, None).expect("built in");
        let price = Price { prompt: 1e6, completion: 1e7 };
        Allowance::new(most_usd, price, words, 5, &GENERATION)
    }

    /// Makes a call with an answer of two words that bills this.
    async fn bills(allowed: &Allowance, billed: Option<(u64, u64)>) -> Result<Completion, Error> {
        let (text, finish, origin) = ("two words".to_owned(), Finish::Stop, Origin::Called);
        let (prompt_tokens, completion_tokens) = billed.unzip();
        let seconds = 0.0;
        let reply = Completion { text, finish, origin, prompt_tokens, completion_tokens, seconds };
        allowed.spend(&prompt(), async { Ok(reply) }).await
    }

    async fn fails(allowed: &Allowance, error: Error) -> Error {
        allowed.spend(&prompt(), async { Err(error) }).await.expect_err("a failure")
    }

    #[tokio::test]
    async fn the_worst_case_must_fit_and_what_is_billed_counts() {
        let allowed = allowed(77.0);
        assert!(bills(&allowed, Some((3, 1))).await.is_ok());
        let error = bills(&allowed, None).await.expect_err("13 + 65 = 78").to_string();
        let expected = "`generation.max_usd` = 77 does not cover the next call: 13.000000 USD used so far, up to 65.000000 USD needed";
        assert_eq!(error, expected);
    }

    #[tokio::test]
    async fn our_own_count_holds_where_none_is_billed() {
        let allowed = allowed(100.0);
        assert!(bills(&allowed, None).await.is_ok());
        // Four words and two.
        assert!((allowed.state().spent - 24.0).abs() < 1e-9);
    }

    #[tokio::test]
    async fn a_failed_call_costs_nothing_unless_it_may_have_been_billed() {
        let allowed = allowed(130.0);
        for _ in 0..3 {
            assert!(!fails(&allowed, Error::new("status 500")).await.is_spent);
        }
        for _ in 0..2 {
            assert!(!fails(&allowed, Error::of(Fault::Interrupted, "reset")).await.is_spent);
        }
        assert!(fails(&allowed, Error::new("status 500")).await.is_spent, "twice 65");
    }

    #[tokio::test]
    async fn what_was_spent_before_counts() {
        let allowed = allowed(75.0);
        allowed.already(11.0);
        assert!(bills(&allowed, None).await.is_err_and(|error| error.is_spent));
    }

    #[tokio::test]
    async fn a_call_waits_for_what_another_reserves() {
        let allowed = allowed(100.0);
        let mut reserved = allowed.reserve(15).await.expect("65 of 100");
        let mut waiting = Box::pin(bills(&allowed, None));
        assert!((&mut waiting).now_or_never().is_none(), "65 + 65 of 100");
        reserved.spent = 0.0;
        drop(reserved);
        assert!(waiting.await.is_ok());
    }
}
