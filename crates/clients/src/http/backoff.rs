//! Retry policy: when a failed call is repeated, and when it is given up.
//!
//! The wait before try n + 1 is drawn uniformly from the upper half of `first_wait` * 2^(n - 1), at most `longest_wait` ("equal
//! jitter", Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog 2015), so that it grows whatever is drawn. A
//! longer wait that the server asks for (`Retry-After`) replaces it, plus up to a tenth of it and at most `first_wait`, so that
//! many callers do not come back at once; a shorter one, such as 0 or a past date, does not. A call that the server rejects
//! because it is overloaded does not count as a try: it is repeated until the deadline.

use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

/// The retry policy of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Maximum number of calls, without those that were rate limited ([`Retry::Limited`]); at least one is made.
    pub tries: u32,
    /// Upper bound of the first wait.
    pub first_wait: Duration,
    /// Upper bound of any wait that we choose.
    pub longest_wait: Duration,
    /// Time from the first call on, waits included: a wait that would end later is not started.
    pub deadline: Duration,
}

/// The consequence of a failure for the next try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// Stop: another try would fail as well.
    Stop,
    /// Try again, after no less than the wait that the server asks for, if any.
    Again(Option<Duration>),
    /// Another try may succeed, the first without a wait: the other side had closed the keep-alive connection.
    AtOnce,
    /// The server was too busy for the call: wait as for `Again`, without counting a try.
    Limited(Option<Duration>),
}

/// An error of a call that may be repeated.
pub trait CallError: Sized {
    /// Returns its consequence for the next try.
    fn retry(&self) -> Retry;

    /// Returns the error of the last of several calls.
    #[must_use]
    fn after(self, n_calls: u32) -> Self;

    /// Creates the error of a first call that did not end before the deadline.
    fn deadline_passed(deadline: Duration) -> Self;
}

impl Backoff {
    /// Creates a policy with the usual waits, half a second at first and at most half a minute.
    #[must_use]
    pub fn new(tries: u32, deadline: Duration) -> Self {
        Self {
            tries,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(30),
            deadline,
        }
    }

    /// Makes `call` until it succeeds, `retry` returns a stop, or tries or time are used up.
    pub async fn run<T, E: CallError, F: Future<Output = Result<T, E>>>(
        &self,
        mut call: impl FnMut() -> F,
        retry: impl Fn(&E) -> Retry,
    ) -> Result<T, E> {
        let deadline = Instant::now() + self.deadline;
        let mut last = None;
        let (mut n_calls, mut tries, mut n_limited) = (0, 0, 0);
        loop {
            n_calls += 1;
            let error = match timeout_at(deadline, call()).await {
                Ok(Ok(done)) => return Ok(done),
                Ok(Err(error)) => error,
                Err(_) => {
                    return Err(match last {
                        Some(last) => E::after(last, n_calls),
                        None => E::deadline_passed(self.deadline),
                    });
                }
            };
            let retry = retry(&error);
            if let Retry::Limited(_) = retry {
                n_limited += 1;
            } else {
                tries += 1;
            }
            let wait = match retry {
                Retry::Stop => return Err(error),
                Retry::AtOnce if n_calls == 1 => Duration::ZERO,
                Retry::AtOnce => self.wait(tries, None, random_fraction()),
                Retry::Again(asked) => self.wait(tries, asked, random_fraction()),
                Retry::Limited(asked) => self.wait(n_limited, asked, random_fraction()),
            };
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
        let ours = bound.min(self.longest_wait).mul_f64(f64::midpoint(1.0, fraction));
        let asked = asked.unwrap_or_default();
        let spread = self.first_wait.min(asked / 10).mul_f64(fraction);
        ours.max(asked.saturating_add(spread))
    }
}

/// Returns a number from 0 to below 1 for jitter, from the standard library's random hash keys: waits need neither a
/// seed nor high-quality randomness.
pub fn random_fraction() -> f64 {
    // A f64 holds 53 bits exactly.
    (RandomState::new().hash_one(0_u8) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// The value of the last call that failed, and the number of calls if there were several.
    #[derive(Debug, PartialEq)]
    struct Failed(u32, u32);

    impl CallError for Failed {
        fn retry(&self) -> Retry {
            Retry::Stop
        }

        fn after(self, n_calls: u32) -> Self {
            Self(self.0, n_calls)
        }

        fn deadline_passed(_: Duration) -> Self {
            Self(0, 0)
        }
    }

    const AT_ONCE: Backoff = Backoff {
        tries: 3,
        first_wait: Duration::ZERO,
        longest_wait: Duration::from_secs(8),
        deadline: Duration::from_secs(50),
    };

    /// Runs calls that fail `n_failures` times.
    async fn tried(backoff: Backoff, n_failures: u32, retry: Retry) -> Result<u32, Failed> {
        let n_calls = Cell::new(0);
        let call = || {
            n_calls.set(n_calls.get() + 1);
            let n = n_calls.get();
            async move { if n <= n_failures { Err(Failed(n, 1)) } else { Ok(n) } }
        };
        backoff.run(call, |_| retry).await
    }

    #[tokio::test]
    async fn as_many_failures_as_tries_are_one_too_many() {
        let again = Retry::Again(None);
        assert_eq!(tried(AT_ONCE, 2, again).await, Ok(3));
        assert_eq!(tried(AT_ONCE, 3, again).await, Err(Failed(3, 3)));
        assert_eq!(tried(AT_ONCE, 3, Retry::Stop).await, Err(Failed(1, 1)));
        assert_eq!(tried(Backoff { tries: 0, ..AT_ONCE }, 1, again).await, Err(Failed(1, 1)));
    }

    #[tokio::test]
    async fn calls_that_were_turned_away_are_no_tries() {
        let limited = Retry::Limited(None);
        assert_eq!(tried(AT_ONCE, 30, limited).await, Ok(31));
        let soon = Backoff {
            first_wait: Duration::from_mins(1),
            longest_wait: Duration::from_mins(1),
            ..AT_ONCE
        };
        let asked = Retry::Limited(Some(Duration::from_secs(51)));
        assert_eq!(tried(soon, 30, asked).await, Err(Failed(1, 1)), "51 s are more than 50 s");
    }

    #[tokio::test]
    async fn a_broken_connection_is_tried_again_at_once() {
        let slow = Backoff {
            first_wait: Duration::from_hours(1),
            longest_wait: Duration::from_hours(1),
            ..AT_ONCE
        };
        assert_eq!(tried(slow, 1, Retry::AtOnce).await, Ok(2));
        assert_eq!(tried(AT_ONCE, 3, Retry::AtOnce).await, Err(Failed(3, 3)));
    }

    #[tokio::test]
    async fn a_wait_beyond_the_deadline_is_not_begun() {
        let asked = Retry::Again(Some(Duration::from_secs(51)));
        assert_eq!(tried(AT_ONCE, 1, asked).await, Err(Failed(1, 1)));
        assert_eq!(tried(AT_ONCE, 1, Retry::Again(Some(Duration::MAX))).await, Err(Failed(1, 1)));
    }

    #[tokio::test]
    async fn a_call_that_never_ends_is_ended_by_the_deadline() {
        let soon = Backoff { deadline: Duration::from_millis(5), ..AT_ONCE };
        let never = || std::future::pending::<Result<(), Failed>>();
        assert_eq!(soon.run(never, Failed::retry).await, Err(Failed(0, 0)));
        // The second call never ends: the first one's failure is reported.
        let n_calls = Cell::new(0);
        let call = || {
            n_calls.set(n_calls.get() + 1);
            let is_first = n_calls.get() == 1;
            async move {
                if is_first { Err::<(), _>(Failed(7, 1)) } else { std::future::pending().await }
            }
        };
        let failure = soon.run(call, |_| Retry::Again(None)).await;
        assert_eq!(failure, Err(Failed(7, 2)));
    }

    #[test]
    fn waits_double_up_to_the_longest_and_are_never_shorter_than_the_server_asks() {
        let backoff = Backoff { first_wait: Duration::from_millis(500), ..AT_ONCE };
        // `Retry-After: 0` and a past date ask for no time, which shortens nothing.
        for asked in [None, Some(Duration::ZERO)] {
            let waits =
                |fraction| (1..7).map(move |nth| backoff.wait(nth, asked, fraction).as_millis());
            assert!(waits(1.0).eq([500, 1_000, 2_000, 4_000, 8_000, 8_000]));
            assert!(waits(0.0).eq([250, 500, 1_000, 2_000, 4_000, 4_000]));
            assert_eq!(backoff.wait(40, asked, 0.5).as_millis(), 6_000);
        }
        assert_eq!(backoff.wait(1, Some(Duration::from_secs(20)), 0.5).as_millis(), 20_250);
        assert_eq!(backoff.wait(1, Some(Duration::from_secs(1)), 0.5).as_millis(), 1_050);
        assert_eq!(backoff.wait(3, Some(Duration::from_secs(1)), 0.5).as_millis(), 1_500);
    }

    #[tokio::test]
    async fn a_server_that_asks_for_no_wait_is_not_called_in_a_loop() {
        let ms = Duration::from_millis;
        let soon = Backoff { first_wait: ms(10), deadline: ms(100), ..AT_ONCE };
        let refused = tried(soon, u32::MAX, Retry::Limited(Some(Duration::ZERO))).await;
        // Waits of at least 5, 10, 20 and 40 ms; a fifth of 80 would end after the 100.
        match refused {
            Err(Failed(_, tries)) => assert!((2..=5).contains(&tries), "{tries}"),
            other => panic!("{other:?}"),
        }
    }
}
