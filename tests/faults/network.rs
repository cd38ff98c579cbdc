//! Faults of the network: some calls get no answer, or not one of the endpoint.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ragtriage_core::stats::random::Random;

use crate::socket::{Sent, answer};

/// Replaces the answer to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    TooMany,
    ServerError,
    Reset,
    Truncated,
    NoJson,
    OtherJson,
    Slow,
    Html,
    Empty,
    Closed,
}

const WIRES: [Wire; 10] = [
    Wire::TooMany,
    Wire::ServerError,
    Wire::Reset,
    Wire::Truncated,
    Wire::NoJson,
    Wire::OtherJson,
    Wire::Slow,
    Wire::Html,
    Wire::Empty,
    Wire::Closed,
];

/// The calls that a fault hits, by their number.
#[derive(Clone, Debug)]
pub struct Network {
    wire: Option<Wire>,
    first: usize,
    n_calls: usize,
    is_healed: std::sync::Arc<AtomicBool>,
}

impl Network {
    pub fn sound() -> Self {
        Self { wire: None, first: 0, n_calls: 0, is_healed: std::sync::Arc::default() }
    }

    /// One call, a stretch of calls, or all from some call on.
    pub fn faulty(random: &mut Random) -> Self {
        let n_calls = [1, 2 + random.below(20), usize::MAX][random.below(3)];
        Self {
            wire: Some(WIRES[random.below(WIRES.len())]),
            first: random.below(70),
            n_calls,
            is_healed: std::sync::Arc::default(),
        }
    }

    pub fn heal(&self) {
        self.is_healed.store(true, Ordering::SeqCst);
    }

    /// Describes the fault.
    pub fn describe(&self) -> String {
        match (self.wire, self.n_calls) {
            (None, _) => "no fault".to_owned(),
            (Some(wire), usize::MAX) => format!("{wire:?} from call {} on", self.first),
            (Some(wire), n) => format!("{wire:?} for {n} calls from call {}", self.first),
        }
    }

    /// Returns what call `n` gets.
    pub fn send(&self, n: usize, sound: impl Fn() -> Sent) -> Sent {
        let is_hit = n >= self.first && n - self.first < self.n_calls;
        match self.wire {
            Some(wire) if is_hit && !self.is_healed.load(Ordering::SeqCst) => broken(wire, sound),
            _ => sound(),
        }
    }
}

fn broken(wire: Wire, sound: impl Fn() -> Sent) -> Sent {
    let json = ["content-type: application/json"];
    match wire {
        Wire::TooMany => Sent::KeptOpen(answer("429 Too Many Requests", &["retry-after: 1"], "")),
        Wire::ServerError => Sent::KeptOpen(answer("500 Internal Server Error", &[], "oops")),
        Wire::Reset => Sent::Reset,
        Wire::Truncated => match sound() {
            Sent::KeptOpen(mut bytes) => {
                bytes.truncate(bytes.len() - 20);
                Sent::Bytes(bytes)
            }
            other => other,
        },
        Wire::NoJson => Sent::KeptOpen(answer("200 OK", &json, "{\"choices\": [{\"mess")),
        Wire::OtherJson => Sent::KeptOpen(answer("200 OK", &json, "{\"status\": \"ok\"}")),
        Wire::Slow => {
            // Longer than the timeout of a call.
            std::thread::sleep(Duration::from_secs(3));
            sound()
        }
        Wire::Html => Sent::KeptOpen(answer(
            "200 OK",
            &["content-type: text/html"],
            "<html><body>Please log in</body></html>",
        )),
        Wire::Empty => Sent::KeptOpen(answer("200 OK", &json, "")),
        Wire::Closed => Sent::Bytes(Vec::new()),
    }
}
