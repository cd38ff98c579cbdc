//! The retry policy and concurrency limit of calls to one server, whatever they ask.
//!
//! [`CallLimiter`] limits the number of calls, [`Backoff`] determines waits and the last attempt, and a server's [`Pause`]
//! blocks all calls. A call holds its slot while it waits for a retry, which reduces the load. Its deadline begins when it
//! has a slot and no pause is in effect. A refused call (429) blocks the others only if the limiter finds that the server
//! is at its limit for all of them.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::limit::{CallLimiter, CallOutcome, CallSlot};
use super::pause::Pause;
use ragtriage_http::{Abandoned, Backoff, Retry};

/// An error of a call, as the policy reads it.
pub(crate) trait CallError {
    /// Returns its consequence for the next try.
    fn verdict(&self) -> Retry;

    /// Returns the outcome of the call with respect to the server's load.
    fn outcome(&self) -> CallOutcome;
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
    gate: CallLimiter,
    pub(super) pause: Pause,
    /// True if a call was still rejected after its whole deadline, and nothing has succeeded since: other calls are then tried
    /// once each, or twenty of them would wait for an hour before the run stops.
    in_vain: AtomicBool,
}

impl CallPolicy {
    /// Creates a policy with `first` concurrent calls initially and never more than `most`; calls report their server's pauses
    /// through `pause`. Errors if a number is 0.
    pub(crate) fn new(
        first: usize,
        most: usize,
        pause: Pause,
        backoff: Backoff,
    ) -> Result<Self, BadNumber> {
        let reason = "must be at least 1";
        if first == 0 || most.max(first) > Semaphore::MAX_PERMITS {
            let setting = "concurrency";
            return Err(BadNumber { setting, reason });
        }
        if backoff.tries == 0 {
            let setting = "tries";
            return Err(BadNumber { setting, reason });
        }
        Ok(Self {
            backoff,
            gate: CallLimiter::new(first, most),
            pause,
            in_vain: AtomicBool::new(false),
        })
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
        let place = self.gate.enter().await;
        self.pause.over().await;
        let done = self.backoff.run(|| self.call(&place, &call), |error| self.verdict(error)).await;
        match &done {
            Ok(_) => self.in_vain.store(false, Ordering::Relaxed),
            Err(Abandoned::GaveUp { last, .. }) if is_limited(last) => {
                self.in_vain.store(true, Ordering::Relaxed);
            }
            Err(_) => {}
        }
        done
    }

    /// Makes one call.
    async fn call<T, E: CallError, F: Future<Output = Result<T, E>>>(
        &self,
        place: &CallSlot<'_>,
        call: impl Fn() -> F,
    ) -> Result<T, E> {
        self.pause.over().await;
        let (episode, clock) = (place.episode(), Instant::now());
        let reply = call().await;
        let outcome = match &reply {
            Ok(_) => CallOutcome::Good(clock.elapsed()),
            Err(error) => error.outcome(),
        };
        let is_limited = place.ended(episode, outcome);
        if let (true, CallOutcome::Refused(wait)) = (is_limited, outcome) {
            self.pause.ask(wait);
        }
        reply
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
