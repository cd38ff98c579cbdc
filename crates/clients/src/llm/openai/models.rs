//! An endpoint's list of models, and the smallest call: whether a configured model can be used.

use serde::Deserialize;
use serde_json::Value;

use super::OpenAi;
use super::settings::{MAX_COMPLETION_TOKENS, OpenAiSettings};
use crate::Error;
use crate::http::{JsonEndpoint, Kind};
use crate::llm::Generator;
use ragtriage_core::prompt::Prompt;

/// Fields that hold a model's context length (vLLM, `OpenRouter`, Mistral, Groq).
const CONTEXT_FIELDS: [&str; 4] =
    ["/max_model_len", "/context_length", "/max_context_length", "/context_window"];
/// The context that the model was trained with, in the list of a llama.cpp server. It may serve a shorter one, which only its
/// properties hold.
const LLAMA_TRAINED: &str = "/data/0/meta/n_ctx_train";
const LLAMA_SERVED: &str = "/default_generation_settings/n_ctx";

/// A model of an endpoint's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedModel {
    /// Its name.
    pub name: String,
    /// Its context length in tokens as served, if the endpoint reports it.
    pub context_tokens: Option<u64>,
}

/// The models of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelList {
    /// The models, in the endpoint's order.
    pub models: Vec<ListedModel>,
    /// True if a key was sent and the endpoint checks it: without it, the list is refused.
    pub is_key_checked: bool,
}

impl ModelList {
    /// Returns the model of that name; Ollama lists `llama3.2` as `llama3.2:latest`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&ListedModel> {
        let mut models = self.models.iter();
        models.find(|model| model.name == name || model.name.strip_suffix(":latest") == Some(name))
    }
}

/// Requests the list of models, which costs no tokens; `None` if the endpoint has none.
///
/// # Errors
/// An invalid setting, an endpoint that cannot be reached or refuses the key.
pub async fn list_models(settings: &OpenAiSettings) -> Result<Option<ModelList>, Error> {
    let server = OpenAi::new(settings)?;
    let base = settings.endpoint()?.url;
    let base = base.path().trim_end_matches(settings.names.path).to_owned();
    let endpoint = |settings: &OpenAiSettings, path: &str| {
        let mut endpoint = settings.endpoint()?;
        endpoint.url.set_path(path);
        Ok::<_, Error>(JsonEndpoint::new(endpoint)?)
    };
    let path = format!("{base}/models");
    let listing = endpoint(settings, &path)?;
    let answer = match listing.get().await {
        // A list that is too large, or elsewhere.
        Err(error) if matches!(error.kind, Kind::AnswerTooLarge | Kind::Redirected) => {
            return Ok(None);
        }
        answer => answer?,
    };
    if matches!(answer.status, 401 | 403) {
        return Err(server.complaint(&answer));
    }
    let list = answer.is_success().then(|| models(&answer.body)).flatten();
    let Some(mut models) = list else {
        return Ok(None);
    };
    if value_at(&answer.body, LLAMA_TRAINED).is_some() {
        let properties = format!("{}/props", base.trim_end_matches("/v1"));
        let answer = endpoint(settings, &properties)?.get().await;
        let served = answer.ok().and_then(|answer| value_at(&answer.body, LLAMA_SERVED));
        for model in &mut models {
            model.context_tokens = served;
        }
    }
    for model in &mut models {
        model.name = listing.excerpt(&model.name);
    }
    let without_key = OpenAiSettings { api_key: None, headers: Vec::new(), ..settings.clone() };
    let has_key = settings.api_key.is_some() || !settings.headers.is_empty();
    let is_key_checked = has_key
        && matches!(endpoint(&without_key, &path)?.get().await, Ok(answer) if matches!(answer.status, 401 | 403));
    Ok(Some(ModelList { models, is_key_checked }))
}

/// Makes one call, of a few prompt tokens and at most one answer token.
///
/// # Errors
/// A failed call.
pub async fn ask_one_token(settings: &OpenAiSettings) -> Result<(), Error> {
    let mut settings = OpenAiSettings { max_tokens: Some(1), ..settings.clone() };
    for name in [MAX_COMPLETION_TOKENS, "max_tokens"] {
        if let Some(most) = settings.extra_body.get_mut(name) {
            *most = 1.into();
        }
    }
    let prompt = Prompt {
        question: String::new(),
        passages: Vec::new(),
        system: String::new(),
        user: "Hi".to_owned(),
    };
    OpenAi::new(&settings)?.generate(&prompt).await.map(|_| ())
}

#[derive(Deserialize)]
struct WireList {
    data: Vec<Value>,
}

/// Returns the models of a response; `None` for another response.
fn models(body: &[u8]) -> Option<Vec<ListedModel>> {
    let WireList { data } = serde_json::from_slice(body).ok()?;
    let models = data.iter().filter_map(|model| {
        let mut fields = CONTEXT_FIELDS.iter();
        Some(ListedModel {
            name: model.get("id")?.as_str()?.to_owned(),
            context_tokens: fields.find_map(|field| model.pointer(field)?.as_u64()),
        })
    });
    Some(models.collect())
}

/// Returns the whole number at `pointer` of a response, if there is one.
fn value_at(body: &[u8], pointer: &str) -> Option<u64> {
    serde_json::from_slice::<Value>(body).ok()?.pointer(pointer)?.as_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_lengths_are_read_in_each_servers_form() {
        let list = models(
            br#"{"object": "list", "data": [
                {"id": "a", "max_model_len": 8192}, {"id": "b", "meta": {"n_ctx_train": 4096}}, {"id": "c:latest"}, {"no": "id"}
            ]}"#,
        )
        .expect("a list");
        let found: Vec<(&str, Option<u64>)> =
            list.iter().map(|model| (model.name.as_str(), model.context_tokens)).collect();
        assert_eq!(found, [("a", Some(8192)), ("b", None), ("c:latest", None)]);
        let list = ModelList { models: list, is_key_checked: false };
        assert!(list.find("c").is_some() && list.find("d").is_none());
    }

    #[test]
    fn another_response_is_no_list() {
        for body in ["", "<html>", "[]", r#"{"data": "none"}"#] {
            assert_eq!(models(body.as_bytes()), None, "{body}");
        }
    }
}
