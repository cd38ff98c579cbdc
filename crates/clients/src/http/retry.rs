//! Retry policy: when a failed call is repeated, and when it is given up.
//!
//! The wait before try n + 1 is drawn uniformly from the upper half of `first_wait` * 2^(n - 1), at most [`LONGEST_WAIT`] ("equal
//! jitter", Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog 2015), so that it grows whatever is drawn. A
//! longer wait that the server asks for (`Retry-After`) replaces it, plus up to a tenth of it and at most `first_wait`, so that
//! many callers do not come back at once; a shorter one, such as 0 or a past date, does not. A call that the server rejects
//! because it is overloaded does not count as a try: it is repeated until the deadline.

use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

use crate::Error;

/// Upper bound of any wait that we choose.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The retry policy of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Maximum number of calls, without those that were rate limited; at least one is made.
    pub tries: u32,
    /// Upper bound of the first wait.
    pub first_wait: Duration,
    /// Time from the first call on, waits included: a wait that would end later is not started.
    pub deadline: Duration,
}

impl Backoff {
    /// Creates a policy with the usual waits, half a second at first.
    #[must_use]
    pub fn new(tries: u32, deadline: Duration) -> Self {
        Self { tries, first_wait: Duration::from_millis(500), deadline }
    }

    /// Makes `call` until it succeeds, a failure is final, or tries or time are used up.
    pub(crate) async fn run<T, F: Future<Output = Result<T, Error>>>(
        &self,
        mut call: impl FnMut() -> F,
    ) -> Result<T, Error> {
        let deadline = Instant::now() + self.deadline;
        let mut last: Option<Error> = None;
        let (mut n_calls, mut tries, mut n_limited) = (0, 0, 0);
        loop {
            n_calls += 1;
            let error = match timeout_at(deadline, call()).await {
                Ok(Ok(done)) => return Ok(done),
                Ok(Err(error)) => error,
                Err(_) => {
                    return Err(match last {
                        Some(last) => last.after(n_calls),
                        None => Error::deadline_passed(self.deadline),
                    });
                }
            };
            if !error.is_transient() {
                return Err(error);
            }
            let is_limited = error.is_limited();
            n_limited += u32::from(is_limited);
            // A caller that tries once is answered once.
            tries += u32::from(!is_limited || self.tries <= 1);
            let nth = if is_limited { n_limited } else { tries };
            let wait = self.wait(nth, error.wait, random_fraction());
            let too_late = Instant::now().checked_add(wait).is_none_or(|end| end >= deadline);
            if tries >= self.tries || too_late {
                return Err(if n_calls == 1 { error } else { error.after(n_calls) });
            }
            last = Some(error);
            sleep(wait).await;
        }
    }

    /// Returns the wait after the `nth` failure of its kind; `fraction` is the random number, from 0 to 1.
    fn wait(&self, nth: u32, asked: Option<Duration>, fraction: f64) -> Duration {
        let bound = self.first_wait.saturating_mul(2_u32.saturating_pow(nth - 1));
        let ours = bound.min(LONGEST_WAIT).mul_f64(f64::midpoint(1.0, fraction));
        let asked = asked.unwrap_or_default();
        let spread = self.first_wait.min(asked / 10).mul_f64(fraction);
        ours.max(asked.saturating_add(spread))
    }
}

/// Returns a number from 0 to below 1 for jitter, from the standard library's random hash keys: waits need neither a
/// seed nor high-quality randomness.
fn random_fraction() -> f64 {
    // A f64 holds 53 bits exactly.
    (RandomState::new().hash_one(0_u8) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::error::Fault;

    const BUSY: Fault = Fault::Status(503);
    const LIMITED: Fault = Fault::Status(429);
    const AT_ONCE: Backoff =
        Backoff { tries: 3, first_wait: Duration::ZERO, deadline: Duration::from_secs(50) };

    /// Runs calls that fail `n_failures` times, each with its number.
    async fn tried(
        backoff: Backoff,
        n_failures: u32,
        (fault, wait): (Fault, Option<Duration>),
    ) -> Result<u32, String> {
        let n_calls = Cell::new(0);
        let call = || {
            n_calls.set(n_calls.get() + 1);
            let n = n_calls.get();
            let failed = Error { wait, ..Error::of(fault, n.to_string()) };
            async move { if n <= n_failures { Err(failed) } else { Ok(n) } }
        };
        backoff.run(call).await.map_err(|error| error.to_string())
    }

    fn failed(message: &str) -> Result<u32, String> {
        Err(message.to_owned())
    }

    #[tokio::test]
    async fn as_many_failures_as_tries_are_one_too_many() {
        let again = (BUSY, None);
        assert_eq!(tried(AT_ONCE, 2, again).await, Ok(3));
        assert_eq!(tried(AT_ONCE, 3, again).await, failed("after 3 tries: 3"));
        assert_eq!(tried(AT_ONCE, 3, (Fault::Status(404), None)).await, failed("1"));
        assert_eq!(tried(Backoff { tries: 0, ..AT_ONCE }, 1, again).await, failed("1"));
    }

    #[tokio::test]
    async fn calls_that_were_turned_away_are_no_tries() {
        assert_eq!(tried(AT_ONCE, 30, (LIMITED, None)).await, Ok(31));
        let soon = Backoff { first_wait: Duration::from_mins(1), ..AT_ONCE };
        let asked = (LIMITED, Some(Duration::from_secs(51)));
        assert_eq!(tried(soon, 30, asked).await, failed("1"), "51 s are more than 50 s");
    }

    #[tokio::test]
    async fn a_wait_beyond_the_deadline_is_not_begun() {
        for wait in [Duration::from_secs(51), Duration::MAX] {
            assert_eq!(tried(AT_ONCE, 1, (BUSY, Some(wait))).await, failed("1"));
        }
    }

    #[tokio::test]
    async fn a_call_that_never_ends_is_ended_by_the_deadline() {
        let soon = Backoff { deadline: Duration::from_millis(5), ..AT_ONCE };
        let never = || std::future::pending::<Result<(), Error>>();
        let error = soon.run(never).await.expect_err("never").to_string();
        assert_eq!(error, "no response within the deadline of 0.005 s");
        // The second call never ends: the first one's failure is reported.
        let n_calls = Cell::new(0);
        let call = || {
            n_calls.set(n_calls.get() + 1);
            let is_first = n_calls.get() == 1;
            let failed = Error::of(BUSY, "busy");
            async move { if is_first { Err::<(), _>(failed) } else { std::future::pending().await } }
        };
        let error = soon.run(call).await.expect_err("never").to_string();
        assert_eq!(error, "after 2 tries: busy");
    }

    #[test]
    fn waits_double_up_to_the_longest_and_are_never_shorter_than_the_server_asks() {
        let backoff = Backoff { first_wait: Duration::from_secs(2), ..AT_ONCE };
        // `Retry-After: 0` and a past date ask for no time, which shortens nothing.
        for asked in [None, Some(Duration::ZERO)] {
            let waits =
                |fraction| (1..7).map(move |nth| backoff.wait(nth, asked, fraction).as_secs());
            assert!(waits(1.0).eq([2, 4, 8, 16, 30, 30]));
            assert!(waits(0.0).eq([1, 2, 4, 8, 15, 15]));
            assert_eq!(backoff.wait(40, asked, 0.5).as_millis(), 22_500);
        }
        assert_eq!(backoff.wait(1, Some(Duration::from_secs(40)), 0.5).as_millis(), 41_000);
        assert_eq!(backoff.wait(1, Some(Duration::from_secs(4)), 0.5).as_millis(), 4_200);
        assert_eq!(backoff.wait(3, Some(Duration::from_secs(4)), 0.5).as_millis(), 6_000);
    }

    #[tokio::test]
    async fn a_server_that_asks_for_no_wait_is_not_called_in_a_loop() {
        let ms = Duration::from_millis;
        let soon = Backoff { first_wait: ms(10), deadline: ms(100), ..AT_ONCE };
        let refused = tried(soon, u32::MAX, (LIMITED, Some(Duration::ZERO))).await;
        // Waits of at least 5, 10, 20 and 40 ms; a fifth of 80 would end after the 100.
        let error = refused.expect_err("the deadline");
        assert!((2..=5).any(|n| error == format!("after {n} tries: {n}")), "{error}");
    }
}
