//! The judge: asks a chat model whether an answer says the same as a gold answer.
//!
//! Its verdicts are facts of a run; evaluation uses them where the rule leaves an answer open, and measures their error where it does not.

use std::sync::Arc;

use crate::Error;
use crate::cache::key;
use crate::llm::{self, Generator};
use ragtriage_core::config::Price;
use ragtriage_core::prompt::{JudgeVerdict, comparison_prompt, n_tokens};
use ragtriage_core::text::hex::hex;
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::Question;
use ragtriage_data::run::judged::JudgeCall;

/// Hexadecimal digits of the hash in an identity.
const DIGITS: usize = 16;

/// A chat model that compares answers.
pub struct AnswerJudge {
    generator: Arc<dyn Generator>,
    counter: Arc<dyn TokenCounter>,
    price: Price,
    identity: String,
}

impl AnswerJudge {
    /// Creates the judge that asks `generator`, whose tokens cost `price`; `counter` counts those that are not billed.
    #[must_use]
    pub fn new(
        generator: Arc<dyn Generator>,
        counter: Arc<dyn TokenCounter>,
        price: Price,
    ) -> Self {
        let instruction = comparison_prompt(&Question::new("".into(), String::new()), "").system;
        let fingerprint = generator.fingerprint().unwrap_or_default();
        let hash = hex(&key(&[fingerprint, &instruction]));
        let identity = format!("{} {}", generator.name(), &hash[..DIGITS]);
        Self { generator, counter, price, identity }
    }

    /// Returns the judge's model, and a hash of all that its replies depend on besides the texts: a run tells its verdicts
    /// by it from those of another judge.
    #[must_use]
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Compares `answer` with the gold answers of `question`. A failure concerns this comparison only, unless
    /// [`Error::is_spent`].
    pub async fn compare(&self, question: &Question, answer: &str) -> Result<JudgeCall, Error> {
        let prompt = comparison_prompt(question, answer);
        let reply = self.generator.generate(&prompt).await?;
        let (verdict, _) = llm::read_answer(&reply.text, reply.finish);
        let counter = self.counter.as_ref();
        let (tokens, cost_usd) = reply.usage(n_tokens(&prompt, counter), counter, self.price);
        Ok(JudgeCall {
            verdict: JudgeVerdict::read(&verdict),
            raw: reply.text,
            origin: reply.origin,
            tokens,
            cost_usd,
            seconds: reply.seconds,
        })
    }
}

#[cfg(test)]
mod tests;
