//! Planted faults: the program diagnoses runs of which it is known what was done to them.
//!
//! A [`setting`] whose clean run is correct throughout is degraded (documents deleted, gold pushed down, budgets cut, a
//! [`reader`] told how to err) and run by the built program against a [`server`] on loopback that answers correct exactly when
//! the gold text stands in its prompt. [`noisy`] holds the loss budget, and [`promises`] the expected gains, against a reader that follows rules of
//! its own.

mod changes;
mod external;
mod faults;
mod grains;
mod mixed;
mod noisy;
mod promises;
pub mod reader;
mod recorded;
pub mod server;
pub mod setting;
mod tally;
pub mod trial;
mod words;

/// Says what was measured, to whoever asks with `--nocapture`.
#[allow(clippy::print_stderr, reason = "figures for the one who reads them")]
pub fn seen(text: &str) {
    eprintln!("{text}");
}
