//! Patience: the wrapper that limits how many calls run at once and tries transient failures again.
//!
//! The wait before try n + 1 is drawn evenly from 0 to `first_wait` * 2^(n - 1), at most `longest_wait` ("full jitter",
//! Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog 2015). Where the server says how long to wait
//! (`Retry-After`) it is that, and up to `first_wait` more so that many callers do not come back at once. A call keeps
//! its place among the concurrent ones while it waits: that is what slows a hurried caller down.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout_at};

use super::{ErrorClass, Generator, LlmError, Prompt, Reply};

/// How hard and how long one prompt is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Calls that run at once, at least 1.
    pub concurrency: usize,
    /// Calls for one prompt in all, at least 1.
    pub tries: u32,
    /// Upper bound of the first wait.
    pub first_wait: Duration,
    /// Upper bound of any wait that we choose.
    pub longest_wait: Duration,
    /// Time for one prompt from its first call on, waits included: a wait that would end later is not begun.
    pub deadline: Duration,
}

/// A generator that tries again.
#[derive(Debug)]
pub struct Retrying<G> {
    inner: G,
    patience: Patience,
    permits: Semaphore,
}

impl<G: Generator> Retrying<G> {
    /// Wraps `inner`; errors where a number is 0.
    pub fn new(inner: G, patience: Patience) -> Result<Self, LlmError> {
        if patience.concurrency == 0 || patience.concurrency > Semaphore::MAX_PERMITS {
            return Err(LlmError::BadSetting { setting: "concurrency", reason: "must be at least 1".into() });
        }
        if patience.tries == 0 {
            return Err(LlmError::BadSetting { setting: "tries", reason: "must be at least 1".into() });
        }
        Ok(Self { inner, patience, permits: Semaphore::new(patience.concurrency) })
    }

    /// The wait before the next try; `fraction` is the draw, from 0 to 1.
    fn wait(&self, tries: u32, error: &LlmError, fraction: f64) -> Duration {
        if let LlmError::Busy { retry_after: Some(asked), .. } = error {
            return asked.saturating_add(self.patience.first_wait.mul_f64(fraction));
        }
        let bound = self.patience.first_wait.saturating_mul(2_u32.saturating_pow(tries - 1));
        bound.min(self.patience.longest_wait).mul_f64(fraction)
    }
}

#[async_trait]
impl<G: Generator> Generator for Retrying<G> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn generate(&self, prompt: &Prompt) -> Result<Reply, LlmError> {
        let _permit = self.permits.acquire().await.expect("the semaphore is never closed");
        let deadline = Instant::now() + self.patience.deadline;
        let mut last = None;
        let mut tries = 0;
        loop {
            tries += 1;
            let error = match timeout_at(deadline, self.inner.generate(prompt)).await {
                Ok(Ok(reply)) => return Ok(reply),
                Ok(Err(error)) if error.class() == ErrorClass::Transient => error,
                Ok(Err(error)) => return Err(error),
                Err(_) => {
                    let passed = LlmError::DeadlinePassed { deadline: self.patience.deadline };
                    return Err(gave_up(tries, last.unwrap_or(passed)));
                }
            };
            let wait = self.wait(tries, &error, random_fraction());
            let too_late = Instant::now().checked_add(wait).is_none_or(|end| end >= deadline);
            if tries == self.patience.tries || too_late {
                return Err(gave_up(tries, error));
            }
            last = Some(error);
            sleep(wait).await;
        }
    }
}

fn gave_up(tries: u32, last: LlmError) -> LlmError {
    if tries == 1 { last } else { LlmError::GaveUp { tries, last: Box::new(last) } }
}

/// A number from 0 to below 1, from the standard library's per-call hash keys: waits need neither a seed nor good
/// randomness.
fn random_fraction() -> f64 {
    // 53 bits are what a f64 holds exactly.
    (RandomState::new().hash_one(0_u8) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::types::{Finish, Kind};

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
                None => {
                    Ok(Reply { text: "ok".into(), finish: Finish::Stop, prompt_tokens: None, completion_tokens: None })
                }
            }
        }
    }

    fn busy(retry_after: Option<Duration>) -> LlmError {
        LlmError::Busy { url: "u".into(), status: 503, excerpt: String::new(), retry_after }
    }

    fn patience() -> Patience {
        Patience {
            concurrency: 2,
            tries: 3,
            first_wait: Duration::ZERO,
            longest_wait: Duration::from_secs(8),
            deadline: Duration::from_secs(50),
        }
    }

    fn prompt() -> Prompt {
        Prompt { question: "q".into(), kind: Kind::Span, passages: Vec::new(), system: String::new(), user: "q".into() }
    }

    fn failing(failures: Vec<LlmError>) -> Scripted {
        Scripted { failures: Mutex::new(failures), ..Scripted::default() }
    }

    #[tokio::test]
    async fn as_many_failures_as_tries_are_one_too_many() {
        let two = Retrying::new(failing(vec![busy(None), busy(None)]), patience()).expect("valid");
        assert_eq!(two.generate(&prompt()).await.expect("the third try answers").text, "ok");
        let three = Retrying::new(failing(vec![busy(None), busy(None), busy(None)]), patience()).expect("valid");
        let error = three.generate(&prompt()).await.expect_err("three tries, three failures");
        assert!(matches!(error, LlmError::GaveUp { tries: 3, .. }), "{error}");
    }

    #[tokio::test]
    async fn a_wait_beyond_the_deadline_is_not_begun() {
        let asked = busy(Some(Duration::from_secs(51)));
        let generator = Retrying::new(failing(vec![asked]), patience()).expect("valid");
        let error = generator.generate(&prompt()).await.expect_err("51 s are more than 50 s");
        assert!(matches!(error, LlmError::Busy { .. }), "{error}");
    }

    #[tokio::test]
    async fn no_more_calls_run_at_once_than_allowed() {
        let generator = Retrying::new(Scripted::default(), patience()).expect("valid");
        let prompt = prompt();
        futures_util::future::join_all((0..20).map(|_| generator.generate(&prompt))).await;
        assert_eq!(generator.inner.most.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn waits_double_up_to_the_longest_and_obey_the_server() {
        let patient = Patience { first_wait: Duration::from_millis(500), ..patience() };
        let generator = Retrying::new(Scripted::default(), patient).expect("valid");
        let waits: Vec<u128> = (1..7).map(|tries| generator.wait(tries, &busy(None), 1.0).as_millis()).collect();
        assert_eq!(waits, [500, 1_000, 2_000, 4_000, 8_000, 8_000]);
        assert_eq!(generator.wait(1, &busy(None), 0.5).as_millis(), 250);
        assert_eq!(generator.wait(40, &busy(None), 0.25).as_millis(), 2_000);
        let asked = busy(Some(Duration::from_secs(20)));
        assert_eq!(generator.wait(1, &asked, 0.5).as_millis(), 20_250);
    }

    #[test]
    fn nothing_can_be_done_with_no_call_at_all() {
        assert!(Retrying::new(Scripted::default(), Patience { concurrency: 0, ..patience() }).is_err());
        assert!(Retrying::new(Scripted::default(), Patience { tries: 0, ..patience() }).is_err());
    }
}
