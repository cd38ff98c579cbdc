//! Checks of endpoints: reachable, key accepted, model known, context long enough.
//!
//! A list of models costs no tokens. Where it does not answer the question, one call with at most one answer token does.

use super::check::Check;
use crate::failure::Failure;
use ragtriage_core::config::JudgeKind;
use ragtriage_core::text::address::shown_url;
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_models::llm::openai::{
    ListedModel, ModelList, OpenAiSettings, ask_one_token, list_models,
};
use ragtriage_pipeline::settings::Resolved;
use ragtriage_pipeline::settings::assemble::recipients::{RecipientRole, recipients};
use ragtriage_pipeline::settings::assemble::{Environment, probe};

/// Models to name of an endpoint that does not have the configured one.
const MOST_NAMED: usize = 10;
const MADE_A_CALL: &str = " (made 1 call to check it)";

pub async fn checks(resolved: &Resolved, environment: &Environment) -> Vec<Check> {
    let settings = &resolved.settings;
    let roles: Vec<RecipientRole> = recipients(settings).iter().map(|it| it.role).collect();
    let calls = |role| roles.contains(&role);
    let mut checks = Vec::new();
    if let Some(url) = &settings.external.url {
        checks.push(Check::new("external service", service(url, resolved, environment).await));
    }
    if let Some(url) = &settings.retrieval.dense.endpoint
        && calls(RecipientRole::Encoder)
    {
        let found = probe::encoder(resolved, environment).await;
        let model = &settings.retrieval.dense.model;
        let fact = found.map(|n| {
            let n = plural(n, "dimension", "dimensions");
            format!("{model} at {}: {n}{MADE_A_CALL}", shown_url(url))
        });
        checks.push(Check::new("embeddings endpoint", fact.map_err(Into::into)));
    }
    if let Some(url) = &settings.rerank.endpoint
        && calls(RecipientRole::Reranker)
    {
        let found = probe::reranker(resolved, environment).await;
        let fact = found.map(|()| format!("{}: scores passages{MADE_A_CALL}", shown_url(url)));
        checks.push(Check::new("rerank endpoint", fact.map_err(Into::into)));
    }
    if calls(RecipientRole::Generator) {
        let generation = &settings.generation;
        let most_tokens = generation.context_tokens as u64 + u64::from(generation.max_tokens);
        checks.push(Check::new(
            "generation endpoint",
            match probe::generator(resolved, environment) {
                Ok(settings) => chat(&settings, most_tokens).await,
                Err(error) => Err(error.into()),
            },
        ));
    }
    if settings.judge.kind == JudgeKind::Endpoint {
        let found = match probe::judge(resolved, environment) {
            Ok(settings) => chat(&settings, 0).await,
            Err(error) => Err(error.into()),
        };
        checks.push(Check::new("judge endpoint", found));
    }
    checks
}

async fn service(
    url: &str,
    resolved: &Resolved,
    environment: &Environment,
) -> Result<String, Failure> {
    probe::service(resolved, environment).await?;
    let shown = shown_url(url);
    Ok(format!("{shown}: reachable; no question was asked, which may cost tokens"))
}

/// Checks a model, of which a prompt and its answer may have `most_tokens`.
async fn chat(settings: &OpenAiSettings, most_tokens: u64) -> Result<String, Failure> {
    let list = list_models(settings).await?;
    let model = &settings.model;
    let found = list.as_ref().and_then(|list| list.find(model));
    let has_key = settings.api_key.is_some() || !settings.headers.is_empty();
    let is_key_checked = list.as_ref().is_some_and(|list| list.is_key_checked);
    let call = if found.is_some() && (is_key_checked || !has_key) {
        ""
    } else {
        ask_one_token(settings).await.map_err(|error| {
            let failure = Failure::from(error);
            match &list {
                Some(list) if found.is_none() => named(failure, list),
                _ => failure,
            }
        })?;
        MADE_A_CALL
    };
    let key = if has_key { ", key accepted" } else { "" };
    let context = found.and_then(|model| model.context_tokens);
    if let Some(context) = context.filter(|context| *context < most_tokens) {
        return Err(Failure::new(
            format!(
                "{model} has a context of {} tokens, but a prompt and its answer may have {}",
                thousands(context as usize),
                thousands(most_tokens as usize)
            ),
            "lower `generation.context_tokens` or `generation.max_tokens`, or raise the server's context length",
        ));
    }
    let context = context
        .map_or_else(String::new, |n| format!(", context of {} tokens", thousands(n as usize)));
    let url = shown_url(&settings.base_url);
    Ok(format!("{model} at {url}: model found{key}{context}{call}"))
}

/// Adds the models that the endpoint has.
fn named(failure: Failure, list: &ModelList) -> Failure {
    let names = list.models.iter().take(MOST_NAMED);
    let names: Vec<&str> = names.map(|ListedModel { name, .. }| name.as_str()).collect();
    let more = if list.models.len() > MOST_NAMED { ", ..." } else { "" };
    let models = match names.as_slice() {
        [] => "the endpoint lists no models".to_owned(),
        names => format!("the endpoint has these models: {}{more}", names.join(", ")),
    };
    Failure { hint: Some(models), ..failure }
}
