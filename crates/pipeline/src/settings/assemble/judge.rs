//! Assembles the judge.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::environment::Environment;
use super::evaluation::check;
use super::generation;
use super::prompt::prompt_counter;
use crate::Error;
use crate::judging::JudgePlan;
use crate::settings::Resolved;
use ragtriage_clients::http::JUDGE;
use ragtriage_clients::judge::AnswerJudge;
use ragtriage_clients::llm::Allowance;
use ragtriage_clients::llm::openai::{self, OpenAi, OpenAiSettings};
use ragtriage_core::config::JudgeSettings;

/// Maximum tokens of a reply: a verdict is one word, which a model may explain.
const MAX_TOKENS: u32 = 256;

/// A judge with its response cache and its spending limit.
pub struct AssembledJudge {
    /// The judge.
    pub plan: JudgePlan,
    /// The spending limit, if configured; add the amount that a resumed run has already spent.
    pub allowance: Option<Arc<Allowance>>,
}

/// Assembles the judge; `None` if none is configured. Makes no calls.
///
/// # Errors
/// An invalid address, an unset key, a cache that cannot be opened, a cost limit without a price.
pub fn judge(
    resolved: &Resolved,
    environment: &Environment,
) -> Result<Option<AssembledJudge>, Error> {
    check(&resolved.settings)?;
    let judge = &resolved.settings.judge;
    if !judge.is_on() {
        return Ok(None);
    }
    let settings = openai_settings(resolved, environment)?;
    let allowance = generation::limited(&JUDGE, judge.max_usd, judge.price, most_tokens(judge))?;
    let generator = Arc::new(OpenAi::new(&settings, allowance.clone())?);
    let generator = generation::cached(generator, environment)?;
    let plan = JudgePlan {
        judge: Arc::new(AnswerJudge::new(generator, prompt_counter()?, judge.price)),
        concurrency: resolved.settings.http.concurrency,
    };
    Ok(Some(AssembledJudge { plan, allowance }))
}

/// Returns the maximum tokens of a reply.
pub(crate) fn most_tokens(judge: &JudgeSettings) -> u64 {
    openai::most_completion_tokens(&judge.extra_body, MAX_TOKENS)
}

/// Returns the settings of the judge's endpoint.
///
/// # Errors
/// An unset key; an address on another machine in offline mode.
pub fn openai_settings(
    resolved: &Resolved,
    environment: &Environment,
) -> Result<OpenAiSettings, Error> {
    let judge = &resolved.settings.judge;
    let (key, headers) = (judge.api_key_env.as_ref(), BTreeMap::new());
    Ok(OpenAiSettings {
        endpoint: environment.endpoint(&JUDGE, &judge.base_url, key, &headers, resolved)?,
        model: judge.model.clone(),
        extra_body: judge.extra_body.clone(),
        temperature: 0.0,
        max_tokens: MAX_TOKENS,
    })
}
