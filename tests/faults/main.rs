//! Seeded random faults over whole runs of the built program: disk, network, kill, damaged bytes, clock step, memory limit.
//!
//! After each fault the program ends with the result of an undisturbed run or with an error. `RAGTRIAGE_FAULTS` sets the number of
//! faults (default 20), `RAGTRIAGE_FAULT_SEED` the first seed: one seed is repeated with `RAGTRIAGE_FAULTS=1 RAGTRIAGE_FAULT_SEED=N`.

mod bench;
mod damage;
mod disk;
#[path = "../it/endpoint.rs"]
#[allow(dead_code, reason = "a part of it is used here")]
mod endpoint;
mod fault;
mod flow;
mod network;
mod process;
#[path = "../it/project.rs"]
#[allow(dead_code, reason = "shared with tests/it, which uses all of it")]
mod project;
mod server;
#[path = "../it/socket.rs"]
#[allow(dead_code, reason = "shared with tests/it, which uses all of it")]
mod socket;
mod verdict;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use fault::Fault;
use verdict::Ending;

/// Faults at once: most of their time is waiting for timeouts and retries.
const N_THREADS: u64 = 4;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

#[test]
#[allow(clippy::print_stderr, reason = "the table is the result")]
fn every_fault_ends_in_the_right_result_or_an_error() {
    let (first, n_faults) = (number("RAGTRIAGE_FAULT_SEED", 0), number("RAGTRIAGE_FAULTS", 20));
    let tools = fault::Tools::find();
    let reference = bench::reference();
    let next = AtomicU64::new(first);
    // How often a kind of fault ended in this way, and what no fault excuses.
    let (counts, failures) = (Mutex::new(BTreeMap::new()), Mutex::new(Vec::new()));
    std::thread::scope(|threads| {
        for _ in 0..N_THREADS.min(n_faults) {
            threads.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + n_faults {
                        return;
                    }
                    let fault = Fault::of(seed, tools);
                    let endings = flow::endure(&fault, &reference);
                    let ending = match endings {
                        Ok(endings) => endings.iter().map(word).collect::<Vec<_>>().join(", then "),
                        Err(failure) => {
                            let failure = format!("seed {seed}, {}: {failure}", fault.describe());
                            failures.lock().expect("no holder panics").push(failure);
                            "FAILURE".to_owned()
                        }
                    };
                    let mut counts = counts.lock().expect("no holder panics");
                    *counts.entry((fault.kind(), ending)).or_insert(0) += 1;
                }
            });
        }
    });
    eprintln!("faults with seeds {first}..{}, {tools:?}", first + n_faults);
    for ((kind, ending), n) in counts.into_inner().expect("no holder panics") {
        eprintln!("{n:4}  {kind}: {ending}");
    }
    let failures = failures.into_inner().expect("no holder panics");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

fn word(ending: &Ending) -> &'static str {
    match ending {
        Ending::Correct => "correct result",
        Ending::SomeFailed(_) => "failed questions reported",
        Ending::Error(_) => "error",
        Ending::Killed => "killed",
    }
}
