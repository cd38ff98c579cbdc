//! Limits of this process, checked before it starts to work: without memory it would be ended by a signal, and the libraries that
//! start threads panic where they cannot.

use std::io;
use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::thread;

use rustix::process::{Resource, getrlimit};

use crate::failure::Failure;

/// Address space of a run over a small corpus.
const LEAST_BYTES: u64 = 1 << 30;
/// Address space per processor core, of threads' stacks and allocators.
const BYTES_PER_CORE: u64 = 64 << 20;

/// Threads that are started once: those of the store, and a few for files and caches.
const LEAST_THREADS: usize = 10;
/// Threads per processor core: one that computes, one that waits for calls, one that reads and writes.
const THREADS_PER_CORE: usize = 3;
/// The stack of a thread that is started for the check, the smallest that systems allow.
const STACK_BYTES: usize = 64 << 10;

/// Refuses limits that a run would exceed.
///
/// # Errors
/// Address space or threads below the least.
pub fn check() -> Result<(), Failure> {
    check_address_space()?;
    check_threads(LEAST_THREADS + n_cores() * THREADS_PER_CORE, STACK_BYTES)
}

fn n_cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

fn check_threads(n: usize, stack_bytes: usize) -> Result<(), Failure> {
    started(n, stack_bytes).map_err(|(n_started, error)| {
        Failure::new(
            format!("only {n_started} threads can be started, but {n} are needed: {error}"),
            "raise the limit of processes and threads: `ulimit -u`, or `pids` of the container",
        )
    })
}

/// Starts `n` threads that run at once, and ends them. Returns the number of those that could be started, and the error of the
/// next.
fn started(n: usize, stack_bytes: usize) -> Result<(), (usize, io::Error)> {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let _closed = gate.lock().unwrap_or_else(PoisonError::into_inner);
        for n_started in 0..n {
            let waiting = thread::Builder::new().stack_size(stack_bytes);
            let waiting = waiting.spawn_scoped(scope, || drop(gate.lock()));
            waiting.map_err(|error| (n_started, error))?;
        }
        Ok(())
    })
}

fn check_address_space() -> Result<(), Failure> {
    let least = LEAST_BYTES + n_cores() as u64 * BYTES_PER_CORE;
    match getrlimit(Resource::As).current {
        Some(bytes) if bytes < least => Err(Failure::new(
            format!(
                "address space is limited to {} MB, but at least {} MB are needed",
                bytes >> 20,
                least >> 20
            ),
            "raise the limit with `ulimit -v`; to limit memory, use a cgroup",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_cannot_be_started_are_an_error() {
        assert!(check_threads(3, STACK_BYTES).is_ok());
        // No address space holds the stack, so that the system refuses the first thread as it does at a limit.
        let failure = check_threads(3, 1 << 46).expect_err("a stack of 64 TiB");
        let expected = "only 0 threads can be started, but 3 are needed: ";
        assert!(failure.message.starts_with(expected), "{}", failure.message);
    }
}
