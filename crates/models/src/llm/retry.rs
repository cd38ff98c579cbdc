//! A generator with a retry policy and a concurrency limit: [`CallPolicy`] around each call.

use async_trait::async_trait;

use super::pause::Pause;
use super::policy::{CallError, CallPolicy};
use super::{Completion, ErrorClass, Generator, LlmError};
use ragtriage_core::prompt::Prompt;
use ragtriage_http::{Abandoned, Backoff, Retry};

/// A generator with retries.
#[derive(Debug)]
pub struct Retrying<G> {
    inner: G,
    policy: CallPolicy,
}

impl<G: Generator> Retrying<G> {
    /// Wraps `inner`, which reports its server's pauses through `pause`, with at most `concurrency` concurrent calls; errors if
    /// a number is 0.
    pub(super) fn new(
        inner: G,
        concurrency: usize,
        pause: Pause,
        backoff: Backoff,
    ) -> Result<Self, LlmError> {
        let policy = CallPolicy::new(concurrency, pause, backoff)
            .map_err(|bad| LlmError::bad_setting(bad.setting, bad.reason))?;
        Ok(Self { inner, policy })
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

    async fn generate(&self, prompt: &Prompt) -> Result<Completion, LlmError> {
        let done = self.policy.run(|| self.inner.generate(prompt)).await;
        done.map_err(|failure| match failure {
            Abandoned::Final(error) => error,
            Abandoned::GaveUp { tries, last } => LlmError::GaveUp { tries, last: Box::new(last) },
            Abandoned::OutOfTime => LlmError::DeadlinePassed { deadline: self.policy.deadline() },
        })
    }
}

impl CallError for LlmError {
    fn verdict(&self) -> Retry {
        match self {
            Self::Busy { status: 429, retry_after, .. } => Retry::Limited(*retry_after),
            Self::Busy { retry_after, .. } => Retry::Again(*retry_after),
            Self::Http(error) => error.verdict(),
            error if error.class() == ErrorClass::Transient => Retry::Again(None),
            _ => Retry::Stop,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;
    use ragtriage_core::types::{Finish, Origin, QuestionKind};

    /// Fails as listed, then answers; counts concurrent calls.
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

        async fn generate(&self, _: &Prompt) -> Result<Completion, LlmError> {
            self.most.fetch_max(self.running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            self.running.fetch_sub(1, Ordering::SeqCst);
            match self.failures.lock().expect("no holder panics").pop() {
                Some(error) => Err(error),
                None => Ok(Completion {
                    text: "ok".into(),
                    finish: Finish::Stop,
                    origin: Origin::Called,
                    prompt_tokens: None,
                    completion_tokens: None,
                }),
            }
        }
    }

    fn busy(status: u16, retry_after: Option<Duration>) -> LlmError {
        LlmError::Busy { url: "u".into(), status, excerpt: String::new(), retry_after }
    }

    fn at_once() -> Backoff {
        Backoff { first_wait: Duration::ZERO, ..Backoff::new(3, Duration::from_secs(50)) }
    }

    fn prompt() -> Prompt {
        Prompt {
            question: "q".into(),
            kind: QuestionKind::Span,
            passages: Vec::new(),
            system: String::new(),
            user: "q".into(),
        }
    }

    fn failing(failures: Vec<LlmError>) -> Scripted {
        Scripted { failures: Mutex::new(failures), ..Scripted::default() }
    }

    fn retrying(inner: Scripted, most: usize) -> Retrying<Scripted> {
        Retrying::new(inner, most, Pause::new(Duration::from_mins(1)), at_once()).expect("valid")
    }

    #[tokio::test]
    async fn as_many_failures_as_tries_are_one_too_many() {
        let two = retrying(failing(vec![busy(503, None), busy(503, None)]), 2);
        assert_eq!(two.generate(&prompt()).await.expect("the third try answers").text, "ok");
        let three = retrying(failing(vec![busy(503, None), busy(500, None), busy(503, None)]), 2);
        let error = three.generate(&prompt()).await.expect_err("three tries, three failures");
        assert!(matches!(error, LlmError::GaveUp { tries: 3, .. }), "{error}");
    }

    #[tokio::test]
    async fn a_rate_limit_is_no_try() {
        let limited = (0..50).map(|_| busy(429, None)).collect();
        assert_eq!(
            retrying(failing(limited), 2).generate(&prompt()).await.expect("the 51st call").text,
            "ok"
        );
    }

    #[tokio::test]
    async fn a_wait_beyond_the_deadline_is_not_begun() {
        for status in [429, 503] {
            let generator = retrying(failing(vec![busy(status, Some(Duration::from_secs(51)))]), 2);
            let error = generator.generate(&prompt()).await.expect_err("51 s are more than 50 s");
            assert!(matches!(error, LlmError::Busy { .. }), "{error}");
        }
    }

    #[tokio::test]
    async fn once_a_prompt_waited_in_vain_the_others_are_given_one_call() {
        let too_long = Some(Duration::from_secs(51));
        // From the last to the first: the first prompt is rejected twice, the second once, the third is answered, and the
        // fourth may wait again.
        let script = vec![busy(429, None), busy(429, None), busy(429, too_long), busy(429, None)];
        let generator = retrying(failing(script), 2);
        let error = generator.generate(&prompt()).await.expect_err("in vain");
        assert!(matches!(error, LlmError::GaveUp { tries: 2, .. }), "{error}");
        let error = generator.generate(&prompt()).await.expect_err("one call");
        assert!(matches!(error, LlmError::Busy { .. }), "{error}");
        assert_eq!(generator.inner.failures.lock().expect("no holder panics").len(), 1);
        generator.inner.failures.lock().expect("no holder panics").clear();
        assert!(generator.generate(&prompt()).await.is_ok());
        generator.inner.failures.lock().expect("no holder panics").push(busy(429, None));
        assert!(generator.generate(&prompt()).await.is_ok(), "the second call");
    }

    #[tokio::test]
    async fn no_more_calls_run_at_once_than_allowed() {
        let prompt = prompt();
        for most in [2, 4] {
            let generator = retrying(Scripted::default(), most);
            futures_util::future::join_all((0..50).map(|_| generator.generate(&prompt))).await;
            assert_eq!(generator.inner.most.load(Ordering::SeqCst), most);
        }
    }

    #[test]
    fn nothing_can_be_done_with_no_call_at_all() {
        let pause = || Pause::new(Duration::from_mins(1));
        assert!(Retrying::new(Scripted::default(), 0, pause(), at_once()).is_err());
        assert!(
            Retrying::new(Scripted::default(), 2, pause(), Backoff { tries: 0, ..at_once() })
                .is_err()
        );
    }
}
