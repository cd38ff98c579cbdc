//! A chat model as a judge.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;

use super::identity::identity;
use super::{AnswerJudge, JudgeFailure};
use crate::llm::{self, ErrorClass, Generator, LlmError};
use ragtriage_core::config::Price;
use ragtriage_core::rightness::{JudgeVerdict, comparison_prompt};
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{Origin, Question, TokenUse};
use ragtriage_runs::judged::JudgeCall;

/// A generator that compares answers.
pub struct EndpointJudge {
    generator: Arc<dyn Generator>,
    counter: Arc<dyn TokenCounter>,
    price: Price,
    identity: String,
}

impl EndpointJudge {
    /// Creates the judge that asks `generator`, whose tokens cost `price`; `counter` counts those that are not billed.
    #[must_use]
    pub fn new(
        generator: Arc<dyn Generator>,
        counter: Arc<dyn TokenCounter>,
        price: Price,
    ) -> Self {
        let instruction = comparison_prompt(&unlabelled(), "").system;
        let fingerprint = generator.fingerprint().unwrap_or_default();
        let identity = identity(generator.name(), &[fingerprint, &instruction]);
        Self { generator, counter, price, identity }
    }
}

fn unlabelled() -> Question {
    Question::new("".into(), String::new())
}

#[async_trait]
impl AnswerJudge for EndpointJudge {
    fn identity(&self) -> &str {
        &self.identity
    }

    async fn compare(&self, question: &Question, answer: &str) -> Result<JudgeCall, JudgeFailure> {
        let prompt = comparison_prompt(question, answer);
        let clock = Instant::now();
        let reply = self.generator.generate(&prompt).await;
        let reply = reply.map_err(|error| failure(&error))?;
        let seconds = clock.elapsed().as_secs_f64();
        let (said, _) = llm::read_answer(&reply.text, reply.finish);
        let counted = self.counter.count(&prompt.system) + self.counter.count(&prompt.user);
        let tokens = TokenUse {
            prompt: counted as u64,
            prompt_billed: reply.prompt_tokens,
            completion: reply
                .completion_tokens
                .unwrap_or_else(|| self.counter.count(&reply.text) as u64),
        };
        let billed = tokens.prompt_billed.unwrap_or(tokens.prompt);
        Ok(JudgeCall {
            verdict: JudgeVerdict::read(&said),
            raw: reply.text,
            origin: reply.origin,
            tokens,
            cost_usd: match reply.origin {
                Origin::Called => self.price.of(billed, tokens.completion),
                Origin::Cached | Origin::SamePrompt => 0.0,
            },
            seconds,
        })
    }
}

/// Names the settings of the judge, not those of the generator, in the endpoint's error.
fn failure(error: &LlmError) -> JudgeFailure {
    JudgeFailure {
        is_final: error.class() == ErrorClass::Spent,
        message: error.to_string().replace("`generation.", "`judge."),
    }
}
