//! The retry policy and concurrency limit of calls to one server, whatever they ask.
//!
//! A semaphore limits the number of calls, [`Backoff`] determines waits and the last attempt, and a server's [`Pause`] delays
//! all calls. A call holds its permit while it waits for a retry, which reduces the load. Its deadline begins when it has a
//! permit and no pause is in effect.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;

use super::pause::Pause;
use ragtriage_http::{Abandoned, Backoff, Retry};

/// An error of a call, as the policy reads it.
pub(crate) trait CallError {
    /// Returns its consequence for the next try.
    fn verdict(&self) -> Retry;
}

/// A number out of range.
#[derive(Debug)]
pub(crate) struct BadNumber {
    pub setting: &'static str,
    pub reason: &'static str,
}

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
    /// Creates a policy with at most `concurrency` concurrent calls, which report their server's pauses through `pause`. Errors if
    /// a number is 0.
    pub(crate) fn new(
        concurrency: usize,
        pause: Pause,
        backoff: Backoff,
    ) -> Result<Self, BadNumber> {
        let reason = "must be at least 1";
        if concurrency == 0 || concurrency > Semaphore::MAX_PERMITS {
            let setting = "concurrency";
            return Err(BadNumber { setting, reason });
        }
        if backoff.tries == 0 {
            let setting = "tries";
            return Err(BadNumber { setting, reason });
        }
        let permits = Semaphore::new(concurrency);
        Ok(Self { backoff, permits, pause, in_vain: AtomicBool::new(false) })
    }

    /// Returns the time limit of a call with its retries and waits.
    pub(crate) fn deadline(&self) -> Duration {
        self.backoff.deadline
    }

    /// Makes `call` until it succeeds, a failure is final, or tries or time are used up.
    pub(crate) async fn run<T, E: CallError, F: Future<Output = Result<T, E>>>(
        &self,
        call: impl Fn() -> F,
    ) -> Result<T, Abandoned<E>> {
        let _permit = self.permits.acquire().await.expect("the semaphore is never closed");
        self.pause.over().await;
        let call = || async {
            self.pause.over().await;
            call().await
        };
        let done = self.backoff.run(call, |error| self.verdict(error)).await;
        match &done {
            Ok(_) => self.in_vain.store(false, Ordering::Relaxed),
            Err(Abandoned::GaveUp { last, .. }) if is_limited(last) => {
                self.in_vain.store(true, Ordering::Relaxed);
            }
            Err(_) => {}
        }
        done
    }

    fn verdict(&self, error: &impl CallError) -> Retry {
        if is_limited(error) && self.in_vain.load(Ordering::Relaxed) {
            return Retry::Stop;
        }
        error.verdict()
    }
}

fn is_limited(error: &impl CallError) -> bool {
    matches!(error.verdict(), Retry::Limited(_))
}
