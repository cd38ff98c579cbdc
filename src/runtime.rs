//! The asynchronous runtime of commands that wait for something.

use crate::failure::Failure;

/// Runs `work` to its end.
pub fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    runtime
        .map_err(|error| Failure::bare(format!("cannot start the runtime: {error}")))?
        .block_on(work)
}
