//! The calls of one question: each arm's prompt, and what came back.

use std::time::Instant;

use futures_util::future::join_all;
use tokio::sync::Semaphore;

use super::arms;
use super::plan::Plan;
use super::prompt;
use ragtriage_core::prompt::Prompt;
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{
    Arm, Attempt, ChunkId, Corpus, Finish, Origin, Stance, TokenUse, Trace,
};
use ragtriage_models::llm::{self, ErrorClass, Generator, LlmError, Price};
use ragtriage_runs::replies::Replies;

/// The calls of a run: replies of questions in work, and a permit for each call whose reply is not yet on disk, so that a kill
/// costs no more calls than there are permits.
pub struct Calls {
    replies: Replies,
    permits: Semaphore,
}

impl Calls {
    /// At most `n` calls at once.
    #[must_use]
    pub fn new(replies: Replies, n: usize) -> Self {
        Self {
            replies,
            permits: Semaphore::new(n.min(Semaphore::MAX_PERMITS)),
        }
    }
}

/// Runs the arms of `plan` that this question has, all at the same time; `in_sample`: it is one of those asked without context.
///
/// A prompt that an arm before had is not asked again, nor one that has its reply in `calls` from before the run was killed.
///
/// # Errors
/// Only where the run must stop ([`ErrorClass::Spent`]); any other failure is its attempt's.
pub async fn arms(
    trace: &Trace,
    in_sample: bool,
    corpus: &Corpus,
    plan: &Plan,
    calls: Option<&Calls>,
) -> Result<Vec<Arm>, LlmError> {
    let Some(generator) = &plan.generator else {
        return Ok(Vec::new());
    };
    let wanted = arms::prompts(trace, in_sample, corpus, plan);
    let attempts = async |chunks: &[ChunkId], times: usize| {
        let prompt = prompt::prompt(
            &trace.question,
            chunks,
            corpus,
            &plan.prompt,
            plan.title_prefix,
        );
        let counter = plan.prompt.counter.as_ref();
        let call = || {
            ask(
                generator.as_ref(),
                &prompt,
                chunks.to_vec(),
                counter,
                plan.price,
            )
        };
        let once = async || {
            let Some(Calls { replies, permits }) = calls else {
                return call().await;
            };
            if let Some(earlier) = replies.take(&trace.question.id, chunks) {
                return Ok(earlier);
            }
            let _permit = permits
                .acquire()
                .await
                .expect("the semaphore is never closed");
            let attempt = call().await?;
            replies.keep(&trace.question.id, &attempt);
            Ok(attempt)
        };
        join_all((0..times).map(|_| once()))
            .await
            .into_iter()
            .collect::<Result<Vec<Attempt>, LlmError>>()
    };
    let is_repeated = |at: usize| {
        wanted[..at]
            .iter()
            .any(|(_, chunks)| *chunks == wanted[at].1)
    };
    let first = wanted.iter().enumerate().map(|(at, (arm, chunks))| {
        attempts(
            chunks,
            if is_repeated(at) {
                0
            } else {
                plan.arms.times(*arm)
            },
        )
    });
    let mut arms: Vec<Arm> = Vec::with_capacity(wanted.len());
    for ((arm, chunks), asked) in wanted.iter().zip(join_all(first).await) {
        let mut asked = asked?;
        if asked.is_empty() {
            let mut before = arms.iter().flat_map(|arm| &arm.attempts);
            let same =
                before.find(|attempt| attempt.passages == *chunks && attempt.error.is_none());
            asked = match same {
                Some(same) => vec![Attempt {
                    origin: Origin::SamePrompt,
                    cost_usd: 0.0,
                    seconds: 0.0,
                    ..same.clone()
                }],
                None => attempts(chunks, 1).await?,
            };
        }
        arms.push(Arm {
            arm: *arm,
            attempts: asked,
        });
    }
    Ok(arms)
}

/// One call, and what is to be read from its reply. `passages` are those that `prompt` shows.
///
/// # Errors
/// Only where the run must stop ([`ErrorClass::Spent`]); any other failure is the attempt's.
pub async fn ask(
    generator: &dyn Generator,
    prompt: &Prompt,
    passages: Vec<ChunkId>,
    counter: &dyn TokenCounter,
    price: Price,
) -> Result<Attempt, LlmError> {
    let counted = prompt::n_tokens(prompt, counter);
    let clock = Instant::now();
    let reply = generator.generate(prompt).await;
    let seconds = clock.elapsed().as_secs_f64();
    let error = match reply {
        Ok(reply) => {
            let (extracted, stance) = llm::read_answer(&reply.text, reply.finish);
            let completion = reply
                .completion_tokens
                .unwrap_or_else(|| counter.count(&reply.text) as u64);
            let cost_usd = match reply.origin {
                Origin::Called => price.of(reply.prompt_tokens.unwrap_or(counted), completion),
                Origin::Cached | Origin::SamePrompt => 0.0,
            };
            return Ok(Attempt {
                passages,
                raw: reply.text,
                extracted,
                stance,
                finish: reply.finish,
                origin: reply.origin,
                tokens: TokenUse {
                    prompt: counted,
                    prompt_billed: reply.prompt_tokens,
                    completion,
                },
                cost_usd,
                seconds,
                error: None,
            });
        }
        Err(error) if error.class() == ErrorClass::Spent => return Err(error),
        Err(error) => error,
    };
    // A filter that stops the prompt is the generator's refusal, not a failure of the wire.
    let refused = error.class() == ErrorClass::Refused;
    Ok(Attempt {
        passages,
        raw: String::new(),
        extracted: String::new(),
        stance: if refused {
            Stance::Refused
        } else {
            Stance::Unreadable
        },
        finish: if refused {
            Finish::Filtered
        } else {
            Finish::Error
        },
        origin: Origin::Called,
        tokens: TokenUse {
            prompt: counted,
            prompt_billed: None,
            completion: 0,
        },
        cost_usd: 0.0,
        seconds,
        error: (!refused).then(|| error.to_string()),
    })
}
