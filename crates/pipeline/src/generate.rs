//! The calls of one question: each condition's prompt and its reply.

use std::sync::Arc;

use futures_util::future::join_all;
use tokio::sync::Semaphore;

use super::answerer::{Answerer, Reply};
use super::prompt;
use ragtriage_clients::Error as ModelError;
use ragtriage_core::config::Price;
use ragtriage_core::prompt::{Prompt, rewrite_prompt};
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{
    Attempt, ChunkId, Condition, ConditionAnswers, FailedPart, Finish, Origin, Question,
    QuestionId, Stance, TokenUse, TraceError,
};
use ragtriage_data::run::replies::Replies;

/// A prompt to be sent.
pub(super) struct PromptCall {
    /// The condition whose prompt it is; of several with the same passages the first.
    pub condition: Condition,
    /// The passages shown, in order.
    pub passages: Vec<ChunkId>,
    pub prompt: Prompt,
    /// Its tokens as counted locally.
    pub n_tokens: u64,
}

/// The prompt of one condition of a question.
pub(super) struct ConditionPrompt {
    condition: Condition,
    /// Its call; conditions with equal passages share the first one's.
    call: Arc<PromptCall>,
    /// False if an earlier condition has the same prompt.
    is_sent: bool,
}

/// Makes the calls of a run. A reply that was saved before the run was killed is not asked for again. Each call whose reply is not
/// yet on disk needs a permit: a kill costs at most as many calls as there are permits.
pub struct Calls {
    pub(super) answerer: Answerer,
    counter: Arc<dyn TokenCounter>,
    pub(super) price: Price,
    /// Stores replies while a run is in progress.
    pub(super) replies: Option<Replies>,
    /// True to make no call: the replies are empty.
    pub(super) is_dry: bool,
    /// Maximum number of concurrent calls whose replies are not yet stored.
    pub at_once: usize,
    permits: Semaphore,
}

impl Calls {
    /// Creates the calls to `answerer`, at most `at_once` at a time.
    pub(super) fn new(
        answerer: Answerer,
        counter: Arc<dyn TokenCounter>,
        price: Price,
        at_once: usize,
    ) -> Self {
        let permits = Semaphore::new(at_once.min(Semaphore::MAX_PERMITS));
        Self { answerer, counter, price, replies: None, is_dry: false, at_once, permits }
    }

    /// Sends one prompt of `question`.
    ///
    /// # Errors
    /// Only if the run must stop ([`ModelError::is_spent`]); any other failure is recorded in the attempt.
    pub(super) async fn call(
        &self,
        question: &QuestionId,
        call: &PromptCall,
    ) -> Result<Attempt, ModelError> {
        if self.is_dry {
            let is_cached = self.answerer.is_cached(&call.prompt).await;
            let origin = if is_cached { Origin::Cached } else { Origin::Called };
            return Ok(Attempt { origin, ..unanswered(call) });
        }
        let earlier = self.replies.as_ref();
        if let Some(earlier) = earlier.and_then(|replies| replies.take(question, &call.passages)) {
            return Ok(earlier);
        }
        let _permit = self.permits.acquire().await.expect("the semaphore is never closed");
        let reply = self.answerer.answer(question, call.condition, &call.prompt).await;
        let attempt = match reply {
            Ok(reply) => self.answered(reply, call),
            Err(error) => failed(error, call)?,
        };
        if let Some(replies) = &self.replies {
            replies.keep(question, &attempt);
        }
        Ok(attempt)
    }

    /// Has `question` rewritten from its earlier turns. In a dry run, a cached reply is read.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub(super) async fn rewrite(&self, question: &Question) -> Result<Attempt, ModelError> {
        let prompt = rewrite_prompt(question);
        let call = PromptCall {
            condition: Condition::Retrieved,
            // Its reply is stored next to those of the question's prompts.
            passages: vec![ChunkId::from(format!("{}#rewrite", question.id))],
            n_tokens: prompt::n_tokens(&prompt, self.counter.as_ref()),
            prompt,
        };
        let mut attempt = self.call(&question.id, &call).await?;
        if self.is_dry && attempt.origin == Origin::Cached {
            let reply = self.answerer.answer(&question.id, call.condition, &call.prompt).await;
            attempt = reply.map_or(attempt, |reply| self.answered(reply, &call));
        }
        attempt.passages.clear();
        Ok(attempt)
    }

    /// Records the reply to a call.
    fn answered(&self, reply: Reply, call: &PromptCall) -> Attempt {
        let Reply { completion: reply, extracted, stance, cost_usd } = reply;
        let (tokens, priced) = reply.usage(call.n_tokens, self.counter.as_ref(), self.price);
        Attempt {
            raw: reply.text,
            extracted,
            stance,
            finish: reply.finish,
            origin: reply.origin,
            tokens,
            cost_usd: cost_usd.unwrap_or(priced),
            seconds: reply.seconds,
            ..unanswered(call)
        }
    }
}

/// Returns the prompts of `chosen` conditions, each with its passages; `call` builds one. A condition over the passages of an earlier one,
/// or of a finished attempt of `already`, is not asked.
pub(super) fn prompts(
    chosen: Vec<(Condition, Vec<ChunkId>)>,
    already: &[ConditionAnswers],
    call: impl Fn(Condition, Vec<ChunkId>) -> PromptCall,
) -> Vec<ConditionPrompt> {
    let mut prompts: Vec<ConditionPrompt> = Vec::new();
    for (condition, passages) in chosen {
        let same = prompts.iter().find(|earlier| earlier.call.passages == passages);
        let prompt = match same {
            Some(earlier) => {
                ConditionPrompt { condition, call: Arc::clone(&earlier.call), is_sent: false }
            }
            None => ConditionPrompt {
                condition,
                is_sent: finished(already, &passages).is_none(),
                call: Arc::new(call(condition, passages)),
            },
        };
        prompts.push(prompt);
    }
    prompts
}

/// Sends the `prompts` of one question concurrently, and returns their conditions after those of `already`. A prompt equal to an
/// earlier condition's is not sent again, unless that call failed.
///
/// # Errors
/// Only if the run must stop ([`ModelError::is_spent`]); any other failure is recorded in its attempt.
pub(super) async fn conditions(
    question: &QuestionId,
    prompts: Vec<ConditionPrompt>,
    already: Vec<ConditionAnswers>,
    calls: &Calls,
) -> Result<Vec<ConditionAnswers>, ModelError> {
    let sent = prompts.iter().map(|prompt| async {
        if prompt.is_sent { Some(calls.call(question, &prompt.call).await) } else { None }
    });
    let sent = join_all(sent).await;
    let mut conditions = already;
    for (ConditionPrompt { condition, call, .. }, attempt) in prompts.iter().zip(sent) {
        let attempt = match attempt {
            Some(attempt) => attempt?,
            None => match same_prompt(&conditions, &call.passages) {
                Some(same) => same,
                None => calls.call(question, call).await?,
            },
        };
        conditions.push(ConditionAnswers { condition: *condition, attempts: vec![attempt] });
    }
    Ok(conditions)
}

/// Returns the reply of an earlier condition to an equal prompt.
fn same_prompt(conditions: &[ConditionAnswers], passages: &[ChunkId]) -> Option<Attempt> {
    Some(Attempt {
        origin: Origin::SamePrompt,
        cost_usd: 0.0,
        seconds: 0.0,
        ..finished(conditions, passages)?.clone()
    })
}

/// Returns the first attempt over these passages that did not fail.
fn finished<'a>(conditions: &'a [ConditionAnswers], passages: &[ChunkId]) -> Option<&'a Attempt> {
    let mut attempts = conditions.iter().flat_map(|condition| &condition.attempts);
    attempts.find(|attempt| attempt.passages == passages && attempt.error.is_none())
}

/// The record of a call without a reply.
fn unanswered(call: &PromptCall) -> Attempt {
    Attempt {
        passages: call.passages.clone(),
        raw: String::new(),
        extracted: String::new(),
        stance: Stance::Unreadable,
        finish: Finish::Stop,
        origin: Origin::Called,
        tokens: TokenUse { prompt: call.n_tokens, prompt_billed: None, completion: 0 },
        cost_usd: 0.0,
        seconds: 0.0,
        error: None,
    }
}

/// Records a call that failed, or that a content filter refused.
fn failed(
    (part, error): (FailedPart, ModelError),
    call: &PromptCall,
) -> Result<Attempt, ModelError> {
    if error.is_spent {
        return Err(error);
    }
    let (stance, finish) = if error.is_refusal {
        (Stance::Refused, Finish::Filtered)
    } else {
        (Stance::Unreadable, Finish::Error)
    };
    let recorded = TraceError { part, kind: error.kind, message: error.to_string() };
    let error = (!error.is_refusal).then_some(recorded);
    Ok(Attempt { stance, finish, error, ..unanswered(call) })
}
