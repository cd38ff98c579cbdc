//! The limit of address space, checked before any thread starts: without memory the program would be ended by a signal.

use std::num::NonZero;

use crate::failure::Failure;

/// Address space of a run over a small corpus.
const LEAST_BYTES: u64 = 1 << 30;
/// Address space per processor core, of threads' stacks and allocators.
const BYTES_PER_CORE: u64 = 64 << 20;

/// Refuses a limit of address space that a run would exceed.
///
/// # Errors
/// A limit below the least.
pub fn check_limit() -> Result<(), Failure> {
    // Without the file (not Linux) there is no answer, and the program starts as it is.
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let n_cores = std::thread::available_parallelism().map_or(1, NonZero::get) as u64;
    let least = LEAST_BYTES + n_cores * BYTES_PER_CORE;
    match address_space(&limits) {
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

/// Returns the soft limit in bytes; `None` if there is none.
fn address_space(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_soft_limit_is_read() {
        // Lines of /proc/self/limits after `ulimit -Sv 1048576`, and without a limit.
        let limited = "Max locked memory         8388608              8388608              bytes     \n\
                       Max address space         1073741824           unlimited            bytes     \n";
        assert_eq!(address_space(limited), Some(1 << 30));
        let free =
            "Max address space         unlimited            unlimited            bytes     \n";
        assert_eq!(address_space(free), None);
    }
}
