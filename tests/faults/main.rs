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
mod table;
mod verdict;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use fault::Fault;
use table::Table;

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
    let (next, table) = (AtomicU64::new(first), Mutex::new(Table::default()));
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
                    table.lock().expect("no holder panics").add(seed, &fault, endings);
                }
            });
        }
    });
    let table = table.into_inner().expect("no holder panics");
    eprintln!("faults with seeds {first}..{}, {tools:?}\n{}", first + n_faults, table.render());
    assert!(table.failures.is_empty(), "{}", table.failures.join("\n\n"));
}
