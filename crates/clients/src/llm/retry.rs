//! A generator with a retry policy and a concurrency limit: [`CallPolicy`] around each call.

use async_trait::async_trait;

use super::{Completion, Generator};
use crate::Error;
use crate::calls::CallPolicy;
use ragtriage_core::prompt::Prompt;

/// A generator with retries.
#[derive(Debug)]
pub(super) struct Retrying<G> {
    pub inner: G,
    pub policy: CallPolicy,
}

#[async_trait]
impl<G: Generator> Generator for Retrying<G> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn fingerprint(&self) -> Option<&str> {
        self.inner.fingerprint()
    }

    async fn generate(&self, prompt: &Prompt) -> Result<Completion, Error> {
        self.policy.run(|| self.inner.generate(prompt)).await
    }
}
