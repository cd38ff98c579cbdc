//! Patience: the wrapper that limits how many calls run at once and tries transient failures again.
//!
//! How long it waits and when it gives up is [`Backoff`]'s. A call keeps its place among the concurrent ones while it
//! waits: that is what slows a hurried caller down.

use async_trait::async_trait;
use tokio::sync::Semaphore;

use super::{ErrorClass, Generator, LlmError, Prompt, Reply};
use crate::http::{Backoff, Failure, Verdict};

/// A generator that tries again.
#[derive(Debug)]
pub struct Retrying<G> {
    inner: G,
    backoff: Backoff,
    permits: Semaphore,
}

impl<G: Generator> Retrying<G> {
    /// Wraps `inner`, for at most `concurrency` calls at once; errors where a number is 0.
    pub fn new(inner: G, concurrency: usize, backoff: Backoff) -> Result<Self, LlmError> {
        if concurrency == 0 || concurrency > Semaphore::MAX_PERMITS {
            return Err(LlmError::BadSetting { setting: "concurrency", reason: "must be at least 1".into() });
        }
        if backoff.tries == 0 {
            return Err(LlmError::BadSetting { setting: "tries", reason: "must be at least 1".into() });
        }
        Ok(Self { inner, backoff, permits: Semaphore::new(concurrency) })
    }
}

#[async_trait]
impl<G: Generator> Generator for Retrying<G> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn fingerprint(&self) -> Option<&str> {
        self.inner.fingerprint()
    }

    async fn generate(&self, prompt: &Prompt) -> Result<Reply, LlmError> {
        let _permit = self.permits.acquire().await.expect("the semaphore is never closed");
        let done = self.backoff.run(|| self.inner.generate(prompt), verdict).await;
        done.map_err(|failure| match failure {
            Failure::Final(error) => error,
            Failure::GaveUp { tries, last } => LlmError::GaveUp { tries, last: Box::new(last) },
            Failure::OutOfTime => LlmError::DeadlinePassed { deadline: self.backoff.deadline },
        })
    }
}

fn verdict(error: &LlmError) -> Verdict {
    match error {
        LlmError::Busy { retry_after, .. } => Verdict::Again(*retry_after),
        error if error.class() == ErrorClass::Transient => Verdict::Again(None),
        _ => Verdict::Stop,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::types::{Finish, Kind, Origin};

    /// Fails as listed, then answers; counts how many calls ran at once.
    #[derive(Default)]
    struct Scripted {
        failures: Mutex<Vec<LlmError>>,
        running: AtomicUsize,
        most: AtomicUsize,
    }

    #[async_trait]
    impl Generator for Scripted {
        fn name(&self) -> &'static str {
            "scripted"
        }

        async fn generate(&self, _: &Prompt) -> Result<Reply, LlmError> {
            self.most.fetch_max(self.running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            self.running.fetch_sub(1, Ordering::SeqCst);
            match self.failures.lock().expect("no holder panics").pop() {
                Some(error) => Err(error),
                None => Ok(Reply {
                    text: "ok".into(),
                    finish: Finish::Stop,
                    origin: Origin::Called,
                    prompt_tokens: None,
                    completion_tokens: None,
                }),
            }
        }
    }

    fn busy(retry_after: Option<Duration>) -> LlmError {
        LlmError::Busy { url: "u".into(), status: 503, excerpt: String::new(), retry_after }
    }

    fn at_once() -> Backoff {
        Backoff { first_wait: Duration::ZERO, ..Backoff::new(3, Duration::from_secs(50)) }
    }

    fn prompt() -> Prompt {
        Prompt { question: "q".into(), kind: Kind::Span, passages: Vec::new(), system: String::new(), user: "q".into() }
    }

    fn failing(failures: Vec<LlmError>) -> Scripted {
        Scripted { failures: Mutex::new(failures), ..Scripted::default() }
    }

    #[tokio::test]
    async fn as_many_failures_as_tries_are_one_too_many() {
        let two = Retrying::new(failing(vec![busy(None), busy(None)]), 2, at_once()).expect("valid");
        assert_eq!(two.generate(&prompt()).await.expect("the third try answers").text, "ok");
        let three = Retrying::new(failing(vec![busy(None), busy(None), busy(None)]), 2, at_once()).expect("valid");
        let error = three.generate(&prompt()).await.expect_err("three tries, three failures");
        assert!(matches!(error, LlmError::GaveUp { tries: 3, .. }), "{error}");
    }

    #[tokio::test]
    async fn a_wait_beyond_the_deadline_is_not_begun() {
        let asked = busy(Some(Duration::from_secs(51)));
        let generator = Retrying::new(failing(vec![asked]), 2, at_once()).expect("valid");
        let error = generator.generate(&prompt()).await.expect_err("51 s are more than 50 s");
        assert!(matches!(error, LlmError::Busy { .. }), "{error}");
    }

    #[tokio::test]
    async fn no_more_calls_run_at_once_than_allowed() {
        let generator = Retrying::new(Scripted::default(), 2, at_once()).expect("valid");
        let prompt = prompt();
        futures_util::future::join_all((0..20).map(|_| generator.generate(&prompt))).await;
        assert_eq!(generator.inner.most.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn nothing_can_be_done_with_no_call_at_all() {
        assert!(Retrying::new(Scripted::default(), 0, at_once()).is_err());
        assert!(Retrying::new(Scripted::default(), 2, Backoff { tries: 0, ..at_once() }).is_err());
    }
}
