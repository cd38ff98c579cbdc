//! `[external]`: an external RAG service, its requests and its responses.

use std::collections::BTreeMap;

table! {
    /// `[external]`
    ExternalSettings {
        /// URL to which each question is posted as `{"id", "question"}`; the response holds contexts and answer. Default: none,
        /// the built-in pipeline runs.
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        /// The service also answers from the contexts that it is sent: `{"id", "question", "contexts", "condition"}`. It is then asked for
        /// the conditions of `evaluation.conditions`.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        answers_contexts: bool,
        /// Post other texts as questions for evidence that no retriever of the service found, to name the cause: two for each missing
        /// gold document, each answered by the service.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        search_again: bool,
        /// Body of a request, in which `"{id}"`, `"{question}"`, `"{contexts}"` and `"{condition}"` are replaced. Fields with the last
        /// two are left out where the service is to retrieve. Default: `{ id = "{id}", question = "{question}", contexts =
        /// "{contexts}", condition = "{condition}" }`.
        #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
        request: serde_json::Map<String, serde_json::Value>,
        /// JSON Pointer to the contexts in a response, texts or objects as in a results file: `/sources`, or with `*` for all items of a list:
        /// `/sources/*/text`. Default: `/contexts`.
        #[serde(skip_serializing_if = "Option::is_none")]
        contexts: Option<String>,
        /// JSON Pointers to further stages of retrieval, by name: `{ "dense" = "/debug/retrieved/*" }`.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        stages: BTreeMap<String, String>,
        /// JSON Pointer to the answer in a response: `/output/text`. Default: `/answer`.
        #[serde(skip_serializing_if = "Option::is_none")]
        answer: Option<String>,
        /// Environment variable with the API key.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-resume" = "may change", "x-private" = true))]
        api_key_env: Option<String>,
        /// Additional request headers, each with the environment variable that holds its value: `{ "x-api-key" = "RAG_KEY" }`.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        #[schemars(extend("x-private" = true))]
        headers_env: BTreeMap<String, String>,
    }
}
