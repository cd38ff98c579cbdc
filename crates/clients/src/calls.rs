//! Calls to one server: a concurrency limit, a retry policy, and the pauses that the server asks for.
//!
//! A semaphore limits the number of calls, [`Backoff`] determines waits and the last attempt, and a server's [`Pause`] delays
//! all calls. A call holds its permit while it waits for a retry, which reduces the load. Its deadline begins when it has a
//! permit and no pause is in effect.

use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until};

use crate::Error;
use crate::http::{Backoff, CallError, Retry, random_fraction};

/// Makes calls with retries, and limits their number.
#[derive(Debug)]
pub(crate) struct CallPolicy {
    backoff: Backoff,
    permits: Semaphore,
    pause: Pause,
    /// True if a call was still rejected after its whole deadline, and nothing has succeeded since: other calls are then tried
    /// once each, or twenty of them would wait for an hour before the run stops.
    in_vain: AtomicBool,
}

impl CallPolicy {
    /// Creates a policy with at most `concurrency` concurrent calls, which report their server's pauses through `pause`.
    pub(crate) fn new(concurrency: usize, pause: Pause, backoff: Backoff) -> Self {
        let permits = Semaphore::new(concurrency.clamp(1, Semaphore::MAX_PERMITS));
        Self { backoff, permits, pause, in_vain: AtomicBool::new(false) }
    }

    /// Makes `call` until it succeeds, a failure is final, or tries or time are used up.
    pub(crate) async fn run<T, F: Future<Output = Result<T, Error>>>(
        &self,
        call: impl Fn() -> F,
    ) -> Result<T, Error> {
        let _permit = self.permits.acquire().await.expect("the semaphore is never closed");
        self.pause.over().await;
        let n_calls = AtomicUsize::new(0);
        let call = || async {
            self.pause.over().await;
            n_calls.fetch_add(1, Ordering::Relaxed);
            call().await
        };
        let retry = |error: &Error| {
            let in_vain = is_limited(error) && self.in_vain.load(Ordering::Relaxed);
            if in_vain { Retry::Stop } else { error.retry() }
        };
        let done = self.backoff.run(call, retry).await;
        match &done {
            Ok(_) => self.in_vain.store(false, Ordering::Relaxed),
            Err(error) if is_limited(error) && n_calls.load(Ordering::Relaxed) > 1 => {
                self.in_vain.store(true, Ordering::Relaxed);
            }
            Err(_) => {}
        }
        done
    }
}

fn is_limited(error: &Error) -> bool {
    matches!(error.retry(), Retry::Limited(_))
}

/// The longest period after a pause over which the waiting calls start, each at a random moment; a tenth of a short pause.
const SPREAD: Duration = Duration::from_millis(500);

/// A server's pause: until it is over no caller starts a new call. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Pause {
    /// The end, and the period after it.
    until: Arc<Mutex<(Instant, Duration)>>,
    longest: Duration,
}

impl Pause {
    /// Creates a state without a pause. A requested pause longer than `longest` is ignored: the prompt that received it fails
    /// and others retry independently, instead of all of them sleeping for hours.
    pub(crate) fn new(longest: Duration) -> Self {
        Self { until: Arc::new(Mutex::new((Instant::now(), Duration::ZERO))), longest }
    }

    /// Starts the pause that a response asks for. A longer one in progress is unchanged. A refusal concerns its own call
    /// first of all.
    pub(crate) fn after(&self, response: &crate::http::Response) {
        if let Some(wait) = response.retry_after.filter(|_| response.status != 429) {
            self.ask(wait);
        }
    }

    fn ask(&self, wait: Duration) {
        if wait <= self.longest {
            let mut until = self.until.lock().expect("no holder panics");
            *until = (*until).max((Instant::now() + wait, SPREAD.min(wait / 10)));
        }
    }

    /// Waits until the pause is over, and a little longer; returns immediately without a pause.
    async fn over(&self) {
        while let Some((until, spread)) = self.until() {
            sleep_until(until + spread.mul_f64(random_fraction())).await;
        }
    }

    /// Returns the end of the pause, if it is in the future, and the period after it.
    fn until(&self) -> Option<(Instant, Duration)> {
        let (until, spread) = *self.until.lock().expect("no holder panics");
        (until > Instant::now()).then_some((until, spread))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn all_wait_for_the_longest_pause_asked_for() {
        let pause = Pause::new(Duration::from_mins(2));
        assert!(pause.over().now_or_never().is_some(), "none was asked for");
        pause.ask(Duration::from_mins(1));
        pause.ask(Duration::from_secs(1));
        let left = pause.clone().until().expect("a pause").0 - Instant::now();
        assert!(left > Duration::from_secs(1));
        assert!(pause.over().now_or_never().is_none());
    }

    #[tokio::test]
    async fn a_pause_of_no_time_or_too_long_a_time_is_none() {
        let pause = Pause::new(Duration::from_mins(2));
        pause.ask(Duration::ZERO);
        pause.ask(Duration::from_mins(3));
        assert!(pause.over().now_or_never().is_some());
    }

    fn busy(status: u16, retry: Retry) -> Error {
        Error { retry, ..Error::new(format!("status {status}")) }
    }

    /// Makes calls that fail as listed from the last to the first, then succeed.
    async fn ask(policy: &CallPolicy, failures: &Mutex<Vec<Error>>) -> Result<(), Error> {
        let call = || async { failures.lock().unwrap().pop().map_or(Ok(()), Err) };
        policy.run(call).await
    }

    #[tokio::test]
    async fn once_a_call_waited_in_vain_the_others_are_made_once() {
        let backoff =
            Backoff { first_wait: Duration::ZERO, ..Backoff::new(3, Duration::from_secs(50)) };
        let policy = CallPolicy::new(2, Pause::new(Duration::from_mins(1)), backoff);
        let limited = || busy(429, Retry::Limited(None));
        let too_long = busy(429, Retry::Limited(Some(Duration::from_secs(51))));
        // The first call is rejected twice, the second once, the third succeeds, and the fourth may wait again.
        let failures = Mutex::new(vec![limited(), limited(), too_long, limited()]);
        let error = ask(&policy, &failures).await.expect_err("in vain").to_string();
        assert_eq!(error, "after 2 tries: status 429");
        let error = ask(&policy, &failures).await.expect_err("one call").to_string();
        assert_eq!(error, "status 429");
        assert_eq!(failures.lock().unwrap().len(), 1);
        failures.lock().unwrap().clear();
        assert!(ask(&policy, &failures).await.is_ok());
        failures.lock().unwrap().push(limited());
        assert!(ask(&policy, &failures).await.is_ok(), "the second call");
    }

    #[tokio::test]
    async fn no_more_calls_run_at_once_than_allowed() {
        for most in [2, 4] {
            let backoff = Backoff::new(1, Duration::from_secs(50));
            let policy = CallPolicy::new(most, Pause::new(Duration::from_mins(1)), backoff);
            let running = Mutex::new((0, 0));
            let call = || async {
                {
                    let (now, peak) = &mut *running.lock().unwrap();
                    *now += 1;
                    *peak = (*peak).max(*now);
                }
                tokio::task::yield_now().await;
                running.lock().unwrap().0 -= 1;
                Ok(())
            };
            futures_util::future::join_all((0..50).map(|_| policy.run(call))).await;
            assert_eq!(running.into_inner().unwrap().1, most);
        }
    }
}
