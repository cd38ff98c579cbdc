//! The calls of one question: each arm's prompt and its reply.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use async_trait::async_trait;
use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use tokio::sync::Semaphore;

use super::answerer::{AnswerError, Answerer, Reply};
use super::ask::FAILURES_IN_A_ROW;
use super::plan::{ArmPlan, CallPlan};
use ragtriage_clients::Error as ModelError;
use ragtriage_clients::llm::Generator;
use ragtriage_core::config::Price;
use ragtriage_core::prompt::Prompt;
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{
    Arm, ArmName, Attempt, ChunkId, FailedPart, Finish, Origin, QuestionId, Stance, TokenUse,
};
use ragtriage_data::run::replies::Replies;

/// A prompt to be sent.
pub struct PromptCall {
    /// The arm whose prompt it is; of several with the same passages the first.
    pub arm: ArmName,
    /// The passages shown, in order.
    pub passages: Vec<ChunkId>,
    /// The prompt.
    pub prompt: Prompt,
    /// Its tokens as counted locally.
    pub n_tokens: u64,
}

/// The prompt of one arm of a question.
pub(super) struct ArmPrompt {
    arm: ArmName,
    /// Its call; arms with equal passages share the first one's.
    call: Arc<PromptCall>,
    /// Number of times it is sent; 0 if an earlier arm has the same prompt.
    times: usize,
}

/// Makes the calls of questions.
#[async_trait]
pub trait Caller: Send + Sync {
    /// Sends one prompt of `question`.
    ///
    /// # Errors
    /// Only if the run must stop ([`ModelError::is_spent`]); any other failure is recorded in the
    /// attempt.
    async fn call(&self, question: &QuestionId, call: &PromptCall) -> Result<Attempt, ModelError>;
}

/// Calls the answerer, unless the reply was saved before the run was killed. Each call whose reply is not yet on disk
/// needs a permit: a kill costs at most as many calls as there are permits.
pub(super) struct Calling {
    answerer: Answerer,
    counter: Arc<dyn TokenCounter>,
    price: Price,
    /// Stores replies while a run is in progress.
    replies: Option<Replies>,
    permits: Semaphore,
}

impl Calling {
    /// Creates the caller of `answerer`, that of `plan`.
    pub(super) fn new(answerer: Answerer, plan: &CallPlan<'_>, replies: Option<Replies>) -> Self {
        Self {
            answerer,
            counter: Arc::clone(plan.counter),
            price: plan.price,
            replies,
            permits: Semaphore::new(plan.calls.min(Semaphore::MAX_PERMITS)),
        }
    }
}

#[async_trait]
impl Caller for Calling {
    async fn call(&self, question: &QuestionId, call: &PromptCall) -> Result<Attempt, ModelError> {
        let earlier = self.replies.as_ref();
        if let Some(earlier) = earlier.and_then(|replies| replies.take(question, &call.passages)) {
            return Ok(earlier);
        }
        let _permit = self.permits.acquire().await.expect("the semaphore is never closed");
        let clock = Instant::now();
        let reply = self.answerer.answer(question, call.arm, &call.prompt);
        let reply = reply.await;
        let attempt = attempt(reply, call, clock, self.counter.as_ref(), self.price)?;
        if let Some(replies) = &self.replies {
            replies.keep(question, &attempt);
        }
        Ok(attempt)
    }
}

/// Returns the prompts of `chosen` arms, each with its passages; `call` builds one. An arm over the passages of an earlier one,
/// or of a finished attempt of `already`, is not asked.
pub(super) fn prompts(
    chosen: Vec<(ArmName, Vec<ChunkId>)>,
    already: &[Arm],
    plan: &ArmPlan,
    call: impl Fn(ArmName, Vec<ChunkId>) -> PromptCall,
) -> Vec<ArmPrompt> {
    let mut prompts: Vec<ArmPrompt> = Vec::new();
    for (arm, passages) in chosen {
        let same = prompts.iter().find(|earlier| earlier.call.passages == passages);
        let prompt = match same {
            Some(earlier) => ArmPrompt { arm, call: Arc::clone(&earlier.call), times: 0 },
            None => ArmPrompt {
                arm,
                times: if finished(already, &passages).is_some() { 0 } else { plan.times(arm) },
                call: Arc::new(call(arm, passages)),
            },
        };
        prompts.push(prompt);
    }
    prompts
}

/// Sends the `prompts` of one question concurrently, and returns their arms after those of `already`. A prompt equal to an
/// earlier arm's is not sent again, unless that call failed.
///
/// # Errors
/// Only if the run must stop ([`ModelError::is_spent`]); any other failure is recorded in its attempt.
pub(super) async fn arms(
    question: &QuestionId,
    prompts: Vec<ArmPrompt>,
    already: Vec<Arm>,
    caller: &dyn Caller,
) -> Result<Vec<Arm>, ModelError> {
    let sent = prompts.iter().map(|prompt| repeated(question, prompt, caller));
    let sent = join_all(sent).await;
    let mut arms = already;
    for (ArmPrompt { arm, call, .. }, attempts) in prompts.iter().zip(sent) {
        let mut attempts = attempts?;
        if attempts.is_empty() {
            attempts.push(match same_prompt(&arms, &call.passages) {
                Some(same) => same,
                None => caller.call(question, call).await?,
            });
        }
        arms.push(Arm { arm: *arm, attempts });
    }
    Ok(arms)
}

/// Sends one prompt as often as its arm is asked; not again after [`FAILURES_IN_A_ROW`] consecutive failures, which end a run.
async fn repeated(
    question: &QuestionId,
    prompt: &ArmPrompt,
    caller: &dyn Caller,
) -> Result<Vec<Attempt>, ModelError> {
    let in_a_row = &AtomicUsize::new(0);
    let calls: Vec<_> = (0..prompt.times)
        .map(|_| async move {
            if in_a_row.load(Ordering::Relaxed) >= FAILURES_IN_A_ROW {
                return Ok(None);
            }
            let attempt = caller.call(question, &prompt.call).await?;
            if attempt.error.is_some() {
                in_a_row.fetch_add(1, Ordering::Relaxed);
            } else {
                in_a_row.store(0, Ordering::Relaxed);
            }
            Ok(Some(attempt))
        })
        .collect();
    let sent: Vec<Result<Option<Attempt>, ModelError>> =
        stream::iter(calls).buffered(FAILURES_IN_A_ROW).collect().await;
    sent.into_iter().filter_map(Result::transpose).collect()
}

/// Returns the reply of an earlier arm to an equal prompt.
fn same_prompt(arms: &[Arm], passages: &[ChunkId]) -> Option<Attempt> {
    Some(Attempt {
        origin: Origin::SamePrompt,
        cost_usd: 0.0,
        seconds: 0.0,
        ..finished(arms, passages)?.clone()
    })
}

/// Returns the first attempt over these passages that did not fail.
fn finished<'a>(arms: &'a [Arm], passages: &[ChunkId]) -> Option<&'a Attempt> {
    let mut attempts = arms.iter().flat_map(|arm| &arm.attempts);
    attempts.find(|attempt| attempt.passages == passages && attempt.error.is_none())
}

/// Sends one prompt and reads the answer from the reply.
///
/// # Errors
/// Only if the run must stop ([`ModelError::is_spent`]); any other failure is recorded in the attempt.
pub async fn ask(
    generator: &dyn Generator,
    call: &PromptCall,
    counter: &dyn TokenCounter,
    price: Price,
) -> Result<Attempt, ModelError> {
    let clock = Instant::now();
    let reply = generator.generate(&call.prompt).await;
    let reply = reply.map(Reply::read).map_err(|error| AnswerError(FailedPart::Generator, error));
    attempt(reply, call, clock, counter, price)
}

/// Records the `reply` to a call made at `clock`.
fn attempt(
    reply: Result<Reply, AnswerError>,
    call: &PromptCall,
    clock: Instant,
    counter: &dyn TokenCounter,
    price: Price,
) -> Result<Attempt, ModelError> {
    let seconds = clock.elapsed().as_secs_f64();
    let Reply { completion: reply, extracted, stance, cost_usd } = match reply {
        Ok(reply) => reply,
        Err(error) => return failed(error, call, seconds),
    };
    let (counted, passages) = (call.n_tokens, call.passages.clone());
    let completion = reply.completion_tokens.unwrap_or_else(|| counter.count(&reply.text) as u64);
    let cost_usd = cost_usd.unwrap_or(match reply.origin {
        Origin::Called => price.of(reply.prompt_tokens.unwrap_or(counted), completion),
        Origin::Cached | Origin::SamePrompt => 0.0,
    });
    Ok(Attempt {
        passages,
        raw: reply.text,
        extracted,
        stance,
        finish: reply.finish,
        origin: reply.origin,
        tokens: TokenUse { prompt: counted, prompt_billed: reply.prompt_tokens, completion },
        cost_usd,
        seconds,
        error: None,
    })
}

/// Records a call that failed or was refused.
fn failed(error: AnswerError, call: &PromptCall, seconds: f64) -> Result<Attempt, ModelError> {
    let refused = error.is_refusal();
    let error = error.of_question()?;
    Ok(Attempt {
        passages: call.passages.clone(),
        raw: String::new(),
        extracted: String::new(),
        stance: if refused { Stance::Refused } else { Stance::Unreadable },
        finish: if refused { Finish::Filtered } else { Finish::Error },
        origin: Origin::Called,
        tokens: TokenUse { prompt: call.n_tokens, prompt_billed: None, completion: 0 },
        cost_usd: 0.0,
        seconds,
        error: (!refused).then_some(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::types::{ErrorKind, TraceError};

    /// Fails from the call of this number on; counts its calls.
    struct Dying {
        from: usize,
        n_calls: AtomicUsize,
    }

    #[async_trait]
    impl Caller for Dying {
        async fn call(&self, _: &QuestionId, _: &PromptCall) -> Result<Attempt, ModelError> {
            let n = self.n_calls.fetch_add(1, Ordering::SeqCst);
            let error = (n >= self.from).then(|| TraceError {
                part: FailedPart::Generator,
                kind: ErrorKind::Unreachable,
                message: "dead".to_owned(),
            });
            Ok(Attempt {
                passages: Vec::new(),
                raw: String::new(),
                extracted: String::new(),
                stance: Stance::Unreadable,
                finish: Finish::Error,
                origin: Origin::Called,
                tokens: TokenUse::default(),
                cost_usd: 0.0,
                seconds: 0.0,
                error,
            })
        }
    }

    #[tokio::test]
    async fn repeats_end_after_as_many_failures_as_end_a_run() {
        for (from, n_expected) in [(0, 20), (5, 25), (1_000, 100)] {
            let prompt = Prompt {
                question: "q".into(),
                passages: Vec::new(),
                system: String::new(),
                user: "q".into(),
            };
            let call =
                PromptCall { arm: ArmName::Retrieved, passages: Vec::new(), prompt, n_tokens: 1 };
            let prompt = ArmPrompt { arm: ArmName::Retrieved, call: Arc::new(call), times: 100 };
            let n_calls = AtomicUsize::new(0);
            let caller = Dying { from, n_calls };
            let arms = arms(&"q".into(), vec![prompt], Vec::new(), &caller).await.expect("arms");
            assert_eq!(arms[0].attempts.len(), n_expected);
            assert_eq!(caller.n_calls.into_inner(), n_expected);
        }
    }
}
