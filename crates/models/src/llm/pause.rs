//! A server's pause: until it is over no caller starts a new call.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use ragtriage_http::random_fraction;

/// The longest period after a pause over which the waiting calls start, each at a random moment; a tenth of a short pause.
const SPREAD: Duration = Duration::from_millis(500);

/// The time when calls may resume. Clones share the pause.
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

    /// Starts a pause of `wait` from now on. A longer pause in progress is unchanged.
    pub(crate) fn ask(&self, wait: Duration) {
        if wait <= self.longest {
            let mut until = self.until.lock().expect("no holder panics");
            *until = (*until).max((Instant::now() + wait, SPREAD.min(wait / 10)));
        }
    }

    /// Waits until the pause is over, and a little longer; returns immediately without a pause.
    pub(crate) async fn over(&self) {
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
}
