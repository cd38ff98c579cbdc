//! The spending limit of a run: before each call its worst-case cost is reserved, afterwards the billed cost is counted.
//!
//! No call is made that could exceed the limit, as estimated from the counted prompt and the maximum number of answer tokens. A
//! call waits while other calls' reservations leave too little; one that exceeds the remainder even without them is rejected with
//! [`Error::is_spent`], and the run stops. An answered call counts as billed; a call that was interrupted, timed out or returned an
//! unreadable response counts its worst case, since it may be billed; a rejected call counts nothing.

use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use tokio::sync::Notify;

use super::{Completion, Generator};
use crate::Error;
use crate::http::ServiceNames;
use ragtriage_core::config::Price;
use ragtriage_core::prompt::Prompt;
use ragtriage_core::text::tokens::TokenCounter;

/// Tokens that the chat format adds to a prompt's texts: three per message and three for the start of the answer, as in
/// `OpenAI`'s cookbook ("How to count tokens"), for two messages, and one for each role.
const FORM_TOKENS: u64 = 11;

/// The spending limits of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// US dollars.
    pub usd: Option<f64>,
    /// Tokens of prompts and answers.
    pub tokens: Option<u64>,
}

/// The spent and the remaining cost.
pub struct Allowance {
    limits: Limits,
    price: Price,
    counter: Arc<dyn TokenCounter>,
    /// Maximum number of tokens of an answer.
    most_completion_tokens: u64,
    /// The names of the limits.
    names: &'static ServiceNames,
    state: Mutex<CommittedCost>,
    settled: Notify,
}

#[derive(Clone, Copy, Default)]
struct CommittedCost {
    spent: Cost,
    /// The reserved worst case of the calls in progress.
    reserved: Cost,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Cost {
    usd: f64,
    tokens: u64,
}

impl Cost {
    fn plus(self, other: Self) -> Self {
        Self { usd: self.usd + other.usd, tokens: self.tokens.saturating_add(other.tokens) }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            usd: (self.usd - other.usd).max(0.0),
            tokens: self.tokens.saturating_sub(other.tokens),
        }
    }
}

impl Allowance {
    /// Creates an allowance with nothing spent. `counter` counts a prompt before its call, and an answer without
    /// billing data.
    #[must_use]
    pub fn new(
        limits: Limits,
        price: Price,
        counter: Arc<dyn TokenCounter>,
        most_completion_tokens: u64,
        names: &'static ServiceNames,
    ) -> Self {
        let (state, settled) = (Mutex::default(), Notify::new());
        Self { limits, price, counter, most_completion_tokens, names, state, settled }
    }

    /// Adds the amount already spent by the run that is resumed.
    pub fn already(&self, usd: f64, tokens: u64) {
        let mut state = self.state();
        state.spent = state.spent.plus(Cost { usd, tokens });
    }

    /// Returns the cost so far in US dollars and tokens, including that before resuming.
    #[must_use]
    pub fn spent(&self) -> (f64, u64) {
        let Cost { usd, tokens } = self.state().spent;
        (usd, tokens)
    }

    /// Reserves a call's worst case; waits while other calls hold the needed amount.
    async fn reserve(&self, prompt_tokens: u64) -> Result<Reserved<'_>, Error> {
        let worst = self.cost(prompt_tokens, self.most_completion_tokens);
        loop {
            let settled = self.settled.notified();
            {
                let mut state = self.state();
                if let Some(error) = self.exceeded(state.spent, worst) {
                    return Err(error);
                }
                if self.exceeded(state.spent.plus(state.reserved), worst).is_none() {
                    state.reserved = state.reserved.plus(worst);
                    return Ok(Reserved { allowance: self, worst, spent: worst });
                }
            }
            settled.await;
        }
    }

    /// Returns the limit that `next` could exceed in addition to `spent`.
    fn exceeded(&self, spent: Cost, next: Cost) -> Option<Error> {
        let sum = spent.plus(next);
        let usd = self.limits.usd.filter(|limit| sum.usd > *limit);
        let tokens = self.limits.tokens.filter(|limit| sum.tokens > *limit);
        let (setting, limit, spent, next) = match (usd, tokens) {
            (Some(limit), _) => {
                let shown = |cost: Cost| format!("{:.6} USD", cost.usd);
                ("max_usd", limit.to_string(), shown(spent), shown(next))
            }
            (None, Some(limit)) => {
                let shown = |cost: Cost| format!("{} tokens", cost.tokens);
                ("max_tokens_total", limit.to_string(), shown(spent), shown(next))
            }
            (None, None) => return None,
        };
        let table = self.names.table;
        let message = format!(
            "`{table}.{setting}` = {limit} does not cover the next call: {spent} used so far, up to {next} needed"
        );
        let hint = "raise the limit with `--set`, continue with `--resume`";
        Some(Error { is_spent: true, ..Error::new(message).hinting(hint) })
    }

    fn cost(&self, prompt_tokens: u64, completion_tokens: u64) -> Cost {
        let tokens = prompt_tokens.saturating_add(completion_tokens);
        Cost { usd: self.price.of(prompt_tokens, completion_tokens), tokens }
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
    worst: Cost,
    spent: Cost,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        let mut state = self.allowance.state();
        state.reserved = state.reserved.minus(self.worst);
        state.spent = state.spent.plus(self.spent);
        drop(state);
        self.allowance.settled.notify_waiters();
    }
}

/// A generator with a spending limit.
pub struct WithAllowance<G> {
    inner: G,
    allowance: Arc<Allowance>,
}

impl<G: Generator> WithAllowance<G> {
    /// Wraps `inner`, each of whose calls is one call to the server.
    #[must_use]
    pub fn new(inner: G, allowance: Arc<Allowance>) -> Self {
        Self { inner, allowance }
    }
}

#[async_trait]
impl<G: Generator> Generator for WithAllowance<G> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn fingerprint(&self) -> Option<&str> {
        self.inner.fingerprint()
    }

    async fn generate(&self, prompt: &Prompt) -> Result<Completion, Error> {
        let allowance = &self.allowance;
        let counted = allowance.count(&prompt.system) + allowance.count(&prompt.user);
        let mut reserved = allowance.reserve(counted.saturating_add(FORM_TOKENS)).await?;
        let reply = match self.inner.generate(prompt).await {
            Ok(reply) => reply,
            Err(error) => {
                if !error.may_be_billed {
                    reserved.spent = Cost::default();
                }
                return Err(error);
            }
        };
        let prompt_tokens = reply.prompt_tokens.unwrap_or(counted);
        let completion_tokens =
            reply.completion_tokens.unwrap_or_else(|| allowance.count(&reply.text));
        reserved.spent = allowance.cost(prompt_tokens, completion_tokens);
        drop(reserved);
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::services::GENERATION;
    use ragtriage_core::text::tokens::{self, Tokenizer};
    use ragtriage_core::types::{Finish, Origin};

    /// Bills the given amounts, or fails.
    struct Bills(Option<(Option<u64>, Option<u64>)>);

    #[async_trait]
    impl Generator for Bills {
        fn name(&self) -> &'static str {
            "bills"
        }

        async fn generate(&self, _: &Prompt) -> Result<Completion, Error> {
            let (prompt_tokens, completion_tokens) =
                self.0.ok_or_else(|| Error::new("status 500"))?;
            let (text, finish, origin) = ("two words".to_owned(), Finish::Stop, Origin::Called);
            Ok(Completion { text, finish, origin, prompt_tokens, completion_tokens })
        }
    }

    /// A prompt of four words; 4 + 11 tokens are reserved for it.
    fn prompt() -> Prompt {
        let (system, user) = ("be brief".to_owned(), "who waits".to_owned());
        Prompt { question: "q".into(), passages: Vec::new(), system, user }
    }

    fn allowed(limits: Limits, bills: Bills) -> WithAllowance<Bills> {
        let words = tokens::counter(Tokenizer::Words, None).expect("built in");
        // One dollar per token of a prompt, ten per token of an answer; an answer has at most five.
        let price = Price { prompt: 1e6, completion: 1e7 };
        WithAllowance::new(bills, Arc::new(Allowance::new(limits, price, words, 5, &GENERATION)))
    }

    #[tokio::test]
    async fn the_worst_case_must_fit_and_what_is_billed_counts() {
        // 15 + 5 tokens are reserved per call, 3 + 1 are billed: 20 fit into 23 initially, but not into 23 - 4.
        let bills = Bills(Some((Some(3), Some(1))));
        let allowed = allowed(Limits { tokens: Some(23), usd: None }, bills);
        assert!(allowed.generate(&prompt()).await.is_ok());
        let error = allowed.generate(&prompt()).await.expect_err("spent").to_string();
        let expected = "`generation.max_tokens_total` = 23 does not cover the next call: 4 tokens used so far, up to 20 tokens needed";
        assert_eq!(error, expected);
    }

    #[tokio::test]
    async fn dollars_are_counted_by_the_price_and_by_our_own_count_where_none_is_billed() {
        // Reserved: 15 x 1 + 5 x 10 = 65 dollars; counted: four words and two, 4 + 20 = 24.
        let allowed = allowed(Limits { usd: Some(88.0), tokens: None }, Bills(Some((None, None))));
        assert!(allowed.generate(&prompt()).await.is_ok());
        let error = allowed.generate(&prompt()).await.expect_err("24 + 65 = 89").to_string();
        let expected = "`generation.max_usd` = 88 does not cover the next call: 24.000000 USD used so far, up to 65.000000 USD needed";
        assert_eq!(error, expected);
    }

    #[tokio::test]
    async fn a_failed_call_costs_nothing() {
        let allowed = allowed(Limits { tokens: Some(20), usd: None }, Bills(None));
        for _ in 0..3 {
            assert!(allowed.generate(&prompt()).await.is_err_and(|error| !error.is_spent));
        }
    }

    #[tokio::test]
    async fn what_was_spent_before_counts() {
        let allowed =
            allowed(Limits { tokens: Some(30), usd: None }, Bills(Some((Some(1), Some(1)))));
        allowed.allowance.already(0.0, 11);
        assert!(allowed.generate(&prompt()).await.is_err_and(|error| error.is_spent));
    }

    #[tokio::test]
    async fn a_call_waits_for_what_another_reserve() {
        let allowed =
            allowed(Limits { tokens: Some(30), usd: None }, Bills(Some((Some(1), Some(1)))));
        let mut reserved = allowed.allowance.reserve(15).await.expect("20 of 30");
        let prompt = prompt();
        let mut waiting = allowed.generate(&prompt);
        assert!((&mut waiting).now_or_never().is_none(), "20 + 20 of 30");
        reserved.spent = Cost::default();
        drop(reserved);
        assert!(waiting.await.is_ok());
    }

    /// A generator whose connection breaks off before the reply is read.
    struct BreaksOff;

    #[async_trait]
    impl Generator for BreaksOff {
        fn name(&self) -> &'static str {
            "breaks off"
        }

        async fn generate(&self, _: &Prompt) -> Result<Completion, Error> {
            Err(Error { may_be_billed: true, ..Error::new("reset") })
        }
    }

    #[tokio::test]
    async fn a_call_that_may_have_been_billed_counts_its_worst_case() {
        let words = tokens::counter(Tokenizer::Words, None).expect("built in");
        let limits = Limits { tokens: Some(50), usd: None };
        let allowed = WithAllowance::new(
            BreaksOff,
            Arc::new(Allowance::new(limits, Price::default(), words, 5, &GENERATION)),
        );
        // 4 + 11 + 5 tokens each: two fit into 50, a third does not.
        for _ in 0..2 {
            assert!(allowed.generate(&prompt()).await.is_err_and(|error| !error.is_spent));
        }
        assert!(allowed.generate(&prompt()).await.is_err_and(|error| error.is_spent));
    }
}
