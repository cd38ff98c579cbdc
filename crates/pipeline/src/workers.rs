//! Threads that questions compute on, apart from those that carry calls.
//!
//! Between its calls a question is milliseconds of retrieval, token counting and classification. On the runtime that the
//! calls wait on, that would keep finished calls from being seen and free places from being filled.

use std::panic::resume_unwind;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinError;

use ragtriage_core::prompt::Prompt;
use ragtriage_models::llm::{Generator, KeptReply, LlmError, Reply};

/// A runtime beside the caller's, a thread a core; it ends with this value, and what still runs there is dropped.
pub(super) struct Workers(Option<Runtime>);

impl Workers {
    /// Starts the threads.
    ///
    /// # Errors
    /// The operating system gives no more.
    pub(super) fn start() -> std::io::Result<Self> {
        Builder::new_multi_thread()
            .enable_all()
            .build()
            .map(|runtime| Self(Some(runtime)))
    }

    /// Where to spawn.
    pub(super) fn handle(&self) -> &Handle {
        self.0
            .as_ref()
            .expect("it is there until it is dropped")
            .handle()
    }
}

impl Drop for Workers {
    /// Without waiting: a runtime may not wait for another.
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// A generator whose calls are carried by the runtime that it was made on, whoever waits for them.
pub(super) struct Carried {
    inner: Arc<dyn Generator>,
    runtime: Handle,
}

impl Carried {
    /// Wraps `inner`; to be called on the runtime that is to carry its calls.
    pub(super) fn here(inner: Arc<dyn Generator>) -> Self {
        Self {
            inner,
            runtime: Handle::current(),
        }
    }
}

#[async_trait]
impl Generator for Carried {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn fingerprint(&self) -> Option<&str> {
        self.inner.fingerprint()
    }

    async fn kept(&self, prompt: &Prompt) -> Option<KeptReply> {
        self.inner.kept(prompt).await
    }

    async fn generate(&self, prompt: &Prompt) -> Result<Reply, LlmError> {
        let (inner, prompt) = (Arc::clone(&self.inner), prompt.clone());
        let call = self
            .runtime
            .spawn(async move { inner.generate(&prompt).await });
        match call.await.map_err(JoinError::try_into_panic) {
            Ok(reply) => reply,
            Err(Ok(panic)) => resume_unwind(panic),
            // Cancelled: the runtime is ending, and nobody waits for the reply.
            Err(Err(_)) => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use ragtriage_core::types::{Finish, Kind, Origin};

    /// Answers with the thread that it is called on.
    struct Witness;

    #[async_trait]
    impl Generator for Witness {
        fn name(&self) -> &'static str {
            "witness"
        }

        async fn generate(&self, _: &Prompt) -> Result<Reply, LlmError> {
            let text = format!("{:?}", thread::current().id());
            Ok(Reply {
                text,
                finish: Finish::Stop,
                origin: Origin::Called,
                prompt_tokens: None,
                completion_tokens: None,
            })
        }
    }

    #[tokio::test]
    async fn a_question_computes_on_the_workers_and_its_call_is_carried_where_the_generator_was_wrapped()
     {
        let prompt = Prompt {
            question: "q".into(),
            kind: Kind::Span,
            passages: Vec::new(),
            system: String::new(),
            user: "q".into(),
        };
        let carried = Carried::here(Arc::new(Witness));
        let workers = Workers::start().expect("threads");
        let question = async move { (thread::current().id(), carried.generate(&prompt).await) };
        let (computed_on, reply) = workers.handle().spawn(question).await.expect("no panic");
        // The test's runtime has one thread, this one.
        assert_eq!(
            reply.expect("an answer").text,
            format!("{:?}", thread::current().id())
        );
        assert_ne!(computed_on, thread::current().id());
    }
}
