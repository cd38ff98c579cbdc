//! A server's pause: until it is over no caller starts a new call.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use ragtriage_http::random_fraction;

/// The period after a pause over which the waiting calls start, each at a random moment.
const SPREAD: Duration = Duration::from_millis(500);

/// The time when calls may resume. Clones share the pause.
#[derive(Clone, Debug)]
pub(super) struct Pause {
    until: Arc<Mutex<Instant>>,
    longest: Duration,
}

impl Pause {
    /// Creates a state without a pause. A requested pause longer than `longest` is ignored: the prompt that received it fails
    /// and others retry independently, instead of all of them sleeping for hours.
    pub(super) fn new(longest: Duration) -> Self {
        Self {
            until: Arc::new(Mutex::new(Instant::now())),
            longest,
        }
    }

    /// Starts a pause of `wait` from now on. A longer pause in progress is unchanged.
    pub(super) fn ask(&self, wait: Duration) {
        if wait <= self.longest {
            let mut until = self.until.lock().expect("no holder panics");
            *until = (*until).max(Instant::now() + wait);
        }
    }

    /// Waits until the pause is over, and up to [`SPREAD`] longer; returns immediately without a
    /// pause.
    pub(super) async fn over(&self) {
        while let Some(until) = self.until() {
            sleep_until(until + SPREAD.mul_f64(random_fraction())).await;
        }
    }

    /// Returns the end of the pause if it is in the future.
    fn until(&self) -> Option<Instant> {
        let until = *self.until.lock().expect("no holder panics");
        (until > Instant::now()).then_some(until)
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
        let left = pause.clone().until().expect("a pause") - Instant::now();
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
}
