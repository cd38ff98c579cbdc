//! Assembles the plan of an external RAG: its record or its service, and who answers its conditions.

use std::collections::HashSet;
use std::sync::Arc;

use super::environment::Environment;
use super::evaluation::check;
use super::generation::{allowance, cached, calls, generator};
use super::prompt::{prompt_counter, template};
use super::retrieval::Wiring;
use super::{chunk_counter, chunk_spec, condition_plan};
use crate::Error;
use crate::answerer::Answerer;
use crate::ask::FAILURES_IN_A_ROW;
use crate::conditions::ConditionPlan;
use crate::generate::Calls;
use crate::plan::PromptPlan;
use crate::recorded::RecordedPlan;
use crate::settings::{Resolved, Settings};
use ragtriage_clients::fetch::OnDownload;
use ragtriage_clients::http::EXTERNAL;
use ragtriage_clients::service::{Rag, Service};
use ragtriage_core::config::GeneratorName;
use ragtriage_core::prompt::Template;
use ragtriage_core::types::Condition;
use ragtriage_data::run::ModelRecord;

/// Assembles the plan of an imported run. A failure of the external RAG does not predict the next question's.
///
/// # Errors
/// A setting out of range.
pub fn recorded(
    settings: &Settings,
    rag: Arc<dyn Rag>,
    concurrency: usize,
) -> Result<RecordedPlan, Error> {
    check(settings)?;
    Ok(RecordedPlan {
        rag,
        counter: prompt_counter()?,
        concurrency,
        most_failures: None,
        k: settings.retrieval.k,
        searches_again: settings.external.search_again,
        conditions: None,
    })
}

/// Assembles the plan for the external RAG in place of the built-in pipeline.
///
/// # Errors
/// A setting out of range, an invalid address, an unset key.
pub async fn service(
    resolved: &Resolved,
    environment: &Environment,
) -> Result<RecordedPlan, Error> {
    let settings = &resolved.settings;
    check(settings)?;
    let (external, concurrency) = (&settings.external, settings.http.concurrency);
    let service = Arc::new(connected(resolved, environment)?);
    let conditions = if external.answers_contexts {
        let wiring = Wiring::new(resolved, environment, &|_| {});
        let answerer = Answerer::Service(Arc::clone(&service));
        let template = Template::parse(Template::built_in("short-answer").expect("built in"))
            .expect("it is valid");
        let plan = asked_conditions(&wiring, answerer, template, concurrency).await?;
        Some(Box::new(plan))
    } else {
        None
    };
    let plan = recorded(settings, service, concurrency)?;
    Ok(RecordedPlan { most_failures: Some(FAILURES_IN_A_ROW), conditions, ..plan })
}

/// Creates the client of the service, without calling it.
pub(super) fn connected(resolved: &Resolved, environment: &Environment) -> Result<Service, Error> {
    let settings = &resolved.settings;
    let external = &settings.external;
    let answers = external.answers_contexts
        || external.answer.is_some()
        || settings.generation.generator != GeneratorName::None;
    let url = external.url.as_ref().ok_or_else(|| Error::setting("`external.url` is not set"))?;
    let (key, headers) = (external.api_key_env.as_ref(), &external.headers_env);
    let endpoint = environment.endpoint(&EXTERNAL, url, key, headers, resolved)?;
    Ok(Service::new(&endpoint, external, answers)?)
}

/// The generator that answers the conditions of a record.
pub struct RecordConditions {
    /// The conditions.
    pub plan: ConditionPlan,
    /// The models of the generator.
    pub models: Vec<ModelRecord>,
}

/// Assembles the generator of the settings, for the conditions of a record.
///
/// # Errors
/// A setting out of range, no generator, an unset key, an unavailable model, an invalid address.
pub async fn record_conditions(
    resolved: &Resolved,
    environment: &Environment,
    on_download: OnDownload<'_>,
) -> Result<RecordConditions, Error> {
    let settings = &resolved.settings;
    check(settings)?;
    let allowance = allowance(&settings.generation)?;
    let mut wiring = Wiring::new(resolved, environment, on_download);
    let Some(generator) = generator(&mut wiring, allowance)? else {
        let message = "`generation.generator` is `none`, so no generator can answer the conditions";
        let hint = "name the generator of the external RAG: `generation.generator`, `generation.base_url`, `generation.model`";
        return Err(Error::setting(message).with_hint(hint));
    };
    let answerer = Answerer::Generator(cached(generator, environment)?);
    let plan = asked_conditions(&wiring, answerer, template(resolved)?, calls(settings)).await?;
    Ok(RecordConditions { plan, models: wiring.models })
}

async fn asked_conditions(
    wiring: &Wiring<'_>,
    answerer: Answerer,
    template: Template,
    at_once: usize,
) -> Result<ConditionPlan, Error> {
    let settings = &wiring.resolved.settings;
    let (chunk_counter, _) = chunk_counter(wiring).await?;
    let mut conditions = condition_plan(settings);
    // That answer is recorded, or was given to the question itself.
    conditions.names.retain(|condition| *condition != Condition::Retrieved);
    let counter = prompt_counter()?;
    let price = settings.generation.price;
    Ok(ConditionPlan {
        calls: Calls::new(answerer, Arc::clone(&counter), price, at_once),
        conditions,
        chunking: chunk_spec(wiring.resolved)?,
        chunk_counter,
        prompt: PromptPlan {
            template,
            counter,
            context_tokens: settings.generation.context_tokens,
        },
        titles: settings.chunking.title_prefix,
        k: settings.retrieval.k,
        closed_book: HashSet::new(),
        probed: HashSet::new(),
    })
}
