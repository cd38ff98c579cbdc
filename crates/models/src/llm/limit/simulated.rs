//! The time that refusals cost, in simulated time: a loop over events in the place of the clock, so that no result depends on
//! the machine. It holds calls, waits and slots as `Retrying` does, with its worst jitter, and uses the real [`Limit`].

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use super::{CallOutcome, Limit};

const N_CALLS: usize = 120;
const SLOTS: usize = 8;
/// The time of a request, answered or refused.
const LATENCY: Duration = Duration::from_millis(100);
/// The server's `Retry-After`.
const ASKED: Duration = Duration::from_secs(1);

/// An event of a call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Start,
    /// Its response, with the episode of its start.
    Response(u64),
}

/// Returns the time until all calls are answered; call `i` is refused `refusals[i]` times. Also the refused calls that held
/// the others.
fn simulated(mut refusals: Vec<u32>) -> (Duration, usize) {
    let mut limit = Limit::new(SLOTS, SLOTS);
    let mut waiting: VecDeque<usize> = (0..refusals.len()).collect();
    let mut events = BinaryHeap::new();
    let (mut now, mut held_until, mut taken, mut n_holds) = (Duration::ZERO, Duration::ZERO, 0, 0);
    loop {
        while taken < limit.places
            && let Some(call) = waiting.pop_front()
        {
            taken += 1;
            events.push(Reverse((now, call, Event::Start)));
        }
        let Some(Reverse((time, call, event))) = events.pop() else {
            return (now, n_holds);
        };
        now = time;
        match event {
            Event::Start if now < held_until => {
                events.push(Reverse((held_until + ASKED / 10, call, Event::Start)));
            }
            Event::Start => {
                let response = Event::Response(limit.episode);
                events.push(Reverse((now + LATENCY, call, response)));
            }
            Event::Response(episode) if refusals[call] > 0 => {
                refusals[call] -= 1;
                if limit.ended(episode, CallOutcome::Refused(ASKED), true) {
                    held_until = now + ASKED;
                    n_holds += 1;
                }
                events.push(Reverse((now + ASKED + ASKED / 10, call, Event::Start)));
            }
            Event::Response(episode) => {
                limit.ended(episode, CallOutcome::Good(LATENCY), true);
                taken -= 1;
            }
        }
    }
}

#[test]
fn calls_of_which_some_are_refused_take_the_time_that_the_server_asks_for() {
    // Of 120 calls 30% are refused twice: 36 x 2 waits of 1 s, and 120 + 72 requests of 0.1 s, in 8 slots. The ideal is
    // (72 s + 19.2 s) / 8 = 11.4 s, and 80% of it 11.4 s / 0.8 = 14.25 s. Each refusal holding all calls would take 72 s.
    let most = Duration::from_millis(14_250);
    let regular = (0..N_CALLS).map(|i| if i % 10 < 3 { 2 } else { 0 });
    let apart = (0..N_CALLS).map(|i| if i * 36 % N_CALLS < 36 { 2 } else { 0 });
    for refusals in [regular.collect::<Vec<u32>>(), apart.collect()] {
        assert_eq!(refusals.iter().sum::<u32>(), 72);
        let (time, n_holds) = simulated(refusals);
        assert!(time <= most, "{time:?}");
        assert_eq!(n_holds, 0);
    }
}

#[test]
fn a_server_at_its_limit_holds_all_calls() {
    // Three refusals of each call in eight slots: 16 without an answer are a limit for all.
    let (_, n_holds) = simulated(vec![3; N_CALLS]);
    assert!(n_holds > 0);
}
