//! The asynchronous runtime of commands that wait for something.

use crate::failure::Failure;

/// Runs `work` to its end.
pub fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
            let hint = "raise the limit of open files and threads: `ulimit -n`, `ulimit -u`";
            Failure::new(format!("cannot start the runtime: {error}"), hint)
        })?;
    let result = runtime.block_on(work);
    if result.is_err() {
        // Its threads may still compute the questions in flight, and a timer panics in a runtime that is being dropped. The process
        // ends next.
        std::mem::forget(runtime);
    }
    result
}
