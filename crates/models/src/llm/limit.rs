//! The concurrency limit: raised while calls succeed, lowered when the server reports overload.
//!
//! [`Limit`] is the rule, a gradient limit with slow start (Jacobson, "Congestion Avoidance and Control", SIGCOMM 1988; the
//! latency test after TCP Vegas, Brakmo and Peterson 1995, in the form of Netflix's concurrency-limits, `Gradient2Limit`):
//!
//! - A window is two successes for each slot, of calls that ended while every slot was taken. After a window the number of slots
//!   grows by a quarter, after the first shrink by one, as long as the window's mean latency is under [`TOLERANCE`] times that of
//!   the best window. A server that queues (Ollama) answers later but not faster for more calls, so its limit does not grow.
//! - Overload (503, 529, a timeout, a 429 that asks for no wait) removes a fifth of the slots, at least one, and one slot always
//!   remains. Overload of calls that began before the last shrink belongs to the same episode.
//! - A refusal (a 429 that asks for a wait) concerns its own call, which waits in its slot. It is overload only where refusals
//!   outnumber answers by a window: then the server is at its limit for all calls.
//! - Any other failure restarts the window.
//!
//! [`CallLimiter`] grants slots in the order of the requests. Out of scope: retry delays
//! ([`ragtriage_http::Backoff`]) and the server's pauses ([`super::pause`]).

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};

/// A window whose mean latency is this many times the best window's is not a success: `rttTolerance` of Netflix's
/// limit.
const TOLERANCE: f64 = 1.5;
/// Calls per slot that form a window: latencies of answers vary widely, so means of fewer would too.
const ROUNDS: usize = 2;

/// The end of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CallOutcome {
    /// An answer, with its latency.
    Good(Duration),
    /// The server refused this call for so long.
    Refused(Duration),
    /// The server reported overload.
    TooMuch,
    /// A failure unrelated to load.
    Other,
}

impl CallOutcome {
    /// Returns the outcome of a call that was answered with an error `status`, and a wait if the server asked for one.
    pub(crate) fn of_status(status: u16, asked: Option<Duration>) -> Self {
        match (status, asked) {
            (429, Some(wait)) => Self::Refused(wait),
            (429 | 503 | 529, _) => Self::TooMuch,
            _ => Self::Other,
        }
    }
}

/// The concurrency limit. Pure: latencies are arguments, nothing is measured here.
#[derive(Debug)]
struct Limit {
    places: usize,
    most: usize,
    /// Number of shrinks so far.
    episode: u64,
    /// Refusals less answers of the episode, at least 0.
    excess: usize,
    n_successes: usize,
    seconds: f64,
    best_mean: f64,
}

impl Limit {
    fn new(first: usize, most: usize) -> Self {
        Self {
            places: first,
            most: most.max(first),
            episode: 0,
            excess: 0,
            n_successes: 0,
            seconds: 0.0,
            best_mean: f64::INFINITY,
        }
    }

    /// Records the end of a call that began in `episode`; `is_full`: every slot was taken until
    /// then. Returns true if the server is at its limit for all calls.
    fn ended(&mut self, episode: u64, outcome: CallOutcome, is_full: bool) -> bool {
        if episode != self.episode {
            return false;
        }
        match outcome {
            CallOutcome::TooMuch => self.shrink(),
            CallOutcome::Refused(_) => {
                self.excess += 1;
                self.begin_window();
                if self.excess >= ROUNDS * self.places {
                    self.shrink();
                    return true;
                }
            }
            CallOutcome::Other => self.begin_window(),
            CallOutcome::Good(latency) => {
                self.excess = self.excess.saturating_sub(1);
                if is_full {
                    self.n_successes += 1;
                    self.seconds += latency.as_secs_f64();
                }
                if self.n_successes >= ROUNDS * self.places {
                    self.end_window();
                }
            }
        }
        false
    }

    fn shrink(&mut self) {
        self.places -= (self.places / 5).max(1).min(self.places - 1);
        self.episode += 1;
        self.excess = 0;
        self.best_mean = f64::INFINITY; // the old baseline may no longer apply
        self.begin_window();
    }

    fn end_window(&mut self) {
        let mean = self.seconds / self.n_successes as f64;
        if mean < TOLERANCE * self.best_mean {
            let step = if self.episode == 0 { (self.places / 4).max(1) } else { 1 };
            self.places = (self.places + step).min(self.most);
        }
        self.best_mean = self.best_mean.min(mean);
        self.begin_window();
    }

    fn begin_window(&mut self) {
        (self.n_successes, self.seconds) = (0, 0.0);
    }
}

/// Slots for calls, granted in request order.
#[derive(Debug)]
pub(super) struct CallLimiter {
    state: Mutex<Slots>,
    places: Semaphore,
}

#[derive(Debug)]
struct Slots {
    limit: Limit,
    /// Slots in use.
    taken: usize,
    /// Slots in use above the limit: they are not granted again.
    owed: usize,
}

impl CallLimiter {
    /// Creates a limiter with `first` slots initially, and never more than `most`; both at least 1.
    pub(super) fn new(first: usize, most: usize) -> Self {
        let state = Slots { limit: Limit::new(first, most), taken: 0, owed: 0 };
        Self { state: Mutex::new(state), places: Semaphore::new(first) }
    }

    /// Waits for a slot, after all earlier requests.
    pub(super) async fn enter(&self) -> CallSlot<'_> {
        let permit = self.places.acquire().await.expect("the semaphore is never closed");
        self.state().taken += 1;
        CallSlot { gate: self, permit: Some(permit) }
    }

    fn state(&self) -> MutexGuard<'_, Slots> {
        self.state.lock().expect("no holder panics")
    }

    fn ended(&self, episode: u64, outcome: CallOutcome) -> bool {
        let mut state = self.state();
        let (before, is_full) = (state.limit.places, state.taken >= state.limit.places);
        let is_limited = state.limit.ended(episode, outcome, is_full);
        let after = state.limit.places;
        if after > before {
            let paid = state.owed.min(after - before);
            state.owed -= paid;
            self.places.add_permits(after - before - paid);
        } else {
            state.owed += before - after;
            let free = self.places.forget_permits(state.owed);
            state.owed -= free;
        }
        is_limited
    }
}

/// A slot of the concurrency limit, released when dropped. It may be held for several consecutive calls.
#[derive(Debug)]
pub(super) struct CallSlot<'a> {
    gate: &'a CallLimiter,
    permit: Option<SemaphorePermit<'a>>,
}

impl CallSlot<'_> {
    /// Returns the episode of the call that begins now, for [`CallSlot::ended`].
    pub(super) fn episode(&self) -> u64 {
        self.gate.state().limit.episode
    }

    /// Records the end of a call that began in `episode`. An aborted call need not be recorded. Returns true if the server
    /// is at its limit for all calls.
    pub(super) fn ended(&self, episode: u64, outcome: CallOutcome) -> bool {
        self.gate.ended(episode, outcome)
    }
}

impl Drop for CallSlot<'_> {
    fn drop(&mut self) {
        let mut state = self.gate.state();
        state.taken -= 1;
        if state.owed > 0 {
            state.owed -= 1;
            if let Some(permit) = self.permit.take() {
                permit.forget();
            }
        }
    }
}

#[cfg(test)]
mod simulated;

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn good(seconds: f64) -> CallOutcome {
        CallOutcome::Good(Duration::from_secs_f64(seconds))
    }

    /// Ends `n` calls of the present episode, with all slots taken.
    fn ended(limit: &mut Limit, n: usize, outcome: CallOutcome) -> usize {
        for _ in 0..n {
            limit.ended(limit.episode, outcome, true);
        }
        limit.places
    }

    #[test]
    fn each_window_of_successes_adds_a_quarter_up_to_the_most() {
        let mut limit = Limit::new(8, 13);
        // Two successes per slot: 16 make 8 + 8/4 = 10, 20 more 10 + 10/4 = 12, 24 more would make
        // 15.
        assert_eq!(ended(&mut limit, 15, good(1.0)), 8);
        assert_eq!(ended(&mut limit, 1, good(1.0)), 10);
        assert_eq!(ended(&mut limit, 20, good(1.0)), 12);
        assert_eq!(ended(&mut limit, 24, good(1.0)), 13);
        assert_eq!(ended(&mut limit, 26, good(1.0)), 13);
    }

    #[test]
    fn a_server_that_only_queues_is_not_given_more() {
        // One call at a time, one second each: with n slots a call takes n seconds. 8 -> 10 -> 12 (10 < 1.5 x 8), and there
        // 12 seconds are no longer under 1.5 x 8 = 12.
        let mut limit = Limit::new(8, 64);
        for expected in [10, 12, 12, 12] {
            let (places, latency) = (limit.places, limit.places as f64);
            assert_eq!(ended(&mut limit, 2 * places, good(latency)), expected);
        }
    }

    #[test]
    fn an_episode_takes_a_fifth_once_and_one_place_stays() {
        let mut limit = Limit::new(12, 48);
        // Twelve calls report overload, all begun before the first report: 10 = 12 - 12/5.
        for _ in 0..12 {
            limit.ended(0, CallOutcome::TooMuch, true);
        }
        assert_eq!(limit.places, 10);
        // 10 - 2, then 8 - 1, 7 - 1, ... and never below 1.
        let places: Vec<usize> =
            (0..9).map(|_| ended(&mut limit, 1, CallOutcome::TooMuch)).collect();
        assert_eq!(places, [8, 7, 6, 5, 4, 3, 2, 1, 1]);
        // From then on the limit grows by one per window.
        assert_eq!(ended(&mut limit, 2, good(1.0)), 2);
        assert_eq!(ended(&mut limit, 4, good(1.0)), 3);
    }

    #[test]
    fn refusals_are_overload_only_where_they_outnumber_answers_by_a_window() {
        let refused = CallOutcome::Refused(Duration::from_secs(1));
        let mut limit = Limit::new(4, 8);
        // Two refusals and an answer, again and again: one more each time, so after six times and two refusals it is the eight of
        // a window, two for each slot: 4 - 1 = 3 slots.
        let outcomes = [refused, refused, good(1.0)].into_iter().cycle();
        let found: Vec<bool> =
            outcomes.take(20).map(|outcome| limit.ended(limit.episode, outcome, true)).collect();
        assert_eq!(found.iter().position(|is_limited| *is_limited), Some(6 * 3 + 1));
        assert_eq!(limit.places, 3);
        // As many answers as refusals change nothing.
        for _ in 0..50 {
            assert!(!limit.ended(limit.episode, refused, true));
            assert!(!limit.ended(limit.episode, good(1.0), true));
        }
        assert_eq!(limit.places, 3);
        // Refusals of calls that began before belong to the same episode.
        assert!(!limit.ended(0, refused, true));
        assert_eq!(limit.excess, 0);
    }

    #[test]
    fn what_says_nothing_of_a_full_load_lets_nothing_grow() {
        let mut limit = Limit::new(2, 8);
        for _ in 0..100 {
            limit.ended(0, good(1.0), false);
        }
        assert_eq!(limit.places, 2);
        // Three of the four successes of a window, a failure, three more.
        ended(&mut limit, 3, good(1.0));
        ended(&mut limit, 1, CallOutcome::Other);
        assert_eq!(ended(&mut limit, 3, good(1.0)), 2);
        assert_eq!(ended(&mut limit, 1, good(1.0)), 3);
    }

    #[tokio::test]
    async fn places_are_handed_out_as_the_limit_says() {
        let gate = CallLimiter::new(2, 3);
        let (first, second) = (gate.enter().await, gate.enter().await);
        assert!(gate.enter().now_or_never().is_none(), "two are taken");
        for _ in 0..4 {
            first.ended(0, good(1.0));
        }
        let third = gate.enter().now_or_never().expect("a third place");
        // Shrinks to two while three are taken: the released slot is not granted again.
        first.ended(0, CallOutcome::TooMuch);
        drop(third);
        assert!(gate.enter().now_or_never().is_none());
        drop(second);
        assert!(gate.enter().now_or_never().is_some());
        // Shrinks to one while one is taken and one is free.
        first.ended(first.episode(), CallOutcome::TooMuch);
        assert!(gate.enter().now_or_never().is_none());
        drop(first);
        assert!(gate.enter().now_or_never().is_some());
    }

    #[tokio::test]
    async fn who_comes_first_is_served_first() {
        let gate = CallLimiter::new(1, 1);
        let place = gate.enter().await;
        let (mut first, mut second) = (Box::pin(gate.enter()), Box::pin(gate.enter()));
        assert!((&mut first).now_or_never().is_none() && (&mut second).now_or_never().is_none());
        drop(place);
        assert!((&mut second).now_or_never().is_none(), "the other waits longer");
        let first = (&mut first).now_or_never().expect("the place");
        drop(first);
        assert!((&mut second).now_or_never().is_some());
    }
}
