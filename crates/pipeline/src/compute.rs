//! Runs the computation of questions off the threads that wait for calls.
//!
//! Between its calls a question takes milliseconds of retrieval, token counting and prompt building. On the runtime's threads
//! this would delay finished calls and leave free slots unused.

use std::panic::resume_unwind;

use tokio::runtime::Handle;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::{JoinError, spawn_blocking};

/// Slots for computing questions, two per core: one may wait for the vector engine.
pub(super) struct Compute {
    places: Semaphore,
}

impl Default for Compute {
    fn default() -> Self {
        Self { places: Semaphore::new(2 * rayon::current_num_threads()) }
    }
}

impl Compute {
    /// Runs `work` on a thread of the runtime's blocking pool. Cancelled early if the caller stops waiting for it.
    ///
    /// # Panics
    /// If `work` does.
    pub(super) async fn run<F>(&self, work: F) -> F::Output
    where
        F: Future<Output: Send> + Send + 'static,
    {
        let _place = self.places.acquire().await.expect("the semaphore is never closed");
        let (waiting, dropped) = oneshot::channel::<()>();
        let runtime = Handle::current();
        let computed = spawn_blocking(move || {
            runtime.block_on(async move {
                tokio::select! {
                    output = work => Some(output),
                    _ = dropped => None,
                }
            })
        })
        .await;
        drop(waiting);
        match computed.map_err(JoinError::try_into_panic) {
            Ok(Some(output)) => output,
            Err(Ok(panic)) => resume_unwind(panic),
            // The runtime is ending.
            Ok(None) | Err(Err(_)) => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    #[tokio::test]
    async fn work_is_driven_by_another_thread_than_the_runtimes() {
        let driven_by = Compute::default().run(async { thread::current().id() }).await;
        // The test's runtime has one thread, this one.
        assert_ne!(driven_by, thread::current().id());
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_ends() {
        struct Dropped(Option<oneshot::Sender<()>>);
        impl Drop for Dropped {
            fn drop(&mut self) {
                let _ = self.0.take().expect("once").send(());
            }
        }
        let ((started, has_started), (ended, has_ended)) = (oneshot::channel(), oneshot::channel());
        let compute = Arc::new(Compute::default());
        let question = tokio::spawn(async move {
            let work = async move {
                let _dropped = Dropped(Some(ended));
                started.send(()).expect("heard");
                std::future::pending::<()>().await;
            };
            compute.run(work).await;
        });
        has_started.await.expect("it starts");
        question.abort();
        has_ended.await.expect("it ends");
    }
}
