//! Assembles the judge.

use std::sync::Arc;

use super::environment::Environment;
use super::error::AssembleError;
use super::evaluation::check;
use super::generation;
use super::prompt::prompt_counter;
use crate::estimate;
use crate::judging::JudgePlan;
use crate::settings::{Resolved, Settings, SettingsError};
use ragtriage_core::config::{GenerationSettings, GeneratorName, JudgeKind, JudgeSettings};
use ragtriage_core::types::{JudgeEstimate, Question};
use ragtriage_models::judge::AnswerJudge;
use ragtriage_models::llm::Allowance;
use ragtriage_models::llm::openai::{self, OpenAiSettings};
use ragtriage_models::services::JUDGE;

/// A judge with its spending limit.
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
) -> Result<Option<AssembledJudge>, AssembleError> {
    check(&resolved.settings)?;
    let judge = &resolved.settings.judge;
    if judge.kind == JudgeKind::None {
        return Ok(None);
    }
    let endpoint = endpoint(judge);
    let settings = openai_settings(resolved, environment)?;
    let allowance = generation::allowance(&endpoint, &JUDGE)?;
    let generator = openai::connect(&settings, allowance.clone())?;
    let label = resolved.settings.dataset.label();
    let generator = generation::cached(generator, 1, label, environment)?;
    let plan = JudgePlan {
        judge: Arc::new(AnswerJudge::new(generator, prompt_counter()?, judge.price)),
        concurrency: endpoint.concurrency,
    };
    Ok(Some(AssembledJudge { plan, allowance }))
}

/// Returns the settings of the judge's endpoint.
pub(super) fn openai_settings(
    resolved: &Resolved,
    environment: &Environment,
) -> Result<OpenAiSettings, SettingsError> {
    let judge = &resolved.settings.judge;
    environment.check_address("judge.base_url", &judge.base_url)?;
    generation::openai_settings(&endpoint(judge), &JUDGE, &resolved.base(), environment)
}

/// Bounds the calls of the judge for `questions`; `None` without a judge.
///
/// # Errors
/// An unavailable token counter.
pub fn judge_estimate(
    settings: &Settings,
    questions: &[Question],
) -> Result<Option<JudgeEstimate>, SettingsError> {
    let conditions = settings.evaluation.arms.len().max(1) * settings.generation.repeat;
    Ok(estimate::judge_estimate(
        questions,
        conditions as u64,
        &settings.judge,
        generation::most_completion_tokens(&settings.generation),
        generation::most_completion_tokens(&endpoint(&settings.judge)),
        prompt_counter()?.as_ref(),
    ))
}

/// Returns the judge's endpoint as that of a generator.
fn endpoint(judge: &JudgeSettings) -> GenerationSettings {
    let judge = judge.clone();
    GenerationSettings {
        generator: GeneratorName::Openai,
        base_url: judge.base_url,
        model: judge.model,
        api_key_env: judge.api_key_env,
        headers_env: judge.headers_env,
        extra_body: judge.extra_body,
        temperature: judge.temperature,
        max_tokens: judge.max_tokens,
        concurrency: judge.concurrency,
        timeout_s: judge.timeout_s,
        max_usd: judge.max_usd,
        max_tokens_total: judge.max_tokens_total,
        price: judge.price,
        ca_file: judge.ca_file,
        ..GenerationSettings::default()
    }
}
